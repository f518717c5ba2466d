//! The local mailbox: keeps emails while no SMTP server is configured. Writing an email delivers it, so the mailbox is simply the list
//! of sent emails.

use agio_core::outbox::{self, DeliveryOutcome, OutboxChannel, OutboxMessage, OutboxState};
use agio_core::{BoxFuture, Platform, Result};

use crate::{CHANNEL, RenderedEmail};

#[derive(Clone, Debug)]
pub struct MailboxEmail {
    /// Template name.
    pub kind: String,
    pub email: RenderedEmail,
}

impl MailboxEmail {
    fn from_message(message: OutboxMessage) -> Result<Self> {
        Ok(Self { kind: message.kind, email: RenderedEmail::read(&message.payload)? })
    }
}

#[derive(Clone)]
pub struct Mailbox(Platform);

impl Mailbox {
    pub fn new(platform: &Platform) -> Self {
        Self(platform.clone())
    }

    /// The latest emails, newest first.
    pub async fn list_newest(&self, size: usize) -> Result<Vec<MailboxEmail>> {
        let messages = outbox::messages(&mut self.0.db.read().await?, CHANNEL, OutboxState::Sent, None, size).await?;
        messages.rows.into_iter().map(MailboxEmail::from_message).collect()
    }
}

/// Accepts emails that were queued for an SMTP server that is no longer configured.
impl OutboxChannel for Mailbox {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn concurrency(&self) -> i64 {
        64
    }

    fn deliver<'a>(&'a self, _: &'a OutboxMessage) -> BoxFuture<'a, DeliveryOutcome> {
        Box::pin(async { DeliveryOutcome::Delivered })
    }
}
