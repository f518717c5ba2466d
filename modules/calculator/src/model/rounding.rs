//! Where amounts are rounded; courses are, by [`Ratio`](agio_core::ratio::Ratio).
//!
//! What the house pays out is rounded down, what it asks for is rounded up, always to digits that
//! are named by the caller. Nothing but these two drops a digit of an amount or a course.

use rust_decimal::{Decimal, RoundingStrategy};

/// An amount in units of 10^-8 of its currency.
pub(crate) type Units = i128;

/// 10^`exponent`, for exponents up to 38.
pub(crate) const fn power_of_ten(exponent: u32) -> i128 {
    10_i128.pow(exponent)
}

/// Rounds down (towards minus infinity) to `digits` decimals.
#[must_use]
pub fn round_down(value: Decimal, digits: u32) -> Decimal {
    value.round_dp_with_strategy(digits, RoundingStrategy::ToNegativeInfinity)
}

/// Rounds up (towards plus infinity) to `digits` decimals.
#[must_use]
pub fn round_up(value: Decimal, digits: u32) -> Decimal {
    value.round_dp_with_strategy(digits, RoundingStrategy::ToPositiveInfinity)
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
    fn decimals_are_rounded_to_the_side_that_is_named() {
        let number = |text: &str| text.parse::<Decimal>().expect("a decimal number");
        assert_eq!(round_down(number("1.239"), 2), number("1.23"));
        assert_eq!(round_up(number("1.231"), 2), number("1.24"));
        assert_eq!(round_up(number("1.23"), 2), number("1.23"));
        assert_eq!(round_down(number("-1.231"), 2), number("-1.24"));
    }
}
