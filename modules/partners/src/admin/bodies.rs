//! What the console sends and is shown.

use agio_core::needs::Turnover;
use agio_http::{Dec, Moment, Null};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::money::{DeskCommissionKind, DeskEarnings, DeskPartnerPayout};
use crate::model::standing::PartnerStanding;
use crate::service::{KeyWish, PartnerChange, PartnerMade, PartnerWhole, PartnerWish};
use crate::store::{KeyRow, PartnerRow};

/// How far a partner's access is.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum DeskPartnerStanding {
    /// A customer asked for it; staff have to decide.
    Requested,
    /// Every key is good.
    Approved,
    /// Staff declined it.
    Declined,
}

impl From<PartnerStanding> for DeskPartnerStanding {
    fn from(standing: PartnerStanding) -> Self {
        match standing {
            PartnerStanding::Requested => Self::Requested,
            PartnerStanding::Approved => Self::Approved,
            PartnerStanding::Declined => Self::Declined,
        }
    }
}

/// A partner in a line.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPartnerRow {
    /// Identifier.
    id: Uuid,
    /// The name colleagues see.
    name: String,
    /// Where the partner is written to.
    email: String,
    /// Whether their keys are good.
    enabled: bool,
    /// Where news of claims go; empty: nowhere.
    callback_url: String,
    /// How far the access is.
    standing: DeskPartnerStanding,
    /// The site, where a customer asked for access.
    site: String,
    /// The account of the customer who asked.
    customer_id: Null<Uuid>,
    /// The address of that account; letters go there.
    customer_email: Null<String>,
    /// Why the access was declined.
    reason: Null<String>,
    /// What they earn a share of.
    commission_kind: DeskCommissionKind,
    /// How many percent of it.
    commission_percent: String,
    /// Send it with a change.
    revision: i64,
    /// When the partner was added.
    created_at: Moment,
}

impl DeskPartnerRow {
    pub fn of(row: &PartnerRow) -> Self {
        Self {
            id: row.id,
            name: row.name.clone(),
            email: row.email.clone(),
            enabled: row.enabled,
            callback_url: row.callback_url.clone(),
            standing: row.standing.into(),
            site: row.site.clone(),
            customer_id: Null(row.customer_id),
            customer_email: Null(row.customer_email.clone()),
            reason: Null(row.reason.clone()),
            commission_kind: row.commission_kind.into(),
            commission_percent: row.commission_percent.clone(),
            revision: row.revision,
            created_at: Moment(row.created_at),
        }
    }
}

/// A new partner.
#[derive(Clone, Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskPartnerOrder {
    /// The name colleagues see.
    name: String,
    /// Where the partner is written to.
    email: String,
    /// Where news of claims go: an HTTPS address that leads outside; empty: nowhere.
    #[serde(default)]
    callback_url: Option<String>,
}

impl From<DeskPartnerOrder> for PartnerWish {
    fn from(order: DeskPartnerOrder) -> Self {
        Self { name: order.name, email: order.email, callback: order.callback_url.unwrap_or_default() }
    }
}

/// A change of a partner; what is absent stays as it is.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskPartnerChange {
    /// The revision that was seen.
    pub revision: i64,
    /// Another name.
    #[serde(default)]
    name: Option<String>,
    /// Another e-mail address.
    #[serde(default)]
    email: Option<String>,
    /// Another place for news; empty: nowhere.
    #[serde(default)]
    callback_url: Option<String>,
    /// Whether their keys are good.
    #[serde(default)]
    enabled: Option<bool>,
    /// What they earn a share of.
    #[serde(default)]
    commission_kind: Option<DeskCommissionKind>,
    /// How many percent of it: 0 to 100, with four decimals at most.
    #[serde(default)]
    commission_percent: Option<Dec>,
}

impl From<DeskPartnerChange> for PartnerChange {
    fn from(change: DeskPartnerChange) -> Self {
        Self {
            name: change.name,
            email: change.email,
            callback: change.callback_url,
            enabled: change.enabled,
            commission_kind: change.commission_kind.map(Into::into),
            commission_percent: change.commission_percent.map(|percent| percent.0),
        }
    }
}

/// A partner with the secret of their news.
#[derive(Serialize, Object)]
pub struct DeskPartnerMade {
    /// The partner.
    partner: DeskPartnerRow,
    /// What news are signed with; shown this once.
    secret: String,
}

impl DeskPartnerMade {
    pub fn of(made: PartnerMade) -> Self {
        Self { partner: DeskPartnerRow::of(&made.row), secret: made.secret }
    }
}

/// A key.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPartnerKey {
    /// Identifier.
    id: Uuid,
    /// The name calls carry.
    name: String,
    /// What it is called.
    title: String,
    /// Whether its claims are rehearsals that move no money.
    sandbox: bool,
    /// What it may do.
    scopes: Vec<String>,
    /// From which networks; none: from everywhere.
    networks: Vec<String>,
    /// Calls a minute.
    per_minute: i64,
    /// When it was made.
    created_at: Moment,
    /// When it was revoked.
    revoked_at: Null<Moment>,
}

impl DeskPartnerKey {
    pub fn of(row: &KeyRow) -> Self {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Self {
            id: row.id,
            name: row.name.clone(),
            title: row.title.clone(),
            sandbox: row.sandbox,
            scopes: words(&row.scopes),
            networks: words(&row.networks),
            per_minute: row.per_minute,
            created_at: Moment(row.created_at),
            revoked_at: Null(row.revoked_at.map(Moment)),
        }
    }
}

/// A new key.
#[derive(Clone, Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskKeyOrder {
    /// What it is called.
    title: String,
    /// Whether its claims are rehearsals that move no money.
    sandbox: bool,
    /// What it may do: `read`, `quote`, `claim`, `trustee`.
    scopes: Vec<String>,
    /// From which networks: `192.0.2.0/24`, `2001:db8::/32`, or an address alone; none: from everywhere.
    #[serde(default)]
    networks: Option<Vec<String>>,
    /// Calls a minute, at most 6000.
    per_minute: i64,
}

impl From<DeskKeyOrder> for KeyWish {
    fn from(order: DeskKeyOrder) -> Self {
        let DeskKeyOrder { title, sandbox, scopes, networks, per_minute } = order;
        Self { title, sandbox, scopes, networks: networks.unwrap_or_default(), per_minute }
    }
}

/// A key with its secret.
#[derive(Serialize, Object)]
pub struct DeskKeyMade {
    /// The key.
    pub key: DeskPartnerKey,
    /// What calls are signed with; shown this once.
    pub secret: String,
}

/// What was exchanged through a partner in one direction.
#[derive(Serialize, Object)]
struct DeskTurnover {
    /// The code of the currency sent.
    from: String,
    /// The code of the currency received.
    to: String,
    /// How many claims were made.
    claims: i64,
    /// How many of them are completed.
    completed: i64,
    /// How many are open.
    open: i64,
    /// What was sent in the completed ones.
    sent: Dec,
    /// What was received in the completed ones.
    received: Dec,
    /// What the house earned by them, in the received currency.
    earned: Dec,
}

/// A partner with everything about them.
#[derive(Serialize, Object)]
pub struct DeskPartner {
    /// The partner.
    partner: DeskPartnerRow,
    /// Their keys, the newest first.
    keys: Vec<DeskPartnerKey>,
    /// What was exchanged through them, by direction.
    turnover: Vec<DeskTurnover>,
    /// What they earned, by currency.
    earnings: Vec<DeskEarnings>,
    /// What they were paid last, the newest first.
    payouts: Vec<DeskPartnerPayout>,
}

impl DeskPartner {
    pub fn of(whole: PartnerWhole) -> Self {
        let turnover = |of: Turnover| DeskTurnover {
            sent: Dec(of.sent.value()),
            received: Dec(of.received.value()),
            earned: Dec(of.earned.value()),
            from: of.from,
            to: of.to,
            claims: of.claims,
            completed: of.completed,
            open: of.open,
        };
        let codes: Vec<_> = whole.earnings.iter().map(|earned| (earned.currency, earned.code.clone())).collect();
        Self {
            earnings: whole.earnings.into_iter().map(DeskEarnings::of).collect(),
            payouts: whole.payouts.into_iter().map(|row| DeskPartnerPayout::of(row, &codes)).collect(),
            partner: DeskPartnerRow::of(&whole.row),
            keys: whole.keys.iter().map(DeskPartnerKey::of).collect(),
            turnover: whole.turnover.into_iter().map(turnover).collect(),
        }
    }
}
