//! The terms of a programme and the arithmetic of a share.
//!
//! A share is computed in whole numbers of any size and rounded down once, to units of the balance's currency. Nothing before that is rounded
//! here, so what a referrer earns is never a unit more than the terms say.

use num_bigint::BigInt;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Kind;

/// Decimals in which referred volume is counted, in the base currency.
pub const VOLUME_SCALE: u32 = 4;

/// The most tiers a programme has.
const TIERS_MAX: usize = 20;

/// The most decimals of a percent and of an amount in the terms.
const PERCENT_DIGITS: u32 = 4;
const AMOUNT_DIGITS: u32 = 8;

/// The longest holding time: ten years.
const HOLD_HOURS_MAX: i64 = 87_600;

/// A percent that holds from a referred volume on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// The least volume, in the base currency.
    #[serde(with = "decimal_text")]
    pub from: Decimal,
    /// How many percent.
    #[serde(with = "decimal_text")]
    pub percent: Decimal,
}

/// What referrers earn by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// What the share is of.
    pub kind: Kind,
    /// Percents by volume, from nothing on, rising.
    pub tiers: Vec<Tier>,
    /// What is less, in the base currency, is not accrued.
    #[serde(with = "decimal_text")]
    pub accrual_min: Decimal,
    /// For how many hours what is earned cannot be asked for.
    pub hold_hours: i64,
    /// The least withdrawal, in the currency of the balance.
    #[serde(with = "decimal_text")]
    pub withdrawal_min: Decimal,
}

/// Decimals as text, the way they are stored.
mod decimal_text {
    use rust_decimal::Decimal;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(number: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&agio_core::money::plain(*number))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// What is wrong with a field of the terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The field, as the API names it.
    pub field: String,
    /// A code.
    pub code: &'static str,
}

impl Terms {
    /// The percent that holds at a volume.
    #[must_use]
    pub fn percent(&self, volume: Decimal) -> Decimal {
        self.tiers.iter().rev().find(|tier| tier.from <= volume).map_or(Decimal::ZERO, |tier| tier.percent)
    }

    /// The tier that comes next at a volume, if there is one.
    #[must_use]
    pub fn next(&self, volume: Decimal) -> Option<&Tier> {
        self.tiers.iter().find(|tier| tier.from > volume)
    }

    /// What is wrong with them; nothing where they can hold.
    #[must_use]
    pub fn faults(&self) -> Vec<Refused> {
        let mut faults = Vec::new();
        let mut refuse = |field: String, code| faults.push(Refused { field, code });
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
        for (field, amount) in [("accrualMin", self.accrual_min), ("withdrawalMin", self.withdrawal_min)] {
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

/// Whether a number can be an amount of the terms: not below zero, exact, and small enough to be counted.
fn is_amount(amount: Decimal) -> bool {
    !amount.is_sign_negative() && amount.normalize().scale() <= AMOUNT_DIGITS && amount <= Decimal::from(1_000_000_000_000_i64)
}

/// What a share comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// So many units, at least one.
    Units(i64),
    /// Less than is accrued.
    TooLittle,
    /// More than can be counted, or a price that cannot be one.
    Unknown,
}

/// `percent` of what is worth `worth` in the base currency, in a currency of `scale` decimals one of which is worth `price`, rounded down.
/// What is worth less than `least` in the base currency is too little.
#[must_use]
pub fn share(worth: Decimal, percent: Decimal, least: Decimal, price: Decimal, scale: u32) -> Share {
    if price <= Decimal::ZERO {
        return Share::Unknown;
    }
    if worth <= Decimal::ZERO {
        return Share::TooLittle;
    }
    let parts = |number: Decimal| (BigInt::from(number.mantissa()), number.scale());
    let ((worth, w), (percent, p), (least, l), (price, r)) = (parts(worth), parts(percent), parts(least), parts(price));
    // In the base currency the share is `share` of 10^-(w + p + 2).
    let (share, digits) = (worth * percent, w + p + 2);
    if &share * ten_to(l) < least * ten_to(digits) {
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

/// A worth as referred volume: rounded down to its decimals, and no more than can be counted.
#[must_use]
pub fn volume_units(worth: Decimal) -> i64 {
    if worth <= Decimal::ZERO {
        return 0;
    }
    let units = BigInt::from(worth.mantissa()) * ten_to(VOLUME_SCALE) / ten_to(worth.scale());
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

    fn terms(tiers: &[(&str, &str)]) -> Terms {
        let tier = |(from, percent): &(&str, &str)| Tier { from: decimal(from), percent: decimal(percent) };
        Terms {
            kind: Kind::Profit,
            tiers: tiers.iter().map(tier).collect(),
            accrual_min: decimal("0.01"),
            hold_hours: 72,
            withdrawal_min: decimal("10"),
        }
    }

    #[test]
    fn a_tier_holds_from_its_volume_on() {
        let terms = terms(&[("0", "20"), ("1000", "25"), ("5000.5", "30")]);
        assert_eq!(terms.faults(), []);
        for (volume, percent) in [("0", "20"), ("999.9999", "20"), ("1000", "25"), ("5000.5", "30"), ("99999999", "30")] {
            assert_eq!(terms.percent(decimal(volume)), decimal(percent), "{volume}");
        }
        assert_eq!(terms.next(decimal("1000")).unwrap().percent, decimal("30"));
        assert_eq!(terms.next(decimal("6000")), None);
    }

    #[test]
    fn terms_that_cannot_hold_say_why() {
        let fault = |tiers: &[(&str, &str)]| terms(tiers).faults().pop().map(|fault| (fault.field, fault.code));
        assert_eq!(fault(&[]), Some(("tiers".into(), "referral_tiers_count")));
        assert_eq!(fault(&[("1", "20")]), Some(("tiers[0].from".into(), "referral_tier_first")));
        assert_eq!(fault(&[("0", "20"), ("0", "25")]), Some(("tiers[1].from".into(), "referral_tiers_rise")));
        assert_eq!(fault(&[("0", "100.01")]), Some(("tiers[0].percent".into(), "referral_percent")));
        assert_eq!(fault(&[("0", "-1")]), Some(("tiers[0].percent".into(), "referral_percent")));
        assert_eq!(Terms { hold_hours: -1, ..terms(&[("0", "1")]) }.faults()[0].code, "referral_hold_hours");
        assert_eq!(Terms { accrual_min: decimal("-1"), ..terms(&[("0", "1")]) }.faults()[0].field, "accrualMin");
    }

    #[test]
    fn a_share_is_rounded_down_once() {
        let of = |worth, percent, price, scale| share(decimal(worth), decimal(percent), Decimal::ZERO, decimal(price), scale);
        assert_eq!(of("100", "20", "1", 6), Share::Units(20_000_000));
        assert_eq!(of("0.000019", "10", "1", 6), Share::Units(1));
        assert_eq!(of("10", "33.3333", "1", 2), Share::Units(333));
        // A third of a unit's price: 1 / 0.3 units are 3.
        assert_eq!(of("1", "100", "0.3", 0), Share::Units(3));
        assert_eq!(of("0.000001", "10", "1", 6), Share::TooLittle);
        assert_eq!(of("-5", "20", "1", 6), Share::TooLittle);
        assert_eq!(of("5", "20", "0", 6), Share::Unknown);
        assert_eq!(of("99999999999999999999", "100", "0.00000001", 8), Share::Unknown);
    }

    #[test]
    fn what_is_below_the_least_is_not_accrued() {
        let of = |worth| share(decimal(worth), decimal("10"), decimal("0.01"), Decimal::ONE, 8);
        assert_eq!(of("0.09999999"), Share::TooLittle);
        assert_eq!(of("0.1"), Share::Units(1_000_000));
    }

    #[test]
    fn volume_is_rounded_down() {
        assert_eq!(volume_units(decimal("12.34567")), 123_456);
        assert_eq!(volume_units(decimal("-1")), 0);
    }

    #[test]
    fn a_share_is_never_more_than_the_terms_say() {
        let reached = Cell::new(0);
        let asked = ((1_i64..i64::MAX, 0_u32..18), 0_i64..1_000_000, (1_i64..1_000_000_000_000, 0_u32..12), 0_u32..9);
        let held = TestRunner::deterministic().run(&asked, |((worth, worth_scale), percent, (price, price_scale), scale)| {
            let (worth, percent) = (Decimal::new(worth, worth_scale), Decimal::new(percent, 4));
            let price = Decimal::new(price, price_scale);
            if let Share::Units(units) = share(worth, percent, Decimal::ZERO, price, scale) {
                let exact = |number: Decimal| (BigInt::from(number.mantissa()), number.scale());
                let ((w, ws), (p, ps), (r, rs)) = (exact(worth), exact(percent), exact(price));
                // units * price <= worth * percent / 100 < (units + 1) * price, all multiplied out.
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
