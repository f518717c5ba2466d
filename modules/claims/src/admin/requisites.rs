//! The requisites that customers pay to.

use agio_http::{DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use crate::store::requisites::RequisiteRow;
use crate::{Claims, NewRequisite, RequisiteChange};

/// A requisite that customers pay to.
#[body(response)]
#[derive(Clone, Debug)]
pub struct PaymentRequisiteView {
    /// Identifier.
    id: Uuid,
    /// The currency.
    currency_id: i64,
    /// The card, account or address.
    value: String,
    /// The account holder.
    holder: Nullable<String>,
    /// The memo or tag a payment must carry.
    memo: Nullable<String>,
    /// Whether new claims get it.
    enabled: bool,
    /// The daily limit of payments to it, by UTC days.
    daily_limit: Nullable<Dec>,
    /// The amount requested today.
    used_today: Dec,
    /// When a claim last got it.
    last_used_at: Nullable<DateTime>,
}

impl PaymentRequisiteView {
    pub fn of(claims: &Claims, row: RequisiteRow) -> Self {
        let taken = claims.used_today(&row);
        let currency = claims.currency(row.currency_id, "");
        let amount = |units| Dec(currency.amount(units).value());
        Self {
            id: row.id,
            currency_id: row.currency_id,
            value: row.value,
            holder: row.holder.into(),
            memo: row.memo.into(),
            enabled: row.enabled,
            daily_limit: row.daily_limit.map(amount).into(),
            used_today: amount(taken),
            last_used_at: row.last_used_at.map(DateTime).into(),
        }
    }
}

/// A new requisite.
#[body(request, example)]
#[derive(Clone, Debug)]
pub struct CreateRequisiteRequest {
    /// The currency.
    currency_id: i64,
    /// The card, account or address.
    value: String,
    /// The account holder.
    #[serde(default)]
    holder: Option<String>,
    /// The memo or tag a payment must carry.
    #[serde(default)]
    memo: Option<String>,
    /// Whether new claims get it. Default: true.
    #[serde(default)]
    enabled: Option<bool>,
    /// The daily limit of payments to it, by UTC days.
    #[serde(default)]
    daily_limit: Option<Dec>,
}

impl Example for CreateRequisiteRequest {
    fn example() -> Self {
        Self {
            currency_id: 9,
            value: "4111111111111111".into(),
            holder: Some("IVAN P.".into()),
            memo: None,
            enabled: Some(true),
            daily_limit: Some(Dec(1_000_000.into())),
        }
    }
}

impl From<CreateRequisiteRequest> for NewRequisite {
    fn from(new: CreateRequisiteRequest) -> Self {
        Self {
            currency: new.currency_id,
            value: new.value,
            holder: new.holder,
            memo: new.memo,
            enabled: new.enabled.unwrap_or(true),
            daily_limit: new.daily_limit.map(|limit| limit.0),
        }
    }
}

/// A change of a requisite. Omitted fields stay; null clears a field.
#[body(request, example)]
#[derive(Clone, Debug, Default)]
#[serde(default)]
pub struct UpdateRequisiteRequest {
    /// The card, account or address.
    value: Option<String>,
    /// The account holder.
    #[serde(deserialize_with = "given")]
    holder: Option<Nullable<String>>,
    /// The memo or tag a payment must carry.
    #[serde(deserialize_with = "given")]
    memo: Option<Nullable<String>>,
    /// Whether new claims get it.
    enabled: Option<bool>,
    /// The daily limit of payments to it, by UTC days.
    #[serde(deserialize_with = "given")]
    daily_limit: Option<Nullable<Dec>>,
}

/// Distinguishes null from an omitted field.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Example for UpdateRequisiteRequest {
    fn example() -> Self {
        Self { enabled: Some(false), ..Self::default() }
    }
}

impl From<UpdateRequisiteRequest> for RequisiteChange {
    fn from(change: UpdateRequisiteRequest) -> Self {
        Self {
            value: change.value,
            holder: change.holder.map(|holder| holder.0),
            memo: change.memo.map(|memo| memo.0),
            enabled: change.enabled,
            daily_limit: change.daily_limit.map(|limit| limit.0.map(|limit| limit.0)),
        }
    }
}
