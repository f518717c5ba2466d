//! What customers' pages are shown of the referral programme, and what they send.

use agio_core::Timestamp;
use agio_core::needs::CurrencyFacts;
use agio_core::texts::Locale;
use agio_http::{Dec, Moment, Null};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::{self, Tier};
use crate::service::{Day, History, Standing, units};

/// What a referrer gets a share of.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum ReferralKind {
    /// Of what the house earned.
    Profit,
    /// Of what was sent.
    Amount,
}

impl From<model::Kind> for ReferralKind {
    fn from(kind: model::Kind) -> Self {
        match kind {
            model::Kind::Profit => Self::Profit,
            model::Kind::Amount => Self::Amount,
        }
    }
}

impl From<ReferralKind> for model::Kind {
    fn from(kind: ReferralKind) -> Self {
        match kind {
            ReferralKind::Profit => Self::Profit,
            ReferralKind::Amount => Self::Amount,
        }
    }
}

/// A percent that holds from a referred volume on.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct ReferralTier {
    /// The least volume, in the base currency.
    pub from: Dec,
    /// How many percent.
    pub percent: Dec,
}

impl From<&Tier> for ReferralTier {
    fn from(tier: &Tier) -> Self {
        Self { from: Dec(tier.from), percent: Dec(tier.percent) }
    }
}

/// Something that is asked about where a withdrawal goes.
#[derive(Serialize, Object)]
struct ReferralInput {
    /// The key it is sent under.
    name: String,
    /// What the field is called.
    label: String,
    /// How it is checked.
    kind: String,
    /// Whether it must be given.
    required: bool,
}

/// A currency a withdrawal can be paid in.
#[derive(Serialize, Object)]
struct ReferralCurrency {
    /// Identifier.
    id: i64,
    /// The code.
    code: String,
    /// Its name.
    name: String,
    /// Network or payment system.
    network: String,
    /// What is asked about where it goes.
    input: Vec<ReferralInput>,
}

/// A referrer's link and what it brought.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ReferralView {
    /// The code.
    code: String,
    /// The address that brings others.
    link: String,
    /// The percent of the share now.
    percent: Dec,
    /// What the share is of.
    kind: ReferralKind,
    /// Percents by referred volume.
    tiers: Vec<ReferralTier>,
    /// The tier that comes next; null on the last.
    next: Null<ReferralTier>,
    /// The referred volume so far, in the base currency.
    volume: Dec,
    /// The ticker of the base currency.
    base: String,
    /// What may be withdrawn now.
    balance: Dec,
    /// What may be withdrawn when its holding time is over, or when it was looked at.
    pending: Dec,
    /// What was taken back and is set off against what is earned next.
    debt: Dec,
    /// The code of the balance's currency; empty where the house has set none.
    currency: String,
    /// How many came by the link.
    visits: i64,
    /// How many accounts they made.
    registrations: i64,
    /// How many of their claims were completed.
    claims: i64,
    /// What was earned by them.
    earned: Dec,
    /// The least withdrawal.
    minimum: Dec,
    /// For how many hours what is earned is held.
    hold_hours: i64,
    /// For how many days a browser remembers the link.
    days: i64,
    /// What a withdrawal can be paid in.
    currencies: Vec<ReferralCurrency>,
}

impl ReferralView {
    /// What a referrer is shown.
    pub fn of(standing: Standing, locale: Locale) -> Self {
        let scale = standing.currency.as_ref().map_or(0, |currency| i64::from(currency.scale));
        let amount = |count: i64| Dec(units(count, scale).value());
        let terms = &standing.programme.terms;
        Self {
            percent: Dec(terms.percent(standing.volume)),
            kind: terms.kind.into(),
            tiers: terms.tiers.iter().map(ReferralTier::from).collect(),
            next: terms.next(standing.volume).map(ReferralTier::from).into(),
            volume: Dec(standing.volume),
            base: standing.base,
            balance: amount(standing.balance.available),
            pending: amount(standing.balance.pending),
            debt: amount(standing.balance.debt),
            currency: standing.currency.as_ref().map(|currency| currency.code.clone()).unwrap_or_default(),
            visits: standing.visits,
            registrations: standing.registrations,
            claims: standing.claims,
            earned: amount(standing.earned),
            minimum: Dec(terms.withdrawal_min),
            hold_hours: terms.hold_hours,
            days: standing.days,
            currencies: standing.payable.iter().map(|currency| ReferralCurrency::of(currency, locale)).collect(),
            code: standing.referrer.code,
            link: standing.link,
        }
    }
}

impl ReferralCurrency {
    fn of(currency: &CurrencyFacts, locale: Locale) -> Self {
        let inputs = currency.inputs.iter().filter(|input| input.receive);
        let input = inputs.map(|input| ReferralInput {
            name: input.name.clone(),
            label: input.label.get(locale).to_owned(),
            kind: input.kind.clone(),
            required: input.required,
        });
        Self {
            id: currency.id,
            code: currency.code.clone(),
            name: currency.name.get(locale).to_owned(),
            network: currency.network.get(locale).to_owned(),
            input: input.collect(),
        }
    }
}

/// A line of a referrer's history.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ReferralLine {
    /// Identifier.
    id: Uuid,
    /// `accrual` or `withdrawal`.
    kind: String,
    /// How much.
    amount: Dec,
    /// The code of the balance's currency.
    currency: String,
    /// Of an accrual `review`, `held`, `available`, `refused` or `reversed`; of a withdrawal `requested`, `approved`, `paid` or `refused`.
    status: String,
    /// When it was.
    created_at: Moment,
}

/// A page of a referrer's history.
#[derive(Serialize, Object)]
pub struct ReferralHistory {
    /// The lines, the newest first.
    items: Vec<ReferralLine>,
    /// Which page this is, from 1.
    page: u32,
    /// How many a page has at most.
    size: u32,
    /// How many there are in all.
    total: i64,
}

impl ReferralHistory {
    /// A page as it is shown.
    pub fn of(history: History, page: u32, size: u32) -> Self {
        let History { lines, total, currency } = history;
        let line = |line: crate::store::accruals::Line| ReferralLine {
            id: line.id,
            kind: line.kind,
            amount: Dec(units(line.units, line.scale).value()),
            currency: currency.clone(),
            status: line.status,
            created_at: line.created_at.into(),
        };
        Self { items: lines.into_iter().map(line).collect(), page, size, total }
    }
}

/// A day of a referrer's chart.
#[derive(Serialize, Object)]
pub struct ReferralDay {
    /// The day in UTC, `2024-03-28`.
    date: String,
    /// Visits by the link.
    visits: i64,
    /// Claims completed.
    claims: i64,
    /// What was earned.
    earned: Dec,
}

impl From<Day> for ReferralDay {
    fn from(day: Day) -> Self {
        let midnight = Timestamp(day.day * super::DAY_MICROS).to_string();
        let date = midnight.get(..super::DATE_LENGTH).unwrap_or_default().to_owned();
        Self { date, visits: day.visits, claims: day.claims, earned: Dec(day.earned) }
    }
}

/// Days, the oldest first.
#[derive(Serialize, Object)]
pub struct ReferralDays {
    /// The days.
    pub items: Vec<ReferralDay>,
}

/// A link that was followed.
#[derive(Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct ReferralVisit {
    /// The code in it.
    pub code: String,
}

impl Example for ReferralVisit {
    fn example() -> Self {
        Self { code: "K7QX4MPA".into() }
    }
}

/// What a browser does with a link.
#[derive(Serialize, Object)]
pub struct ReferralSeen {
    /// For how many days it remembers the code, if it remembers none yet.
    pub days: i64,
}
