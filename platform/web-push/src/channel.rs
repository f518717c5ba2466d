//! Delivers messages to push services (RFC 8030). Only public addresses may be called, and no redirect is followed.

use std::sync::Arc;
use std::time::Duration;

use agio_core::outbox::{DeliveryOutcome, OutboxChannel, OutboxMessage};
use agio_core::{BoxFuture, Error, Result, Timestamp};
use agio_outbound_http::OutboundError;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request, Uri};
use serde_json::json;
use uuid::Uuid;

use crate::subscription::PushSubscription;
use crate::{ACCOUNT_SUBSCRIPTION_LIFE, CHANNEL, CLAIM_SUBSCRIPTION_LIFE, DAY, PushMessage, WebPush, store};

const CONCURRENCY: i64 = 16;

/// From connecting to the response head.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Later a message is no news any more: the email has it.
const MESSAGE_LIFE: Duration = DAY;

/// The longest stored error, in characters.
const FAULT_MAX: usize = 300;

pub struct PushChannel(pub Arc<WebPush>);

impl PushChannel {
    async fn attempt(&self, message: &OutboxMessage) -> Result<DeliveryOutcome> {
        let push = &self.0;
        let now = push.platform.clock.now();
        let until = message.created_at.plus(MESSAGE_LIFE);
        let failed = |reason: &str| Ok(DeliveryOutcome::Failed(reason.to_owned()));
        if until <= now || !push.is_on() {
            return failed("out of date, or switched off");
        }
        let id: Uuid = message.recipient.parse().map_err(Error::internal)?;
        let stored = store::by_id(&mut push.platform.db.read().await?, id).await?;
        let Some(stored) = stored else { return failed("the browser has unsubscribed") };
        let subscription = PushSubscription::open(&push.platform.vault, id, &stored.sealed)?;
        let request = self.request(&subscription, message, (now, until)).await?;
        match push.client.send_for_status(request, CALL_TIMEOUT).await.map(|status| status.as_u16()) {
            Ok(200..=299) => {
                self.mark_used(id, &stored, now).await?;
                Ok(DeliveryOutcome::Delivered)
            }
            Ok(status @ (404 | 410)) => {
                self.delete(id).await?;
                failed(&format!("answered {status}: the subscription has ended"))
            }
            Ok(status @ (429 | 500..=599)) => Ok(DeliveryOutcome::Retry(format!("answered {status}"))),
            Ok(status) => failed(&format!("answered {status}")),
            Err(OutboundError::PrivateAddress) => {
                self.delete(id).await?;
                failed("the address is private")
            }
            Err(failure) => Ok(DeliveryOutcome::Retry(failure.to_string().chars().take(FAULT_MAX).collect())),
        }
    }

    async fn request(
        &self,
        subscription: &PushSubscription,
        message: &OutboxMessage,
        (now, until): (Timestamp, Timestamp),
    ) -> Result<Request<Full<Bytes>>> {
        let push = &self.0;
        let text: PushMessage = serde_json::from_str(&message.payload).map_err(Error::internal)?;
        // With the same number, a repeated delivery is recognised.
        let shown = json!({
            "title": text.title, "body": text.body, "path": text.path, "tag": text.tag, "language": text.language, "event": message.id,
        });
        let body = subscription.keys.encrypt(&*push.platform.random, shown.to_string().into_bytes())?;
        let endpoint: Uri = subscription.endpoint.parse().map_err(Error::internal)?;
        let support = push.brands.support_email();
        let contact = if support.is_empty() { push.site.clone() } else { format!("mailto:{support}") };
        Request::builder()
            .method(Method::POST)
            .header("authorization", push.vapid_key().await?.authorization(&endpoint, &contact, now))
            .header("content-encoding", "aes128gcm")
            .header("content-type", "application/octet-stream")
            .header("ttl", until.as_seconds() - now.as_seconds())
            .header("topic", text.tag)
            .header("urgency", "high")
            .uri(endpoint)
            .body(Full::new(Bytes::from(body)))
            .map_err(Error::internal)
    }

    /// Keeps a subscription in use for longer. Once a day is enough.
    async fn mark_used(&self, id: Uuid, stored: &store::SubscriptionRow, now: Timestamp) -> Result<()> {
        let life = if stored.account_id.is_some() { ACCOUNT_SUBSCRIPTION_LIFE } else { CLAIM_SUBSCRIPTION_LIFE };
        let expires_at = now.plus(life);
        if stored.expires_at.plus(DAY) > expires_at {
            return Ok(());
        }
        self.0.platform.db.write(move |tx| Box::pin(store::mark_used(tx, id, expires_at))).await
    }

    async fn delete(&self, id: Uuid) -> Result<()> {
        self.0.platform.db.write(move |tx| Box::pin(store::delete_by_id(tx, id))).await
    }
}

impl OutboxChannel for PushChannel {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn concurrency(&self) -> i64 {
        CONCURRENCY
    }

    fn deliver<'a>(&'a self, message: &'a OutboxMessage) -> BoxFuture<'a, DeliveryOutcome> {
        Box::pin(async move { self.attempt(message).await.unwrap_or_else(|error| DeliveryOutcome::Retry(error.to_string())) })
    }
}
