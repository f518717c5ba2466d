//! Pairs: rate, limits and updates.

use std::ops::RangeInclusive;

use agio_contracts::{CustomerTerms, NetworkFeePayer, VerificationSubject, direction_cities};
use agio_core::{Amount, Error, FieldError, Result, Timestamp};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::currency::{Currency, amount, out_of_range};
use super::pair_notices::{BilingualNotice, PairNotices};
use crate::model::engine::MAX_TIERS;
use crate::model::limits::{ConfiguredLimits, ConfiguredRange};
use crate::model::pricing::{Fee, TierRule};
use crate::store::PairRow;
use agio_core::decimal::StoredDecimal;

const HOLD_MINUTES: RangeInclusive<i64> = 5..=1_440;
/// Of a new pair.
pub(crate) const NEW_HOLD_MINUTES: i64 = 20;
/// Minutes a reported payment may stay undetected.
const REPORTED_MINUTES: RangeInclusive<i64> = 10..=10_080;
/// Maximum decimals of a percentage.
const PERCENT_DIGITS: u32 = 6;

/// Maximum tolerance in percent.
const TOLERANCE_MAX: i64 = 10;

/// Stored value for no verification.
const NOTHING: &str = "none";

agio_core::named! {
    /// Where the rate of a pair comes from.
    RateSourceKind {
        /// Set by staff.
        Manual = "manual",
        /// Calculated from rate sources.
        Market = "market",
    }
}

/// Tolerance for payments that differ from the agreed terms. `None` uses the global rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerance {
    /// Accepted rate change for a late payment, in percent.
    pub late_percent: Option<Decimal>,
    /// Accepted difference in the give currency.
    pub amount_fixed: Option<Decimal>,
    /// Accepted difference in percent of the give amount, added to the fixed part.
    pub amount_percent: Option<Decimal>,
}

impl Tolerance {
    /// Whether this tolerance may be wider than another. Also true if they cannot be compared because one uses the
    /// global rules.
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

/// A configured pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub id: i64,
    pub give_id: i64,
    pub receive_id: i64,
    pub enabled: bool,
    /// Taken out of the offer for good. An archived pair is disabled.
    pub archived: bool,
    pub source: RateSourceKind,
    /// The manual rate. Kept while the market rate is used.
    pub manual_rate: Option<Decimal>,
    /// Spread, in percent of the rate.
    pub spread_percent: Decimal,
    pub give_fee: Fee,
    pub receive_fee: Fee,
    /// Who bears the network fee of the receive currency.
    pub network_fee_payer: NetworkFeePayer,
    /// Rate tiers by give amount, ascending.
    pub tiers: Vec<TierRule>,
    pub limits: ConfiguredLimits,
    /// Minutes the rate is held, from the quote to the payment.
    pub hold_minutes: i64,
    /// Minutes a reported payment may stay undetected. `None` uses the global setting.
    pub reported_minutes: Option<i64>,
    /// Whether the rate is fixed when the payment arrives.
    pub floating: bool,
    pub notices: PairNotices,
    /// What customers accept before they pay.
    pub customer_terms: Option<BilingualNotice>,
    /// Codes of the cities it is limited to. Empty: all cities of its cash.
    pub cities: Vec<String>,
    pub verification: Option<VerificationSubject>,
    pub tolerance: Tolerance,
    pub revision: i64,
    pub updated_at: Timestamp,
}

/// Changes to a pair. `None` keeps the value.
#[derive(Clone, Debug, Default)]
pub struct PairChange {
    pub enabled: Option<bool>,
    /// `Some(true)` also disables the pair.
    pub archived: Option<bool>,
    pub source: Option<RateSourceKind>,
    /// `Some(None)` removes it.
    pub manual_rate: Option<Option<Decimal>>,
    pub spread_percent: Option<Decimal>,
    pub give_fee: Option<Fee>,
    pub receive_fee: Option<Fee>,
    pub network_fee_payer: Option<NetworkFeePayer>,
    pub tiers: Option<Vec<TierRule>>,
    pub limits: Option<ConfiguredLimits>,
    pub hold_minutes: Option<i64>,
    /// `Some(None)` uses the global setting.
    pub reported_minutes: Option<Option<i64>>,
    pub floating: Option<bool>,
    pub notices: Option<PairNotices>,
    /// `Some(None)` removes them.
    pub customer_terms: Option<Option<BilingualNotice>>,
    /// Empty: all cities of its cash.
    pub cities: Option<Vec<String>>,
    /// `Some(None)` removes it.
    pub verification: Option<Option<VerificationSubject>>,
    pub tolerance: Option<Tolerance>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredTier {
    min: StoredDecimal,
    add_percent: StoredDecimal,
}

impl Pair {
    /// A disabled pair at the market's rate, without spread, fees and limits.
    pub fn new(id: i64, give_id: i64, receive_id: i64, now: Timestamp) -> Self {
        Self {
            id,
            give_id,
            receive_id,
            enabled: false,
            archived: false,
            source: RateSourceKind::Market,
            manual_rate: None,
            spread_percent: Decimal::ZERO,
            give_fee: Fee::default(),
            receive_fee: Fee::default(),
            network_fee_payer: NetworkFeePayer::Exchange,
            tiers: Vec::new(),
            limits: ConfiguredLimits::default(),
            hold_minutes: NEW_HOLD_MINUTES,
            reported_minutes: None,
            floating: false,
            notices: PairNotices::default(),
            customer_terms: None,
            cities: Vec::new(),
            verification: None,
            tolerance: Tolerance::default(),
            revision: 1,
            updated_at: now,
        }
    }

    /// Minutes for which a customer may choose whether to pay at the agreed rate. A floating rate promises nothing.
    pub const fn promised_minutes(&self) -> i64 {
        if self.floating { 0 } else { self.hold_minutes }
    }

    /// The terms that customers accept before they pay.
    pub fn customer_terms(&self) -> Option<CustomerTerms> {
        self.customer_terms.as_ref().map(BilingualNotice::as_terms)
    }

    /// # Errors
    /// `internal` if the row is invalid.
    pub fn from_row(row: &PairRow, from: &Currency, to: &Currency) -> Result<Self> {
        let value = |units: Option<i64>, currency: &Currency| units.map(|units| currency.amount(units).value());
        let tiers: Vec<StoredTier> = serde_json::from_str(&row.tiers).map_err(Error::internal)?;
        Ok(Self {
            id: row.id,
            give_id: row.give_id,
            receive_id: row.receive_id,
            enabled: row.enabled,
            archived: row.archived,
            source: row.source,
            manual_rate: row.manual_rate.map(|rate| rate.0),
            spread_percent: row.spread_percent.0,
            give_fee: Fee { fixed: from.amount(row.give_fee_fixed).value(), percent: row.give_fee_percent.0 },
            receive_fee: Fee { fixed: to.amount(row.receive_fee_fixed).value(), percent: row.receive_fee_percent.0 },
            network_fee_payer: row.network_fee_payer,
            tiers: tiers.iter().map(|tier| TierRule { min_give: tier.min.0, add_percent: tier.add_percent.0 }).collect(),
            limits: ConfiguredLimits {
                give: ConfiguredRange {
                    min: value(row.give_min, from),
                    max: value(row.give_max, from),
                    step: value(row.give_step, from),
                },
                receive: ConfiguredRange {
                    min: value(row.receive_min, to),
                    max: value(row.receive_max, to),
                    step: value(row.receive_step, to),
                },
            },
            hold_minutes: row.hold_minutes,
            reported_minutes: row.reported_minutes,
            floating: row.floating,
            notices: serde_json::from_str(&row.notices).map_err(Error::internal)?,
            customer_terms: row.customer_terms.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
            cities: serde_json::from_str(&row.cities).map_err(Error::internal)?,
            verification: if row.verification == NOTHING {
                None
            } else {
                Some(row.verification.parse().map_err(Error::internal)?)
            },
            tolerance: Tolerance {
                late_percent: row.late_tolerance_percent.map(|percent| percent.0),
                amount_fixed: value(row.amount_tolerance_fixed, from),
                amount_percent: row.amount_tolerance_percent.map(|percent| percent.0),
            },
            revision: row.revision,
            updated_at: row.updated_at,
        })
    }

    /// # Errors
    /// An amount does not fit the scale of its currency; [`Pair::changed`] rejects such pairs.
    pub fn to_row(&self, from: &Currency, to: &Currency) -> Result<PairRow> {
        let units = |value: Decimal, currency: &Currency| currency.facts.exact(value).map(Amount::units);
        let limit = |value: Option<Decimal>, currency| value.map(|value| units(value, currency)).transpose();
        let stored =
            |tier: &TierRule| StoredTier { min: StoredDecimal(tier.min_give), add_percent: StoredDecimal(tier.add_percent) };
        let tiers: Vec<StoredTier> = self.tiers.iter().map(stored).collect();
        Ok(PairRow {
            id: self.id,
            give_id: self.give_id,
            receive_id: self.receive_id,
            enabled: self.enabled,
            archived: self.archived,
            source: self.source,
            manual_rate: self.manual_rate.map(StoredDecimal),
            spread_percent: StoredDecimal(self.spread_percent),
            give_fee_fixed: units(self.give_fee.fixed, from)?,
            give_fee_percent: StoredDecimal(self.give_fee.percent),
            receive_fee_fixed: units(self.receive_fee.fixed, to)?,
            receive_fee_percent: StoredDecimal(self.receive_fee.percent),
            network_fee_payer: self.network_fee_payer,
            tiers: serde_json::to_string(&tiers).expect("tiers are plain data"),
            give_min: limit(self.limits.give.min, from)?,
            give_max: limit(self.limits.give.max, from)?,
            receive_min: limit(self.limits.receive.min, to)?,
            receive_max: limit(self.limits.receive.max, to)?,
            give_step: limit(self.limits.give.step, from)?,
            receive_step: limit(self.limits.receive.step, to)?,
            hold_minutes: self.hold_minutes,
            reported_minutes: self.reported_minutes,
            floating: self.floating,
            notices: serde_json::to_string(&self.notices).expect("notices are plain data"),
            customer_terms: self.customer_terms.as_ref().map(|terms| serde_json::to_string(terms).expect("terms are plain data")),
            cities: serde_json::to_string(&self.cities).expect("codes are plain data"),
            verification: self.verification.map_or(NOTHING, VerificationSubject::name).to_owned(),
            late_tolerance_percent: self.tolerance.late_percent.map(StoredDecimal),
            amount_tolerance_fixed: limit(self.tolerance.amount_fixed, from)?,
            amount_tolerance_percent: self.tolerance.amount_percent.map(StoredDecimal),
            revision: self.revision,
            updated_at: self.updated_at,
        })
    }

    /// Applies a change.
    ///
    /// # Errors
    /// 422 `validation_failed` with every invalid field.
    pub fn changed(&self, change: PairChange, from: &Currency, to: &Currency) -> Result<Self> {
        let (enabled, archived) = (change.enabled.unwrap_or(self.enabled), change.archived.unwrap_or(self.archived));
        let opens_archived = enabled && archived && change.archived.is_none();
        // Cities that a currency has lost since stay where they were set, and nothing happens there.
        let unknown_cities = city_faults(change.cities.as_deref().unwrap_or_default(), from, to);
        let after = Self {
            enabled: enabled && !archived,
            archived,
            source: change.source.unwrap_or(self.source),
            manual_rate: change.manual_rate.unwrap_or(self.manual_rate),
            spread_percent: change.spread_percent.unwrap_or(self.spread_percent),
            give_fee: change.give_fee.unwrap_or(self.give_fee),
            receive_fee: change.receive_fee.unwrap_or(self.receive_fee),
            network_fee_payer: change.network_fee_payer.unwrap_or(self.network_fee_payer),
            tiers: change.tiers.unwrap_or_else(|| self.tiers.clone()),
            limits: change.limits.unwrap_or(self.limits),
            hold_minutes: change.hold_minutes.unwrap_or(self.hold_minutes),
            reported_minutes: change.reported_minutes.unwrap_or(self.reported_minutes),
            floating: change.floating.unwrap_or(self.floating),
            notices: change.notices.map_or_else(|| self.notices.clone(), PairNotices::sanitised),
            customer_terms: match change.customer_terms {
                Some(terms) => terms.map(BilingualNotice::sanitised),
                None => self.customer_terms.clone(),
            },
            cities: change.cities.unwrap_or_else(|| self.cities.clone()),
            verification: change.verification.unwrap_or(self.verification),
            tolerance: change.tolerance.unwrap_or(self.tolerance),
            ..self.clone()
        };
        let mut wrong = after.faults(from, to);
        wrong.extend(unknown_cities);
        wrong.extend(opens_archived.then(|| FieldError::new("enabled", "pair_archived")));
        if wrong.is_empty() { Ok(after) } else { Err(Error::invalid(wrong)) }
    }

    /// Every invalid field.
    fn faults(&self, from: &Currency, to: &Currency) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        self.check_rate(&mut wrong);
        check_fee(&mut wrong, "fees.from", self.give_fee, from);
        check_fee(&mut wrong, "fees.to", self.receive_fee, to);
        self.check_tiers(&mut wrong, from);
        check_range(&mut wrong, "limits.from", self.limits.give, from);
        check_range(&mut wrong, "limits.to", self.limits.receive, to);
        if !HOLD_MINUTES.contains(&self.hold_minutes) {
            wrong.push(out_of_range("hold", HOLD_MINUTES.start(), HOLD_MINUTES.end()));
        }
        if self.reported_minutes.is_some_and(|minutes| !REPORTED_MINUTES.contains(&minutes)) {
            wrong.push(out_of_range("reportedMinutes", REPORTED_MINUTES.start(), REPORTED_MINUTES.end()));
        }
        self.check_tolerance(&mut wrong, from);
        self.notices.check(&mut wrong);
        if let Some(terms) = &self.customer_terms {
            terms.check(&mut wrong, "customerTerms");
        }
        if self.verification == Some(VerificationSubject::Card)
            && !from.facts.inputs.iter().any(|input| input.kind == agio_requisites::RequisiteKind::Card)
        {
            wrong.push(FieldError::new("verification", "verification_needs_card"));
        }
        wrong
    }

    fn check_rate(&self, wrong: &mut Vec<FieldError>) {
        match self.manual_rate {
            None if self.source == RateSourceKind::Manual => wrong.push(FieldError::new("manualRate", "required")),
            Some(rate) if rate <= Decimal::ZERO => wrong.push(FieldError::new("manualRate", "rate_not_positive")),
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
            wrong.extend(amount(fixed, &from.facts, "tolerance.amountFixed").err());
        }
    }

    fn check_tiers(&self, wrong: &mut Vec<FieldError>, from: &Currency) {
        if self.tiers.len() > MAX_TIERS {
            wrong.push(FieldError::new("tiers", "too_many_tiers").with("max", MAX_TIERS));
        }
        if !self.tiers.is_sorted_by(|before, after| before.min_give < after.min_give) {
            wrong.push(FieldError::new("tiers", "tiers_not_ascending"));
        }
        for (place, tier) in self.tiers.iter().enumerate() {
            wrong.extend(amount(tier.min_give, &from.facts, &format!("tiers[{place}].min")).err());
            check_percent(wrong, &format!("tiers[{place}].addPercent"), tier.add_percent, -99..=99);
        }
    }
}

/// The cities that the direction does not have, and those named twice.
fn city_faults(codes: &[String], from: &Currency, to: &Currency) -> Vec<FieldError> {
    let possible = direction_cities(&from.facts, &to.facts);
    let fault = |(place, code): (usize, &String)| {
        let fault = match possible.iter().any(|city| city.code == *code) {
            false if possible.is_empty() => "city_unfit",
            false => "city_not_of_currency",
            true if codes[..place].contains(code) => "city_taken",
            true => return None,
        };
        Some(FieldError::new(format!("cities[{place}]"), fault))
    };
    codes.iter().enumerate().filter_map(fault).collect()
}

fn check_fee(wrong: &mut Vec<FieldError>, field: &str, fee: Fee, currency: &Currency) {
    wrong.extend(amount(fee.fixed, &currency.facts, &format!("{field}.fixed")).err());
    check_percent(wrong, &format!("{field}.percent"), fee.percent, 0..=99);
}

fn check_percent(wrong: &mut Vec<FieldError>, field: &str, percent: Decimal, range: RangeInclusive<i64>) {
    if percent < Decimal::from(*range.start()) || percent > Decimal::from(*range.end()) {
        wrong.push(out_of_range(field, range.start(), range.end()));
    } else if percent.normalize().scale() > PERCENT_DIGITS {
        wrong.push(FieldError::new(field, "too_many_digits").with("digits", PERCENT_DIGITS));
    }
}

fn check_range(wrong: &mut Vec<FieldError>, field: &str, range: ConfiguredRange, currency: &Currency) {
    for (end, value) in [("min", range.min), ("max", range.max), ("step", range.step)] {
        let Some(value) = value else { continue };
        wrong.extend(amount(value, &currency.facts, &format!("{field}.{end}")).err());
    }
    if let (Some(min), Some(max)) = (range.min, range.max)
        && min > max
    {
        wrong.push(FieldError::new(format!("{field}.max"), "max_below_min"));
    }
    if range.step.is_some_and(|step| step.is_zero()) {
        wrong.push(FieldError::new(format!("{field}.step"), "step_not_positive"));
    }
}
