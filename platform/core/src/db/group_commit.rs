//! The queue of SQLite's single writer, which commits waiting writes in groups.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqlitePool};
use tokio::sync::{Notify, mpsc, oneshot};

use super::commit::CommitTask;
use super::error::{overloaded, storage_unavailable};
use super::{DbOptions, Tx};
use crate::BoxFuture;
use crate::error::{Error, Result};

/// How many writes may wait. Further writes are refused at once.
const WAITING_MAX: usize = 8_192;

/// How many writes share one commit at most.
pub(super) const GROUP_MAX: usize = 256;

pub(super) struct Writer {
    queue: mpsc::Sender<Box<dyn PendingWrite>>,
    writers: SqlitePool,
    healthy: Arc<AtomicBool>,
    closing: Arc<Notify>,
}

impl Writer {
    /// Starts the task that owns the writing connection.
    pub(super) fn start(path: String, writers: SqlitePool, readers: SqlitePool, options: &DbOptions) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        let healthy = Arc::new(AtomicBool::new(true));
        let closing = Arc::new(Notify::new());
        let task = CommitTask::new(path, writers.clone(), readers, options.slow_statement, healthy.clone());
        tokio::spawn(task.run(waiting, closing.clone()));
        Self { queue, writers, healthy, closing }
    }

    /// A connection outside the queue, for migrations at startup.
    pub(super) async fn connection(&self) -> Result<PoolConnection<Sqlite>> {
        Ok(self.writers.acquire().await?)
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::Acquire)
    }

    pub(super) async fn close(&self) {
        // An empty write returns once everything before it is durable.
        let _ = self.write(|_| Box::pin(async { Ok(()) })).await;
        self.closing.notify_one();
        self.writers.close().await;
    }

    pub(super) async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let write = QueuedWrite { work, value: None, reply: Some(reply) };
        self.queue.try_send(Box::new(write)).map_err(|_| overloaded())?;
        answer.await.unwrap_or_else(|_| Err(storage_unavailable()))
    }
}

/// A waiting write and its caller.
pub(super) trait PendingWrite: Send {
    /// Runs the work and keeps its value until [`settle`](Self::settle).
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<()>>;

    /// Answers the caller. The work counts only if it was committed.
    fn settle(&mut self, committed: Result<()>);

    /// Whether the caller has been answered; such a write must not run again.
    fn is_settled(&self) -> bool;
}

struct QueuedWrite<T, F> {
    work: F,
    value: Option<T>,
    reply: Option<oneshot::Sender<Result<T>>>,
}

impl<T, F> PendingWrite for QueuedWrite<T, F>
where
    T: Send,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync,
{
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<()>> {
        Box::pin(async {
            let outcome = AssertUnwindSafe((self.work)(tx)).catch_unwind().await;
            self.value = Some(outcome.unwrap_or_else(|_| Err(Error::internal("a unit of work panicked")))?);
            Ok(())
        })
    }

    fn settle(&mut self, committed: Result<()>) {
        let Some(reply) = self.reply.take() else { return };
        let value = self.value.take();
        // The caller may have gone; the write is done all the same.
        let _ = reply.send(committed.map(|()| value.expect("a committed write has run")));
    }

    fn is_settled(&self) -> bool {
        self.reply.is_none()
    }
}
