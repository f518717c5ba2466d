//! Partner commission: a percentage of the profit, in the received currency, or of the amount, in the given
//! currency.
//!
//! It is paid in the currency it is a percentage of, so nothing is converted.

use rust_decimal::Decimal;

const PERCENT_DIGITS: u32 = 4;

agio_core::named! {
    /// What the commission is a percentage of.
    PartnerCommissionKind {
        /// Our profit, in the received currency.
        Profit = "profit",
        /// The amount given, in the given currency.
        Amount = "amount",
    }
}

/// From 0 to 100, with at most four decimals.
pub fn is_percent(percent: Decimal) -> bool {
    !percent.is_sign_negative() && percent <= Decimal::ONE_HUNDRED && percent.normalize().scale() <= PERCENT_DIGITS
}

/// Rounded down; zero for a loss or an invalid percentage.
pub fn share(units: i64, percent: Decimal) -> i64 {
    if units <= 0 || !is_percent(percent) {
        return 0;
    }
    let percent = percent.normalize();
    // At most 2^63 times 10^6, well inside 128 bits.
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
    fn a_loss_or_zero_percent_gives_zero() {
        assert_eq!((of(-5_000, "20"), of(0, "20"), of(5_000, "0")), (0, 0, 0));
    }

    #[test]
    fn percentages_are_validated() {
        let fits = |text: &str| is_percent(text.parse().unwrap());
        assert!(fits("0") && fits("0.0001") && fits("100") && fits("12.50000"));
        assert!(!fits("-0.1") && !fits("100.0001") && !fits("0.00001"));
    }

    proptest! {
        #[test]
        fn a_share_is_rounded_down_by_less_than_a_unit(units in 1..i64::MAX, percent in 0_i64..=1_000_000) {
            let share = i128::from(share(units, Decimal::new(percent, 4)));
            let exact = i128::from(units) * i128::from(percent);
            prop_assert!(share * 1_000_000 <= exact && exact < (share + 1) * 1_000_000);
        }
    }
}
