//! The transactional outbox: e-mails, alerts and webhooks.
//!
//! A message is stored in the transaction of the change it reports, and delivered after the commit by the
//! [`OutboxWorker`]: at least once, in order for each recipient, with retries at growing delays. No caller waits for a
//! delivery. A message that cannot be delivered becomes dead, and staff can requeue it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{FutureExt as _, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::Notify;

use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::{Constraint, Error, Result};
use crate::keyset::KeysetPage;
use crate::platform::Platform;
use crate::retention::RetentionRule;
use crate::{delete_rows, execute, fetch_all, fetch_one, fetch_optional, write_one};

crate::statements! {
    INSERT_MESSAGE = "INSERT INTO outbox
        (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at, settled_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, 0, $8, $9)";
    /// Leases due messages, for each recipient only the first unsettled one, unless another node was faster.
    LEASE_MESSAGES = "UPDATE outbox SET leased_until = $4, attempts = attempts + 1
        WHERE state = 'queued' AND leased_until <= $1 AND id IN (SELECT id FROM outbox waiting
            WHERE state = 'queued' AND next_at <= $1 AND leased_until <= $1 AND channel = $2
                AND id = (SELECT MIN(earlier.id) FROM outbox earlier WHERE earlier.state = 'queued' AND earlier.channel = waiting.channel
                    AND earlier.recipient = waiting.recipient)
            ORDER BY next_at, id LIMIT $3)
        RETURNING id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at";
    SETTLE_MESSAGE = "UPDATE outbox SET state = $2, fault = $3, settled_at = $4, leased_until = 0 WHERE id = $1 AND state = 'queued'";
    POSTPONE_MESSAGE = "UPDATE outbox SET next_at = $2, fault = $3, leased_until = 0 WHERE id = $1 AND state = 'queued'";
    REQUEUE_MESSAGE = "UPDATE outbox SET state = 'queued', attempts = 0, next_at = $3, fault = NULL, settled_at = NULL
        WHERE id = $1 AND channel = $2 AND state = 'dead'";
    HASTEN_MESSAGES = "UPDATE outbox SET next_at = $2 WHERE channel = $1 AND state = 'queued' AND next_at > $2 AND id IN
        (SELECT id FROM outbox WHERE channel = $1 AND state = 'queued' AND next_at > $2 ORDER BY id LIMIT $3)";
    MESSAGE = "SELECT id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at
        FROM outbox WHERE id = $1 AND channel = $2";
    MESSAGES = "SELECT id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at
        FROM outbox WHERE channel = $1 AND state = $2 AND id < $3 ORDER BY id DESC LIMIT $4";
    COUNT_MESSAGES = "SELECT COUNT(*) FROM outbox WHERE channel = $1 AND state = $2";
}

/// How long delivered messages are kept.
const DELIVERED_RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long messages can be sent again that were given up.
const DEAD_RETENTION: Duration = Duration::from_secs(90 * 24 * 60 * 60);

pub const RETENTION: [RetentionRule; 2] = [
    RetentionRule {
        name: "outbox, delivered",
        delete: delete_rows!("outbox", "id", "state = 'sent' AND settled_at < $1"),
        before: |_, now| now.minus(DELIVERED_RETENTION).0,
    },
    RetentionRule {
        name: "outbox, given up",
        delete: delete_rows!("outbox", "id", "state = 'dead' AND settled_at < $1"),
        before: |_, now| now.minus(DEAD_RETENTION).0,
    },
];

/// How long a node leases a message: longer than any delivery takes.
const LEASE: Duration = Duration::from_secs(120);

/// The delay after the first failure. It doubles with each further one.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(15);

const MAX_RETRY_DELAY: Duration = Duration::from_secs(60 * 60);

/// After how many attempts a message is dead: somewhat over three days with the delays above.
const ATTEMPTS_MAX: i64 = 80;

/// How many messages are made due at once: a transaction must stay short.
const HASTENED_MAX: i64 = 1_000;

#[derive(Clone, Debug)]
pub struct NewOutboxMessage {
    /// The channel's name: `mail`, `telegram`, `webhook`.
    pub channel: &'static str,
    /// Messages to one recipient keep their order.
    pub recipient: String,
    /// The kind of message: `claim_created`.
    pub kind: &'static str,
    /// The subject's kind and identifier; the console links to it.
    pub about: (&'static str, String),
    /// Everything the channel needs to deliver it, as JSON: nothing is looked up or rendered later.
    pub payload: String,
}

crate::named! {
    /// The delivery state: `queued` for the first attempt or a retry, `sent`, or `dead` after the last attempt.
    OutboxState {
        Queued = "queued",
        /// Accepted by the other side.
        Sent = "sent",
        Dead = "dead",
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OutboxMessage {
    /// Ascending.
    pub id: i64,
    pub channel: String,
    pub recipient: String,
    pub kind: String,
    /// The kind of subject.
    pub about_kind: String,
    /// The subject's identifier.
    pub about_id: String,
    /// What the channel needs, as JSON.
    pub payload: String,
    pub state: OutboxState,
    /// Number of attempts, the current one included.
    pub attempts: i64,
    /// When it is tried next, while it is queued.
    pub next_at: Timestamp,
    /// Why the last attempt failed.
    pub fault: Option<String>,
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    pub settled_at: Option<Timestamp>,
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// Accepted by the other side.
    Delivered,
    /// A temporary failure, for this reason.
    Retry(String),
    /// A permanent failure, for this reason.
    Failed(String),
}

/// Delivers messages, by e-mail for example.
pub trait OutboxChannel: Send + Sync {
    fn name(&self) -> &'static str;

    /// How many messages may be delivered at a time.
    fn concurrency(&self) -> i64;

    /// Tries to deliver a message. Must return within a minute.
    fn deliver<'a>(&'a self, message: &'a OutboxMessage) -> BoxFuture<'a, DeliveryOutcome>;
}

/// The queue of messages. Clones share the wakeup of the worker.
#[derive(Clone, Default)]
pub struct Outbox(Arc<Notify>);

impl Outbox {
    /// Stores a message in the caller's transaction, to be delivered after the commit.
    pub async fn enqueue(&self, tx: &mut Tx, message: NewOutboxMessage, now: Timestamp) -> Result<()> {
        self.write(tx, message, OutboxState::Queued, now).await?;
        self.wake_after(tx);
        Ok(())
    }

    /// Stores a message that needs no delivery because it is read in the outbox itself.
    pub async fn store_delivered(&self, tx: &mut Tx, message: NewOutboxMessage, now: Timestamp) -> Result<()> {
        self.write(tx, message, OutboxState::Sent, now).await
    }

    async fn write(&self, tx: &mut Tx, message: NewOutboxMessage, state: OutboxState, now: Timestamp) -> Result<()> {
        let NewOutboxMessage { channel, recipient, kind, about: (about_kind, about_id), payload } = message;
        let settled_at = (state == OutboxState::Sent).then_some(now);
        write_one!(tx, INSERT_MESSAGE, channel, recipient, kind, about_kind, about_id, payload, state, now, settled_at)
    }

    /// Requeues a dead message.
    ///
    /// # Errors
    /// 409 `message_not_dead`.
    pub async fn requeue(&self, tx: &mut Tx, channel: &str, id: i64, now: Timestamp) -> Result<()> {
        if execute!(tx, REQUEUE_MESSAGE, id, channel, now)? == 0 {
            return Err(Error::conflict("message_not_dead"));
        }
        self.wake_after(tx);
        Ok(())
    }

    /// Makes the messages of a channel due that wait after a failure, the oldest first and at most
    /// [`HASTENED_MAX`]. Their attempts still count. Returns how many.
    pub async fn hasten(&self, tx: &mut Tx, channel: &str, now: Timestamp) -> Result<u64> {
        let hastened = execute!(tx, HASTEN_MESSAGES, channel, now, HASTENED_MAX)?;
        self.wake_after(tx);
        Ok(hastened)
    }

    /// Notified when this process enqueues a message.
    #[must_use]
    pub fn wakeup(&self) -> Arc<Notify> {
        self.0.clone()
    }

    fn wake_after(&self, tx: &mut Tx) {
        let wakeup = self.0.clone();
        tx.after_commit(move || wakeup.notify_one());
    }
}

/// # Errors
/// 404 `message_not_found`.
pub async fn message(tx: &mut Tx, channel: &str, id: i64) -> Result<OutboxMessage> {
    fetch_optional!(tx, OutboxMessage, MESSAGE, id, channel)?.ok_or_else(|| Error::not_found("message_not_found"))
}

/// Messages of a channel in one state, newest first, with ids below `before`.
pub async fn messages(
    tx: &mut Tx,
    channel: &str,
    state: OutboxState,
    before: Option<i64>,
    size: usize,
) -> Result<KeysetPage<OutboxMessage, i64>> {
    let rows = fetch_all!(tx, OutboxMessage, MESSAGES, channel, state, before.unwrap_or(i64::MAX), size as i64 + 1)?;
    Ok(KeysetPage::of(rows, size, |message| message.id))
}

pub async fn count(tx: &mut Tx, channel: &str, state: OutboxState) -> Result<i64> {
    let (count,) = fetch_one!(tx, (i64,), COUNT_MESSAGES, channel, state)?;
    Ok(count)
}

/// Delivers messages.
pub struct OutboxWorker {
    platform: Platform,
    channels: Vec<Arc<dyn OutboxChannel>>,
}

impl OutboxWorker {
    #[must_use]
    pub fn new(platform: &Platform, channels: Vec<Arc<dyn OutboxChannel>>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), channels })
    }

    /// Delivers all due messages. A job calls it again and again; two nodes may run it at the same time.
    pub async fn run(&self) -> Result<()> {
        let outcomes = join_all(self.channels.iter().map(|channel| self.deliver_all(&**channel))).await;
        outcomes.into_iter().collect()
    }

    /// Delivers the due messages of one channel, a few at a time, so that a slow delivery delays no others. Ends,
    /// because failed messages are due later.
    async fn deliver_all(&self, channel: &dyn OutboxChannel) -> Result<()> {
        let mut under_way = FuturesUnordered::new();
        let mut outcome = Ok(());
        loop {
            let free_slots = channel.concurrency() - i64::try_from(under_way.len()).map_err(Error::internal)?;
            // After a database error, running deliveries finish and no new ones start.
            if outcome.is_ok() && free_slots > 0 {
                match self.lease(channel, free_slots).await {
                    Ok(leased) => under_way.extend(leased.into_iter().map(|message| self.attempt(channel, message))),
                    Err(failed) => outcome = Err(failed),
                }
            }
            let Some(done) = under_way.next().await else { return outcome };
            outcome = outcome.and(done);
            while let Some(Some(done)) = under_way.next().now_or_never() {
                outcome = outcome.and(done);
            }
        }
    }

    /// Leases due messages, oldest first.
    async fn lease(&self, channel: &dyn OutboxChannel, limit: i64) -> Result<Vec<OutboxMessage>> {
        let (name, now) = (channel.name(), self.platform.clock.now());
        let until = now.plus(LEASE);
        let leased = self
            .platform
            .db
            .write(move |tx| Box::pin(async move { fetch_all!(tx, OutboxMessage, LEASE_MESSAGES, now, name, limit, until) }));
        let mut leased = leased.await?;
        leased.sort_by_key(|message| message.id);
        Ok(leased)
    }

    /// Tries to deliver a message and stores the result.
    async fn attempt(&self, channel: &dyn OutboxChannel, message: OutboxMessage) -> Result<()> {
        let (id, attempts) = (message.id, message.attempts);
        let delivery = channel.deliver(&message).await;
        let now = self.platform.clock.now();
        let next_at = now.plus(retry_delay(attempts));
        let is_last = attempts >= ATTEMPTS_MAX;
        if let DeliveryOutcome::Retry(fault) | DeliveryOutcome::Failed(fault) = &delivery {
            tracing::warn!(channel = channel.name(), id, attempts, fault, "a message was not delivered");
        }
        self.platform
            .db
            .write(move |tx| {
                let delivery = delivery.clone();
                Box::pin(async move {
                    let stored = match delivery {
                        DeliveryOutcome::Delivered => write_one!(tx, SETTLE_MESSAGE, id, OutboxState::Sent, None::<String>, now),
                        DeliveryOutcome::Retry(fault) if !is_last => write_one!(tx, POSTPONE_MESSAGE, id, next_at, fault),
                        DeliveryOutcome::Retry(fault) | DeliveryOutcome::Failed(fault) => {
                            write_one!(tx, SETTLE_MESSAGE, id, OutboxState::Dead, fault, now)
                        }
                    };
                    match stored {
                        // Another node leased it after this one and was faster.
                        Err(late) if late.constraint() == Some(Constraint::Condition) => Ok(()),
                        outcome => outcome,
                    }
                })
            })
            .await
    }
}

/// The delay after this many attempts.
fn retry_delay(attempts: i64) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    FIRST_RETRY_DELAY.saturating_mul(1 << doublings).min(MAX_RETRY_DELAY)
}
