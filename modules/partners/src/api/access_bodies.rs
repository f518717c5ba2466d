//! Bodies of the partner access in a customer's account.

use agio_contracts::{DirectionTurnover, ReauthenticationRequest};
use agio_core::{Amount, CurrencyUnit, Timestamp};
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use uuid::Uuid;

use crate::model::commission::PartnerCommissionKind;
use crate::model::{KeyScope, PartnerAccessStatus};
use crate::service::{
    Earnings, NewPartner, NewPartnerAccess, NewPartnerKey, OWN_PER_MINUTE, PartnerAccessOverview, PartnerOverview,
};
use crate::store::KeyRow;
use crate::store::commissions::PayoutRow;
use crate::store::usage::KeyUsageRow;

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// A request for partner access.
#[body(request)]
#[derive(Debug)]
pub struct PartnerAccessRequest {
    /// Name of the site.
    name: String,
    /// URL of the site: `https://shop.example`.
    site: String,
    /// Technical contact e-mail address.
    email: String,
    /// Webhook URL: a public HTTPS address; empty for none.
    callback_url: Option<String>,
}

impl From<PartnerAccessRequest> for NewPartnerAccess {
    fn from(body: PartnerAccessRequest) -> Self {
        let PartnerAccessRequest { name, site, email, callback_url } = body;
        Self { partner: NewPartner { name, email, callback: callback_url.unwrap_or_default() }, site }
    }
}

/// Confirmation with the account's password.
#[body(request)]
#[derive(Debug)]
pub struct PartnerAccessConfirmation {
    /// Password of the account.
    password: String,
    /// Second-factor or recovery code; required if a second factor is enabled.
    code: Option<String>,
}

impl From<PartnerAccessConfirmation> for ReauthenticationRequest {
    fn from(body: PartnerAccessConfirmation) -> Self {
        Self { password: body.password, code: body.code }
    }
}

/// A change of contact and webhook URL.
#[body(request)]
#[derive(Debug)]
pub struct UpdatePartnerAccessRequest {
    /// Technical contact e-mail address.
    email: String,
    /// Webhook URL; empty if there is none.
    callback_url: String,
    /// Password of the account.
    password: String,
    /// Second-factor or recovery code; required if a second factor is enabled.
    code: Option<String>,
}

impl UpdatePartnerAccessRequest {
    pub fn parts(self) -> (String, String, ReauthenticationRequest) {
        (self.email, self.callback_url, ReauthenticationRequest { password: self.password, code: self.code })
    }
}

/// A request to create a key.
#[body(request)]
#[derive(Debug)]
pub struct CreateKeyRequest {
    /// Label chosen for the key.
    title: String,
    /// Sandbox keys create claims that move no money.
    sandbox: bool,
    /// Scopes of the key.
    scopes: Vec<ApiEnum<KeyScope>>,
    /// Allowed networks or addresses, such as `192.0.2.0/24` or `2001:db8::/32`; empty for any.
    networks: Option<Vec<String>>,
    /// Password of the account; required for a live key.
    password: Option<String>,
    /// Second-factor or recovery code; required for a live key if a second factor is enabled.
    code: Option<String>,
}

impl CreateKeyRequest {
    pub fn parts(self) -> (NewPartnerKey, ReauthenticationRequest) {
        let Self { title, sandbox, scopes, networks, password, code } = self;
        let scopes = scopes.into_iter().map(|scope| scope.0).collect();
        let new = NewPartnerKey { title, sandbox, scopes, networks: networks.unwrap_or_default(), per_minute: OWN_PER_MINUTE };
        (new, ReauthenticationRequest { password: password.unwrap_or_default(), code })
    }
}

/// Requests of a key on one day.
#[body(response)]
pub struct KeyUsageDay {
    /// Day in UTC, such as `2024-03-28`.
    date: String,
    /// Number of accepted requests.
    calls: i64,
}

/// A partner key.
#[body(response)]
pub struct PartnerKeyDetails {
    id: Uuid,
    /// Key id, sent as `X-Agio-Key`.
    name: String,
    /// Label chosen for the key.
    title: String,
    /// Sandbox keys create claims that move no money.
    sandbox: bool,
    /// Scopes of the key.
    scopes: Vec<ApiEnum<KeyScope>>,
    /// Allowed networks; empty for any.
    networks: Vec<String>,
    /// Requests per minute.
    per_minute: i64,
    created_at: DateTime,
    /// Time of revocation; null while the key is valid.
    revoked_at: Nullable<DateTime>,
}

impl PartnerKeyDetails {
    pub fn of(row: &KeyRow) -> Self {
        Self {
            id: row.id,
            name: row.name.clone(),
            title: row.title.clone(),
            sandbox: row.sandbox,
            scopes: row.scopes.0.iter().copied().map(ApiEnum).collect(),
            networks: row.networks.0.iter().map(ToString::to_string).collect(),
            per_minute: row.per_minute,
            created_at: DateTime(row.created_at),
            revoked_at: Nullable(row.revoked_at.map(DateTime)),
        }
    }
}

/// A partner key with its usage.
#[body(response)]
pub struct PartnerKeyView {
    #[serde(flatten)]
    #[oai(flatten)]
    key: PartnerKeyDetails,
    /// Requests per day in the last thirty days; days without requests are omitted.
    usage: Vec<KeyUsageDay>,
}

impl PartnerKeyView {
    pub fn of(row: &KeyRow, usage: &[KeyUsageRow]) -> Self {
        let day =
            |used: &KeyUsageRow| KeyUsageDay { date: Timestamp(used.day * DAY_MICROS).date().to_string(), calls: used.calls };
        let usage = usage.iter().filter(|used| used.key_id == row.id).map(day).collect();
        Self { key: PartnerKeyDetails::of(row), usage }
    }
}

/// A new key with its secret.
#[body(response)]
pub struct CreatedKey {
    pub key: PartnerKeyView,
    /// Signing secret of requests; shown only once.
    pub secret: String,
}

/// A new webhook secret.
#[body(response)]
pub struct WebhookSecret {
    /// Signing secret of webhooks; shown only once.
    pub secret: String,
}

/// Turnover in one direction.
#[body(response)]
pub struct TurnoverView {
    /// Code of the given currency.
    from: String,
    /// Code of the received currency.
    to: String,
    claims: i64,
    /// Number of completed claims.
    completed: i64,
    /// Number of open claims.
    open: i64,
    /// Total amount given in completed claims.
    sent: Dec,
    /// Total amount received in completed claims.
    received: Dec,
}

impl TurnoverView {
    /// Leaves out our profit.
    pub fn of(of: DirectionTurnover) -> Self {
        Self {
            sent: Dec(of.given.value()),
            received: Dec(of.received.value()),
            from: of.from,
            to: of.to,
            claims: of.claims,
            completed: of.completed,
            open: of.open,
        }
    }
}

/// Commission in a currency.
#[body(response)]
pub struct PartnerEarnings {
    /// Code of the currency.
    currency: String,
    claims: i64,
    /// Total commission.
    earned: Dec,
    /// Unpaid balance.
    balance: Dec,
    /// Debt: commission of reversed claims that had already been paid out. It is set off against later commission.
    debt: Dec,
}

impl PartnerEarnings {
    /// Commission in a currency.
    pub fn of(of: Earnings) -> Self {
        let Earnings { code, claims, earned, balance, debt, .. } = of;
        Self { currency: code, claims, earned: Dec(earned.value()), balance: Dec(balance.value()), debt: Dec(debt.value()) }
    }
}

/// A commission payout.
#[body(response)]
pub struct PartnerPayoutView {
    id: Uuid,
    /// Code of the currency.
    currency: String,
    amount: Dec,
    /// Transaction id or bank reference.
    tx: String,
    /// Time of the payout.
    created_at: DateTime,
}

/// Partner access.
#[body(response)]
struct PartnerAccess {
    /// Name of the site.
    name: String,
    /// URL of the site.
    site: String,
    /// Technical contact e-mail address.
    email: String,
    /// Webhook URL; empty if there is none.
    callback_url: String,
    /// Status of the access.
    status: ApiEnum<PartnerAccessStatus>,
    /// Why the request was declined.
    reason: Nullable<String>,
    /// Whether staff suspended it: no key works.
    suspended: bool,
    /// What the commission is a percentage of.
    commission_kind: ApiEnum<PartnerCommissionKind>,
    /// Commission percentage.
    commission_percent: String,
    /// Keys, newest first.
    keys: Vec<PartnerKeyView>,
    /// Turnover by direction.
    turnover: Vec<TurnoverView>,
    /// Commission by currency.
    earnings: Vec<PartnerEarnings>,
    /// Recent payouts, newest first.
    payouts: Vec<PartnerPayoutView>,
    /// Time of the request.
    created_at: DateTime,
}

/// Partner access of a customer account.
#[body(response)]
pub struct PartnerAccessView {
    /// Whether access can be requested now.
    open: bool,
    /// The access; null if it was never requested.
    access: Nullable<PartnerAccess>,
}

impl PartnerAccessView {
    pub fn of(open: bool, access: Option<PartnerAccessOverview>) -> Self {
        Self { open, access: Nullable(access.map(PartnerAccess::of)) }
    }
}

impl PartnerPayoutView {
    pub fn of(row: PayoutRow, earnings: &[Earnings]) -> Self {
        let code = earnings.iter().find(|earned| earned.currency == row.currency_id).map(|earned| earned.code.clone());
        Self {
            id: row.id,
            currency: code.unwrap_or_default(),
            amount: Dec(Amount::of_units(row.units, CurrencyUnit::new(row.currency_id, row.scale)).value()),
            tx: row.tx,
            created_at: DateTime(row.created_at),
        }
    }
}

impl PartnerAccess {
    fn of(access: PartnerAccessOverview) -> Self {
        let PartnerAccessOverview { partner: PartnerOverview { row, keys, turnover, earnings, payouts }, usage } = access;
        Self {
            payouts: payouts.into_iter().map(|row| PartnerPayoutView::of(row, &earnings)).collect(),
            name: row.name,
            site: row.site,
            email: row.email,
            callback_url: row.callback_url,
            status: row.status.into(),
            reason: Nullable(row.reason),
            suspended: !row.enabled,
            commission_kind: row.commission_kind.into(),
            commission_percent: row.commission_percent,
            keys: keys.iter().map(|key| PartnerKeyView::of(key, &usage)).collect(),
            turnover: turnover.into_iter().map(TurnoverView::of).collect(),
            earnings: earnings.into_iter().map(PartnerEarnings::of).collect(),
            created_at: DateTime(row.created_at),
        }
    }
}
