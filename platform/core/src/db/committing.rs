//! SQLite's one writer: it commits waiting writes in groups.
//!
//! A sync to disk costs more than a claim, so writes that wait together share one. A member that fails is undone alone
//! and its neighbours are kept. Nobody is answered before the commit.
//!
//! Members that only write are gathered first: their statements are collected without asking the database anything, and go to
//! SQLite in one call on a thread of its own. Meanwhile the next group is gathered, so that the disk never waits for the work nor the work
//! for the disk. Members that read share a transaction after those that do not.
//!
//! The transaction commands are sent as plain statements on purpose. The driver's own counter of nested
//! transactions goes wrong when SQLite rolls back by itself (a full disk), and then acknowledges commits that
//! nobody makes. Here a COMMIT outside a transaction is an error, and after any error of the storage the connection
//! is thrown away and nothing is accepted until a probe was written and read back over another connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::SqlitePool;
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinError, JoinHandle};

use super::error::storage_unavailable;
use super::group::{GROUP_MAX, Member};
use super::memory::Memory;
use super::{Collected, Conn, Tx, blind, lite};
use crate::error::{Error, Result};

pub(super) struct Task {
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

/// A group in the making.
#[derive(Default)]
struct Group {
    /// Who only writes: their statements are all collected.
    blind: Vec<Box<dyn Member>>,
    collected: Collected,
    notices: Vec<Box<dyn FnOnce() + Send>>,
    /// Who reads, or failed without reading.
    others: Vec<Box<dyn Member>>,
}

impl Group {
    fn len(&self) -> usize {
        self.blind.len() + self.others.len()
    }

    fn members(self) -> Vec<Box<dyn Member>> {
        [self.blind, self.others].into_iter().flatten().collect()
    }
}

/// A group whose statements are on their way to the disk.
struct Flight {
    group: Group,
    landing: JoinHandle<Landed>,
}

/// What came of the statements, and the connection they went over.
type Landed = (Result<()>, rusqlite::Connection);

/// Until the flight has landed; for ever if there is none.
async fn landing(flight: &mut Option<Flight>) -> std::result::Result<Landed, JoinError> {
    match flight {
        Some(flight) => (&mut flight.landing).await,
        None => std::future::pending().await,
    }
}

impl Task {
    pub(super) fn new(path: String, writers: SqlitePool, readers: SqlitePool, healthy: Arc<AtomicBool>) -> Self {
        Self { path, writers, readers, healthy, tx: None, blind: None, memory: Memory::default() }
    }

    pub(super) async fn run(mut self, mut waiting: mpsc::Receiver<Box<dyn Member>>, closing: Arc<Notify>) {
        let mut arrived = Vec::with_capacity(GROUP_MAX);
        let (mut next, mut flight) = (Group::default(), None::<Flight>);
        loop {
            // What is gathered relies on what the flight before leaves behind, so it must not be overtaken by members that read.
            let may_gather = next.len() < GROUP_MAX && flight.as_ref().is_none_or(|flight| flight.group.others.is_empty());
            tokio::select! {
                biased;
                landed = landing(&mut flight) => {
                    let Some(Flight { group, .. }) = flight.take() else { continue };
                    self.land(group, landed, &mut next).await;
                }
                received = waiting.recv_many(&mut arrived, GROUP_MAX), if may_gather => {
                    if received == 0 {
                        return;
                    }
                    self.gather(&mut next, arrived.drain(..)).await;
                }
                // The connection goes back with the task, and the pool can close.
                () = closing.notified(), if flight.is_none() && next.len() == 0 => return,
            }
            if flight.is_none() && next.len() > 0 {
                flight = self.take_off(std::mem::take(&mut next)).await;
            }
        }
    }

    /// Runs members until they ask something of the database, and keeps the statements of those who do not.
    async fn gather(&mut self, group: &mut Group, members: impl Iterator<Item = Box<dyn Member>>) {
        let mut tx = Tx::new(Conn::Blind(std::mem::take(&mut group.collected)));
        tx.memory = Some(std::mem::take(&mut self.memory));
        for mut member in members {
            let before = tx.collected().len();
            let outcome = member.run(&mut tx).await;
            let memory = tx.memory.as_mut().expect("the writer's memory was lent");
            if outcome.is_ok() {
                memory.keep();
                group.notices.append(&mut tx.after_commit);
                group.blind.push(member);
            } else {
                memory.undo();
                tx.collected().truncate(before);
                tx.after_commit.clear();
                group.others.push(member);
            }
        }
        group.collected = std::mem::take(tx.collected());
        self.memory = tx.memory.take().expect("the writer's memory was lent");
    }

    /// Sends a group's statements to the disk; a group without any is done at once.
    async fn take_off(&mut self, mut group: Group) -> Option<Flight> {
        if group.collected.len() == 0 {
            // Whoever neither reads nor writes is done.
            settle(group.blind, group.notices);
            self.commit_others(group.others).await;
            return None;
        }
        match self.blind_connection().await {
            Ok(connection) => {
                let collected = std::mem::take(&mut group.collected);
                let landing = tokio::task::spawn_blocking(move || (blind::commit(&connection, &collected), connection));
                Some(Flight { group, landing })
            }
            Err(failure) => {
                self.storage_failed(&failure, group.members());
                None
            }
        }
    }

    /// Settles a group whose statements were written, or has it written in the ordinary way; and then whoever of it reads.
    async fn land(&mut self, mut group: Group, landed: std::result::Result<Landed, JoinError>, next: &mut Group) {
        let refused = match landed {
            Ok((Ok(()), connection)) => {
                self.blind = Some(connection);
                settle(std::mem::take(&mut group.blind), std::mem::take(&mut group.notices));
                return self.commit_others(group.others).await;
            }
            Ok((Err(refused), connection)) if !refused.breaks_connection() => {
                self.blind = Some(connection);
                refused
            }
            Ok((Err(failure), _)) => return self.fail(&failure, group, next).await,
            Err(panicked) => return self.fail(&Error::internal(panicked), group, next).await,
        };
        tracing::debug!(%refused, "a group is written in the ordinary way");
        self.memory.forget();
        self.commit_others(group.members()).await;
        self.gather_anew(next).await;
    }

    async fn fail(&mut self, failure: &Error, group: Group, next: &mut Group) {
        self.storage_failed(failure, group.members());
        self.gather_anew(next).await;
    }

    /// What was gathered relies on something that is not so.
    async fn gather_anew(&mut self, next: &mut Group) {
        let members = std::mem::take(next).members();
        self.gather(next, members.into_iter()).await;
    }

    /// Commits members that read. They share a transaction: nearly always nobody fails, so it is tried without savepoints first; then
    /// with a savepoint for each, so that those who fail are undone alone; and if the commit itself still refuses (a deferred
    /// constraint), each in a transaction of its own.
    async fn commit_others(&mut self, mut members: Vec<Box<dyn Member>>) {
        if members.is_empty() {
            return;
        }
        if let Err(failure) = self.try_others(&mut members).await {
            self.storage_failed(&failure, members);
        }
    }

    async fn try_others(&mut self, members: &mut [Box<dyn Member>]) -> Result<()> {
        let Some(refused) = self.attempt(members, Pace::Together).await? else { return Ok(()) };
        if let ([only], false) = (&mut *members, refused.relied_on_memory) {
            only.settle(Err(refused.error));
            return Ok(());
        }
        if self.attempt(members, Pace::Apart).await?.is_none() {
            return Ok(());
        }
        for member in members.iter_mut().filter(|member| !member.is_settled()) {
            if let Some(refused) = self.attempt(std::slice::from_mut(member), Pace::Alone).await? {
                member.settle(Err(refused.error));
            }
        }
        Ok(())
    }

    /// Runs the members that are not settled yet in one transaction and settles them. What is returned is why all of it was
    /// undone, if it was.
    async fn attempt(&mut self, group: &mut [Box<dyn Member>], pace: Pace) -> Result<Option<Refused>> {
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
                written.settle(group.iter_mut());
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

    /// Tells everybody who is not answered yet that nothing is known to be written.
    fn storage_failed(&mut self, failure: &Error, members: Vec<Box<dyn Member>>) {
        tracing::error!(%failure, "the storage failed; nothing is accepted until it has proved itself");
        self.healthy.store(false, Ordering::Release);
        self.tx = None;
        self.blind = None;
        self.memory.forget();
        for mut member in members {
            member.settle(Err(storage_unavailable()));
        }
    }
}

/// Tells memory first and then whoever waits, so that they find what they did.
fn settle(members: Vec<Box<dyn Member>>, notices: Vec<Box<dyn FnOnce() + Send>>) {
    notices.into_iter().for_each(|notice| notice());
    for mut member in members {
        member.settle(Ok(()));
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
async fn run_in_one_transaction(tx: &mut Tx, group: &mut [Box<dyn Member>], pace: Pace) -> Result<Written> {
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
