//! What a partner earns by a claim: a share of the profit, in the currency received, or of the amount, in the currency sent.
//!
//! The share is of the currency it is a share of, so nothing is converted and no rate is needed for it.

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;

/// The most decimals of a percent.
const PERCENT_DIGITS: u32 = 4;

/// What a partner gets a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommissionKind {
    /// Of what the house earned.
    Profit,
    /// Of what was sent.
    Amount,
}

impl CommissionKind {
    const ALL: [Self; 2] = [Self::Profit, Self::Amount];

    /// The name it is stored and sent under.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Profit => "profit",
            Self::Amount => "amount",
        }
    }
}

impl fmt::Display for CommissionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CommissionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| format!("{text:?} is no kind of commission"))
    }
}

agio_core::text_column!(CommissionKind);

/// Whether a partner can be given this percent: 0 to 100, with four decimals at most.
#[must_use]
pub fn is_percent(percent: Decimal) -> bool {
    !percent.is_sign_negative() && percent <= Decimal::ONE_HUNDRED && percent.normalize().scale() <= PERCENT_DIGITS
}

/// A percent of so many units, rounded down; nothing where there is nothing to share, or the percent is none.
#[must_use]
pub fn share(units: i64, percent: Decimal) -> i64 {
    if units <= 0 || !is_percent(percent) {
        return 0;
    }
    let percent = percent.normalize();
    // At most 2^63 times 10^6: far inside 128 bits.
    let whole = 100 * 10_i128.pow(percent.scale());
    let share = i128::from(units) * percent.mantissa() / whole;
    i64::try_from(share).expect("a share of at most the whole is no more than the whole")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(units: i64, percent: &str) -> i64 {
        share(units, percent.parse().unwrap())
    }

    #[test]
    fn a_share_is_rounded_down() {
        assert_eq!(of(1_000, "20"), 200);
        assert_eq!(of(999, "10"), 99);
        assert_eq!(of(9, "10"), 0);
        assert_eq!(of(1_000_000, "0.0001"), 1);
        assert_eq!(of(i64::MAX, "100"), i64::MAX);
        assert_eq!(of(100, "50.0000"), 50);
    }

    #[test]
    fn a_loss_and_no_percent_come_to_nothing() {
        assert_eq!((of(-5_000, "20"), of(0, "20"), of(5_000, "0")), (0, 0, 0));
    }

    #[test]
    fn a_percent_is_of_a_whole() {
        let fits = |text: &str| is_percent(text.parse().unwrap());
        assert!(fits("0") && fits("0.0001") && fits("100") && fits("12.50000"));
        assert!(!fits("-0.1") && !fits("100.0001") && !fits("0.00001"));
    }

    proptest! {
        #[test]
        fn a_share_is_never_more_than_the_percent_and_less_than_a_unit_below(units in 1..i64::MAX, percent in 0_i64..=1_000_000) {
            let share = i128::from(share(units, Decimal::new(percent, 4)));
            let exact = i128::from(units) * i128::from(percent);
            prop_assert!(share * 1_000_000 <= exact && exact < (share + 1) * 1_000_000);
        }
    }
}
