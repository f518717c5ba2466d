//! SQLite's one writer: it commits waiting writes in groups.
//!
//! A sync to disk costs more than a claim, so writes that wait together share one. A member that fails is undone alone
//! and its neighbours are kept. Nobody is answered before the commit.
//!
//! The transaction commands are sent as plain statements on purpose. The driver's own counter of nested
//! transactions goes wrong when SQLite rolls back by itself (a full disk), and then acknowledges commits that
//! nobody makes. Here a COMMIT outside a transaction is an error, and after any error of the storage the connection
//! is thrown away and nothing is accepted until a probe was written and read back over another connection.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqlitePool};
use tokio::sync::{Notify, mpsc, oneshot};

use super::error::{overloaded, storage_unavailable};
use super::memory::Memory;
use super::{Collected, Conn, Tx, blind, lite};
use crate::BoxFuture;
use crate::error::{Error, Result};

/// How many writes may wait. More are refused at once: waiting longer helps nobody.
const WAITING_MAX: usize = 8_192;

/// How many writes share one commit at most.
const GROUP_MAX: usize = 256;

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
        let (blind, memory) = (None, Memory::default());
        let task = Task { path, writers: writers.clone(), readers, healthy: healthy.clone(), tx: None, blind, memory };
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
trait Member: Send {
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

struct Task {
    path: String,
    writers: SqlitePool,
    readers: SqlitePool,
    healthy: Arc<AtomicBool>,
    /// The writing connection, held from group to group while the storage is sound.
    tx: Option<Tx>,
    /// The connection of writes that read nothing, held likewise.
    blind: Option<rusqlite::Connection>,
    memory: Memory,
}

impl Task {
    async fn run(mut self, mut waiting: mpsc::Receiver<Box<dyn Member>>, closing: Arc<Notify>) {
        let mut group = Vec::with_capacity(GROUP_MAX);
        loop {
            let waited_for = tokio::select! {
                received = waiting.recv_many(&mut group, GROUP_MAX) => received,
                // The connection goes back with the task, and the pool can close.
                () = closing.notified() => 0,
            };
            if waited_for == 0 {
                return;
            }
            if let Err(failure) = self.commit(&mut group).await {
                self.storage_failed(&failure);
                for member in &mut group {
                    member.settle(Err(storage_unavailable()));
                }
            }
            group.clear();
        }
    }

    /// Commits the group. Members that only write go first, all in one call. The others share a transaction: nearly always
    /// nobody fails, so it is tried without savepoints first; then with a savepoint for each, so that those who fail are
    /// undone alone; and if the commit itself still refuses (a deferred constraint), each in a transaction of its own. An error
    /// returned is one of the storage.
    async fn commit(&mut self, group: &mut [Box<dyn Member>]) -> Result<()> {
        self.commit_blind(group).await?;
        let mut left: Vec<_> = group.iter_mut().filter(|member| !member.is_settled()).collect();
        if left.is_empty() {
            return Ok(());
        }
        let Some(refused) = self.attempt(&mut left, Pace::Together).await? else { return Ok(()) };
        if let ([only], false) = (&mut left[..], refused.relied_on_memory) {
            only.settle(Err(refused.error));
            return Ok(());
        }
        if self.attempt(&mut left, Pace::Apart).await?.is_none() {
            return Ok(());
        }
        for member in left.iter_mut().filter(|member| !member.is_settled()) {
            if let Some(refused) = self.attempt(std::slice::from_mut(member), Pace::Alone).await? {
                member.settle(Err(refused.error));
            }
        }
        Ok(())
    }

    /// Commits the members that only write. Whoever reads, and everybody if anything is refused, is left unsettled.
    async fn commit_blind(&mut self, group: &mut [Box<dyn Member>]) -> Result<()> {
        let mut tx = Tx::new(Conn::Blind(Collected::default()));
        tx.memory = Some(std::mem::take(&mut self.memory));
        let mut written = Written::default();
        for (position, member) in group.iter_mut().enumerate() {
            let before = tx.collected().len();
            let outcome = member.run(&mut tx).await;
            let memory = tx.memory.as_mut().expect("the writer's memory was lent");
            if outcome.is_ok() {
                memory.keep();
                written.members.push(position);
                written.notices.append(&mut tx.after_commit);
            } else {
                memory.undo();
                tx.collected().truncate(before);
                tx.after_commit.clear();
            }
        }
        let collected = std::mem::take(tx.collected());
        self.memory = tx.memory.take().expect("the writer's memory was lent");
        if collected.len() == 0 {
            return Ok(());
        }
        let connection = self.blind_connection().await?;
        let committing = tokio::task::spawn_blocking(move || (blind::commit(&connection, &collected), connection));
        match committing.await.map_err(Error::internal)? {
            (Ok(()), connection) => {
                self.blind = Some(connection);
                written.settle(group.iter_mut());
                Ok(())
            }
            (Err(refused), _) if refused.breaks_connection() => Err(refused),
            (Err(refused), connection) => {
                tracing::debug!(%refused, "a group is written in the ordinary way");
                self.blind = Some(connection);
                self.memory.forget();
                Ok(())
            }
        }
    }

    /// Runs the members that are not settled yet in one transaction and settles them. What is returned is why all of it was
    /// undone, if it was.
    async fn attempt(&mut self, group: &mut [&mut Box<dyn Member>], pace: Pace) -> Result<Option<Refused>> {
        let mut tx = self.connection().await?;
        // What is remembered may be why an attempt fails, so only the first relies on it.
        self.memory.was_relied_on();
        let memory = std::mem::take(&mut self.memory);
        tx.memory = (pace == Pace::Together).then_some(memory);
        let outcome = run_in_one_transaction(&mut tx, group, pace).await;
        self.memory = tx.memory.take().unwrap_or_default();
        match outcome {
            Ok(written) => {
                self.memory.keep();
                self.tx = Some(tx);
                written.settle(group.iter_mut().map(|member| &mut **member));
                Ok(None)
            }
            Err(error) => {
                let relied_on_memory = self.memory.was_relied_on();
                self.memory.forget();
                tx.after_commit.clear();
                if error.breaks_connection() || command(&mut tx, "ROLLBACK").await.is_err() {
                    tx.discard();
                    return Err(error);
                }
                self.tx = Some(tx);
                Ok(Some(Refused { error, relied_on_memory }))
            }
        }
    }

    /// The sound connection of the last group, or a new one that has proved itself.
    async fn connection(&mut self) -> Result<Tx> {
        if let Some(tx) = self.tx.take() {
            return Ok(tx);
        }
        self.prove_storage().await?;
        Ok(Tx::new(Conn::Lite(self.writers.acquire().await?)))
    }

    /// The same for writes that read nothing.
    async fn blind_connection(&mut self) -> Result<rusqlite::Connection> {
        if let Some(connection) = self.blind.take() {
            return Ok(connection);
        }
        self.prove_storage().await?;
        lite::open_blind(&self.path)
    }

    /// After a failure of the storage: writes a mark and reads it back before anything is accepted.
    async fn prove_storage(&mut self) -> Result<()> {
        if !self.healthy.load(Ordering::Acquire) {
            lite::probe(&self.writers, &self.readers).await?;
            self.healthy.store(true, Ordering::Release);
            tracing::warn!("the storage accepts writes again");
        }
        Ok(())
    }

    fn storage_failed(&mut self, failure: &Error) {
        tracing::error!(%failure, "the storage failed; nothing is accepted until it has proved itself");
        self.healthy.store(false, Ordering::Release);
        self.tx = None;
        self.blind = None;
        self.memory.forget();
    }
}

/// What a commit makes durable.
#[derive(Default)]
struct Written {
    /// Positions in the group of the members whose work counts.
    members: Vec<usize>,
    notices: Vec<Box<dyn FnOnce() + Send>>,
}

impl Written {
    /// Tells memory first and then whoever waits, so that they find what they did.
    fn settle<'m>(self, group: impl Iterator<Item = &'m mut Box<dyn Member>>) {
        self.notices.into_iter().for_each(|notice| notice());
        for (_, member) in group.enumerate().filter(|(position, _)| self.members.binary_search(position).is_ok()) {
            member.settle(Ok(()));
        }
    }
}

/// Why a transaction was undone.
struct Refused {
    error: Error,
    /// Something was recalled, which may have been wrong.
    relied_on_memory: bool,
}

/// How members share a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// The first failure undoes the whole.
    Together,
    /// A member that fails is undone alone, and settled.
    Apart,
    /// A member in a transaction of its own.
    Alone,
}

/// Runs the members that are not settled yet in one transaction and commits.
async fn run_in_one_transaction(tx: &mut Tx, group: &mut [&mut Box<dyn Member>], pace: Pace) -> Result<Written> {
    command(tx, "BEGIN IMMEDIATE").await?;
    let mut written = Written::default();
    for (position, member) in group.iter_mut().enumerate().filter(|(_, member)| !member.is_settled()) {
        if pace == Pace::Apart {
            command(tx, "SAVEPOINT member").await?;
        }
        match member.run(tx).await {
            Ok(()) => {
                written.members.push(position);
                written.notices.append(&mut tx.after_commit);
            }
            Err(error) if pace != Pace::Apart || error.breaks_connection() => return Err(error),
            Err(error) => {
                tx.after_commit.clear();
                command(tx, "ROLLBACK TO member").await?;
                member.settle(Err(error));
            }
        }
        if pace == Pace::Apart {
            command(tx, "RELEASE member").await?;
        }
    }
    command(tx, "COMMIT").await?;
    Ok(written)
}

async fn command(tx: &mut Tx, sql: &'static str) -> Result<()> {
    crate::execute!(tx, sql).map(drop)
}
