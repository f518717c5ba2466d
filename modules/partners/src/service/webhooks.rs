//! Telling partners what became of their claims.

use agio_core::needs::{FollowsPartnerClaims, PartnerClaim};
use agio_core::outbox::{Message, Stored};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::Keyring;
use crate::api::PartnerClaimBody;
use crate::channel::CHANNEL;
use crate::store;

/// What the one kind of news is called in the outbox, and what it is called to partners.
const KIND: &str = "claim_status_changed";
const EVENT: &str = "claim.status_changed";

/// News as they wait in the outbox: everything but the signature, which is made at each attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct News {
    /// The partner.
    pub partner: Uuid,
    /// The event's identifier: the same however often it is told.
    pub event: Uuid,
    /// Where to.
    pub url: String,
    /// The body, to the byte.
    pub body: String,
}

impl News {
    /// Reads what waits in the outbox.
    ///
    /// # Errors
    /// `internal` when it is not what this program writes.
    pub fn read(payload: &str) -> Result<Self> {
        serde_json::from_str(payload).map_err(Error::internal)
    }

    /// Where the claim stood, and whether it is a rehearsal, as the body says it.
    ///
    /// # Errors
    /// `internal` when the body is not what this program writes.
    pub fn standing(&self) -> Result<(String, bool)> {
        let body: serde_json::Value = serde_json::from_str(&self.body).map_err(Error::internal)?;
        let claim = &body["claim"];
        Ok((claim["state"].as_str().unwrap_or_default().to_owned(), claim["sandbox"].as_bool().unwrap_or_default()))
    }

    /// A page of so many messages out of one more where there are more, and the cursor of the next page.
    pub fn page(mut messages: Vec<Stored>, size: usize) -> (Vec<Stored>, Option<String>) {
        let has_more = messages.len() > size;
        messages.truncate(size);
        let next = messages.last().filter(|_| has_more).map(|message| message.id.to_string());
        (messages, next)
    }
}

/// Who tells partners.
pub struct Webhooks {
    platform: Platform,
    keyring: Keyring,
}

impl Webhooks {
    /// Tells by the house's outbox.
    #[must_use]
    pub fn new(platform: &Platform) -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self { platform: platform.clone(), keyring: Keyring::default() })
    }

    /// The keys that are good.
    #[must_use]
    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// Writes news of a claim, in the caller's transaction, if its partner wants any. News of one claim arrive in their order.
    ///
    /// # Errors
    /// The database cannot be used.
    pub(crate) async fn tell(
        &self,
        tx: &mut Tx,
        partner: Uuid,
        callback: Option<&str>,
        claim: &PartnerClaimBody,
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
        let news = News { partner, event, url, body };
        self.platform.outbox.post(tx, message(&news, claim.id())?, now).await
    }

    /// Writes the same news once more.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(crate) async fn tell_again(&self, tx: &mut Tx, news: &News, claim: Uuid, now: Timestamp) -> Result<()> {
        self.platform.outbox.post(tx, message(news, claim)?, now).await
    }
}

fn message(news: &News, claim: Uuid) -> Result<Message> {
    Ok(Message {
        channel: CHANNEL,
        recipient: claim.to_string(),
        kind: KIND,
        about: ("partner", news.partner.to_string()),
        payload: serde_json::to_string(news).map_err(Error::internal)?,
    })
}

impl FollowsPartnerClaims for Webhooks {
    fn moved<'a>(&'a self, tx: &'a mut Tx, claim: &'a PartnerClaim, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let body = PartnerClaimBody::of(claim, claim.locale);
            self.tell(tx, claim.partner, claim.callback.as_deref(), &body, now).await
        })
    }
}
