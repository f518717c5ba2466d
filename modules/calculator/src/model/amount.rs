//! Amounts and courses as the engine computes them: bounded integers, never floats.

use rust_decimal::Decimal;
use thiserror::Error;

use super::rounding::{Units, power_of_ten};

/// Decimals an amount may have. The scale of every stored currency is at most this.
pub const MAX_DIGITS: u32 = 8;

/// One unit is 10^-8 of a currency, whatever digits that currency shows.
pub(crate) const UNITS_PER_ONE: Units = power_of_ten(MAX_DIGITS);

/// Amounts are below 10^12; this is that bound in units.
pub(crate) const AMOUNT_LIMIT: Units = power_of_ten(12) * UNITS_PER_ONE;

/// Significant digits a course may have.
pub const COURSE_DIGITS: u32 = 16;

/// Decimals a course may have.
pub const COURSE_MAX_SCALE: u32 = 24;

/// Why a number can't be an amount.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum AmountError {
    /// Amounts are zero or more.
    #[error("the amount is negative")]
    Negative,
    /// The amount, or what would be received for it, is 10^12 or more.
    #[error("the amount is 1000000000000 or more")]
    TooBig,
    /// The amount has more than eight decimals.
    #[error("the amount has more than 8 decimals")]
    TooPrecise,
}

/// Why a number can't be a course.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CourseError {
    /// A course of zero or less would give the money away or take it.
    #[error("the course is not above zero")]
    NotPositive,
    /// The course is 10^12 or more.
    #[error("the course is 1000000000000 or more")]
    TooBig,
    /// The course has more than 16 significant digits or more than 24 decimals.
    #[error("the course has more than 16 significant digits or more than 24 decimals")]
    TooPrecise,
}

/// Reads an amount into units, refusing what the engine could not compute exactly.
pub(crate) fn to_units(amount: Decimal) -> Result<Units, AmountError> {
    if amount.is_sign_negative() && !amount.is_zero() {
        return Err(AmountError::Negative);
    }
    let amount = amount.normalize();
    if amount.scale() > MAX_DIGITS {
        return Err(AmountError::TooPrecise);
    }
    // The mantissa is below 2^96 and is multiplied by 10^8 at most only when it has no decimals,
    // so the product may pass 128 bits for absurd amounts: those are refused as too big.
    let units = amount.mantissa().checked_mul(power_of_ten(MAX_DIGITS - amount.scale())).ok_or(AmountError::TooBig)?;
    if units >= AMOUNT_LIMIT {
        return Err(AmountError::TooBig);
    }
    Ok(units)
}

/// Writes units as the shortest decimal: no trailing zeros, no exponent.
pub(crate) fn from_units(units: Units) -> Result<Decimal, AmountError> {
    if units >= AMOUNT_LIMIT {
        return Err(AmountError::TooBig);
    }
    Ok(in_range(units))
}

/// Writes units that are known to be below [`AMOUNT_LIMIT`].
pub(crate) fn in_range(units: Units) -> Decimal {
    debug_assert!((0..AMOUNT_LIMIT).contains(&units));
    Decimal::from_i128_with_scale(units, MAX_DIGITS).normalize()
}

/// A course as mantissa x 10^-scale, small enough that its product with any amount fits 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    mantissa: i128,
    scale: u32,
}

impl Course {
    pub(crate) fn new(course: Decimal) -> Result<Self, CourseError> {
        if course <= Decimal::ZERO {
            return Err(CourseError::NotPositive);
        }
        let course = course.normalize();
        if course >= Decimal::from_i128_with_scale(power_of_ten(12), 0) {
            return Err(CourseError::TooBig);
        }
        let (mantissa, scale) = (course.mantissa(), course.scale());
        if mantissa >= power_of_ten(COURSE_DIGITS) || scale > COURSE_MAX_SCALE {
            return Err(CourseError::TooPrecise);
        }
        Ok(Self { mantissa, scale })
    }

    /// What an amount is worth, rounded down to a unit.
    ///
    /// The amount is below 10^20 units and the mantissa below 10^16, so the product is exact.
    pub(crate) fn worth(self, amount: Units) -> Units {
        debug_assert!((0..AMOUNT_LIMIT).contains(&amount));
        amount * self.mantissa / power_of_ten(self.scale)
    }

    /// The least amount that is worth at least `value`; none when it is outside the engine's range.
    ///
    /// Schoolbook division, twelve decimal digits a step, because `value` x 10^scale may be far
    /// longer than 128 bits while the remainder of each step stays below 10^28.
    pub(crate) fn amount_worth(self, value: Units) -> Option<Units> {
        debug_assert!(value >= 0);
        let mut quotient = value / self.mantissa;
        let mut remainder = value % self.mantissa;
        let mut digits_left = self.scale;
        while digits_left > 0 {
            if quotient >= AMOUNT_LIMIT {
                return None;
            }
            let digits = digits_left.min(12);
            let step = power_of_ten(digits);
            remainder *= step;
            quotient = quotient * step + remainder / self.mantissa;
            remainder %= self.mantissa;
            digits_left -= digits;
        }
        let amount = quotient + i128::from(remainder > 0);
        (amount < AMOUNT_LIMIT).then_some(amount)
    }
}
