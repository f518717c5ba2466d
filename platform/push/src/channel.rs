//! Delivers messages to push services (RFC 8030), of which only public addresses may be called and no redirect is followed, and through
//! notifier plugins.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use agio_core::outbox::{DeliveryOutcome, OutboxChannel, OutboxMessage};
use agio_core::{BoxFuture, Error, Result, Timestamp};
use agio_outbound_http::OutboundError;
use agio_plugin_runtime::{PluginError, PluginErrorReason};
use agio_plugin_sdk::protocol::{Call, Notification};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request, Uri};
use serde_json::json;
use uuid::Uuid;

use crate::chats::open_recipient;
use crate::subscription::PushSubscription;
use crate::{ACCOUNT_SUBSCRIPTION_LIFE, CHANNEL, CLAIM_SUBSCRIPTION_LIFE, DAY, Push, PushMessage, store};

const CONCURRENCY: i64 = 16;

/// From connecting to the response head.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Later a message is no news any more: the email has it.
const MESSAGE_LIFE: Duration = DAY;

/// The longest stored error, in characters.
const FAULT_MAX: usize = 300;

/// Of a plugin whose chat takes no more messages.
const RECIPIENT_GONE: &str = "recipient_gone";

/// What became of a message.
enum Reception {
    Delivered,
    /// The subscription has ended.
    Ended(String),
    Refused(String),
    Busy(String),
}

pub struct PushChannel(pub Arc<Push>);

impl PushChannel {
    async fn attempt(&self, message: &OutboxMessage) -> Result<DeliveryOutcome> {
        let push = &self.0;
        let now = push.platform.clock.now();
        let until = message.created_at.plus(MESSAGE_LIFE);
        let failed = |reason: &str| Ok(DeliveryOutcome::Failed(reason.to_owned()));
        let id: Uuid = message.recipient.parse().map_err(Error::internal)?;
        let stored = store::by_id(&mut push.platform.db.read().await?, id).await?;
        let Some(stored) = stored else { return failed("it has unsubscribed") };
        if until <= now || !push.serves(stored.messenger.as_deref()) {
            return failed("out of date, or switched off");
        }
        let reception = match &stored.messenger {
            None => {
                let subscription = PushSubscription::open(&push.platform.vault, id, &stored.sealed)?;
                self.post(self.request(&subscription, message, (now, until)).await?).await
            }
            Some(messenger) => {
                self.write_to_chat(messenger, open_recipient(&push.platform.vault, id, &stored.sealed)?, message).await?
            }
        };
        match reception {
            Reception::Delivered => {
                self.mark_used(id, &stored, now).await?;
                Ok(DeliveryOutcome::Delivered)
            }
            Reception::Ended(reason) => {
                self.delete(id).await?;
                failed(&reason)
            }
            Reception::Refused(reason) => failed(&reason),
            Reception::Busy(reason) => Ok(DeliveryOutcome::Retry(reason)),
        }
    }

    async fn post(&self, request: Request<Full<Bytes>>) -> Reception {
        match self.0.client.send_for_status(request, CALL_TIMEOUT).await.map(|status| status.as_u16()) {
            Ok(200..=299) => Reception::Delivered,
            Ok(status @ (404 | 410)) => Reception::Ended(format!("answered {status}: the subscription has ended")),
            Ok(status @ (429 | 500..=599)) => Reception::Busy(format!("answered {status}")),
            Ok(status) => Reception::Refused(format!("answered {status}")),
            Err(OutboundError::PrivateAddress) => Reception::Ended("the address is private".to_owned()),
            Err(failure) => Reception::Busy(shortened(&failure)),
        }
    }

    async fn write_to_chat(&self, messenger: &str, chat: String, message: &OutboxMessage) -> Result<Reception> {
        let text: PushMessage = serde_json::from_str(&message.payload).map_err(Error::internal)?;
        let notification = Notification {
            key: message.id.to_string(),
            recipient: Some(chat),
            event: message.kind.clone(),
            text: text.title,
            url: Some(format!("{}{}", self.0.site, text.path)),
        };
        Ok(match self.0.messengers.call(messenger, Call::Notify(notification)).await {
            Ok(_) => Reception::Delivered,
            Err(error) => reception_of(&error),
        })
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

fn shortened(failure: &impl Display) -> String {
    failure.to_string().chars().take(FAULT_MAX).collect()
}

fn reception_of(error: &PluginError) -> Reception {
    let reason = shortened(error);
    match &error.reason {
        PluginErrorReason::CallFailed { code, .. } if code == RECIPIENT_GONE => Reception::Ended(reason),
        PluginErrorReason::CallFailed { later: false, .. } => Reception::Refused(reason),
        _ => Reception::Busy(reason),
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
