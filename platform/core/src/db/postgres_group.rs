//! Group commit on PostgreSQL: writes of this node that do not read share a transaction.
//!
//! With a transaction each, every claim would hold the row of the reserve that it takes from over several journeys to
//! the server and a sync, so no number of connections could create more than some hundreds a second. In a group, each
//! statement runs once for all its writes, the rows that everybody wants come last, and all share one sync.
//!
//! The writes of a group have the same statements, and no two of them the same lock or row: one that has waits for the
//! next group. A write that the group's checks refuse leaves it and is run alone, in a transaction of its own, which
//! finds the reason, or that there is enough after all. If a statement fails without a name for the culprit, the
//! group is halved until it is alone. No write is answered before the commit, and none because of another one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::batched_write::{BatchedWrite, Statement, StatementKind};
use super::error::{OVERLOADED, STORAGE_UNAVAILABLE, overloaded, storage_unavailable};
use super::postgres::SHARED_DEADLINE;
use super::{StatementTarget, Tx, set_write, within};
use crate::audit::{self, AuditEntry};
use crate::error::{Error, Result};

/// How many writes may wait. Further ones are refused at once.
const WAITING_MAX: usize = 8_192;

/// How many writes share one commit at most.
const GROUP_MAX: usize = 256;

/// How many groups are written at once. The server syncs one and waits for this node while it runs the next.
const GROUPS_AT_ONCE: usize = 2;

/// So many writes are not divided between groups, since each has its costs.
const SHARE_MIN: usize = 8;

/// A group that takes longer waits for somebody. However few others there are, they do not wait with it.
const STALLED: Duration = Duration::from_millis(50);

/// How long there are no groups after one of them has waited too long for a lock. Somebody holds it for longer than a
/// group ever does, a frozen node for example; writes that do not need it must not wait with those that do.
const PAUSE: Duration = Duration::from_secs(5);

/// Begins a group. It waits for a lock for a shorter time than a deadlock takes to be found, and then lets its writes
/// go their own ways.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '500ms'";

/// How long after a group the next one waits for its callers: a part of the time that it took, up to the maximum.
const GATHERING_SHARE: u32 = 4;
const GATHERING_MAX: Duration = Duration::from_millis(10);

/// What became of a write.
#[derive(Debug)]
pub(super) enum Verdict {
    Committed,
    /// It has to run in a transaction of its own.
    Alone,
    Failed(Error),
}

/// A write whose statements are collected, and its waiting caller.
pub(super) struct WaitingWrite {
    pub batch: BatchedWrite,
    pub audit: Vec<AuditEntry>,
    reply: oneshot::Sender<Verdict>,
}

impl WaitingWrite {
    fn settle(self, verdict: Verdict) {
        // The caller may have gone; the write is done all the same.
        let _ = self.reply.send(verdict);
    }

    /// Whether both can be written by the same statements.
    fn is_like(&self, other: &Self) -> bool {
        let (own, others) = (&self.batch.statements, &other.batch.statements);
        own.len() == others.len()
            && own
                .iter()
                .zip(others)
                .all(|(own, other)| own.kind == other.kind && own.sql == other.sql && own.types == other.types)
    }

    fn exclusions(&self) -> impl Iterator<Item = &String> {
        self.batch.locks.iter().chain(&self.batch.exclusions)
    }
}

/// The queue of the groups.
pub(super) struct GroupWriter {
    queue: mpsc::Sender<WaitingWrite>,
}

impl GroupWriter {
    pub(super) fn start(pool: PgPool, is_writable: Arc<AtomicBool>) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        tokio::spawn(Committer::new(Transactions { pool, is_writable }).run(waiting));
        Self { queue }
    }

    /// Writes the statements in a group and waits for its commit.
    pub(super) async fn write(&self, batch: BatchedWrite, audit: Vec<AuditEntry>) -> Verdict {
        let (reply, verdict) = oneshot::channel();
        match self.queue.try_send(WaitingWrite { batch, audit, reply }) {
            Ok(()) => verdict.await.unwrap_or_else(|_| Verdict::Failed(storage_unavailable())),
            Err(_) => Verdict::Failed(overloaded()),
        }
    }
}

/// Forms the groups.
struct Committer {
    transactions: Transactions,
    /// They say whether they waited too long for a lock.
    running: JoinSet<bool>,
    /// What is known of the running ones.
    groups: HashMap<Id, RunningGroup>,
    paused_until: Option<Instant>,
    /// How many callers have just been answered and are about to come back if they are many, and until when.
    returning: (usize, Instant),
}

struct RunningGroup {
    began: Instant,
    count: usize,
    exclusions: HashSet<String>,
}

impl Committer {
    fn new(transactions: Transactions) -> Self {
        let (running, groups) = (JoinSet::new(), HashMap::new());
        Self { transactions, running, groups, paused_until: None, returning: (0, Instant::now()) }
    }

    async fn run(mut self, mut waiting: mpsc::Receiver<WaitingWrite>) {
        let (mut arrived, mut queue) = (Vec::with_capacity(GROUP_MAX), VecDeque::new());
        let mut look: Option<Instant> = None;
        loop {
            tokio::select! {
                biased;
                Some(ended) = self.running.join_next_with_id() => self.end(ended),
                count = waiting.recv_many(&mut arrived, GROUP_MAX), if queue.len() < WAITING_MAX => {
                    if count == 0 {
                        // Those that wait hold the queue.
                        return self.running.detach_all();
                    }
                    queue.extend(arrived.drain(..));
                    self.returning.0 = self.returning.0.saturating_sub(count);
                }
                () = tokio::time::sleep_until(look.unwrap_or_else(Instant::now)), if look.is_some() => {}
            }
            if self.paused_until.is_some_and(|until| Instant::now() < until) {
                queue.drain(..).for_each(|write| write.settle(Verdict::Alone));
            }
            let now = Instant::now();
            while let Some((group, exclusions)) = self.next_group(&mut queue, now) {
                self.start(group, exclusions);
            }
            look = if queue.is_empty() { None } else { self.next_look(now) };
        }
    }

    /// When after `now` a group may begin without anybody's arrival or end.
    fn next_look(&self, now: Instant) -> Option<Instant> {
        let (returning, until) = self.returning;
        let stalled = self.groups.values().map(|group| group.began + STALLED);
        stalled.chain((returning > 0).then_some(until)).filter(|look| *look > now).min()
    }

    /// The next group, if one should begin now. The writes are shared between the groups that may run at once. Callers
    /// that were just answered are waited for: one group costs the server much less than two of half its size.
    fn next_group(&self, queue: &mut VecDeque<WaitingWrite>, now: Instant) -> Option<(Vec<WaitingWrite>, HashSet<String>)> {
        let returning = if now < self.returning.1 { self.returning.0 } else { 0 };
        let running: usize = self.groups.values().map(|group| group.count).sum();
        let share = (running + returning + queue.len()).div_ceil(GROUPS_AT_ONCE).clamp(SHARE_MIN, GROUP_MAX);
        let enough = match (self.groups.len(), returning) {
            (GROUPS_AT_ONCE.., _) => return None,
            (_, 1..) => share,
            _ if self.groups.values().all(|group| group.began + STALLED <= now) => 1,
            _ => share / 2,
        };
        if queue.len() < enough {
            return None;
        }
        let is_taken = |key: &String| self.groups.values().any(|group| group.exclusions.contains(key));
        Some(take_alike(queue, share, is_taken)).filter(|(group, _)| !group.is_empty())
    }

    fn start(&mut self, group: Vec<WaitingWrite>, exclusions: HashSet<String>) {
        let running = RunningGroup { began: Instant::now(), count: group.len(), exclusions };
        let task = self.running.spawn(self.transactions.clone().write(group));
        self.groups.insert(task.id(), running);
    }

    fn end(&mut self, ended: std::result::Result<(Id, bool), JoinError>) {
        let (id, was_locked_out) = ended.unwrap_or_else(|panicked| (panicked.id(), false));
        let Some(group) = self.groups.remove(&id) else { return };
        let now = Instant::now();
        // One that has waited for an earlier one of this node says nothing of other nodes.
        if was_locked_out && self.groups.values().all(|other| other.began > group.began) {
            self.paused_until = Some(now + PAUSE);
        }
        let (returning, until) = self.returning;
        let returning = if now < until { returning } else { 0 };
        let patience = ((now - group.began) / GATHERING_SHARE).min(GATHERING_MAX);
        self.returning = (returning + group.count, until.max(now + patience));
    }
}

/// Writes groups.
#[derive(Clone)]
struct Transactions {
    pool: PgPool,
    is_writable: Arc<AtomicBool>,
}

impl Transactions {
    /// Writes a group, in parts if some of it is refused. Returns whether it has waited too long for a lock.
    async fn write(self, group: Vec<WaitingWrite>) -> bool {
        let mut was_locked_out = false;
        let mut parts = vec![group];
        while let Some(mut part) = parts.pop() {
            match self.attempt(&part).await {
                Ok(refused) if refused.is_empty() => {
                    self.is_writable.store(true, Ordering::Release);
                    part.into_iter().for_each(|write| write.settle(Verdict::Committed));
                }
                Ok(refused) => {
                    for position in refused.into_iter().rev() {
                        part.remove(position).settle(Verdict::Alone);
                    }
                    if !part.is_empty() {
                        parts.push(part);
                    }
                }
                Err(failure) if failure.code() == STORAGE_UNAVAILABLE => {
                    self.is_writable.store(false, Ordering::Release);
                    part.into_iter().for_each(|write| write.settle(Verdict::Failed(storage_unavailable())));
                }
                Err(lost) if lost.code() == OVERLOADED => {
                    tracing::debug!(%lost, "the writes of a group are run alone");
                    was_locked_out = true;
                    part.into_iter().for_each(|write| write.settle(Verdict::Alone));
                }
                Err(refused) => {
                    tracing::debug!(%refused, "a group is halved");
                    let rest = part.split_off(part.len() / 2);
                    match rest.len() {
                        1 if part.is_empty() => rest.into_iter().for_each(|write| write.settle(Verdict::Alone)),
                        _ => parts.extend([rest, part]),
                    }
                }
            }
        }
        was_locked_out
    }

    /// Writes the group in one transaction. Returns the positions of the writes that are refused, in ascending order; if
    /// there are any, everything is undone.
    async fn attempt(&self, group: &[WaitingWrite]) -> Result<Vec<usize>> {
        let mut tx = Tx::new(self.pool.acquire().await?);
        tx.deadline = SHARED_DEADLINE;
        if let Err(failure) = begin(&mut tx).await {
            tx.discard();
            return Err(failure);
        }
        let outcome = write_all(&mut tx, group).await;
        match outcome {
            Ok(refused) if refused.is_empty() => match super::postgres::command(&mut tx, "COMMIT").await {
                Ok(()) => Ok(refused),
                Err(failure) => {
                    // Whether it was committed is unknown, so the connection cannot be trusted either.
                    tx.discard();
                    let is_undone = failure.is_retriable() || failure.constraint().is_some();
                    Err(if is_undone { failure } else { storage_unavailable().caused_by(failure) })
                }
            },
            outcome => {
                let is_broken = outcome.as_ref().is_err_and(Error::breaks_connection);
                if is_broken || super::postgres::command(&mut tx, "ROLLBACK").await.is_err() {
                    tx.discard();
                }
                outcome
            }
        }
    }
}

/// Takes the first writes of the queue, up to `count`, that can share a transaction and exclude nothing that `is_taken`.
/// The others stay, in their order. Returns what the taken ones exclude as well.
fn take_alike(
    queue: &mut VecDeque<WaitingWrite>,
    count: usize,
    is_taken: impl Fn(&String) -> bool,
) -> (Vec<WaitingWrite>, HashSet<String>) {
    let (mut group, mut others) = (Vec::<WaitingWrite>::new(), VecDeque::new());
    let mut taken = HashSet::new();
    for write in queue.drain(..) {
        let is_like = group.first().is_none_or(|first| write.is_like(first));
        if is_like && group.len() < count && write.exclusions().all(|key| !taken.contains(key) && !is_taken(key)) {
            taken.extend(write.exclusions().cloned());
            group.push(write);
        } else {
            others.push_back(write);
        }
    }
    *queue = others;
    (group, taken)
}

async fn begin(tx: &mut Tx) -> Result<()> {
    let StatementTarget::Postgres(conn, deadline) = tx.target() else { unreachable!("groups are for PostgreSQL") };
    let done = within(deadline, Box::pin(sqlx::raw_sql(BEGIN).execute(conn))).await.map(drop);
    tx.end_statement(&done);
    done
}

/// Runs the statements: first the locks, then the checks, then the writes, and last those of the rows that everybody
/// wants. Returns the positions of the writes that are refused.
async fn write_all(tx: &mut Tx, group: &[WaitingWrite]) -> Result<Vec<usize>> {
    let mut locks: Vec<&str> = group.iter().flat_map(|write| &write.batch.locks).map(String::as_str).collect();
    // Every transaction takes its locks in this order.
    locks.sort_unstable();
    tx.lock_all(&locks).await?;
    let phase = |statement: &Statement| match statement.kind {
        StatementKind::Check => 0,
        StatementKind::Write => 1,
        StatementKind::HotWrite(_) => 2,
    };
    let mut order: Vec<usize> = (0..group[0].batch.len()).collect();
    order.sort_by_key(|index| phase(&group[0].batch.statements[*index]));
    for index in order {
        let statements: Vec<&Statement> = group.iter().map(|write| &write.batch.statements[index]).collect();
        let refused = set_write::run(tx, &statements).await?;
        if !refused.is_empty() {
            return Ok(refused);
        }
    }
    audit::write_deferred(tx, group.iter().flat_map(|write| &write.audit).cloned().collect()).await?;
    Ok(Vec::new())
}
