//! What leaves the house: mail, messages, calls to partners.
//!
//! A message is written in the very transaction of what it tells of, and delivered after the commit by the [`Courier`]: at
//! least once, in order for each recipient, again and again with growing pauses while the other side is down. Nothing a
//! customer or an operator does waits for a delivery. A message that cannot be delivered ends up dead, visible, and may be sent again
//! by hand.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{FutureExt as _, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::Notify;

use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::{Constraint, Error, Result};
use crate::platform::Platform;
use crate::{execute, fetch_all, fetch_one, fetch_optional, write_one};

crate::statements! {
    POST_MESSAGE = "INSERT INTO outbox
        (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at, settled_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, 0, $8, $9)";
    /// Takes messages that are due in hand, for each recipient only the first that is not settled, unless another node was first.
    LEASE_MESSAGES = "UPDATE outbox SET leased_until = $4, attempts = attempts + 1
        WHERE state = 'queued' AND leased_until <= $1 AND id IN (SELECT id FROM outbox waiting
            WHERE state = 'queued' AND next_at <= $1 AND leased_until <= $1 AND channel = $2
                AND id = (SELECT MIN(earlier.id) FROM outbox earlier WHERE earlier.state = 'queued' AND earlier.channel = waiting.channel
                    AND earlier.recipient = waiting.recipient)
            ORDER BY next_at, id LIMIT $3)
        RETURNING id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at";
    SETTLE_MESSAGE = "UPDATE outbox SET state = $2, fault = $3, settled_at = $4, leased_until = 0 WHERE id = $1 AND state = 'queued'";
    POSTPONE_MESSAGE = "UPDATE outbox SET next_at = $2, fault = $3, leased_until = 0 WHERE id = $1 AND state = 'queued'";
    /// Gives a dead message another life.
    REVIVE_MESSAGE = "UPDATE outbox SET state = 'queued', attempts = 0, next_at = $3, fault = NULL, settled_at = NULL
        WHERE id = $1 AND channel = $2 AND state = 'dead'";
    FORGET_MESSAGES = "DELETE FROM outbox WHERE state = 'sent' AND settled_at < $1";
    MESSAGE = "SELECT id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at
        FROM outbox WHERE id = $1 AND channel = $2";
    MESSAGES = "SELECT id, channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, fault, created_at, settled_at
        FROM outbox WHERE channel = $1 AND state = $2 AND id < $3 ORDER BY id DESC LIMIT $4";
    COUNT_MESSAGES = "SELECT COUNT(*) FROM outbox WHERE channel = $1 AND state = $2";
}

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
    /// What the channel needs to deliver it, complete, as JSON: nothing is looked up or rendered later.
    pub payload: String,
}

crate::named! {
    /// How far a message is.
    State {
        /// It waits, for its first attempt or for the next.
        Queued = "queued",
        /// The other side has taken it over.
        Sent = "sent",
        /// It could not be delivered and is not tried any more.
        Dead = "dead",
    }
}

/// A message as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Stored {
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
    /// How far it is.
    pub state: State,
    /// How often it was tried, the attempt that is under way included.
    pub attempts: i64,
    /// When it is tried next, while it waits.
    pub next_at: Timestamp,
    /// Why the last attempt failed.
    pub fault: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    pub settled_at: Option<Timestamp>,
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

    /// How many messages may be under way at a time.
    fn at_once(&self) -> i64;

    /// Tries to deliver a message. Must come back within a minute, whatever the other side does.
    fn deliver<'a>(&'a self, message: &'a Stored) -> BoxFuture<'a, Delivery>;
}

/// Where messages wait. Clones share the bell that calls the courier.
#[derive(Clone, Default)]
pub struct Outbox(Arc<Notify>);

impl Outbox {
    /// Writes a message, in the caller's transaction. It leaves after the commit.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn post(&self, tx: &mut Tx, message: Message, now: Timestamp) -> Result<()> {
        self.write(tx, message, State::Queued, now).await?;
        self.ring_after(tx);
        Ok(())
    }

    /// Writes a message that has arrived by being written: it is read in the outbox itself.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn keep(&self, tx: &mut Tx, message: Message, now: Timestamp) -> Result<()> {
        self.write(tx, message, State::Sent, now).await
    }

    async fn write(&self, tx: &mut Tx, message: Message, state: State, now: Timestamp) -> Result<()> {
        let Message { channel, recipient, kind, about: (about_kind, about_id), payload } = message;
        let settled_at = (state == State::Sent).then_some(now);
        write_one!(tx, POST_MESSAGE, channel, recipient, kind, about_kind, about_id, payload, state, now, settled_at)
    }

    /// Puts a dead message of a channel back into the queue.
    ///
    /// # Errors
    /// 409 `message_not_dead`.
    pub async fn revive(&self, tx: &mut Tx, channel: &str, id: i64, now: Timestamp) -> Result<()> {
        if execute!(tx, REVIVE_MESSAGE, id, channel, now)? == 0 {
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

/// A message of a channel.
///
/// # Errors
/// 404 `message_not_found`.
pub async fn message(tx: &mut Tx, channel: &str, id: i64) -> Result<Stored> {
    fetch_optional!(tx, Stored, MESSAGE, id, channel)?.ok_or_else(|| Error::not_found("message_not_found"))
}

/// Messages of a channel in one state, the newest first, from before an identifier on.
///
/// # Errors
/// The database cannot be read.
pub async fn messages(tx: &mut Tx, channel: &str, state: State, before: Option<i64>, size: i64) -> Result<Vec<Stored>> {
    fetch_all!(tx, Stored, MESSAGES, channel, state, before.unwrap_or(i64::MAX), size)
}

/// How many messages of a channel are in one state.
///
/// # Errors
/// The database cannot be read.
pub async fn count(tx: &mut Tx, channel: &str, state: State) -> Result<i64> {
    let (count,) = fetch_one!(tx, (i64,), COUNT_MESSAGES, channel, state)?;
    Ok(count)
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
        let outcomes = join_all(self.channels.iter().map(|channel| self.empty(&**channel))).await;
        outcomes.into_iter().collect()
    }

    /// Delivers what is due by one channel, so many at a time: whoever is slow holds up nobody but themselves. What failed is due later,
    /// so this ends.
    async fn empty(&self, channel: &dyn Channel) -> Result<()> {
        let mut under_way = FuturesUnordered::new();
        let mut outcome = Ok(());
        loop {
            let room = channel.at_once() - i64::try_from(under_way.len()).map_err(Error::internal)?;
            // After a failure what is under way comes to its end, and nothing new is begun.
            if outcome.is_ok() && room > 0 {
                match self.take(channel, room).await {
                    Ok(in_hand) => under_way.extend(in_hand.into_iter().map(|message| self.attempt(channel, message))),
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

    /// Takes so many messages that are due in hand, oldest first.
    async fn take(&self, channel: &dyn Channel, at_once: i64) -> Result<Vec<Stored>> {
        let (name, now) = (channel.name(), self.platform.clock.now());
        let until = now.plus(LEASE);
        let taken = self
            .platform
            .db
            .write(move |tx| Box::pin(async move { fetch_all!(tx, Stored, LEASE_MESSAGES, now, name, at_once, until) }));
        let mut taken = taken.await?;
        taken.sort_by_key(|message| message.id);
        Ok(taken)
    }

    /// Tries one message and writes down what became of it.
    async fn attempt(&self, channel: &dyn Channel, message: Stored) -> Result<()> {
        let (id, attempts) = (message.id, message.attempts);
        let delivery = channel.deliver(&message).await;
        let now = self.platform.clock.now();
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
                    let written = match delivery {
                        Delivery::Done => write_one!(tx, SETTLE_MESSAGE, id, State::Sent, None::<String>, now),
                        Delivery::Later(fault) if !is_last => write_one!(tx, POSTPONE_MESSAGE, id, next_at, fault),
                        Delivery::Later(fault) | Delivery::Never(fault) => {
                            write_one!(tx, SETTLE_MESSAGE, id, State::Dead, fault, now)
                        }
                    };
                    match written {
                        // Another node had it in hand after this one and was quicker.
                        Err(late) if late.constraint() == Some(Constraint::Condition) => Ok(()),
                        outcome => outcome,
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
