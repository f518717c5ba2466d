//! Request and response bodies of partner administration.

use agio_contracts::DirectionTurnover;
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use uuid::Uuid;

use super::payouts::PartnerPayoutDetails;
use crate::api::access_bodies::{PartnerEarnings, PartnerKeyDetails, TurnoverView};
use crate::model::commission::PartnerCommissionKind;
use crate::model::{KeyScope, PartnerAccessStatus};
use crate::service::{NewPartner, NewPartnerKey, PartnerAndSecret, PartnerChange, PartnerOverview};
use crate::store::PartnerRow;

/// A partner.
#[body(response)]
pub struct PartnerSummary {
    id: Uuid,
    /// Name shown to staff.
    name: String,
    /// Contact e-mail address.
    email: String,
    /// False while the partner is suspended: no key works.
    enabled: bool,
    /// Webhook URL; empty if there is none.
    callback_url: String,
    /// Status of the access.
    status: ApiEnum<PartnerAccessStatus>,
    /// The partner's site, if a customer requested access.
    site: String,
    /// The customer account that requested access.
    customer_id: Nullable<Uuid>,
    /// E-mail address of that account; notifications are sent there.
    customer_email: Nullable<String>,
    /// Why the request was declined.
    reason: Nullable<String>,
    /// What the commission is a percentage of.
    commission_kind: ApiEnum<PartnerCommissionKind>,
    /// Commission percentage.
    commission_percent: String,
    /// Current revision; send it with a change.
    revision: i64,
    created_at: DateTime,
}

impl PartnerSummary {
    pub fn of(row: &PartnerRow) -> Self {
        Self {
            id: row.id,
            name: row.name.clone(),
            email: row.email.clone(),
            enabled: row.enabled,
            callback_url: row.callback_url.clone(),
            status: row.status.into(),
            site: row.site.clone(),
            customer_id: Nullable(row.customer_id),
            customer_email: Nullable(row.customer_email.clone()),
            reason: Nullable(row.reason.clone()),
            commission_kind: row.commission_kind.into(),
            commission_percent: row.commission_percent.clone(),
            revision: row.revision,
            created_at: DateTime(row.created_at),
        }
    }
}

/// A request to create a partner.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct CreatePartnerRequest {
    /// Name shown to staff.
    name: String,
    /// Contact e-mail address.
    email: String,
    /// Webhook URL: a public HTTPS address; empty for none.
    callback_url: Option<String>,
}

impl From<CreatePartnerRequest> for NewPartner {
    fn from(body: CreatePartnerRequest) -> Self {
        Self { name: body.name, email: body.email, callback: body.callback_url.unwrap_or_default() }
    }
}

/// A partial update; omitted values stay as they are.
#[body(request)]
#[derive(Clone, Debug)]
pub struct UpdatePartnerRequest {
    /// Current revision; 409 if it is stale.
    pub revision: i64,
    /// New name.
    name: Option<String>,
    /// New contact e-mail address.
    email: Option<String>,
    /// New webhook URL; empty for none.
    callback_url: Option<String>,
    /// False while the partner is suspended: no key works.
    enabled: Option<bool>,
    /// What the commission is a percentage of.
    commission_kind: Option<ApiEnum<PartnerCommissionKind>>,
    /// Commission percentage, 0 to 100, with at most four decimals.
    commission_percent: Option<Dec>,
}

impl From<UpdatePartnerRequest> for PartnerChange {
    fn from(change: UpdatePartnerRequest) -> Self {
        Self {
            name: change.name,
            email: change.email,
            callback: change.callback_url,
            enabled: change.enabled,
            commission_kind: change.commission_kind.map(|kind| kind.0),
            commission_percent: change.commission_percent.map(|percent| percent.0),
        }
    }
}

/// A partner with its webhook secret.
#[body(response)]
pub struct PartnerWithSecret {
    partner: PartnerSummary,
    /// Signing secret of webhooks; shown only once.
    secret: String,
}

impl PartnerWithSecret {
    pub fn of(created: PartnerAndSecret) -> Self {
        Self { partner: PartnerSummary::of(&created.row), secret: created.secret }
    }
}

/// A request to create a key.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct CreatePartnerKeyRequest {
    /// Label chosen for the key.
    title: String,
    /// Sandbox keys create claims that move no money.
    sandbox: bool,
    /// Scopes of the key.
    scopes: Vec<ApiEnum<KeyScope>>,
    /// Allowed networks or addresses, such as `192.0.2.0/24` or `2001:db8::/32`; empty for any.
    networks: Option<Vec<String>>,
    /// Requests per minute, at most 6000.
    per_minute: i64,
}

impl From<CreatePartnerKeyRequest> for NewPartnerKey {
    fn from(body: CreatePartnerKeyRequest) -> Self {
        let CreatePartnerKeyRequest { title, sandbox, scopes, networks, per_minute } = body;
        let scopes = scopes.into_iter().map(|scope| scope.0).collect();
        Self { title, sandbox, scopes, networks: networks.unwrap_or_default(), per_minute }
    }
}

/// A new key with its secret.
#[body(response)]
pub struct CreatedPartnerKey {
    pub key: PartnerKeyDetails,
    /// Signing secret of requests; shown only once.
    pub secret: String,
}

/// A partner's turnover in one direction.
#[body(response)]
struct PartnerTurnover {
    #[serde(flatten)]
    #[oai(flatten)]
    turnover: TurnoverView,
    /// Our profit by the terms of completed claims: spread and fees together, in the received currency. Commission of the
    /// kind `profit` is a part of it.
    earned: Dec,
}

/// A partner with keys, turnover, earnings and payouts.
#[body(response)]
pub struct PartnerDetails {
    partner: PartnerSummary,
    /// Keys, newest first.
    keys: Vec<PartnerKeyDetails>,
    /// Turnover by direction.
    turnover: Vec<PartnerTurnover>,
    /// Commission by currency.
    earnings: Vec<PartnerEarnings>,
    /// Recent payouts, newest first.
    payouts: Vec<PartnerPayoutDetails>,
}

impl PartnerDetails {
    pub fn of(whole: PartnerOverview) -> Self {
        let turnover = |of: DirectionTurnover| PartnerTurnover { earned: Dec(of.earned.value()), turnover: TurnoverView::of(of) };
        Self {
            payouts: whole.payouts.into_iter().map(|row| PartnerPayoutDetails::of(row, &whole.earnings)).collect(),
            earnings: whole.earnings.into_iter().map(PartnerEarnings::of).collect(),
            partner: PartnerSummary::of(&whole.row),
            keys: whole.keys.iter().map(PartnerKeyDetails::of).collect(),
            turnover: whole.turnover.into_iter().map(turnover).collect(),
        }
    }
}
