//! The pool of requisites, as the console shows and changes it.

use agio_core::Amount;
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use crate::store::requisites::PoolRow;
use crate::{Claims, NewRequisite, RequisiteChange};

/// A requisite customers pay to.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRequisite {
    /// Identifier.
    id: Uuid,
    /// The currency it takes.
    currency_id: i64,
    /// The card, account or address.
    value: String,
    /// Who holds it.
    holder: Null<String>,
    /// The memo or tag that must go with a payment.
    memo: Null<String>,
    /// Whether it is given out.
    enabled: bool,
    /// The most that is asked to be paid here on a day, UTC.
    daily_limit: Null<Dec>,
    /// How much was asked today.
    taken_today: Dec,
    /// When it was last given out.
    last_used_at: Null<Moment>,
}

impl DeskRequisite {
    /// A requisite as the console shows it.
    pub fn of(claims: &Claims, row: PoolRow) -> Self {
        let taken = claims.taken_today(&row);
        let scale = claims.currency(row.currency_id, "").scale;
        let amount = |units| Dec(Amount::of_units(units, scale).value());
        Self {
            id: row.id,
            currency_id: row.currency_id,
            value: row.value,
            holder: row.holder.into(),
            memo: row.memo.into(),
            enabled: row.enabled,
            daily_limit: row.daily_limit.map(amount).into(),
            taken_today: amount(taken),
            last_used_at: row.last_used_at.map(Moment).into(),
        }
    }
}

/// A requisite to be added.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct NewDeskRequisite {
    /// The currency it takes.
    currency_id: i64,
    /// The card, account or address.
    value: String,
    /// Who holds it.
    #[serde(default)]
    holder: Option<String>,
    /// The memo or tag that must go with a payment.
    #[serde(default)]
    memo: Option<String>,
    /// Whether it is given out; it is unless this says no.
    #[serde(default)]
    enabled: Option<bool>,
    /// The most that is asked to be paid here on a day, UTC.
    #[serde(default)]
    daily_limit: Option<Dec>,
}

impl Example for NewDeskRequisite {
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

impl From<NewDeskRequisite> for NewRequisite {
    fn from(new: NewDeskRequisite) -> Self {
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

/// What changes in a requisite; what is left out stays, and null removes.
#[derive(Clone, Debug, Default, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskRequisiteChange {
    /// The card, account or address.
    value: Option<String>,
    /// Who holds it.
    #[serde(deserialize_with = "given")]
    holder: Option<Null<String>>,
    /// The memo or tag that must go with a payment.
    #[serde(deserialize_with = "given")]
    memo: Option<Null<String>>,
    /// Whether it is given out.
    enabled: Option<bool>,
    /// The most that is asked to be paid here on a day, UTC.
    #[serde(deserialize_with = "given")]
    daily_limit: Option<Null<Dec>>,
}

/// Tells a null that was given from a field that was not.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Example for DeskRequisiteChange {
    fn example() -> Self {
        Self { enabled: Some(false), ..Self::default() }
    }
}

impl From<DeskRequisiteChange> for RequisiteChange {
    fn from(change: DeskRequisiteChange) -> Self {
        Self {
            value: change.value,
            holder: change.holder.map(|holder| holder.0),
            memo: change.memo.map(|memo| memo.0),
            enabled: change.enabled,
            daily_limit: change.daily_limit.map(|limit| limit.0.map(|limit| limit.0)),
        }
    }
}
