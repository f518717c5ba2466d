//! The thread that commits batched writes to SQLite. It is always the same one, so that what SQLite allocates and reads
//! stays in one processor's caches and one arena of the allocator.

use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{BatchedWrite, batched_write};
use crate::error::{Error, Result};

/// A group, and where its outcome goes.
type Request = (BatchedWrite, oneshot::Sender<Result<()>>);

pub(super) struct BatchThread {
    /// Taken when it is dropped.
    running: Option<(mpsc::Sender<Request>, JoinHandle<()>)>,
}

impl BatchThread {
    /// A thread that owns this connection. Groups that take longer than `slow_statement` are logged.
    pub(super) fn start(connection: rusqlite::Connection, slow_statement: Option<Duration>) -> Result<Self> {
        let (sender, groups) = mpsc::channel::<Request>();
        let run = move || {
            while let Ok((batch, done)) = groups.recv() {
                let began = Instant::now();
                let outcome = batched_write::commit(&connection, &batch);
                if slow_statement.is_some_and(|limit| began.elapsed() > limit) {
                    tracing::warn!(statements = batch.len(), elapsed = ?began.elapsed(), "slow group of statements");
                }
                // Nobody waits while the server stops.
                drop(done.send(outcome));
            }
        };
        let thread = thread::Builder::new().name("sqlite-commit".to_owned()).spawn(run).map_err(Error::internal)?;
        Ok(Self { running: Some((sender, thread)) })
    }

    /// Commits a group; see [`batched_write::commit`]. The outcome never comes if the thread has panicked.
    pub(super) fn commit(&self, batch: BatchedWrite) -> oneshot::Receiver<Result<()>> {
        let (done, outcome) = oneshot::channel();
        // Without a thread the sender of the outcome is dropped, which its receiver notices.
        drop(self.running.as_ref().map(|(sender, _)| sender.send((batch, done))));
        outcome
    }
}

impl Drop for BatchThread {
    /// Waits until the connection is closed: a closed database may be copied next.
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.running.take() {
            drop(sender);
            // A panic was reported to the caller of its group.
            drop(thread.join());
        }
    }
}
