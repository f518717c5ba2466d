//! What partners were told, and telling them once more.

use agio_core::identity::Actor;
use agio_core::outbox::{self, State, Stored};
use agio_core::{Error, Result};
use serde_json::json;
use uuid::Uuid;

use super::desk::log;
use super::{News, Partners};
use crate::channel::CHANNEL;
use crate::store;

impl Partners {
    /// What a partner was told, the newest first, from before an identifier on.
    ///
    /// # Errors
    /// 404 `partner_not_found`.
    pub async fn news(&self, partner: Uuid, state: Option<State>, before: Option<i64>, size: i64) -> Result<Vec<Stored>> {
        let mut tx = self.platform.db.read().await?;
        store::partner(&mut tx, partner).await?;
        store::news(&mut tx, partner, state.map(State::name), before.unwrap_or(i64::MAX), size).await
    }

    /// Tells a partner once more: a dead message lives again, and what was delivered is sent anew as the same event.
    ///
    /// # Errors
    /// 404 `message_not_found`; 409 `message_waits` when it is still being tried.
    pub async fn tell_again(&self, partner: Uuid, id: i64, by: Actor) -> Result<()> {
        let (webhooks, now) = (self.webhooks.clone(), self.platform.clock.now());
        self.change(None, now, move |tx, platform| {
            let (webhooks, by, outbox) = (webhooks.clone(), by.clone(), platform.outbox.clone());
            Box::pin(async move {
                let message = outbox::message(tx, CHANNEL, id).await?;
                if message.about_id != partner.to_string() {
                    return Err(Error::not_found("message_not_found"));
                }
                let news = News::read(&message.payload)?;
                match message.state {
                    State::Queued => return Err(Error::conflict("message_waits")),
                    State::Dead => outbox.revive(tx, CHANNEL, id, now).await?,
                    State::Sent => {
                        let claim = message.recipient.parse().map_err(Error::internal)?;
                        webhooks.tell_again(tx, &news, claim, now).await?;
                    }
                }
                let after = json!({ "event": news.event, "claim": message.recipient });
                log(tx, &by, "partner.news_resent", partner, (None, Some(after)), now).await
            })
        })
        .await
    }
}
