//! The one place where money is rounded.
//!
//! What the house pays out is rounded down, what it asks for is rounded up, always to digits that
//! are named by the caller. Nothing else in the project drops a digit of an amount or a course.

use num_bigint::BigUint;
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

/// Rounds `numerator / denominator`, both above zero, down to `digits` significant digits and at
/// most `max_scale` decimals. None when nothing is left, or when the number is too big for a
/// decimal.
pub(crate) fn significant_down(numerator: &BigUint, denominator: &BigUint, digits: u32, max_scale: u32) -> Option<Decimal> {
    let length = |number: &BigUint| i64::try_from(number.to_string().len()).ok();
    // The quotient has one digit more than this difference or as many, so scaled by it there are
    // `digits` digits or one more.
    let scale = i64::from(digits) - length(numerator)? + length(denominator)?;
    let quotient = scaled_quotient(numerator, denominator, scale.min(i64::from(max_scale)));
    let scale = if length(&quotient)? > i64::from(digits) { scale - 1 } else { scale };
    let scale = scale.min(i64::from(max_scale));
    let quotient = i128::try_from(scaled_quotient(numerator, denominator, scale)).ok()?;
    let rounded = match u32::try_from(scale) {
        Ok(scale) => Decimal::try_from_i128_with_scale(quotient, scale).ok()?,
        Err(_) => {
            let zeros = u32::try_from(-scale).ok()?;
            let whole = quotient.checked_mul(10_i128.checked_pow(zeros)?)?;
            Decimal::try_from_i128_with_scale(whole, 0).ok()?
        }
    };
    (!rounded.is_zero()).then(|| rounded.normalize())
}

/// `numerator x 10^scale / denominator`, rounded down.
fn scaled_quotient(numerator: &BigUint, denominator: &BigUint, scale: i64) -> BigUint {
    let zeros = u32::try_from(scale.unsigned_abs()).expect("numbers are short");
    let power = BigUint::from(10_u32).pow(zeros);
    if scale >= 0 { numerator * power / denominator } else { numerator / (denominator * power) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn significant(numerator: u128, denominator: u128, digits: u32) -> String {
        let (numerator, denominator) = (BigUint::from(numerator), BigUint::from(denominator));
        significant_down(&numerator, &denominator, digits, 24).map_or_else(|| "none".to_owned(), |rounded| rounded.to_string())
    }

    #[test]
    fn significant_digits_are_cut_not_rounded() {
        assert_eq!(significant(2, 3, 12), "0.666666666666");
        assert_eq!(significant(1, 1, 12), "1");
        assert_eq!(significant(9_999_999_999_999, 1, 12), "9999999999990");
        assert_eq!(significant(10_000_000_000_000_001, 10, 16), "1000000000000000");
        assert_eq!(significant(1, 7_000_000, 3), "0.000000142");
        // Only 24 decimals are kept, then nothing is left.
        assert_eq!(significant(1, 3 * 10_u128.pow(20), 12), "0.000000000000000000003333");
        assert_eq!(significant(1, 3 * 10_u128.pow(24), 12), "none");
    }

    #[test]
    fn decimals_are_rounded_to_the_side_that_is_named() {
        let number = |text: &str| text.parse::<Decimal>().expect("a decimal number");
        assert_eq!(round_down(number("1.239"), 2), number("1.23"));
        assert_eq!(round_up(number("1.231"), 2), number("1.24"));
        assert_eq!(round_up(number("1.23"), 2), number("1.23"));
        assert_eq!(round_down(number("-1.231"), 2), number("-1.24"));
    }
}
