//! Group commit: SQLite's single writer commits waiting writes in groups.
//!
//! A sync to disk costs more than the rest of a claim, so waiting writes share one. A write that fails is rolled back
//! alone and the others are kept. No caller is answered before the commit.
//!
//! Writes that do not read are collected first, without asking the database anything, and sent to SQLite in one call
//! on a thread of their own. Meanwhile the next group is collected, so that the disk never waits for the work nor the
//! work for the disk. Writes that read share a transaction after those that do not.
//!
//! Transaction commands are sent as plain statements on purpose. The driver's own counter of nested transactions goes
//! wrong when SQLite rolls back by itself (a full disk) and would then acknowledge commits that never happen. Here a
//! COMMIT outside a transaction is an error. After any storage error the connection is discarded, and nothing is
//! accepted until a probe was written and read back over another connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::SqlitePool;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{Notify, mpsc, oneshot};

use super::batch_thread::BatchThread;
use super::error::storage_unavailable;
use super::group_commit::GROUP_MAX;
use super::pending_write::PendingWrite;
use super::writer_cache::WriterCache;
use super::{BatchedWrite, Connection, Tx, sqlite};
use crate::error::{Error, Result};

pub(super) struct CommitTask {
    path: String,
    writers: SqlitePool,
    readers: SqlitePool,
    /// Groups that take longer are logged.
    slow_statement: Option<Duration>,
    healthy: Arc<AtomicBool>,
    /// The writing connection, kept from group to group while the storage is healthy.
    tx: Option<Tx>,
    /// The thread of batched writes, kept likewise.
    batched: Option<BatchThread>,
    cache: WriterCache,
}

/// A group being collected.
#[derive(Default)]
struct Group {
    /// Writes that do not read; `batch` holds all their statements.
    batched: Vec<Box<dyn PendingWrite>>,
    batch: BatchedWrite,
    callbacks: Vec<Box<dyn FnOnce() + Send>>,
    /// Writes that read, or failed before they read.
    others: Vec<Box<dyn PendingWrite>>,
}

impl Group {
    fn len(&self) -> usize {
        self.batched.len() + self.others.len()
    }

    fn writes(self) -> Vec<Box<dyn PendingWrite>> {
        [self.batched, self.others].into_iter().flatten().collect()
    }
}

/// A group whose statements are being committed.
struct CommitInFlight {
    group: Group,
    outcome: oneshot::Receiver<Result<()>>,
}

/// Waits for the commit in flight; forever if there is none. An error if its thread panicked.
async fn completion(in_flight: &mut Option<CommitInFlight>) -> std::result::Result<Result<()>, RecvError> {
    match in_flight {
        Some(in_flight) => (&mut in_flight.outcome).await,
        None => std::future::pending().await,
    }
}

impl CommitTask {
    pub(super) fn new(
        path: String,
        writers: SqlitePool,
        readers: SqlitePool,
        slow_statement: Option<Duration>,
        healthy: Arc<AtomicBool>,
    ) -> Self {
        Self { path, writers, readers, slow_statement, healthy, tx: None, batched: None, cache: WriterCache::default() }
    }

    pub(super) async fn run(mut self, mut waiting: mpsc::Receiver<Box<dyn PendingWrite>>, closing: Arc<Notify>) {
        let mut arrived = Vec::with_capacity(GROUP_MAX);
        let (mut next, mut in_flight) = (Group::default(), None::<CommitInFlight>);
        loop {
            // Collected writes rely on the commit in flight, so writes that read must not overtake them.
            let may_collect =
                next.len() < GROUP_MAX && in_flight.as_ref().is_none_or(|in_flight| in_flight.group.others.is_empty());
            tokio::select! {
                biased;
                outcome = completion(&mut in_flight) => {
                    let Some(CommitInFlight { group, .. }) = in_flight.take() else { continue };
                    self.finish_commit(group, outcome, &mut next).await;
                }
                received = waiting.recv_many(&mut arrived, GROUP_MAX), if may_collect => {
                    if received == 0 {
                        return;
                    }
                    self.collect_writes(&mut next, arrived.drain(..)).await;
                }
                // Dropping the task returns its connection, so that the pool can close.
                () = closing.notified(), if in_flight.is_none() && next.len() == 0 => return,
            }
            if in_flight.is_none() && next.len() > 0 {
                in_flight = self.start_commit(std::mem::take(&mut next)).await;
            }
        }
    }

    /// Runs writes until they read, and collects the statements of those that do not.
    async fn collect_writes(&mut self, group: &mut Group, writes: impl Iterator<Item = Box<dyn PendingWrite>>) {
        let mut tx = Tx::new(Connection::Batched(std::mem::take(&mut group.batch)));
        tx.cache = Some(std::mem::take(&mut self.cache));
        for mut write in writes {
            let before = tx.batch().len();
            let outcome = write.run(&mut tx).await;
            let cache = tx.cache.as_mut().expect("the cache was lent");
            if outcome.is_ok() {
                cache.commit();
                group.callbacks.append(&mut tx.after_commit);
                group.batched.push(write);
            } else {
                cache.rollback();
                tx.batch().truncate(before);
                tx.after_commit.clear();
                group.others.push(write);
            }
        }
        group.batch = std::mem::take(tx.batch());
        self.cache = tx.cache.take().expect("the cache was lent");
    }

    /// Starts committing a group's statements; a group without any is finished at once.
    async fn start_commit(&mut self, mut group: Group) -> Option<CommitInFlight> {
        if group.batch.len() == 0 {
            // These neither read nor wrote.
            settle(group.batched, group.callbacks);
            self.commit_others(group.others).await;
            return None;
        }
        let batch = std::mem::take(&mut group.batch);
        match self.batch_thread().await {
            Ok(thread) => Some(CommitInFlight { outcome: thread.commit(batch), group }),
            Err(failure) => {
                self.storage_failed(&failure, group.writes());
                None
            }
        }
    }

    /// Answers the callers of a committed group, or runs the group the ordinary way; then commits its writes that
    /// read.
    async fn finish_commit(&mut self, mut group: Group, outcome: std::result::Result<Result<()>, RecvError>, next: &mut Group) {
        let refused = match outcome {
            Ok(Ok(())) => {
                settle(std::mem::take(&mut group.batched), std::mem::take(&mut group.callbacks));
                return self.commit_others(group.others).await;
            }
            Ok(Err(refused)) if !refused.breaks_connection() => refused,
            Ok(Err(failure)) => return self.fail(&failure, group, next).await,
            Err(panicked) => return self.fail(&Error::internal(panicked), group, next).await,
        };
        tracing::debug!(%refused, "a group is written the ordinary way");
        self.cache.clear();
        self.commit_others(group.writes()).await;
        self.recollect(next).await;
    }

    async fn fail(&mut self, failure: &Error, group: Group, next: &mut Group) {
        self.storage_failed(failure, group.writes());
        self.recollect(next).await;
    }

    /// Collects the next group again: it relied on a commit that failed.
    async fn recollect(&mut self, next: &mut Group) {
        let writes = std::mem::take(next).writes();
        self.collect_writes(next, writes.into_iter()).await;
    }

    /// Commits writes that read. They share a transaction: first without savepoints, because failures are rare; then
    /// with a savepoint for each, so that those that fail are rolled back alone; and if the commit itself is refused
    /// (a deferred constraint), each in a transaction of its own.
    async fn commit_others(&mut self, mut writes: Vec<Box<dyn PendingWrite>>) {
        if writes.is_empty() {
            return;
        }
        if let Err(failure) = self.try_others(&mut writes).await {
            self.storage_failed(&failure, writes);
        }
    }

    async fn try_others(&mut self, writes: &mut [Box<dyn PendingWrite>]) -> Result<()> {
        let Some(refused) = self.attempt(writes, GroupIsolation::Shared).await? else { return Ok(()) };
        if let ([only], false) = (&mut *writes, refused.used_cache) {
            only.settle(Err(refused.error));
            return Ok(());
        }
        if self.attempt(writes, GroupIsolation::Savepoints).await?.is_none() {
            return Ok(());
        }
        for write in writes.iter_mut().filter(|write| !write.is_settled()) {
            if let Some(refused) = self.attempt(std::slice::from_mut(write), GroupIsolation::Separate).await? {
                write.settle(Err(refused.error));
            }
        }
        Ok(())
    }

    /// Runs the unanswered writes in one transaction and answers their callers. Returns why all of it was rolled back,
    /// if it was.
    async fn attempt(&mut self, group: &mut [Box<dyn PendingWrite>], isolation: GroupIsolation) -> Result<Option<Rollback>> {
        let mut tx = self.connection().await?;
        // A cached value may be the cause of a failure, so only the first attempt uses the cache.
        self.cache.take_was_used();
        let cache = std::mem::take(&mut self.cache);
        tx.cache = (isolation == GroupIsolation::Shared).then_some(cache);
        let outcome = run_in_one_transaction(&mut tx, group, isolation).await;
        self.cache = tx.cache.take().unwrap_or_default();
        match outcome {
            Ok(written) => {
                self.cache.commit();
                self.tx = Some(tx);
                written.settle(group.iter_mut());
                Ok(None)
            }
            Err(error) => {
                let used_cache = self.cache.take_was_used();
                self.cache.clear();
                tx.after_commit.clear();
                if error.breaks_connection() || command(&mut tx, "ROLLBACK").await.is_err() {
                    tx.discard();
                    return Err(error);
                }
                self.tx = Some(tx);
                Ok(Some(Rollback { error, used_cache }))
            }
        }
    }

    /// The connection of the last group, or a new one after a storage check.
    async fn connection(&mut self) -> Result<Tx> {
        if let Some(tx) = self.tx.take() {
            return Ok(tx);
        }
        self.check_storage().await?;
        Ok(Tx::new(self.writers.acquire().await?))
    }

    /// The same for batched writes.
    async fn batch_thread(&mut self) -> Result<&BatchThread> {
        if self.batched.is_none() {
            self.check_storage().await?;
            self.batched = Some(BatchThread::start(sqlite::open_batched(&self.path)?, self.slow_statement)?);
        }
        Ok(self.batched.as_ref().expect("it was just started"))
    }

    /// After a storage failure: writes a mark and reads it back before anything is accepted.
    async fn check_storage(&mut self) -> Result<()> {
        if !self.healthy.load(Ordering::Acquire) {
            sqlite::probe(&self.writers, &self.readers).await?;
            self.healthy.store(true, Ordering::Release);
            tracing::warn!("the storage accepts writes again");
        }
        Ok(())
    }

    /// Answers every waiting caller that the outcome is unknown.
    fn storage_failed(&mut self, failure: &Error, writes: Vec<Box<dyn PendingWrite>>) {
        tracing::error!(%failure, "the storage failed; nothing is accepted until a check succeeds");
        self.healthy.store(false, Ordering::Release);
        self.tx = None;
        self.batched = None;
        self.cache.clear();
        let cause = std::error::Error::source(failure).map_or_else(|| failure.to_string(), |cause| cause.to_string());
        for mut write in writes {
            write.settle(Err(storage_unavailable().caused_by(cause.clone())));
        }
    }
}

/// Runs the callbacks before answering, so that callers find the effects of their writes.
fn settle(writes: Vec<Box<dyn PendingWrite>>, callbacks: Vec<Box<dyn FnOnce() + Send>>) {
    callbacks.into_iter().for_each(|callback| callback());
    for mut write in writes {
        write.settle(Ok(()));
    }
}

/// The outcome of a commit.
#[derive(Default)]
struct CommittedGroup {
    /// Positions in the group of the writes that were committed.
    writes: Vec<usize>,
    callbacks: Vec<Box<dyn FnOnce() + Send>>,
}

impl CommittedGroup {
    /// Runs the callbacks before answering, so that callers find the effects of their writes.
    fn settle<'m>(self, group: impl Iterator<Item = &'m mut Box<dyn PendingWrite>>) {
        self.callbacks.into_iter().for_each(|callback| callback());
        for (_, write) in group.enumerate().filter(|(position, _)| self.writes.binary_search(position).is_ok()) {
            write.settle(Ok(()));
        }
    }
}

/// Why a transaction was rolled back.
struct Rollback {
    error: Error,
    /// A cached value was used, which may have been wrong.
    used_cache: bool,
}

/// How writes share a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupIsolation {
    /// The first failure rolls back everything.
    Shared,
    /// A write that fails is rolled back alone.
    Savepoints,
    /// Each write has a transaction of its own.
    Separate,
}

/// Runs the unanswered writes in one transaction and commits.
async fn run_in_one_transaction(
    tx: &mut Tx,
    group: &mut [Box<dyn PendingWrite>],
    isolation: GroupIsolation,
) -> Result<CommittedGroup> {
    command(tx, "BEGIN IMMEDIATE").await?;
    let mut written = CommittedGroup::default();
    for (position, write) in group.iter_mut().enumerate().filter(|(_, write)| !write.is_settled()) {
        if isolation == GroupIsolation::Savepoints {
            command(tx, "SAVEPOINT member").await?;
        }
        match write.run(tx).await {
            Ok(()) => {
                written.writes.push(position);
                written.callbacks.append(&mut tx.after_commit);
            }
            Err(error) if isolation != GroupIsolation::Savepoints || error.breaks_connection() => return Err(error),
            Err(error) => {
                tx.after_commit.clear();
                command(tx, "ROLLBACK TO member").await?;
                write.settle(Err(error));
            }
        }
        if isolation == GroupIsolation::Savepoints {
            command(tx, "RELEASE member").await?;
        }
    }
    command(tx, "COMMIT").await?;
    Ok(written)
}

async fn command(tx: &mut Tx, sql: &'static str) -> Result<()> {
    crate::execute!(tx, sql).map(drop)
}
