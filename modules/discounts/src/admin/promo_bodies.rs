//! What the console is shown of promo codes, and what it sends.

use agio_core::Timestamp;
use agio_http::{Dec, Moment, Null};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::bodies::{cursor, is_full};
use crate::model::{percent, volume};
use crate::service::NewPromo;
use crate::store::promos::{PromoRow, UseRow};

/// Whether a code can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
enum DeskPromoState {
    /// Its time has not come.
    Planned,
    /// It can.
    Active,
    /// It was used as often as it may be.
    UsedUp,
    /// Its time is over.
    Over,
    /// An operator stopped it.
    Stopped,
}

/// A promo code.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPromo {
    /// The code.
    code: String,
    /// Percent it adds.
    percent: Dec,
    /// Whether it can be used.
    state: DeskPromoState,
    /// How many claims use it.
    uses: i64,
    /// How many may; null for as many as like.
    uses_max: Null<i64>,
    /// How often one customer may use it; null for as often as they like.
    per_customer: Null<i64>,
    /// What a claim must be worth at least; null for nothing.
    min: Null<Dec>,
    /// The ticker of that worth.
    min_ticker: Null<String>,
    /// From when on.
    starts_at: Moment,
    /// Until when.
    ends_at: Null<Moment>,
    /// A remark for colleagues.
    note: String,
    /// When it was made.
    created_at: Moment,
    /// Who made it.
    created_by: String,
    /// When it was stopped.
    stopped_at: Null<Moment>,
}

/// Promo codes.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPromoPage {
    /// The codes.
    items: Vec<DeskPromo>,
    /// What the next page is asked with; null on the last.
    next_cursor: Null<String>,
}

/// A claim that uses a code.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskPromoUse {
    /// The claim.
    claim_id: Uuid,
    /// Its number for talk.
    claim_number: i64,
    /// The account it was made in.
    customer_id: Null<Uuid>,
    /// Its e-mail address.
    email: String,
    /// When it was made.
    taken_at: Moment,
    /// When the code was given back, since the claim ended without an exchange.
    returned_at: Null<Moment>,
}

/// A code and the claims that use it.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPromoUses {
    /// The code.
    promo: DeskPromo,
    /// The claims.
    items: Vec<DeskPromoUse>,
    /// What the next page is asked with; null on the last.
    next_cursor: Null<String>,
}

/// A promo code to be made.
#[derive(Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskPromoOrder {
    /// The code: 3 to 32 Latin letters, digits, hyphens and underscores, in any case.
    code: String,
    /// Percent it adds: above zero, at most 50, with two decimals.
    percent: Dec,
    /// How often it may be used in all; as often as they like where nothing is said.
    #[serde(default)]
    uses_max: Option<i64>,
    /// How often by one customer; as often as they like where nothing is said.
    #[serde(default)]
    per_customer: Option<i64>,
    /// What a claim must be worth at least, in the base currency.
    #[serde(default)]
    min: Option<Dec>,
    /// From when on; from now where nothing is said.
    #[serde(default)]
    starts_at: Option<Moment>,
    /// Until when.
    #[serde(default)]
    ends_at: Option<Moment>,
    /// A remark for colleagues.
    #[serde(default)]
    note: Option<String>,
}

impl Example for DeskPromoOrder {
    fn example() -> Self {
        Self {
            code: "SPRING".into(),
            percent: Dec("0.5".parse().expect("a number")),
            uses_max: Some(100),
            per_customer: Some(1),
            min: None,
            starts_at: None,
            ends_at: None,
            note: Some("For readers of the newsletter".into()),
        }
    }
}

impl From<DeskPromoOrder> for NewPromo {
    fn from(order: DeskPromoOrder) -> Self {
        Self {
            code: order.code,
            percent: order.percent.0,
            uses_max: order.uses_max,
            per_customer: order.per_customer,
            least: order.min.map(|min| min.0),
            starts_at: order.starts_at.map(|moment| moment.0),
            ends_at: order.ends_at.map(|moment| moment.0),
            note: order.note.unwrap_or_default(),
        }
    }
}

impl DeskPromo {
    /// A code as it stands at a moment.
    pub fn of(row: PromoRow, now: Timestamp) -> Self {
        let state = match row.bounds().refusal(row.uses, 0, now) {
            None => DeskPromoState::Active,
            Some("promo_unknown") => DeskPromoState::Planned,
            Some("promo_used_up") => DeskPromoState::UsedUp,
            Some(_) if row.stopped_at.is_some() => DeskPromoState::Stopped,
            Some(_) => DeskPromoState::Over,
        };
        Self {
            code: row.code,
            percent: Dec(percent(row.percent_e2)),
            state,
            uses: row.uses,
            uses_max: Null(row.uses_max),
            per_customer: Null(row.per_customer),
            min: Null(row.least_units.map(|units| Dec(volume(units)))),
            min_ticker: Null(row.least_ticker),
            starts_at: row.starts_at.into(),
            ends_at: Null(row.ends_at.map(Moment)),
            note: row.note,
            created_at: row.created_at.into(),
            created_by: row.created_name,
            stopped_at: Null(row.stopped_at.map(Moment)),
        }
    }
}

impl DeskPromoPage {
    /// A page of codes as they stand at a moment.
    pub fn of(rows: Vec<PromoRow>, size: i64, now: Timestamp) -> Self {
        let next = rows.last().filter(|_| is_full(rows.len(), size)).map(|row| cursor(row.created_at.0, &row.code));
        Self { items: rows.into_iter().map(|row| DeskPromo::of(row, now)).collect(), next_cursor: Null(next) }
    }
}

impl DeskPromoUses {
    /// A code with a page of the claims that use it.
    pub fn of(row: PromoRow, uses: Vec<UseRow>, size: i64, now: Timestamp) -> Self {
        let next = uses.last().filter(|_| is_full(uses.len(), size)).map(|row| cursor(row.taken_at.0, &row.claim_id.to_string()));
        let used = |row: UseRow| DeskPromoUse {
            claim_id: row.claim_id,
            claim_number: row.claim_number,
            customer_id: Null(row.customer_id),
            email: row.email,
            taken_at: row.taken_at.into(),
            returned_at: Null(row.returned_at.map(Moment)),
        };
        Self { promo: DeskPromo::of(row, now), items: uses.into_iter().map(used).collect(), next_cursor: Null(next) }
    }
}
