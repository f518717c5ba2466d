//! What leaves the house: mail, messages, calls to partners.
//!
//! A message is written in the very transaction of what it tells of, and delivered after the commit by the [`Courier`]: at
//! least once, in order for each recipient, again and again with growing pauses while the other side is down. Nothing a
//! customer or an operator does waits for a delivery. A message that cannot be delivered ends up dead, visible, and may be sent again
//! by hand.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use tokio::sync::Notify;

use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::platform::Platform;
use crate::{execute, fetch_all, fetch_one};

crate::statements! {
    POST_MESSAGE = "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $7, 0, $7) RETURNING id";
    /// The messages that are due, and for each recipient only the first that is not settled.
    DUE_MESSAGES = "SELECT id, channel, recipient, kind, about_kind, about_id, payload, attempts, created_at FROM outbox waiting
        WHERE state = 'queued' AND next_at <= $1 AND leased_until <= $1 AND channel = $2
            AND NOT EXISTS (SELECT 1 FROM outbox earlier WHERE earlier.state = 'queued' AND earlier.channel = waiting.channel
                AND earlier.recipient = waiting.recipient AND earlier.id < waiting.id)
        ORDER BY next_at, id LIMIT $3";
    /// Takes a message in hand, unless another node was first.
    LEASE_MESSAGE = "UPDATE outbox SET leased_until = $2, attempts = attempts + 1
        WHERE id = $1 AND state = 'queued' AND leased_until <= $3";
    SETTLE_MESSAGE = "UPDATE outbox SET state = $2, fault = $3, settled_at = $4, leased_until = 0 WHERE id = $1 AND state = 'queued'";
    POSTPONE_MESSAGE = "UPDATE outbox SET next_at = $2, fault = $3, leased_until = 0 WHERE id = $1 AND state = 'queued'";
    /// Gives a dead message another life.
    REVIVE_MESSAGE = "UPDATE outbox SET state = 'queued', attempts = 0, next_at = $2, settled_at = NULL WHERE id = $1 AND state = 'dead'";
    FORGET_MESSAGES = "DELETE FROM outbox WHERE state = 'sent' AND settled_at < $1";
}

/// How many messages of a channel are taken in hand at a time.
const BATCH: i64 = 32;

/// How many of them are under way at a time.
const AT_ONCE: usize = 8;

/// How long a node has a message in hand before another may take it: longer than any delivery may last.
const LEASE: Duration = Duration::from_secs(120);

/// The pause after the first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(15);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// After how many attempts a message is dead: with the pauses above, somewhat over three days.
const ATTEMPTS_MAX: i64 = 80;

/// A message to be sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// By which channel: `mail`, `telegram`, `webhook`.
    pub channel: &'static str,
    /// To whom; messages to one recipient keep their order.
    pub recipient: String,
    /// What it is: `claim_created`.
    pub kind: &'static str,
    /// The kind of thing it tells of, and which one; the console links to it.
    pub about: (&'static str, String),
    /// What the channel needs to deliver it, complete: nothing is looked up or rendered later.
    pub payload: Value,
}

/// A message that waits.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Waiting {
    /// Identifier; grows with time.
    pub id: i64,
    /// By which channel.
    pub channel: String,
    /// To whom.
    pub recipient: String,
    /// What it is.
    pub kind: String,
    /// The kind of thing it tells of.
    pub about_kind: String,
    /// Which one.
    pub about_id: String,
    /// What the channel needs, as JSON.
    pub payload: String,
    /// How often it was tried before.
    pub attempts: i64,
    /// When it was written.
    pub created_at: Timestamp,
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It was taken over by the other side.
    Done,
    /// Not now, for this reason: try again after a pause.
    Later(String),
    /// Never, for this reason: trying again would change nothing.
    Never(String),
}

/// A way out of the house.
pub trait Channel: Send + Sync {
    /// The name messages ask for it by.
    fn name(&self) -> &'static str;

    /// Tries to deliver a message. Must come back within a minute, whatever the other side does.
    fn deliver<'a>(&'a self, message: &'a Waiting) -> BoxFuture<'a, Delivery>;
}

/// Where messages wait. Clones share the bell that calls the courier.
#[derive(Clone, Default)]
pub struct Outbox(Arc<Notify>);

impl Outbox {
    /// Writes a message, in the caller's transaction. It leaves after the commit.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn post(&self, tx: &mut Tx, message: Message, now: Timestamp) -> Result<i64> {
        let Message { channel, recipient, kind, about: (about_kind, about_id), payload } = message;
        let (id,) = fetch_one!(tx, (i64,), POST_MESSAGE, channel, recipient, kind, about_kind, about_id, payload.to_string(), now)?;
        self.ring_after(tx);
        Ok(id)
    }

    /// Puts a dead message back into the queue.
    ///
    /// # Errors
    /// 409 `message_not_dead`.
    pub async fn revive(&self, tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
        if execute!(tx, REVIVE_MESSAGE, id, now)? == 0 {
            return Err(Error::conflict("message_not_dead"));
        }
        self.ring_after(tx);
        Ok(())
    }

    /// Rings once there is something new in the outbox of this process.
    #[must_use]
    pub fn bell(&self) -> Arc<Notify> {
        self.0.clone()
    }

    fn ring_after(&self, tx: &mut Tx) {
        let bell = self.0.clone();
        tx.after_commit(move || bell.notify_one());
    }
}

/// Forgets messages that were delivered before `moment`.
///
/// # Errors
/// The database cannot be written.
pub async fn forget_before(platform: &Platform, moment: Timestamp) -> Result<u64> {
    platform.db.write(move |tx| Box::pin(async move { execute!(tx, FORGET_MESSAGES, moment) })).await
}

/// Carries messages out of the house.
pub struct Courier {
    platform: Platform,
    channels: Vec<Arc<dyn Channel>>,
}

impl Courier {
    /// A courier for these ways out.
    #[must_use]
    pub fn new(platform: &Platform, channels: Vec<Arc<dyn Channel>>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), channels })
    }

    /// Delivers what is due, until nothing is. A job calls this again and again; two nodes may do so at a time.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn run(&self) -> Result<()> {
        for channel in &self.channels {
            while self.round(&**channel).await? > 0 {}
        }
        Ok(())
    }

    /// Delivers one batch by one channel and says how many messages were settled.
    async fn round(&self, channel: &dyn Channel) -> Result<usize> {
        let now = self.platform.clock.now();
        let mut tx = self.platform.db.read().await?;
        let due = fetch_all!(&mut tx, Waiting, DUE_MESSAGES, now, channel.name(), BATCH)?;
        drop(tx);
        let outcomes: Vec<_> = stream::iter(due).map(|message| self.attempt(channel, message)).buffer_unordered(AT_ONCE).collect().await;
        outcomes.into_iter().try_fold(0, |settled, outcome| Ok(settled + usize::from(outcome?)))
    }

    /// Tries one message and says whether it is settled.
    async fn attempt(&self, channel: &dyn Channel, message: Waiting) -> Result<bool> {
        let (id, now) = (message.id, self.platform.clock.now());
        let until = now.plus(LEASE);
        let leased = self.platform.db.write(move |tx| Box::pin(async move { execute!(tx, LEASE_MESSAGE, id, until, now) })).await?;
        if leased == 0 {
            return Ok(false);
        }
        let delivery = channel.deliver(&message).await;
        let now = self.platform.clock.now();
        let attempts = message.attempts + 1;
        let next_at = now.plus(pause_after(attempts));
        let is_last = attempts >= ATTEMPTS_MAX;
        if let Delivery::Later(fault) | Delivery::Never(fault) = &delivery {
            tracing::warn!(channel = channel.name(), message = id, attempts, fault, "a message was not delivered");
        }
        self.platform
            .db
            .write(move |tx| {
                let delivery = delivery.clone();
                Box::pin(async move {
                    match delivery {
                        Delivery::Done => execute!(tx, SETTLE_MESSAGE, id, "sent", None::<String>, now).map(|_| true),
                        Delivery::Later(fault) if !is_last => execute!(tx, POSTPONE_MESSAGE, id, next_at, fault).map(|_| false),
                        Delivery::Later(fault) | Delivery::Never(fault) => execute!(tx, SETTLE_MESSAGE, id, "dead", fault, now).map(|_| true),
                    }
                })
            })
            .await
    }
}

/// How long to wait after this many attempts.
fn pause_after(attempts: i64) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
}
