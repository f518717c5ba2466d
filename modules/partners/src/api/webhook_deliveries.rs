//! Webhook deliveries in the customer's account and in the console.

use agio_contracts::ClaimState;
use agio_core::Result;
use agio_core::keyset::KeysetPage;
use agio_core::outbox::{OutboxMessage, OutboxState};
use agio_http::{ApiEnum, DateTime, Nullable, Page, body};
use uuid::Uuid;

use crate::service::WebhookEvent;

/// A webhook delivery.
#[body(response)]
pub struct WebhookDelivery {
    /// Delivery id; ascending.
    id: i64,
    /// Event id; the same in every delivery of the event.
    event: Uuid,
    /// Id of the claim.
    claim: String,
    /// State of the claim.
    status: ApiEnum<ClaimState>,
    /// Whether it is a sandbox claim.
    sandbox: bool,
    /// Target URL.
    url: String,
    /// State of the delivery.
    state: ApiEnum<OutboxState>,
    attempts: i64,
    /// Time of the next attempt; null once delivered or failed.
    next_at: Nullable<DateTime>,
    /// Error of the last attempt.
    fault: Nullable<String>,
    created_at: DateTime,
    /// Time of delivery or final failure.
    settled_at: Nullable<DateTime>,
}

impl WebhookDelivery {
    fn of(message: OutboxMessage) -> Result<Self> {
        let webhook = WebhookEvent::read(&message.payload)?;
        let (status, sandbox) = webhook.claim_state()?;
        Ok(Self {
            id: message.id,
            event: webhook.event,
            claim: message.recipient,
            status: ApiEnum(status),
            sandbox,
            url: webhook.url,
            state: ApiEnum(message.state),
            attempts: message.attempts,
            next_at: Nullable((message.state == OutboxState::Queued).then_some(DateTime(message.next_at))),
            fault: Nullable(message.fault),
            created_at: DateTime(message.created_at),
            settled_at: Nullable(message.settled_at.map(DateTime)),
        })
    }

    /// Newest first.
    pub fn page(messages: KeysetPage<OutboxMessage, i64>) -> Result<Page<Self, i64>> {
        let rows = messages.rows.into_iter().map(Self::of).collect::<Result<_>>()?;
        Ok(Page::of(KeysetPage { rows, next: messages.next }, |delivery| delivery))
    }
}
