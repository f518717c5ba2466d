//! The mailbox on the spot: where mail is while no mail server is configured. A mail is delivered to it by being written, so it is
//! simply the mails that were sent.

use agio_core::outbox::{self, Channel, Delivery, State, Stored};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp};

use crate::{CHANNEL, Mail};

/// A mail in the mailbox.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its number in the outbox.
    pub id: i64,
    /// What it is.
    pub kind: String,
    /// The mail.
    pub mail: Mail,
    /// When it came.
    pub delivered_at: Timestamp,
}

impl Kept {
    fn of(message: Stored) -> Result<Self> {
        let delivered_at = message.settled_at.unwrap_or(message.created_at);
        Ok(Self { id: message.id, kind: message.kind, mail: Mail::read(&message.payload)?, delivered_at })
    }
}

/// The mailbox.
#[derive(Clone)]
pub struct Mailbox(Platform);

impl Mailbox {
    /// The mailbox of this database.
    #[must_use]
    pub fn new(platform: &Platform) -> Self {
        Self(platform.clone())
    }

    /// The newest mails, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn newest(&self, size: i64) -> Result<Vec<Kept>> {
        let messages = outbox::messages(&mut self.0.db.read().await?, CHANNEL, State::Sent, None, size).await?;
        messages.into_iter().map(Kept::of).collect()
    }

    /// A mail by its number.
    ///
    /// # Errors
    /// 404 `message_not_found`.
    pub async fn mail(&self, id: i64) -> Result<Kept> {
        let message = outbox::message(&mut self.0.db.read().await?, CHANNEL, id).await?;
        if message.state == State::Sent { Kept::of(message) } else { Err(Error::not_found("message_not_found")) }
    }
}

/// Takes what was written for a mail server that is not there any more.
impl Channel for Mailbox {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn at_once(&self) -> i64 {
        64
    }

    fn deliver<'a>(&'a self, _: &'a Stored) -> BoxFuture<'a, Delivery> {
        Box::pin(async { Delivery::Done })
    }
}
