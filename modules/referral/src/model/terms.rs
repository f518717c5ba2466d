//! Plan terms and commission arithmetic.
//!
//! Computed in arbitrary-precision integers and rounded down once, to units of the balance currency.

use agio_core::FieldError;
use num_bigint::BigInt;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::ReferralKind;

/// Scale of referred volume in the base currency.
pub const VOLUME_SCALE: u32 = 4;

const TIERS_MAX: usize = 20;

const PERCENT_DIGITS: u32 = 4;
const AMOUNT_DIGITS: u32 = 8;

/// Ten years.
const HOLD_HOURS_MAX: i64 = 87_600;

/// A percentage that applies from a referred volume on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommissionTier {
    /// Minimum volume, in the base currency.
    #[serde(with = "agio_core::decimal::text")]
    pub from: Decimal,
    /// Commission percentage.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanTerms {
    pub kind: ReferralKind,
    /// Ascending; the first starts at 0.
    pub tiers: Vec<CommissionTier>,
    /// Smallest commission, in the base currency; less is not credited.
    #[serde(with = "agio_core::decimal::text")]
    pub min_commission: Decimal,
    pub hold_hours: i64,
    /// Minimum withdrawal, in the balance currency.
    #[serde(with = "agio_core::decimal::text")]
    pub withdrawal_min: Decimal,
}

impl PlanTerms {
    pub fn percent(&self, volume: Decimal) -> Decimal {
        self.tiers.iter().rev().find(|tier| tier.from <= volume).map_or(Decimal::ZERO, |tier| tier.percent)
    }

    pub fn next(&self, volume: Decimal) -> Option<&CommissionTier> {
        self.tiers.iter().find(|tier| tier.from > volume)
    }

    /// Validation errors.
    pub fn faults(&self) -> Vec<FieldError> {
        let mut faults = Vec::new();
        let mut refuse = |field: String, code| faults.push(FieldError::new(field, code));
        if self.tiers.is_empty() || self.tiers.len() > TIERS_MAX {
            refuse("tiers".into(), "referral_tiers_count");
        }
        if self.tiers.first().is_some_and(|tier| !tier.from.is_zero()) {
            refuse("tiers[0].from".into(), "referral_tier_first");
        }
        for (place, tier) in self.tiers.iter().enumerate() {
            if !is_amount(tier.from) {
                refuse(format!("tiers[{place}].from"), "not_an_amount");
            } else if place > 0 && tier.from <= self.tiers[place - 1].from {
                refuse(format!("tiers[{place}].from"), "referral_tiers_rise");
            }
            let is_percent = !tier.percent.is_sign_negative()
                && tier.percent <= Decimal::ONE_HUNDRED
                && tier.percent.normalize().scale() <= PERCENT_DIGITS;
            if !is_percent {
                refuse(format!("tiers[{place}].percent"), "referral_percent");
            }
        }
        for (field, amount) in [("minCommission", self.min_commission), ("withdrawalMin", self.withdrawal_min)] {
            if !is_amount(amount) {
                refuse(field.into(), "not_an_amount");
            }
        }
        if !(0..=HOLD_HOURS_MAX).contains(&self.hold_hours) {
            refuse("holdHours".into(), "referral_hold_hours");
        }
        faults
    }
}

/// Not negative, exact, and small enough.
fn is_amount(amount: Decimal) -> bool {
    !amount.is_sign_negative() && amount.normalize().scale() <= AMOUNT_DIGITS && amount <= Decimal::from(1_000_000_000_000_i64)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// At least one unit.
    Units(i64),
    TooLittle,
    /// Overflow or an invalid price.
    Unknown,
}

/// `percent` of `value` (in the base currency) in units of a currency with `scale` decimals and the given `price`,
/// rounded down. `TooLittle` if the result is worth less than `min`.
pub fn share(value: Decimal, percent: Decimal, min: Decimal, price: Decimal, scale: u32) -> Share {
    if price <= Decimal::ZERO {
        return Share::Unknown;
    }
    if value <= Decimal::ZERO {
        return Share::TooLittle;
    }
    let parts = |number: Decimal| (BigInt::from(number.mantissa()), number.scale());
    let ((value, w), (percent, p), (min, l), (price, r)) = (parts(value), parts(percent), parts(min), parts(price));
    // In the base currency the result is `share` times 10^-(w + p + 2).
    let (share, digits) = (value * percent, w + p + 2);
    if &share * ten_to(l) < min * ten_to(digits) {
        return Share::TooLittle;
    }
    let units = share * ten_to(r + scale) / (price * ten_to(digits));
    match i64::try_from(units) {
        Ok(0) => Share::TooLittle,
        Ok(units) => Share::Units(units),
        Err(_) => Share::Unknown,
    }
}

fn ten_to(power: u32) -> BigInt {
    BigInt::from(10).pow(power)
}

/// Rounded down; 0 on overflow.
pub fn volume_units(value: Decimal) -> i64 {
    if value <= Decimal::ZERO {
        return 0;
    }
    let units = BigInt::from(value.mantissa()) * ten_to(VOLUME_SCALE) / ten_to(value.scale());
    i64::try_from(units).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn terms(tiers: &[(&str, &str)]) -> PlanTerms {
        let tier = |(from, percent): &(&str, &str)| CommissionTier { from: decimal(from), percent: decimal(percent) };
        PlanTerms {
            kind: ReferralKind::Profit,
            tiers: tiers.iter().map(tier).collect(),
            min_commission: decimal("0.01"),
            hold_hours: 72,
            withdrawal_min: decimal("10"),
        }
    }

    #[test]
    fn a_tier_applies_from_its_volume_on() {
        let terms = terms(&[("0", "20"), ("1000", "25"), ("5000.5", "30")]);
        assert_eq!(terms.faults(), []);
        for (volume, percent) in [("0", "20"), ("999.9999", "20"), ("1000", "25"), ("5000.5", "30"), ("99999999", "30")] {
            assert_eq!(terms.percent(decimal(volume)), decimal(percent), "{volume}");
        }
        assert_eq!(terms.next(decimal("1000")).unwrap().percent, decimal("30"));
        assert_eq!(terms.next(decimal("6000")), None);
    }

    #[test]
    fn invalid_terms_are_refused() {
        let fault = |tiers: &[(&str, &str)]| terms(tiers).faults().pop().map(|fault| (fault.field, fault.code));
        assert_eq!(fault(&[]), Some(("tiers".into(), "referral_tiers_count")));
        assert_eq!(fault(&[("1", "20")]), Some(("tiers[0].from".into(), "referral_tier_first")));
        assert_eq!(fault(&[("0", "20"), ("0", "25")]), Some(("tiers[1].from".into(), "referral_tiers_rise")));
        assert_eq!(fault(&[("0", "100.01")]), Some(("tiers[0].percent".into(), "referral_percent")));
        assert_eq!(fault(&[("0", "-1")]), Some(("tiers[0].percent".into(), "referral_percent")));
        assert_eq!(PlanTerms { hold_hours: -1, ..terms(&[("0", "1")]) }.faults()[0].code, "referral_hold_hours");
        assert_eq!(PlanTerms { min_commission: decimal("-1"), ..terms(&[("0", "1")]) }.faults()[0].field, "minCommission");
    }

    #[test]
    fn a_share_is_rounded_down_once() {
        let of = |value, percent, price, scale| share(decimal(value), decimal(percent), Decimal::ZERO, decimal(price), scale);
        assert_eq!(of("100", "20", "1", 6), Share::Units(20_000_000));
        assert_eq!(of("0.000019", "10", "1", 6), Share::Units(1));
        assert_eq!(of("10", "33.3333", "1", 2), Share::Units(333));
        // 1 / 0.3, rounded down.
        assert_eq!(of("1", "100", "0.3", 0), Share::Units(3));
        assert_eq!(of("0.000001", "10", "1", 6), Share::TooLittle);
        assert_eq!(of("-5", "20", "1", 6), Share::TooLittle);
        assert_eq!(of("5", "20", "0", 6), Share::Unknown);
        assert_eq!(of("99999999999999999999", "100", "0.00000001", 8), Share::Unknown);
    }

    #[test]
    fn commission_below_the_minimum_is_not_credited() {
        let of = |value| share(decimal(value), decimal("10"), decimal("0.01"), Decimal::ONE, 8);
        assert_eq!(of("0.09999999"), Share::TooLittle);
        assert_eq!(of("0.1"), Share::Units(1_000_000));
    }

    #[test]
    fn volume_is_rounded_down() {
        assert_eq!(volume_units(decimal("12.34567")), 123_456);
        assert_eq!(volume_units(decimal("-1")), 0);
    }

    #[test]
    fn a_share_never_exceeds_the_terms() {
        let reached = Cell::new(0);
        let inputs = ((1_i64..i64::MAX, 0_u32..18), 0_i64..1_000_000, (1_i64..1_000_000_000_000, 0_u32..12), 0_u32..9);
        let held = TestRunner::deterministic().run(&inputs, |((value, value_scale), percent, (price, price_scale), scale)| {
            let (value, percent) = (Decimal::new(value, value_scale), Decimal::new(percent, 4));
            let price = Decimal::new(price, price_scale);
            if let Share::Units(units) = share(value, percent, Decimal::ZERO, price, scale) {
                let exact = |number: Decimal| (BigInt::from(number.mantissa()), number.scale());
                let ((w, ws), (p, ps), (r, rs)) = (exact(value), exact(percent), exact(price));
                // units * price <= value * percent / 100 < (units + 1) * price, all multiplied out.
                let owed = w * p * ten_to(rs + scale);
                let unit = r * ten_to(ws + ps + 2);
                prop_assert!(BigInt::from(units) * &unit <= owed);
                prop_assert!((BigInt::from(units) + 1) * &unit > owed);
                reached.set(reached.get() + u32::from(units > 0));
            }
            Ok(())
        });
        held.unwrap();
        assert!(reached.get() >= 100, "only {} shares were of something", reached.get());
    }
}
