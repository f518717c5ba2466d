//! Request bodies of contest administration.

use agio_core::Timestamp;
use agio_core::texts::Bilingual;
use agio_http::{DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use rust_decimal::Decimal;

use crate::service::{ContestPlan, PlannedPrize, PublicRandomness};

/// A text in both languages.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct ContestText {
    /// Russian text.
    pub ru: String,
    /// English text.
    pub en: String,
}

/// A prize.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct PlannedContestPrize {
    currency_id: i64,
    amount: Dec,
}

/// A contest to create or update.
#[body(shared, example)]
#[derive(Clone, Debug)]
pub struct ContestPlanRequest {
    title: ContestText,
    /// Rules: plain text with empty lines between paragraphs.
    rules: ContestText,
    /// Source of the public randomness, such as the hash of the first Bitcoin block after `publicAt`.
    source: ContestText,
    /// Start of the period.
    starts_at: DateTime,
    /// End of the period.
    ends_at: DateTime,
    /// Earliest time of the public randomness, at least ten minutes after the end.
    public_at: DateTime,
    /// Exchange volume per ticket, in the base currency; null if every exchange is one ticket.
    volume_per_ticket: Nullable<Dec>,
    /// Maximum number of tickets per exchange, up to 1000.
    max_tickets: i64,
    /// Prizes by place.
    prizes: Vec<PlannedContestPrize>,
}

/// A contest update.
#[body(request)]
#[derive(Debug)]
pub struct UpdateContestRequest {
    /// Current revision; 409 if it is stale.
    pub revision: i64,
    /// The complete contest.
    pub plan: ContestPlanRequest,
}

/// A contest cancellation.
#[body(request)]
#[derive(Debug)]
pub struct CancelContestRequest {
    /// Current revision; 409 if it is stale.
    pub revision: i64,
}

/// The public randomness for a draw.
#[body(shared, example)]
#[derive(Debug)]
pub struct DrawContestRequest {
    /// Current revision; 409 if it is stale.
    revision: i64,
    /// Public randomness, exactly as published.
    value: String,
    /// Where the public randomness can be checked.
    reference: String,
}

/// A prize payment.
#[body(shared, example)]
#[derive(Debug)]
pub struct PayContestPrizeRequest {
    /// Payment reference, such as a transaction id or the last digits of a card.
    pub note: String,
}

impl Example for ContestPlanRequest {
    fn example() -> Self {
        let time = |text: &str| DateTime(Timestamp::parse(text).expect("a valid timestamp"));
        let text = |ru: &str, en: &str| ContestText { ru: ru.into(), en: en.into() };
        Self {
            title: text("Апрельский розыгрыш", "April draw"),
            rules: text("Каждые 100 USDT обмена — билет.", "Each 100 USDT exchanged is a ticket."),
            source: text(
                "Хеш первого блока Bitcoin после 12:00 UTC 1 мая",
                "Hash of the first Bitcoin block after 12:00 UTC on 1 May",
            ),
            starts_at: time("2024-04-01T00:00:00Z"),
            ends_at: time("2024-05-01T00:00:00Z"),
            public_at: time("2024-05-01T12:00:00Z"),
            volume_per_ticket: Nullable(Some(Dec(Decimal::ONE_HUNDRED))),
            max_tickets: 100,
            prizes: vec![PlannedContestPrize { currency_id: 3, amount: Dec(Decimal::from(500)) }],
        }
    }
}

impl Example for DrawContestRequest {
    fn example() -> Self {
        let value = "00000000000000000000c9b4f1b4a2d9a1b0f6f3c5e2d7a8b9c0d1e2f3a4b5c6".into();
        Self { revision: 3, value, reference: "https://mempool.space/block-height/841564".into() }
    }
}

impl Example for PayContestPrizeRequest {
    fn example() -> Self {
        Self { note: "Card ending in 0004, as in the e-mail of 3 May".into() }
    }
}

impl From<ContestText> for Bilingual {
    fn from(text: ContestText) -> Self {
        Self { ru: text.ru, en: text.en }
    }
}

impl From<ContestPlanRequest> for ContestPlan {
    fn from(plan: ContestPlanRequest) -> Self {
        let prize = |prize: PlannedContestPrize| PlannedPrize { currency: prize.currency_id, amount: prize.amount.0 };
        Self {
            title: plan.title.into(),
            rules: plan.rules.into(),
            source: plan.source.into(),
            starts_at: plan.starts_at.0,
            ends_at: plan.ends_at.0,
            public_at: plan.public_at.0,
            volume_per_ticket: plan.volume_per_ticket.0.map(|each| each.0),
            max_tickets: plan.max_tickets,
            prizes: plan.prizes.into_iter().map(prize).collect(),
        }
    }
}

impl From<DrawContestRequest> for PublicRandomness {
    fn from(drawing: DrawContestRequest) -> Self {
        Self { revision: drawing.revision, value: drawing.value, reference: drawing.reference }
    }
}
