//! The queue of SQLite's single writer, which commits waiting writes in groups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqlitePool};
use tokio::sync::{Notify, mpsc};

use super::DbOptions;
use super::commit::CommitTask;
use super::error::overloaded;
use super::pending_write::{PendingWrite, QueuedWrite};
use crate::error::Result;

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
        let (last, answer) = QueuedWrite::new(|_| Box::pin(async { Ok(()) }));
        if self.add(Box::new(last)).is_ok() {
            let _ = answer.await;
        }
        self.closing.notify_one();
        self.writers.close().await;
    }

    /// Adds a write to the queue.
    pub(super) fn add(&self, write: Box<dyn PendingWrite>) -> Result<()> {
        self.queue.try_send(write).map_err(|_| overloaded())
    }
}
