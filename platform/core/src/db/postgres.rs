//! PostgreSQL: each unit of work has a transaction of its own, which runs again after a lost race.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use super::{ACQUIRE_TIMEOUT, Connection, Db, Inner, Tx, error::storage_unavailable};
use crate::BoxFuture;
use crate::error::{Error, Result};

const CONNECTIONS_MAX: u32 = 16;

/// How often a transaction is run before the caller has to retry.
const ATTEMPTS_MAX: u32 = 10;

pub(super) async fn open(options: PgConnectOptions) -> Result<Db> {
    let pool =
        PgPoolOptions::new().max_connections(CONNECTIONS_MAX).acquire_timeout(ACQUIRE_TIMEOUT).connect_with(options).await?;
    Ok(Db(Arc::new(Inner::Postgres { pool })))
}

/// Runs the work in a task of its own, so that a caller that goes away cannot interrupt a transaction.
pub(super) async fn write<T, F>(pool: PgPool, work: F) -> Result<T>
where
    T: Send + 'static,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync + 'static,
{
    tokio::spawn(async move {
        for _ in 1..ATTEMPTS_MAX {
            match attempt(&pool, &work).await {
                Err(lost) if lost.is_retriable() => tracing::debug!(%lost, "transaction runs again"),
                outcome => return outcome,
            }
        }
        attempt(&pool, &work).await
    })
    .await
    .map_err(Error::internal)?
}

async fn attempt<T, F>(pool: &PgPool, work: &F) -> Result<T>
where
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>>,
{
    let mut tx = Tx::new(Connection::Postgres(pool.acquire().await?));
    if let Err(error) = command(&mut tx, "BEGIN").await {
        tx.discard();
        return Err(error);
    }
    let outcome =
        AssertUnwindSafe(work(&mut tx)).catch_unwind().await.unwrap_or_else(|_| Err(Error::internal("a unit of work panicked")));
    match outcome {
        Ok(value) => match command(&mut tx, "COMMIT").await {
            Ok(()) => {
                tx.after_commit.drain(..).for_each(|callback| callback());
                Ok(value)
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

async fn command(tx: &mut Tx, sql: &'static str) -> Result<()> {
    crate::execute!(tx, sql).map(drop)
}
