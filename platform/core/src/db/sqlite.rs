//! SQLite: one writer, several readers, WAL, a full sync at every commit.

use std::num::NonZero;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::group_commit::Writer;
use super::{ACQUIRE_TIMEOUT, Db, DbOptions, Inner};
use crate::error::{Error, Result};
use crate::idempotency::RecentKeys;

/// How long a connection waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Readers never wait for the writer, but for each other's processor: two for each core, and some more than one core
/// needs, so that a few long reports stop nobody. Each keeps its pages, statements and the schema, 3 to 7 MiB.
const READERS: RangeInclusive<usize> = 4..=8;

/// Page cache of a reader, half of SQLite's default. Each commit empties it.
const READER_CACHE_KIB: i64 = 1024;

/// Page cache of the connection for batched writes: 12 MiB. A group of claims touches more pages than SQLite's default
/// of 2 MiB holds; pages that do not fit are written before the commit and again at the next change. Each commit that
/// moved pages of an index looks through all of the cache, so it is no larger than the largest group needs.
const CACHE_KIB: i64 = 12 * 1024;

/// Pages in the WAL before a checkpoint: 16 MiB. Each checkpoint costs two syncs and writes every changed page once;
/// SQLite's default of 1000 pages is one or two full groups.
const CHECKPOINT_PAGES: i64 = 4096;

pub(super) async fn open(path: &str, options: &DbOptions) -> Result<Db> {
    let file = SqliteConnectOptions::from_str(&format!("sqlite:{path}"))
        .map_err(Error::internal)?
        .create_if_missing(true)
        .busy_timeout(BUSY_TIMEOUT)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
        .pragma("temp_store", "MEMORY")
        .statement_cache_capacity(256);
    let file = options.log_statements(file);
    // The writer comes first: it creates the file and switches it to WAL before a reader opens it.
    let writers = pool(1).connect_with(file.clone()).await?;
    let readers = file.pragma("query_only", "ON").pragma("cache_size", format!("-{READER_CACHE_KIB}"));
    let readers = pool(readers_max()).min_connections(1).connect_with(readers).await?;
    let writer = Writer::start(path.to_owned(), writers, readers.clone(), options);
    Ok(Db(Arc::new(Inner::Sqlite { readers, writer, keys: RecentKeys::default() })))
}

/// The connection for batched writes, as durable as the others.
pub(super) fn open_batched(path: &str) -> Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // In memory: in a file, statement journals are written nearly as much as the WAL itself.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(connection)
}

fn readers_max() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    u32::try_from((2 * cores).clamp(*READERS.start(), *READERS.end())).expect("it is a small number")
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // After a storage error SQLite may have ended the transaction while the driver still counts one. Such a
        // connection would acknowledge commits that never happen, so it does not return to the pool.
        .after_release(|conn, _| {
            Box::pin(async move {
                use sqlx::Connection as _;
                conn.ping().await?;
                Ok(!conn.is_in_transaction())
            })
        })
}

/// Checks that what is written now can be read back over another connection.
pub(super) async fn probe(writers: &SqlitePool, readers: &SqlitePool) -> Result<()> {
    let mut writer = writers.acquire().await?;
    // To its end, which commits: after its first row a full disk has not been found yet.
    let add = "UPDATE storage_probe SET mark = mark + 1 RETURNING mark";
    let marks: Vec<i64> = sqlx::query_scalar(add).fetch_all(&mut *writer).await?;
    let mark = marks.first().copied().ok_or_else(super::error::storage_unavailable)?;
    let found: i64 = sqlx::query_scalar("SELECT mark FROM storage_probe").fetch_one(readers).await?;
    if found == mark {
        return Ok(());
    }
    writer.close_on_drop();
    Err(super::error::storage_unavailable().caused_by(format!("wrote mark {mark}, another connection sees {found}")))
}
