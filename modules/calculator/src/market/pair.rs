//! A pair of currencies on the market: how its rate is made, what limits it, and what an operator may change of it.

use std::ops::RangeInclusive;

use agio_core::error::Params;
use agio_core::needs::Proof;
use agio_core::{Amount, Error, FieldError, Result, Timestamp};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::currency::{Currency, amount, out_of_range};
use super::notices::Notices;
use crate::model::engine::MAX_TIERS;
use crate::model::limits::{SetLimits, SetRange};
use crate::model::pricing::{Fee, TierRule};
use crate::store::{PairRow, Stored};

/// The least and the most minutes a rate may be held.
const HOLD_MINUTES: RangeInclusive<i64> = 5..=1_440;
/// The least and the most minutes a payment may be reported without anybody seeing it.
const REPORTED_MINUTES: RangeInclusive<i64> = 10..=10_080;
/// The most digits a percent may have behind the point.
const PERCENT_DIGITS: u32 = 6;

/// The greatest tolerance, in percent: beyond it a payment is another one than was agreed on.
const TOLERANCE_MAX: i64 = 10;

/// How it is stored that nothing is verified.
const NOTHING: &str = "none";

/// Where the rate of a pair comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateSource {
    /// An operator set it.
    Manual,
    /// The sources of rates, joined.
    Market,
}

impl RateSource {
    /// The name it is stored and sent under.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Market => "market",
        }
    }
}

/// How far a payment may be from what was agreed on before the customer is asked. Where nothing is set, the rule of the house holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerance {
    /// By how many percent the course may have moved when a payment comes late.
    pub late_percent: Option<Decimal>,
    /// How much less or more may come, in the sent currency.
    pub amount_fixed: Option<Decimal>,
    /// The same in percent of what is sent; both together count.
    pub amount_percent: Option<Decimal>,
}

impl Tolerance {
    /// Whether it lets more pass than another, or whether that cannot be told because one of them is the house's.
    #[must_use]
    pub fn may_be_wider_than(&self, other: &Self) -> bool {
        let late =
            self.late_percent != other.late_percent && (self.late_percent.is_none() || self.late_percent > other.late_percent);
        let parts = |one: &Self| {
            let is_set = one.amount_fixed.is_some() || one.amount_percent.is_some();
            is_set.then(|| (one.amount_fixed.unwrap_or_default(), one.amount_percent.unwrap_or_default()))
        };
        let amount = match (parts(self), parts(other)) {
            (Some(one), Some(other)) => one.0 > other.0 || one.1 > other.1,
            (one, other) => one != other,
        };
        late || amount
    }
}

/// A pair: what an operator has set for exchanging one currency for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Identifier.
    pub id: i64,
    /// The currency sent.
    pub from: i64,
    /// The currency received.
    pub to: i64,
    /// Whether it is offered at all.
    pub enabled: bool,
    /// Where its rate comes from.
    pub source: RateSource,
    /// The rate an operator set, also while the market's is used.
    pub manual_rate: Option<Decimal>,
    /// What the house keeps of the rate, in percent.
    pub spread_percent: Decimal,
    /// Fees on the sent side.
    pub fee_from: Fee,
    /// Fees on the received side.
    pub fee_to: Fee,
    /// Better or worse rates from some amounts on, ascending.
    pub tiers: Vec<TierRule>,
    /// Limits on either side.
    pub limits: SetLimits,
    /// For how long the rate is held, from the quote to the payment.
    pub hold_minutes: i64,
    /// For how many minutes a payment may be reported without anybody seeing it; nothing where the exchange's own setting holds.
    pub reported_minutes: Option<i64>,
    /// Whether the rate is fixed only when the payment arrives.
    pub floating: bool,
    /// What customers are told.
    pub notices: Notices,
    /// What customers have verified before they pay.
    pub verification: Option<Proof>,
    /// How far a payment may be from what was agreed on.
    pub tolerance: Tolerance,
    /// How often it was changed.
    pub revision: i64,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// What an operator changes of a pair; what is nothing stays as it is.
#[derive(Clone, Debug, Default)]
pub struct PairChange {
    /// Whether it is offered.
    pub enabled: Option<bool>,
    /// Another source of the rate.
    pub source: Option<RateSource>,
    /// Another manual rate, or none.
    pub manual_rate: Option<Option<Decimal>>,
    /// Another spread.
    pub spread_percent: Option<Decimal>,
    /// Other fees on the sent side.
    pub fee_from: Option<Fee>,
    /// Other fees on the received side.
    pub fee_to: Option<Fee>,
    /// Other tiers.
    pub tiers: Option<Vec<TierRule>>,
    /// Other limits on both sides.
    pub limits: Option<SetLimits>,
    /// Another time the rate is held.
    pub hold_minutes: Option<i64>,
    /// Another time a payment may be reported without being seen, or none of its own.
    pub reported_minutes: Option<Option<i64>>,
    /// Whether the rate floats.
    pub floating: Option<bool>,
    /// Other notices.
    pub notices: Option<Notices>,
    /// What is to be verified, or nothing any more.
    pub verification: Option<Option<Proof>>,
    /// Another tolerance.
    pub tolerance: Option<Tolerance>,
}

/// A tier as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredTier {
    min: Stored,
    add_percent: Stored,
}

impl Pair {
    /// Reads a pair of these currencies from its row.
    ///
    /// # Errors
    /// `internal` when the row is not one this program has written.
    pub fn from_row(row: &PairRow, from: &Currency, to: &Currency) -> Result<Self> {
        let (from_scale, to_scale) = (from.facts.scale, to.facts.scale);
        let value = |units: Option<i64>, scale| units.map(|units| Amount::of_units(units, scale).value());
        let tiers: Vec<StoredTier> = serde_json::from_str(&row.tiers).map_err(Error::internal)?;
        Ok(Self {
            id: row.id,
            from: row.from_id,
            to: row.to_id,
            enabled: row.enabled,
            source: if row.source == "manual" { RateSource::Manual } else { RateSource::Market },
            manual_rate: row.manual_rate.map(|rate| rate.0),
            spread_percent: row.spread_percent.0,
            fee_from: Fee { fixed: Amount::of_units(row.fee_from_fixed, from_scale).value(), percent: row.fee_from_percent.0 },
            fee_to: Fee { fixed: Amount::of_units(row.fee_to_fixed, to_scale).value(), percent: row.fee_to_percent.0 },
            tiers: tiers.iter().map(|tier| TierRule { min_send: tier.min.0, add_percent: tier.add_percent.0 }).collect(),
            limits: SetLimits {
                from: SetRange { min: value(row.from_min, from_scale), max: value(row.from_max, from_scale) },
                to: SetRange { min: value(row.to_min, to_scale), max: value(row.to_max, to_scale) },
            },
            hold_minutes: row.hold_minutes,
            reported_minutes: row.reported_minutes,
            floating: row.floating,
            notices: serde_json::from_str(&row.notices).map_err(Error::internal)?,
            verification: if row.verification == NOTHING {
                None
            } else {
                Some(row.verification.parse().map_err(Error::internal)?)
            },
            tolerance: Tolerance {
                late_percent: row.late_tolerance_percent.map(|percent| percent.0),
                amount_fixed: value(row.amount_tolerance_fixed, from_scale),
                amount_percent: row.amount_tolerance_percent.map(|percent| percent.0),
            },
            revision: row.revision,
            updated_at: row.updated_at,
        })
    }

    /// The row it is stored as.
    ///
    /// # Errors
    /// An amount does not fit the scale of its currency; [`Pair::changed`] lets no such pair pass.
    pub fn to_row(&self, from: &Currency, to: &Currency) -> Result<PairRow> {
        let units = |value: Decimal, currency: &Currency| Amount::exact(value, currency.facts.scale).map(Amount::units);
        let limit = |value: Option<Decimal>, currency| value.map(|value| units(value, currency)).transpose();
        let stored = |tier: &TierRule| StoredTier { min: Stored(tier.min_send), add_percent: Stored(tier.add_percent) };
        let tiers: Vec<StoredTier> = self.tiers.iter().map(stored).collect();
        Ok(PairRow {
            id: self.id,
            from_id: self.from,
            to_id: self.to,
            enabled: self.enabled,
            source: self.source.name().to_owned(),
            manual_rate: self.manual_rate.map(Stored),
            spread_percent: Stored(self.spread_percent),
            fee_from_fixed: units(self.fee_from.fixed, from)?,
            fee_from_percent: Stored(self.fee_from.percent),
            fee_to_fixed: units(self.fee_to.fixed, to)?,
            fee_to_percent: Stored(self.fee_to.percent),
            tiers: serde_json::to_string(&tiers).expect("tiers are plain data"),
            from_min: limit(self.limits.from.min, from)?,
            from_max: limit(self.limits.from.max, from)?,
            to_min: limit(self.limits.to.min, to)?,
            to_max: limit(self.limits.to.max, to)?,
            hold_minutes: self.hold_minutes,
            reported_minutes: self.reported_minutes,
            floating: self.floating,
            notices: serde_json::to_string(&self.notices).expect("notices are plain data"),
            verification: self.verification.map_or(NOTHING, Proof::name).to_owned(),
            late_tolerance_percent: self.tolerance.late_percent.map(Stored),
            amount_tolerance_fixed: limit(self.tolerance.amount_fixed, from)?,
            amount_tolerance_percent: self.tolerance.amount_percent.map(Stored),
            revision: self.revision,
            updated_at: self.updated_at,
        })
    }

    /// The pair as an operator wants it.
    ///
    /// # Errors
    /// 422 `validation_failed` with what is wrong with each field.
    pub fn changed(&self, change: PairChange, from: &Currency, to: &Currency) -> Result<Self> {
        let after = Self {
            enabled: change.enabled.unwrap_or(self.enabled),
            source: change.source.unwrap_or(self.source),
            manual_rate: change.manual_rate.unwrap_or(self.manual_rate),
            spread_percent: change.spread_percent.unwrap_or(self.spread_percent),
            fee_from: change.fee_from.unwrap_or(self.fee_from),
            fee_to: change.fee_to.unwrap_or(self.fee_to),
            tiers: change.tiers.unwrap_or_else(|| self.tiers.clone()),
            limits: change.limits.unwrap_or(self.limits),
            hold_minutes: change.hold_minutes.unwrap_or(self.hold_minutes),
            reported_minutes: change.reported_minutes.unwrap_or(self.reported_minutes),
            floating: change.floating.unwrap_or(self.floating),
            notices: change.notices.map_or_else(|| self.notices.clone(), Notices::sanitised),
            verification: change.verification.unwrap_or(self.verification),
            tolerance: change.tolerance.unwrap_or(self.tolerance),
            ..self.clone()
        };
        let wrong = after.faults(from, to);
        if wrong.is_empty() { Ok(after) } else { Err(Error::invalid(wrong)) }
    }

    /// Everything that is wrong with the pair, field by field.
    fn faults(&self, from: &Currency, to: &Currency) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        self.check_rate(&mut wrong);
        check_fee(&mut wrong, "fees.from", self.fee_from, from);
        check_fee(&mut wrong, "fees.to", self.fee_to, to);
        self.check_tiers(&mut wrong, from);
        check_range(&mut wrong, "limits.from", self.limits.from, from);
        check_range(&mut wrong, "limits.to", self.limits.to, to);
        if !HOLD_MINUTES.contains(&self.hold_minutes) {
            wrong.push(out_of_range("hold", HOLD_MINUTES.start(), HOLD_MINUTES.end()));
        }
        if self.reported_minutes.is_some_and(|minutes| !REPORTED_MINUTES.contains(&minutes)) {
            wrong.push(out_of_range("reportedMinutes", REPORTED_MINUTES.start(), REPORTED_MINUTES.end()));
        }
        self.check_tolerance(&mut wrong, from);
        self.notices.check(&mut wrong);
        if self.verification == Some(Proof::Card) && !from.facts.inputs.iter().any(|input| input.kind == "card") {
            wrong.push(fault("verification", "verification_needs_card"));
        }
        wrong
    }

    fn check_rate(&self, wrong: &mut Vec<FieldError>) {
        match self.manual_rate {
            None if self.source == RateSource::Manual => wrong.push(fault("manualRate", "required")),
            Some(rate) if rate <= Decimal::ZERO => wrong.push(fault("manualRate", "rate_not_positive")),
            _ => {}
        }
        check_percent(wrong, "spreadPercent", self.spread_percent, -99..=99);
    }

    fn check_tolerance(&self, wrong: &mut Vec<FieldError>, from: &Currency) {
        let Tolerance { late_percent, amount_fixed, amount_percent } = self.tolerance;
        for (field, percent) in [("tolerance.latePercent", late_percent), ("tolerance.amountPercent", amount_percent)] {
            if let Some(percent) = percent {
                check_percent(wrong, field, percent, 0..=TOLERANCE_MAX);
            }
        }
        if let Some(fixed) = amount_fixed {
            wrong.extend(amount(fixed, from.facts.scale, "tolerance.amountFixed").err());
        }
    }

    fn check_tiers(&self, wrong: &mut Vec<FieldError>, from: &Currency) {
        if self.tiers.len() > MAX_TIERS {
            wrong.push(FieldError {
                field: "tiers".to_owned(),
                code: "too_many_tiers",
                params: Params::from([("max", MAX_TIERS.to_string())]),
            });
        }
        if !self.tiers.is_sorted_by(|before, after| before.min_send < after.min_send) {
            wrong.push(fault("tiers", "tiers_not_ascending"));
        }
        for (place, tier) in self.tiers.iter().enumerate() {
            wrong.extend(amount(tier.min_send, from.facts.scale, &format!("tiers[{place}].min")).err());
            check_percent(wrong, &format!("tiers[{place}].addPercent"), tier.add_percent, -99..=99);
        }
    }
}

fn check_fee(wrong: &mut Vec<FieldError>, field: &str, fee: Fee, currency: &Currency) {
    wrong.extend(amount(fee.fixed, currency.facts.scale, &format!("{field}.fixed")).err());
    check_percent(wrong, &format!("{field}.percent"), fee.percent, 0..=99);
}

fn check_percent(wrong: &mut Vec<FieldError>, field: &str, percent: Decimal, range: RangeInclusive<i64>) {
    if percent < Decimal::from(*range.start()) || percent > Decimal::from(*range.end()) {
        wrong.push(out_of_range(field, range.start(), range.end()));
    } else if percent.normalize().scale() > PERCENT_DIGITS {
        let params = Params::from([("digits", PERCENT_DIGITS.to_string())]);
        wrong.push(FieldError { field: field.to_owned(), code: "too_many_digits", params });
    }
}

fn check_range(wrong: &mut Vec<FieldError>, field: &str, range: SetRange, currency: &Currency) {
    for (end, value) in [("min", range.min), ("max", range.max)] {
        let Some(value) = value else { continue };
        wrong.extend(amount(value, currency.facts.scale, &format!("{field}.{end}")).err());
    }
    if let (Some(min), Some(max)) = (range.min, range.max)
        && min > max
    {
        wrong.push(fault(&format!("{field}.max"), "max_below_min"));
    }
}

fn fault(field: &str, code: &'static str) -> FieldError {
    FieldError { field: field.to_owned(), code, params: Params::new() }
}
