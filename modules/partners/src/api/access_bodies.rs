//! What a customer sends and is shown of the partner access of their account.

use agio_core::needs::{ShownAgain, Turnover};
use agio_core::{Amount, Timestamp};
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::service::{Access, AccessWish, Earnings, KeyWish, OWN_PER_MINUTE, PartnerWish};
use crate::store::KeyRow;
use crate::store::usage::DayRow;

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// The site access is asked for.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccessOrder {
    /// The name of the site.
    name: String,
    /// Its address: `https://shop.example`.
    site: String,
    /// Where its programmers are written to.
    email: String,
    /// Where news of claims go: an HTTPS address that leads outside; empty: nowhere.
    #[serde(default)]
    callback_url: Option<String>,
}

impl From<AccessOrder> for AccessWish {
    fn from(order: AccessOrder) -> Self {
        let AccessOrder { name, site, email, callback_url } = order;
        Self { partner: PartnerWish { name, email, callback: callback_url.unwrap_or_default() }, site }
    }
}

/// What shows that the account is the caller's.
#[derive(Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct AccessProof {
    /// The password of the account.
    password: String,
    /// A code of the second factor, or a recovery code; needed where there is one.
    #[serde(default)]
    code: Option<String>,
}

impl From<AccessProof> for ShownAgain {
    fn from(proof: AccessProof) -> Self {
        Self { password: proof.password, code: proof.code }
    }
}

/// A change of access.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccessChange {
    /// Where its programmers are written to.
    email: String,
    /// Where news of claims go; empty: nowhere.
    callback_url: String,
    /// The password of the account.
    password: String,
    /// A code of the second factor, or a recovery code; needed where there is one.
    #[serde(default)]
    code: Option<String>,
}

impl AccessChange {
    /// The contact, where news go, and what was shown.
    pub fn parts(self) -> (String, String, ShownAgain) {
        (self.email, self.callback_url, ShownAgain { password: self.password, code: self.code })
    }
}

/// A new key.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccessKeyOrder {
    /// What it is called.
    title: String,
    /// Whether its claims are rehearsals that move no money.
    sandbox: bool,
    /// What it may do: `read`, `quote`, `claim`, `trustee`.
    scopes: Vec<String>,
    /// From which networks: `192.0.2.0/24`, `2001:db8::/32`, or an address alone; none: from everywhere.
    #[serde(default)]
    networks: Option<Vec<String>>,
    /// The password of the account; needed for real claims.
    #[serde(default)]
    password: Option<String>,
    /// A code of the second factor, or a recovery code; needed for real claims where there is one.
    #[serde(default)]
    code: Option<String>,
}

impl AccessKeyOrder {
    /// The key, and what was shown for it.
    pub fn parts(self) -> (KeyWish, ShownAgain) {
        let Self { title, sandbox, scopes, networks, password, code } = self;
        let wish = KeyWish { title, sandbox, scopes, networks: networks.unwrap_or_default(), per_minute: OWN_PER_MINUTE };
        (wish, ShownAgain { password: password.unwrap_or_default(), code })
    }
}

/// How often a key was used on a day.
#[derive(Serialize, Object)]
pub struct AccessKeyDay {
    /// The day in UTC, `2024-03-28`.
    date: String,
    /// How many calls were taken.
    calls: i64,
}

/// A key.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct AccessKey {
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
    /// How often it was used in the last thirty days; days without calls are left out.
    usage: Vec<AccessKeyDay>,
    /// When it was made.
    created_at: Moment,
    /// When it was revoked.
    revoked_at: Null<Moment>,
}

impl AccessKey {
    /// A key with its part of the partner's usage.
    pub fn of(row: &KeyRow, usage: &[DayRow]) -> Self {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let day = |used: &DayRow| AccessKeyDay { date: Timestamp(used.day * DAY_MICROS).date().to_string(), calls: used.calls };
        Self {
            id: row.id,
            name: row.name.clone(),
            title: row.title.clone(),
            sandbox: row.sandbox,
            scopes: words(&row.scopes),
            networks: words(&row.networks),
            per_minute: row.per_minute,
            usage: usage.iter().filter(|used| used.key_id == row.id).map(day).collect(),
            created_at: Moment(row.created_at),
            revoked_at: Null(row.revoked_at.map(Moment)),
        }
    }
}

/// A key with its secret.
#[derive(Serialize, Object)]
pub struct AccessKeyMade {
    /// The key.
    pub key: AccessKey,
    /// What calls are signed with; shown this once.
    pub secret: String,
}

/// A secret.
#[derive(Serialize, Object)]
pub struct AccessSecret {
    /// What news are signed with; shown this once.
    pub secret: String,
}

/// What was exchanged in one direction.
#[derive(Serialize, Object)]
pub struct AccessTurnover {
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
}

impl AccessTurnover {
    /// A direction, without what the house earned by it.
    pub fn of(of: Turnover) -> Self {
        Self {
            sent: Dec(of.sent.value()),
            received: Dec(of.received.value()),
            from: of.from,
            to: of.to,
            claims: of.claims,
            completed: of.completed,
            open: of.open,
        }
    }
}

/// What was earned in a currency.
#[derive(Serialize, Object)]
pub struct AccessEarnings {
    /// The code of the currency.
    currency: String,
    /// By how many claims.
    claims: i64,
    /// What was earned by them.
    earned: Dec,
    /// What of it is not paid.
    balance: Dec,
    /// What is set off against what is earned next: claims were undone whose commission had been paid.
    debt: Dec,
}

impl AccessEarnings {
    /// What was earned in a currency.
    pub fn of(of: Earnings) -> Self {
        let Earnings { code, claims, earned, balance, debt, .. } = of;
        Self { currency: code, claims, earned: Dec(earned.value()), balance: Dec(balance.value()), debt: Dec(debt.value()) }
    }
}

/// A payout.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AccessPayout {
    /// Identifier.
    id: Uuid,
    /// The code of the currency.
    currency: String,
    /// How much.
    amount: Dec,
    /// The transaction.
    tx: String,
    /// When.
    created_at: Moment,
}

/// Partner access.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AccessOwn {
    /// The name of the site.
    name: String,
    /// Its address.
    site: String,
    /// Where its programmers are written to.
    email: String,
    /// Where news of claims go; empty: nowhere.
    callback_url: String,
    /// `requested`, `approved` or `declined`.
    standing: String,
    /// Why it was declined.
    reason: Null<String>,
    /// Whether staff have suspended it: no key opens anything.
    suspended: bool,
    /// `profit` or `amount`: what is earned a share of.
    commission_kind: String,
    /// How many percent of it.
    commission_percent: String,
    /// The keys, the newest first.
    keys: Vec<AccessKey>,
    /// What was exchanged, by direction.
    turnover: Vec<AccessTurnover>,
    /// What was earned, by currency.
    earnings: Vec<AccessEarnings>,
    /// What was paid last, the newest first.
    payouts: Vec<AccessPayout>,
    /// When it was asked for.
    created_at: Moment,
}

/// A customer's partner access.
#[derive(Serialize, Object)]
pub struct AccessView {
    /// Whether access may be asked for now.
    open: bool,
    /// The access; null where it was never asked for.
    access: Null<AccessOwn>,
}

impl AccessView {
    /// The access, and whether it may be asked for.
    pub fn of(open: bool, access: Option<Access>) -> Self {
        Self { open, access: Null(access.map(AccessOwn::of)) }
    }
}

impl AccessOwn {
    fn of(access: Access) -> Self {
        let Access { row, keys, turnover, earnings, payouts, usage } = access;
        let code_of = |id: i64| earnings.iter().find(|earned| earned.currency == id).map(|earned| earned.code.clone());
        let payout = |paid: crate::store::commissions::PayoutRow| AccessPayout {
            id: paid.id,
            currency: code_of(paid.currency_id).unwrap_or_default(),
            amount: Dec(Amount::of_units(paid.units, u32::try_from(paid.scale).unwrap_or(0)).value()),
            tx: paid.tx,
            created_at: Moment(paid.created_at),
        };
        Self {
            payouts: payouts.into_iter().map(payout).collect(),
            name: row.name,
            site: row.site,
            email: row.email,
            callback_url: row.callback_url,
            standing: row.standing.to_string(),
            reason: Null(row.reason),
            suspended: !row.enabled,
            commission_kind: row.commission_kind.to_string(),
            commission_percent: row.commission_percent,
            keys: keys.iter().map(|key| AccessKey::of(key, &usage)).collect(),
            turnover: turnover.into_iter().map(AccessTurnover::of).collect(),
            earnings: earnings.into_iter().map(AccessEarnings::of).collect(),
            created_at: Moment(row.created_at),
        }
    }
}
