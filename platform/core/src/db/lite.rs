//! Opening SQLite: one writer, several readers, WAL, a full sync at every commit.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::group::Writer;
use super::{ACQUIRE_TIMEOUT, Db, Inner};
use crate::error::{Error, Result};

/// How long a connection waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many readers there are at most. Readers never wait for the writer.
const READERS_MAX: u32 = 8;

/// What the connection of writes that read nothing keeps of the database in memory, as SQLite counts it: 32 MiB. A group of claims touches more pages than SQLite's
/// own 2 MiB hold; what does not fit is written before the commit and again at the next change.
const CACHE_KIB: i64 = 32 * 1024;

/// After how many pages the log is carried over into the database: 16 MiB. Each time costs two syncs and writes every page that
/// changed since the last, once; SQLite's own 1000 pages are one or two full groups.
const CHECKPOINT_PAGES: i64 = 4096;

pub(super) async fn open(path: &str) -> Result<Db> {
    let options = SqliteConnectOptions::from_str(&format!("sqlite:{path}"))
        .map_err(Error::internal)?
        .create_if_missing(true)
        .busy_timeout(BUSY_TIMEOUT)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
        .pragma("temp_store", "MEMORY")
        .statement_cache_capacity(256);
    // The writer comes first: it creates the file and turns it to WAL before a reader opens it.
    let writers = pool(1).connect_with(options.clone()).await?;
    let readers = pool(READERS_MAX).min_connections(1).connect_with(options.pragma("query_only", "ON")).await?;
    Ok(Db(Arc::new(Inner::Lite { writer: Writer::start(path.to_owned(), writers, readers.clone()), readers })))
}

/// The connection of writes that read nothing; as durable as the others.
pub(super) fn open_blind(path: &str) -> Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // What a statement would undo is kept in memory: in a file it is written nearly as much as the log itself.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(connection)
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // After a storage error SQLite may have ended the transaction while the driver still counts one; such a
        // connection would acknowledge commits that nobody makes. It does not go back into the pool.
        .after_release(|conn, _| {
            Box::pin(async move {
                use sqlx::Connection as _;
                conn.ping().await?;
                Ok(!conn.is_in_transaction())
            })
        })
}

/// Proves that what is written now can be read back over another connection.
pub(super) async fn probe(writers: &SqlitePool, readers: &SqlitePool) -> Result<()> {
    let mut writer = writers.acquire().await?;
    let mark: i64 = sqlx::query_scalar("UPDATE storage_probe SET mark = mark + 1 RETURNING mark").fetch_one(&mut *writer).await?;
    let seen: i64 = sqlx::query_scalar("SELECT mark FROM storage_probe").fetch_one(readers).await?;
    if seen == mark {
        return Ok(());
    }
    writer.close_on_drop();
    Err(super::error::storage_unavailable().caused_by(format!("wrote mark {mark}, another connection sees {seen}")))
}
