//! Webhooks about partner claims.

use agio_contracts::{ClaimState, PartnerClaim, PartnerClaimListener};
use agio_core::outbox::NewOutboxMessage;
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::KeyCache;
use crate::api::PartnerClaimView;
use crate::channel::CHANNEL;
use crate::store;

/// Outbox kind and public event type.
const KIND: &str = "claim_status_changed";
const EVENT: &str = "claim.status_changed";

/// A webhook as stored in the outbox. It is signed at each attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookEvent {
    pub partner: Uuid,
    pub event: Uuid,
    pub url: String,
    pub body: String,
}

impl WebhookEvent {
    pub fn read(payload: &str) -> Result<Self> {
        serde_json::from_str(payload).map_err(Error::internal)
    }

    /// Claim state and sandbox flag from the stored body.
    pub fn claim_state(&self) -> Result<(ClaimState, bool)> {
        #[derive(Deserialize)]
        struct Body {
            claim: Claim,
        }
        #[derive(Deserialize)]
        struct Claim {
            state: ClaimState,
            sandbox: bool,
        }
        let Body { claim } = serde_json::from_str(&self.body).map_err(Error::internal)?;
        Ok((claim.state, claim.sandbox))
    }
}

pub struct Webhooks {
    platform: Platform,
    key_cache: KeyCache,
}

impl Webhooks {
    pub fn new(platform: &Platform) -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self { platform: platform.clone(), key_cache: KeyCache::default() })
    }

    pub fn key_cache(&self) -> &KeyCache {
        &self.key_cache
    }

    /// Enqueues a webhook in the caller's transaction, if the partner has a webhook URL. Webhooks of one claim are
    /// delivered in order.
    pub(crate) async fn enqueue(
        &self,
        tx: &mut Tx,
        partner: Uuid,
        callback: Option<&str>,
        claim: &PartnerClaimView,
        now: Timestamp,
    ) -> Result<()> {
        let url = match callback {
            Some(url) => url.to_owned(),
            None => store::partner(tx, partner).await?.callback_url,
        };
        if url.is_empty() {
            return Ok(());
        }
        let event = self.platform.random.uuid_at(now);
        let body = json!({ "id": event, "type": EVENT, "createdAt": now, "claim": claim }).to_string();
        let webhook = WebhookEvent { partner, event, url, body };
        self.platform.outbox.enqueue(tx, message(&webhook, claim.id())?, now).await
    }

    pub(crate) async fn enqueue_again(&self, tx: &mut Tx, webhook: &WebhookEvent, claim: Uuid, now: Timestamp) -> Result<()> {
        self.platform.outbox.enqueue(tx, message(webhook, claim)?, now).await
    }
}

fn message(webhook: &WebhookEvent, claim: Uuid) -> Result<NewOutboxMessage> {
    Ok(NewOutboxMessage {
        channel: CHANNEL,
        recipient: claim.to_string(),
        kind: KIND,
        about: ("partner", webhook.partner.to_string()),
        payload: serde_json::to_string(webhook).map_err(Error::internal)?,
    })
}

impl PartnerClaimListener for Webhooks {
    fn claim_changed<'a>(&'a self, tx: &'a mut Tx, claim: &'a PartnerClaim, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let body = PartnerClaimView::of(claim, claim.locale);
            self.enqueue(tx, claim.partner, claim.callback.as_deref(), &body, now).await
        })
    }
}
