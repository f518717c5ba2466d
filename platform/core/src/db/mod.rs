//! The database: SQLite in the process, or PostgreSQL for several nodes, behind one API.
//!
//! A module's `store` consists of functions over `&mut Tx` with one SQL text for both engines, run through the query
//! macros ([`fetch_one!`](crate::fetch_one) and its siblings). Reads take a connection with [`Db::read`]; every change
//! goes through [`Db::write`], which alone opens transactions.
//!
//! SQL is the common subset: `$n`, `RETURNING`, `ON CONFLICT`, common table expressions. `SUM` is cast to `BIGINT`,
//! money is `BIGINT` units, time is `BIGINT` microseconds, decimals that are never summed are `TEXT`.

mod batch_thread;
mod batched_write;
mod commit;
mod error;
mod group_commit;
mod lock;
mod node_notify;
mod numbers;
mod pending_write;
mod postgres;
mod postgres_group;
mod query;
mod schema;
mod set_write;
mod sqlite;
mod statement;
mod tables;
mod writer_cache;

use std::ops::DerefMut;
use std::sync::Arc;
use std::time::Duration;

use log::LevelFilter;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgConnection;
use sqlx::{ConnectOptions, PgPool, Postgres, Sqlite, SqliteConnection, SqlitePool};

use crate::BoxFuture;
use crate::audit::AuditEntry;
use crate::error::{Error, Result};
use crate::idempotency::RecentKeys;

use batched_write::StatementKind;
pub use batched_write::{BatchedWrite, Binding};
pub use error::{needs_read, wrong_row_count};
pub use node_notify::{NODE_MESSAGE_MAX, NodeListener, NodeMessage};
use numbers::NumberStock;
pub use numbers::Sequence;
use pending_write::QueuedWrite;
use postgres::IdleExpiry;
use postgres::within;
pub use statement::{BoundStatement, FetchedRow};
pub use tables::{Column, ColumnKind, Import, Row, SequenceState, Snapshot, Table, Value};
use writer_cache::WriterCache;
pub use writer_cache::{CacheKey, CachedValue};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Embedded.
    Sqlite,
    Postgres,
}

/// Cheap to clone; clones share the connections.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

enum Inner {
    Sqlite {
        readers: SqlitePool,
        writer: group_commit::Writer,
        keys: RecentKeys,
    },
    /// `direct` leads to PostgreSQL itself, where `pool` leads to a pooler.
    Postgres {
        pool: PgPool,
        direct: PgPool,
        writer: Arc<postgres::Writer>,
    },
}

/// What an installation may choose.
#[derive(Clone, Debug)]
pub struct DbOptions {
    /// PostgreSQL itself, if the address of the database is a pooler's that pools transactions: for what needs a session.
    pub direct_url: Option<String>,
    /// The maximum number of connections of this process to PostgreSQL.
    pub postgres_connections: u32,
    /// Statements that take longer are logged with their text, never with their values. `None`: none are.
    pub slow_statement: Option<Duration>,
}

impl Default for DbOptions {
    fn default() -> Self {
        Self { direct_url: None, postgres_connections: 16, slow_statement: None }
    }
}

impl DbOptions {
    /// Instead of the driver's own limit of a second.
    fn log_statements<O: ConnectOptions>(&self, options: O) -> O {
        match self.slow_statement {
            Some(limit) => options.log_slow_statements(LevelFilter::Warn, limit),
            None => options.log_slow_statements(LevelFilter::Off, Duration::MAX),
        }
    }
}

/// Numbers of connections.
#[derive(Clone, Copy, Debug)]
pub struct PoolStatus {
    pub open: u32,
    /// Open ones that nobody uses.
    pub idle: usize,
    pub max: u32,
}

impl PoolStatus {
    fn of<DB: sqlx::Database>(pool: &sqlx::Pool<DB>) -> Self {
        Self { open: pool.size(), idle: pool.num_idle(), max: pool.options().get_max_connections() }
    }
}

/// A connection of either engine.
pub enum Connection {
    Sqlite(Box<dyn Pooled<SqliteConnection>>),
    Postgres(Box<dyn Pooled<PgConnection>>),
    /// No connection yet: statements are batched, and nothing can be read.
    Batched(BatchedWrite),
}

/// A connection that goes back to its pool when it is dropped. Behind a trait, because a pool that gets one back may open
/// another: with handshakes and TLS, all of that would be compiled in each crate that drops a [`Tx`].
pub trait Pooled<Conn>: DerefMut<Target = Conn> + Send + Sync {
    /// Closes it instead.
    fn discard(self: Box<Self>);

    /// Gives it back even if it has fallen silent.
    fn release(self: Box<Self>);
}

impl Pooled<SqliteConnection> for PoolConnection<Sqlite> {
    fn discard(mut self: Box<Self>) {
        self.close_on_drop();
    }

    fn release(self: Box<Self>) {}
}

impl From<PoolConnection<Sqlite>> for Connection {
    fn from(conn: PoolConnection<Sqlite>) -> Self {
        Self::Sqlite(Box::new(conn))
    }
}

impl From<PoolConnection<Postgres>> for Connection {
    fn from(conn: PoolConnection<Postgres>) -> Self {
        Self::Postgres(Box::new(conn))
    }
}

/// A connection: inside a transaction from [`Db::write`], outside one from [`Db::read`].
pub struct Tx {
    conn: Connection,
    after_commit: Vec<Box<dyn FnOnce() + Send>>,
    /// SQLite only.
    cache: Option<WriterCache>,
    /// Batched writes on PostgreSQL only.
    numbers: Option<Arc<NumberStock>>,
    /// Audit entries to write at the end of the transaction: PostgreSQL only.
    audit: Vec<AuditEntry>,
    /// How long a statement may take on PostgreSQL.
    deadline: Duration,
    /// The idle connections of the pool that this one belongs to.
    idle: Option<Arc<IdleExpiry>>,
    /// The connection is in an unknown state: a statement has begun on PostgreSQL and did not end, or broke it.
    is_unusable: bool,
}

/// Where the query macros send a statement.
#[doc(hidden)]
pub enum StatementTarget<'t> {
    Sqlite(&'t mut SqliteConnection),
    /// With the time that the statement may take.
    Postgres(&'t mut PgConnection, Duration),
    Batched(&'t mut BatchedWrite),
}

impl<'t> StatementTarget<'t> {
    #[doc(hidden)]
    pub fn collect(batch: &'t mut BatchedWrite, sql: &'static str) -> Binding<'t> {
        batch.next(sql, StatementKind::Write)
    }

    #[doc(hidden)]
    pub fn collect_hot(batch: &'t mut BatchedWrite, sql: &'static str, set: &'static str) -> Binding<'t> {
        batch.next(sql, StatementKind::HotWrite(set))
    }

    #[doc(hidden)]
    pub fn collect_check(batch: &'t mut BatchedWrite, sql: &'static str) -> Binding<'t> {
        batch.next(sql, StatementKind::Check)
    }
}

impl Tx {
    fn new(conn: impl Into<Connection>) -> Self {
        Self {
            conn: conn.into(),
            after_commit: Vec::new(),
            cache: None,
            numbers: None,
            audit: Vec::new(),
            deadline: postgres::STATEMENT_DEADLINE,
            idle: None,
            is_unusable: false,
        }
    }

    /// Discards a connection in an unknown state.
    fn discard(mut self) {
        self.is_unusable = true;
    }

    fn batch(&mut self) -> &mut BatchedWrite {
        match &mut self.conn {
            Connection::Batched(batch) => batch,
            _ => panic!("this transaction has a connection"),
        }
    }

    /// For the query macros.
    #[doc(hidden)]
    pub fn target(&mut self) -> StatementTarget<'_> {
        match &mut self.conn {
            Connection::Sqlite(conn) => StatementTarget::Sqlite(conn),
            Connection::Postgres(conn) => {
                self.is_unusable = true;
                StatementTarget::Postgres(conn, self.deadline)
            }
            Connection::Batched(batch) => StatementTarget::Batched(batch),
        }
    }

    /// For the query macros. A statement that was dropped before this leaves the connection unusable.
    #[doc(hidden)]
    pub fn end_statement<T>(&mut self, done: &Result<T>) {
        self.is_unusable = done.as_ref().is_err_and(Error::breaks_connection);
        if let (true, Some(idle)) = (self.is_unusable, &self.idle) {
            idle.expire();
        }
    }

    /// The connection itself, for anything but a store's statements.
    pub fn conn(&mut self) -> &mut Connection {
        &mut self.conn
    }

    /// The engine, where two SQL dialects are unavoidable.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.conn {
            Connection::Sqlite(_) => Engine::Sqlite,
            Connection::Postgres(_) => Engine::Postgres,
            Connection::Batched(ref batch) => batch.engine,
        }
    }

    /// Whether statements are only batched and nothing can be read. If any of this work's statements is refused, the work
    /// runs again in a transaction that can read.
    #[must_use]
    pub fn is_batched(&self) -> bool {
        matches!(self.conn, Connection::Batched(_))
    }

    /// A value cached from this node's own writes, so that it need not be read; `None` on PostgreSQL. It is wrong if
    /// another process has written to the file, so what is written from it must then violate a unique key.
    pub fn cached(&mut self, key: CacheKey) -> Option<CachedValue> {
        self.cache.as_mut()?.get(key)
    }

    /// Caches a value that will be true once this transaction is committed.
    pub fn cache(&mut self, key: CacheKey, value: CachedValue) {
        if let Some(cache) = &mut self.cache {
            cache.insert(key, value);
        }
    }

    /// The next number of a sequence. `key` is where SQLite's writer remembers the last one; cache it there once the
    /// number is used.
    pub async fn next_number(&mut self, sequence: Sequence, key: CacheKey) -> Result<i64> {
        if let Some((last, _)) = self.cached(key) {
            return Ok(last + 1);
        }
        match self.numbers.clone() {
            Some(numbers) => numbers.next(sequence).await,
            None => Ok(crate::fetch_one!(self, (i64,), sequence.next)?.0),
        }
    }

    /// Adds an audit entry that is written at the end of the transaction: PostgreSQL only.
    pub(crate) fn defer_audit(&mut self, entry: AuditEntry) {
        self.audit.push(entry);
    }

    /// Runs `callback` after the commit, and never without one. It updates memory and notifies listeners, so it must
    /// be quick and cannot fail.
    pub fn after_commit(&mut self, callback: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(callback));
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.conn, Connection::Batched(BatchedWrite::default())) {
            Connection::Sqlite(conn) if self.is_unusable => conn.discard(),
            Connection::Sqlite(conn) => conn.release(),
            Connection::Postgres(conn) if self.is_unusable => conn.discard(),
            Connection::Postgres(conn) => conn.release(),
            Connection::Batched(_) => {}
        }
    }
}

impl Db {
    /// Opens the database at `url`: `sqlite:PATH`, or `postgres://...`.
    pub async fn open(url: &str) -> Result<Self> {
        Self::open_with(url, &DbOptions::default()).await
    }

    /// The same with other options than the defaults.
    pub async fn open_with(url: &str, options: &DbOptions) -> Result<Self> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            return sqlite::open(path.trim_start_matches("//"), options).await;
        }
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            return postgres::open(url, options).await;
        }
        Err(Error::internal(format!("the database address must begin with sqlite: or postgres:, not {url:?}")))
    }

    #[must_use]
    pub fn engine(&self) -> Engine {
        match &*self.0 {
            Inner::Sqlite { .. } => Engine::Sqlite,
            Inner::Postgres { .. } => Engine::Postgres,
        }
    }

    /// Applies the migrations.
    ///
    /// # Errors
    /// Says what to do if another build of the server has migrated the database.
    pub async fn migrate(&self) -> Result<()> {
        match &*self.0 {
            Inner::Sqlite { writer, .. } => {
                let mut conn = writer.connection().await?;
                schema::SQLITE.run(&mut *conn).await
            }
            Inner::Postgres { direct, .. } => {
                let mut conn = postgres::without_deadlines(direct).await?;
                schema::POSTGRES.run(&mut *conn).await
            }
        }
        .map_err(error::of_migration)
    }

    /// Applies the migrations up to a version, to fill the schema that a backup was made of.
    ///
    /// # Errors
    /// As [`migrate`](Self::migrate), or the schema is already a later one.
    pub async fn migrate_to(&self, version: i64) -> Result<()> {
        match &*self.0 {
            Inner::Sqlite { writer, .. } => {
                let mut conn = writer.connection().await?;
                schema::SQLITE.run_to(version, &mut *conn).await
            }
            Inner::Postgres { direct, .. } => {
                let mut conn = postgres::without_deadlines(direct).await?;
                schema::POSTGRES.run_to(version, &mut *conn).await
            }
        }
        .map_err(error::of_migration)
    }

    /// The versions of all migrations that this build knows.
    #[must_use]
    pub fn known_migrations() -> Vec<i64> {
        schema::SQLITE.iter().map(|migration| migration.version).collect()
    }

    /// Checks without writing that the schema is the one of this build.
    ///
    /// # Errors
    /// Says what to do if it is older or newer, or was made by another build.
    pub async fn check_schema(&self) -> Result<()> {
        schema::check(&mut self.read().await?).await
    }

    /// A connection for reading. It sees committed data only.
    ///
    /// # Errors
    /// 503 `storage_unavailable` when no connection is free in time.
    // Boxed: the body of an asynchronous function is compiled in each crate that calls it, and with this one the drivers'
    // pools, handshakes and TLS.
    #[inline(never)]
    pub fn read(&self) -> BoxFuture<'_, Result<Tx>> {
        Box::pin(async move {
            match &*self.0 {
                Inner::Sqlite { readers, .. } => Ok(Tx::new(readers.acquire().await?)),
                Inner::Postgres { writer, .. } => writer.acquire().await,
            }
        })
    }

    /// As [`Db::read`], for proofs over whole tables: a statement may take ten minutes on PostgreSQL.
    ///
    /// # Errors
    /// As [`Db::read`].
    pub async fn read_at_length(&self) -> Result<Tx> {
        let mut tx = self.read().await?;
        tx.deadline = postgres::PROOF_DEADLINE;
        Ok(tx)
    }

    /// Runs `work` in one transaction and returns its value after the commit. An error of `work` rolls everything
    /// back. The work may run more than once (a lost race, another write's failure), so its only effects must go
    /// through its `Tx`; callbacks go to [`Tx::after_commit`].
    ///
    /// The transaction runs to its end even if the caller stops waiting.
    ///
    /// # Errors
    /// Those of `work`; 503 `overloaded` when too many writes wait; 503 `storage_unavailable` when nothing can be
    /// stored. After the latter the outcome is unknown: repeat the call with its idempotency key.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync + 'static,
    {
        let (write, answer) = QueuedWrite::new(work);
        match &*self.0 {
            Inner::Sqlite { writer, .. } => writer.add(Box::new(write))?,
            Inner::Postgres { writer, .. } => writer.clone().start(Box::new(write)),
        }
        answer.await.unwrap_or_else(|_| Err(error::storage_unavailable()))
    }

    /// Learns whether writes can be stored while nobody writes: PostgreSQL commits a new transaction number. It does so
    /// even where it is told to take no writes, as hosters do before a disk is full, so it is asked for that, too. On
    /// SQLite the writer knows it.
    ///
    /// # Errors
    /// 503 `storage_unavailable` when nothing can be stored or the server refuses connections, `overloaded` when none was
    /// free.
    pub async fn probe(&self) -> Result<()> {
        let Inner::Postgres { writer, .. } = &*self.0 else { return Ok(()) };
        let number = "SELECT CAST(pg_current_xact_id() AS TEXT), current_setting('transaction_read_only')";
        let stored = self.write(move |tx| {
            Box::pin(async move {
                let (_, only_reads) = crate::fetch_one!(tx, (String, String), number)?;
                if only_reads == "on" {
                    return Err(error::storage_unavailable().caused_by("PostgreSQL takes no writes: transaction_read_only is on"));
                }
                Ok(())
            })
        });
        let stored = stored.await;
        let Err(refused) = stored else { return Ok(()) };
        writer.set_unwritable();
        // A server that refuses connections makes a caller wait for one until it counts as overload.
        let fault = if refused.code() == error::OVERLOADED { writer.connection_fault().await } else { None };
        Err(fault.unwrap_or(refused))
    }

    /// The idempotency keys that were met lately: SQLite only.
    pub(crate) fn recent_keys(&self) -> Option<&RecentKeys> {
        match &*self.0 {
            Inner::Sqlite { keys, .. } => Some(keys),
            Inner::Postgres { .. } => None,
        }
    }

    /// Whether writes can be stored, as the last of them or the last [`probe`](Self::probe) found.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        match &*self.0 {
            Inner::Sqlite { writer, .. } => writer.is_healthy(),
            Inner::Postgres { pool, writer, .. } => writer.is_writable() && !pool.is_closed(),
        }
    }

    /// The connections of this process for reading; on PostgreSQL also for writing.
    #[must_use]
    pub fn pool(&self) -> PoolStatus {
        match &*self.0 {
            Inner::Sqlite { readers, .. } => PoolStatus::of(readers),
            Inner::Postgres { pool, .. } => PoolStatus::of(pool),
        }
    }

    /// Waits for running writes and closes every connection. What does not end in time is left behind.
    pub async fn close(&self) {
        match &*self.0 {
            Inner::Sqlite { readers, writer, .. } => {
                writer.close().await;
                readers.close().await;
            }
            Inner::Postgres { pool, direct, .. } => {
                let closed = async { tokio::join!(pool.close(), direct.close()) };
                if tokio::time::timeout(CLOSE_TIMEOUT, closed).await.is_err() {
                    tracing::warn!("the database does not answer; connections are left behind");
                }
            }
        }
    }
}

/// How long a caller waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long PostgreSQL's connections may take to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
