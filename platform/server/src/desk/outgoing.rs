//! What leaves the house by one channel, as the console lists it and sends it again.

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::outbox::{self, State, Stored};
use agio_core::{Error, Result};

use super::page_size;
use crate::app::App;

/// A channel of the outbox as staff know it.
pub struct Channel {
    /// Its name in the outbox.
    pub name: &'static str,
    /// What a message of it is called in the audit log.
    pub about: &'static str,
    /// What sending one again is called there.
    pub resent: &'static str,
}

/// A page of a channel's messages, the newest first.
pub struct Page {
    /// The messages.
    pub messages: Vec<Stored>,
    /// Where the next page begins; nothing on the last.
    pub next: Option<String>,
    /// How many wait.
    pub queued: i64,
    /// How many were given up.
    pub dead: i64,
}

impl Channel {
    /// Messages of one state, those given up where none is named.
    ///
    /// # Errors
    /// 422 at `state`, `cursor` or `size`.
    pub async fn page(&self, app: &App, state: Option<String>, cursor: Option<String>, size: Option<u32>) -> Result<Page> {
        let refused = |field: &str| Error::unprocessable("validation_failed").at(field, "malformed_parameter");
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let state = given(state).map_or(Ok(State::Dead), |name| name.parse().map_err(|_| refused("state")))?;
        let before = given(cursor).map(|text| text.parse().map_err(|_| refused("cursor"))).transpose()?;
        let size = page_size(size)?;
        let mut tx = app.platform.db.read().await?;
        let mut messages = outbox::messages(&mut tx, self.name, state, before, size as i64 + 1).await?;
        let has_more = messages.len() > size;
        messages.truncate(size);
        Ok(Page {
            next: messages.last().filter(|_| has_more).map(|message| message.id.to_string()),
            messages,
            queued: outbox::count(&mut tx, self.name, State::Queued).await?,
            dead: outbox::count(&mut tx, self.name, State::Dead).await?,
        })
    }

    /// Puts a message that was given up back into the queue.
    ///
    /// # Errors
    /// 404 when there is none; 409 `message_not_dead` when it waits or has left.
    pub async fn send_again(&self, app: &App, staff: &Staff, id: i64) -> Result<Stored> {
        let (platform, by) = (app.platform.clone(), Actor::from(staff));
        let Self { name, about, resent } = *self;
        let message = app.platform.db.write(move |tx| {
            let (platform, by) = (platform.clone(), by.clone());
            Box::pin(async move {
                let now = platform.clock.now();
                outbox::message(tx, name, id).await?;
                platform.outbox.revive(tx, name, id, now).await?;
                audit::record(tx, Entry { by: &by, action: resent, about, id: id.to_string(), before: None, after: None }, now)
                    .await?;
                outbox::message(tx, name, id).await
            })
        });
        message.await
    }
}
