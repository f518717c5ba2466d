//! Bodies of the customer's referral API.

use agio_contracts::CurrencyInfo;
use agio_core::Timestamp;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use agio_requisites::RequisiteKind;
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::model::{CommissionTier, ReferralHistoryKind, ReferralHistoryStatus, ReferralKind};
use crate::service::{ReferralDayStats, ReferralHistory, ReferralOverview, units};
use crate::store::commissions::HistoryEntryRow;

/// A percentage that applies from a referred volume on.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct ReferralTier {
    /// Minimum volume, in the base currency.
    pub from: Dec,
    /// Commission percentage.
    pub percent: Dec,
}

impl From<&CommissionTier> for ReferralTier {
    fn from(tier: &CommissionTier) -> Self {
        Self { from: Dec(tier.from), percent: Dec(tier.percent) }
    }
}

/// A payout field.
#[body(response)]
struct ReferralInput {
    /// Field name in the request.
    name: String,
    /// Label of the field.
    label: String,
    /// Format that is validated.
    kind: ApiEnum<RequisiteKind>,
    /// Whether it is required.
    required: bool,
    /// Example or advice to show at the field. Null without one.
    hint: Nullable<String>,
    /// Regular expression that the whole value has to match, as in JavaScript with the flag `u`. Null without one.
    pattern: Nullable<String>,
    /// Form in which the value is typed: `#` is a digit, `@` a Latin letter, `*` either, and other characters stand for
    /// themselves. It is accepted without them too. Null without one.
    mask: Nullable<String>,
}

/// A payout currency for withdrawals.
#[body(response)]
struct ReferralCurrency {
    id: i64,
    code: String,
    name: String,
    /// Network or payment system.
    network: String,
    /// Payout fields.
    input: Vec<ReferralInput>,
}

/// The referral link with totals.
#[body(response)]
pub struct ReferralView {
    code: String,
    /// Referral link.
    link: String,
    /// Current commission percentage.
    percent: Dec,
    /// What the commission is a percentage of.
    kind: ApiEnum<ReferralKind>,
    /// Percentages by referred volume.
    tiers: Vec<ReferralTier>,
    /// The next tier; null on the last tier.
    next: Nullable<ReferralTier>,
    /// Referred volume, in the base currency.
    volume: Dec,
    /// Ticker of the base currency.
    base: String,
    /// Available balance.
    balance: Dec,
    /// Pending commission: held or under review.
    pending: Dec,
    /// Debt: reversed commission that is set off against later commission.
    debt: Dec,
    /// Code of the balance currency; empty if none is configured.
    currency: String,
    /// Number of visits through the link.
    visits: i64,
    /// Number of sign-ups through the link.
    registrations: i64,
    /// Number of completed referred claims.
    claims: i64,
    /// Total commission.
    earned: Dec,
    /// Minimum withdrawal.
    minimum: Dec,
    /// Hours for which commission is held before it can be withdrawn.
    hold_hours: i64,
    /// Days for which a browser remembers the link.
    days: i64,
    /// Payout currencies for withdrawals.
    currencies: Vec<ReferralCurrency>,
}

impl ReferralView {
    pub fn of(overview: ReferralOverview, locale: Locale) -> Self {
        let ReferralOverview { stats, link, base, payable, days } = overview;
        let scale = stats.currency.as_ref().map_or(0, |currency| i64::from(currency.scale));
        let amount = |count: i64| Dec(units(count, scale));
        let terms = &stats.plan.terms;
        let (visits, registrations, claims) = stats.funnel;
        Self {
            percent: Dec(stats.percent),
            kind: ApiEnum(terms.kind),
            tiers: terms.tiers.iter().map(ReferralTier::from).collect(),
            next: terms.next(stats.volume).map(ReferralTier::from).into(),
            volume: Dec(stats.volume),
            base,
            balance: amount(stats.balance.available),
            pending: amount(stats.balance.pending),
            debt: amount(stats.balance.debt),
            currency: stats.currency.as_ref().map(|currency| currency.code.clone()).unwrap_or_default(),
            visits,
            registrations,
            claims,
            earned: amount(stats.earned),
            minimum: Dec(terms.withdrawal_min),
            hold_hours: terms.hold_hours,
            days,
            currencies: payable.iter().map(|currency| ReferralCurrency::of(currency, locale)).collect(),
            code: stats.referrer.code,
            link,
        }
    }
}

impl ReferralCurrency {
    fn of(currency: &CurrencyInfo, locale: Locale) -> Self {
        let inputs = currency.inputs.iter().filter(|input| input.receive);
        let input = inputs.map(|input| ReferralInput {
            name: input.name.clone(),
            label: input.label.get(locale).to_owned(),
            kind: input.kind.into(),
            required: input.required,
            hint: Nullable(input.hint.as_ref().map(|hint| hint.get(locale).to_owned())),
            pattern: Nullable(input.pattern.clone()),
            mask: Nullable(input.mask.clone()),
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

/// An entry of the referral history.
#[body(response)]
struct ReferralHistoryEntry {
    id: Uuid,
    /// Kind of the entry.
    kind: ApiEnum<ReferralHistoryKind>,
    amount: Dec,
    /// Code of the balance currency.
    currency: String,
    /// State of the commission or withdrawal.
    status: ApiEnum<ReferralHistoryStatus>,
    created_at: DateTime,
}

/// A page of the referral history.
#[body(response)]
pub struct ReferralHistoryPage {
    /// Entries, newest first.
    items: Vec<ReferralHistoryEntry>,
    /// Page number, from 1.
    page: u32,
    /// Page size.
    size: u32,
    /// Total number of entries.
    total: i64,
}

impl ReferralHistoryPage {
    pub fn of(history: ReferralHistory, page: u32, size: u32) -> Self {
        let ReferralHistory { lines, total, currency } = history;
        let entry = |row: HistoryEntryRow| ReferralHistoryEntry {
            id: row.id,
            kind: ApiEnum(row.kind),
            amount: Dec(units(row.units, row.scale)),
            currency: currency.clone(),
            status: ApiEnum(row.status),
            created_at: row.created_at.into(),
        };
        Self { items: lines.into_iter().map(entry).collect(), page, size, total }
    }
}

/// Referral statistics of one day.
#[body(response)]
pub struct ReferralDay {
    /// Day in UTC, such as `2024-03-28`.
    date: String,
    /// Visits through the link.
    visits: i64,
    /// Completed claims.
    claims: i64,
    /// Total commission.
    earned: Dec,
}

impl From<ReferralDayStats> for ReferralDay {
    fn from(day: ReferralDayStats) -> Self {
        let date = Timestamp(day.day * super::DAY_MICROS).date();
        Self { date: date.to_string(), visits: day.visits, claims: day.claims, earned: Dec(day.earned) }
    }
}

/// Referral statistics by day, oldest first.
#[body(response)]
pub struct ReferralDays {
    /// The days.
    pub items: Vec<ReferralDay>,
}

/// A visit through a referral link.
#[body(request, example)]
#[derive(Debug)]
pub struct RecordReferralVisitRequest {
    /// Referral code.
    pub code: String,
}

impl Example for RecordReferralVisitRequest {
    fn example() -> Self {
        Self { code: "K7QX4MPA".into() }
    }
}

/// Result of a recorded visit.
#[body(response)]
pub struct ReferralVisitResponse {
    /// Days for which the browser should remember the code, if it has none yet.
    pub days: i64,
}
