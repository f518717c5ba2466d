//! Writes that wait for SQLite's one writer, which commits them in groups.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqlitePool};
use tokio::sync::{Notify, mpsc, oneshot};

use super::Tx;
use super::committing::Task;
use super::error::{overloaded, storage_unavailable};
use crate::BoxFuture;
use crate::error::{Error, Result};

/// How many writes may wait. More are refused at once: waiting longer helps nobody.
const WAITING_MAX: usize = 8_192;

/// How many writes share one commit at most.
pub(super) const GROUP_MAX: usize = 256;

/// The handle to the writer task.
pub(super) struct Writer {
    queue: mpsc::Sender<Box<dyn Member>>,
    writers: SqlitePool,
    healthy: Arc<AtomicBool>,
    closing: Arc<Notify>,
}

impl Writer {
    /// Starts the task that owns the writing connection.
    pub(super) fn start(path: String, writers: SqlitePool, readers: SqlitePool) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        let healthy = Arc::new(AtomicBool::new(true));
        let closing = Arc::new(Notify::new());
        let task = Task::new(path, writers.clone(), readers, healthy.clone());
        tokio::spawn(task.run(waiting, closing.clone()));
        Self { queue, writers, healthy, closing }
    }

    /// A connection outside the queue, for migrations before the house opens.
    pub(super) async fn connection(&self) -> Result<PoolConnection<Sqlite>> {
        Ok(self.writers.acquire().await?)
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::Acquire)
    }

    pub(super) async fn close(&self) {
        // A write that does nothing comes back once everything before it is durable.
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
        let member = Work { work, value: None, reply: Some(reply) };
        self.queue.try_send(Box::new(member)).map_err(|_| overloaded())?;
        answer.await.unwrap_or_else(|_| Err(storage_unavailable()))
    }
}

/// A write that waits: what to do, and whom to answer.
pub(super) trait Member: Send {
    /// Does the work and keeps its value until [`settle`](Self::settle).
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<()>>;

    /// Answers the caller; the work counts only if the commit did.
    fn settle(&mut self, committed: Result<()>);

    /// Whether the caller has been answered; such a member must not run again.
    fn is_settled(&self) -> bool;
}

struct Work<T, F> {
    work: F,
    value: Option<T>,
    reply: Option<oneshot::Sender<Result<T>>>,
}

impl<T, F> Member for Work<T, F>
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
        // A caller that went away is no reason to fail: what it asked for is done all the same.
        let _ = reply.send(committed.map(|()| value.expect("a member that is committed has run")));
    }

    fn is_settled(&self) -> bool {
        self.reply.is_none()
    }
}
