//! Rounding of amounts. [`Ratio`](agio_core::ratio::Ratio) rounds rates.
//!
//! Amounts paid out are rounded down, amounts requested are rounded up, to digits named by the caller. Nothing else
//! drops a digit.

use rust_decimal::{Decimal, RoundingStrategy};

/// An amount in units of 10^-8 of its currency.
pub(crate) type Units = i128;

/// 10^`exponent`, for exponents up to 38.
pub(crate) const fn power_of_ten(exponent: u32) -> i128 {
    10_i128.pow(exponent)
}

/// Rounds down (towards minus infinity) to `digits` decimals.
pub fn round_down(value: Decimal, digits: u32) -> Decimal {
    value.round_dp_with_strategy(digits, RoundingStrategy::ToNegativeInfinity)
}

/// Rounds units down to a multiple of `grid`.
pub(crate) fn units_down(units: Units, grid: Units) -> Units {
    units - units.rem_euclid(grid)
}

/// Rounds units up to a multiple of `grid`.
pub(crate) fn units_up(units: Units, grid: Units) -> Units {
    -units_down(-units, grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_down() {
        let number = |text: &str| text.parse::<Decimal>().expect("a decimal number");
        assert_eq!(round_down(number("1.239"), 2), number("1.23"));
        assert_eq!(round_down(number("1.23"), 2), number("1.23"));
        assert_eq!(round_down(number("-1.231"), 2), number("-1.24"));
    }
}
