//! PostgreSQL: work that only writes shares a transaction with others ([group commit](super::postgres_group)). Any other
//! unit of work has a transaction of its own, which runs again after a lost race.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{Connection as _, PgPool, Postgres};
use tokio::sync::Semaphore;

use super::numbers::NumberStock;
use super::pending_write::PendingWrite;
use super::postgres_group::{GroupWriter, Verdict};
use super::{
    ACQUIRE_TIMEOUT, BatchedWrite, Connection, Db, DbOptions, Engine, Inner, Pooled, Tx, error::STORAGE_UNAVAILABLE,
    error::overloaded, error::storage_unavailable,
};
use crate::audit;
use crate::error::{Error, Result};

/// How many prepared statements a connection keeps.
const STATEMENTS_MAX: usize = 256;

/// How often a transaction is run before the caller has to retry, and how long ago the first run may be.
const ATTEMPTS_MAX: u32 = 10;
const ATTEMPTS_TIME: Duration = Duration::from_secs(6);

/// How long a statement may take before its connection counts as lost.
pub(super) const STATEMENT_DEADLINE: Duration = Duration::from_secs(8);

/// The same for statements that all new claims of this node wait for: they take milliseconds.
pub(super) const SHARED_DEADLINE: Duration = Duration::from_secs(4);

/// How long a connection that nobody uses may take to answer.
const PING_DEADLINE: Duration = Duration::from_secs(1);

/// The same for a proof over whole tables.
pub(super) const PROOF_DEADLINE: Duration = Duration::from_secs(600);

/// What the server ends by itself, since this process may be gone, frozen or cut off: locks must not stay behind. A
/// transaction asks its next question at once. A statement waits up to twice for a row, first for its turn and then for
/// the transaction that has changed it, and both together for a shorter time than a frozen transaction may hold it: else
/// the transactions of a frozen node would get the row one after the other, and each would hold it for as long again. A
/// transaction of a node that runs tries again.
const SERVER_DEADLINES: [(&str, &str); 7] = [
    ("statement_timeout", "600s"),
    ("idle_in_transaction_session_timeout", "4s"),
    ("lock_timeout", "1500ms"),
    ("tcp_user_timeout", "10s"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "2"),
];

/// Migrations, backups and copies: the connections without a pooler that a process needs at once.
const DIRECT_CONNECTIONS: u32 = 4;

pub(super) async fn open(url: &str, options: &DbOptions) -> Result<Db> {
    let address = |url: &str| {
        let address = url.parse::<PgConnectOptions>().map_err(Error::internal)?;
        Ok::<_, Error>(options.log_statements(address.options(SERVER_DEADLINES)))
    };
    let idle = Arc::new(IdleExpiry::default());
    let expiry = idle.clone();
    let pool = PgPoolOptions::new()
        .max_connections(options.postgres_connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(move |conn, metadata| {
            let expiry = expiry.clone();
            Box::pin(async move { Ok(expiry.spares(conn, &metadata).await) })
        });
    let server = address(url)?.statement_cache_capacity(STATEMENTS_MAX);
    let pool = match pool.connect_with(server.clone()).await {
        Err(timed_out @ sqlx::Error::PoolTimedOut) => return Err(connection_fault(&server).await.unwrap_or(timed_out).into()),
        opened => opened?,
    };
    let direct = match &options.direct_url {
        Some(url) => {
            let direct = PgPoolOptions::new().max_connections(DIRECT_CONNECTIONS).acquire_timeout(ACQUIRE_TIMEOUT);
            direct.connect_lazy_with(address(url)?)
        }
        None => pool.clone(),
    };
    let is_writable = Arc::new(AtomicBool::new(true));
    let group = GroupWriter::start(pool.clone(), is_writable.clone());
    let numbers = Arc::new(NumberStock::new(pool.clone()));
    let alone = Semaphore::new(usize::try_from(options.postgres_connections / 2).unwrap_or_default().max(1));
    let writer = Arc::new(Writer { pool: pool.clone(), idle, is_writable, group, alone, numbers });
    Ok(Db(Arc::new(Inner::Postgres { writer, pool, direct })))
}

/// Why there is no connection, if that is why the pool had none: it tries until its time is up, and does not say why it
/// failed.
async fn connection_fault(server: &PgConnectOptions) -> Option<sqlx::Error> {
    let again = tokio::time::timeout(PING_DEADLINE, PgConnection::connect_with(server)).await;
    again.ok().and_then(std::result::Result::err)
}

pub(super) struct Writer {
    pool: PgPool,
    idle: Arc<IdleExpiry>,
    is_writable: Arc<AtomicBool>,
    group: GroupWriter,
    /// For transactions of one write. They wait for each other's locks: all connections would do so when many want one
    /// row, none would be left to read, and no group would get that row in the time it has.
    alone: Semaphore,
    numbers: Arc<NumberStock>,
}

/// When a connection was last found unusable: silent, lost, or with outdated statements. Those that wait in the pool since
/// before are given up with it: to find each of them so would take longer than a caller waits.
#[derive(Default)]
pub(super) struct IdleExpiry(Mutex<Option<Instant>>);

impl IdleExpiry {
    /// Whether a connection of the pool may be used: it was used since the last one was unusable, and answers.
    async fn spares(&self, conn: &mut PgConnection, metadata: &PoolConnectionMetadata) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() <= metadata.idle_for) {
            return false;
        }
        match tokio::time::timeout(PING_DEADLINE, conn.ping()).await {
            Ok(answer) => answer.is_ok(),
            Err(_) => {
                self.expire();
                false
            }
        }
    }

    /// Gives up the connections that are idle now.
    pub(super) fn expire(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

impl Pooled<PgConnection> for PoolConnection<Postgres> {
    /// The pool would wait for an answer on it, for ever if it has fallen silent. So its socket is closed, which undoes an
    /// open transaction.
    fn discard(self: Box<Self>) {
        drop(self.detach());
    }

    /// The pool asks it for an answer first. One that has fallen silent must not keep its place.
    fn release(mut self: Box<Self>) {
        tokio::spawn(tokio::time::timeout(PING_DEADLINE, self.return_to_pool()));
    }
}

/// A connection for migrations, which may wait for another node's and take any time.
pub(super) async fn without_deadlines(pool: &PgPool) -> Result<PoolConnection<Postgres>> {
    let mut conn = pool.acquire().await?;
    conn.close_on_drop();
    let lift = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0";
    sqlx::raw_sql(lift).execute(&mut *conn).await?;
    Ok(conn)
}

/// Waits for a statement.
///
/// # Errors
/// 503 `storage_unavailable` if it does not end in time; its connection is then lost.
#[doc(hidden)]
pub async fn within<T>(deadline: Duration, statement: impl Future<Output = sqlx::Result<T>>) -> Result<T> {
    match tokio::time::timeout(deadline, statement).await {
        Ok(done) => done.map_err(Error::from),
        Err(elapsed) => Err(storage_unavailable().caused_by(elapsed).breaking_connection()),
    }
}

impl Writer {
    pub(super) fn set_unwritable(&self) {
        self.is_writable.store(false, Ordering::Release);
    }

    /// Whether writes can be stored, as the last of them found.
    pub(super) fn is_writable(&self) -> bool {
        self.is_writable.load(Ordering::Acquire)
    }

    /// Why no connection can be opened; `None` if one can.
    pub(super) async fn connection_fault(&self) -> Option<Error> {
        connection_fault(&self.pool.connect_options()).await.map(Error::from)
    }

    /// Runs the work in a task of its own, so that a caller that goes away cannot interrupt a transaction.
    pub(super) fn start(self: Arc<Self>, mut write: Box<dyn PendingWrite>) {
        tokio::spawn(async move {
            let outcome = self.run(&mut *write).await;
            write.settle(outcome);
        });
    }

    async fn run(&self, write: &mut dyn PendingWrite) -> Result<()> {
        if let Some(outcome) = self.write_in_group(write).await {
            return outcome;
        }
        let began = Instant::now();
        let mut outcome = self.attempt(write).await;
        for _ in 1..ATTEMPTS_MAX {
            match &outcome {
                Err(lost) if lost.is_retriable() && began.elapsed() < ATTEMPTS_TIME => {
                    tracing::debug!(%lost, "transaction runs again");
                }
                _ => break,
            }
            outcome = self.attempt(write).await;
        }
        match &outcome {
            Ok(()) => self.is_writable.store(true, Ordering::Release),
            Err(error) if error.code() == STORAGE_UNAVAILABLE => self.is_writable.store(false, Ordering::Release),
            Err(_) => {}
        }
        outcome
    }

    /// Runs the work in a transaction of its own.
    async fn attempt(&self, write: &mut dyn PendingWrite) -> Result<()> {
        let permit = tokio::time::timeout(ACQUIRE_TIMEOUT, self.alone.acquire()).await;
        let _permit = permit.map_err(|elapsed| overloaded().caused_by(elapsed))?.map_err(Error::internal)?;
        attempt(self.acquire().await?, write).await
    }

    /// A connection of the pool.
    pub(super) async fn acquire(&self) -> Result<Tx> {
        let mut tx = Tx::new(self.pool.acquire().await?);
        tx.idle = Some(self.idle.clone());
        Ok(tx)
    }

    /// Runs the work without a connection and writes what it collected in a group. `None` if it needs a transaction of
    /// its own: it reads, or does something that cannot be done for a set of rows, or was refused.
    async fn write_in_group(&self, write: &mut dyn PendingWrite) -> Option<Result<()>> {
        let mut tx = Tx::new(Connection::Batched(BatchedWrite::new(Engine::Postgres)));
        tx.numbers = Some(self.numbers.clone());
        write.run(&mut tx).await.ok()?;
        let batch = std::mem::take(tx.batch());
        if batch.len() == 0 {
            return None;
        }
        match self.group.write(batch, std::mem::take(&mut tx.audit)).await {
            Verdict::Committed => {
                tx.after_commit.drain(..).for_each(|callback| callback());
                Some(Ok(()))
            }
            Verdict::Alone => None,
            Verdict::Failed(failure) => Some(Err(failure)),
        }
    }
}

async fn attempt(mut tx: Tx, write: &mut dyn PendingWrite) -> Result<()> {
    if let Err(error) = command(&mut tx, "BEGIN").await {
        tx.discard();
        return Err(error);
    }
    let mut outcome = write.run(&mut tx).await;
    if outcome.is_ok() {
        let entries = std::mem::take(&mut tx.audit);
        outcome = audit::write_deferred(&mut tx, entries).await.and(outcome);
    }
    match outcome {
        Ok(()) => match command(&mut tx, "COMMIT").await {
            Ok(()) => {
                tx.after_commit.drain(..).for_each(|callback| callback());
                Ok(())
            }
            Err(error) => {
                // Whether it was committed is unknown, so the connection cannot be trusted either.
                tx.discard();
                Err(if error.is_retriable() || error.constraint().is_some() {
                    error
                } else {
                    storage_unavailable().caused_by(error)
                })
            }
        },
        Err(error) => {
            if error.breaks_connection() || command(&mut tx, "ROLLBACK").await.is_err() {
                tx.discard();
            }
            Err(error)
        }
    }
}

pub(super) async fn command(tx: &mut Tx, sql: &'static str) -> Result<()> {
    crate::execute!(tx, sql).map(drop)
}
