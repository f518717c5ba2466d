//! Webhook delivery log and redelivery.

use agio_core::identity::Actor;
use agio_core::keyset::KeysetPage;
use agio_core::outbox::{self, OutboxMessage, OutboxState};
use agio_core::{Error, Result};
use serde_json::json;
use uuid::Uuid;

use super::admin::record_audit;
use super::{Partners, WebhookEvent};
use crate::channel::CHANNEL;
use crate::store;

impl Partners {
    /// Newest first, with ids below `before`.
    ///
    /// # Errors
    /// 404 `partner_not_found`.
    pub async fn webhook_deliveries(
        &self,
        partner: Uuid,
        state: Option<OutboxState>,
        before: Option<i64>,
        size: u32,
    ) -> Result<KeysetPage<OutboxMessage, i64>> {
        let mut tx = self.platform.db.read().await?;
        store::partner(&mut tx, partner).await?;
        let before = before.unwrap_or(i64::MAX);
        let rows = store::webhook_deliveries(&mut tx, partner, state, before, i64::from(size) + 1).await?;
        Ok(KeysetPage::of(rows, size as usize, |message| message.id))
    }

    /// Retries a failed delivery, or sends a delivered event again with the same event id.
    ///
    /// # Errors
    /// 404 `message_not_found`; 409 `message_waits` while it is still being retried.
    pub async fn redeliver_webhook(&self, partner: Uuid, id: i64, by: Actor) -> Result<()> {
        let (webhooks, now) = (self.webhooks.clone(), self.platform.clock.now());
        self.change(None, now, move |tx, platform| {
            let (webhooks, by, outbox) = (webhooks.clone(), by.clone(), platform.outbox.clone());
            Box::pin(async move {
                let message = outbox::message(tx, CHANNEL, id).await?;
                if message.about_id != partner.to_string() {
                    return Err(Error::not_found("message_not_found"));
                }
                let webhook = WebhookEvent::read(&message.payload)?;
                match message.state {
                    OutboxState::Queued => return Err(Error::conflict("message_waits")),
                    OutboxState::Dead => outbox.requeue(tx, CHANNEL, id, now).await?,
                    OutboxState::Sent => {
                        let claim = message.recipient.parse().map_err(Error::internal)?;
                        webhooks.enqueue_again(tx, &webhook, claim, now).await?;
                    }
                }
                let after = json!({ "event": webhook.event, "claim": message.recipient });
                record_audit(tx, &by, "partner.webhook_redelivered", partner, (None, Some(after)), now).await
            })
        })
        .await
    }
}
