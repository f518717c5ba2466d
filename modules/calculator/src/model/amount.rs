//! Amounts and rates of the engine: bounded integers, never floats.

use rust_decimal::Decimal;
use thiserror::Error;

use super::rounding::{Units, power_of_ten};

/// Maximum decimals of an amount, and of every stored currency.
pub const MAX_DIGITS: u32 = 8;

/// One unit is 10^-8 of a currency, whatever its scale.
pub(crate) const UNITS_PER_ONE: Units = power_of_ten(MAX_DIGITS);

/// Amounts are below 10^12. In units.
pub(crate) const AMOUNT_LIMIT: Units = power_of_ten(12) * UNITS_PER_ONE;

/// Maximum significant digits of a rate.
pub const RATE_DIGITS: u32 = 16;

/// Maximum decimals of a rate.
pub const RATE_MAX_SCALE: u32 = 24;

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum AmountError {
    #[error("the amount is negative")]
    Negative,
    /// The amount or its result is 10^12 or more.
    #[error("the amount is 1000000000000 or more")]
    TooBig,
    /// The amount has more than eight decimals.
    #[error("the amount has more than 8 decimals")]
    TooPrecise,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RateError {
    #[error("the rate is not above zero")]
    NotPositive,
    #[error("the rate is 1000000000000 or more")]
    TooBig,
    /// More than 16 significant digits or 24 decimals.
    #[error("the rate has more than 16 significant digits or more than 24 decimals")]
    TooPrecise,
}

/// Converts an amount to units; rejects amounts the engine cannot compute exactly.
pub(crate) fn to_units(amount: Decimal) -> Result<Units, AmountError> {
    if amount.is_sign_negative() && !amount.is_zero() {
        return Err(AmountError::Negative);
    }
    let amount = amount.normalize();
    if amount.scale() > MAX_DIGITS {
        return Err(AmountError::TooPrecise);
    }
    // The product may exceed 128 bits only for absurd amounts, which are too big.
    let units = amount.mantissa().checked_mul(power_of_ten(MAX_DIGITS - amount.scale())).ok_or(AmountError::TooBig)?;
    if units >= AMOUNT_LIMIT {
        return Err(AmountError::TooBig);
    }
    Ok(units)
}

/// The shortest decimal: no trailing zeros, no exponent.
pub(crate) fn from_units(units: Units) -> Result<Decimal, AmountError> {
    if units >= AMOUNT_LIMIT {
        return Err(AmountError::TooBig);
    }
    Ok(in_range(units))
}

/// For units below [`AMOUNT_LIMIT`].
pub(crate) fn in_range(units: Units) -> Decimal {
    debug_assert!((0..AMOUNT_LIMIT).contains(&units));
    Decimal::from_i128_with_scale(units, MAX_DIGITS).normalize()
}

/// A rate as mantissa x 10^-scale, small enough that its product with any amount fits 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EngineRate {
    mantissa: i128,
    scale: u32,
}

impl EngineRate {
    pub(crate) fn new(rate: Decimal) -> Result<Self, RateError> {
        if rate <= Decimal::ZERO {
            return Err(RateError::NotPositive);
        }
        let rate = rate.normalize();
        if rate >= Decimal::from_i128_with_scale(power_of_ten(12), 0) {
            return Err(RateError::TooBig);
        }
        let (mantissa, scale) = (rate.mantissa(), rate.scale());
        if mantissa >= power_of_ten(RATE_DIGITS) || scale > RATE_MAX_SCALE {
            return Err(RateError::TooPrecise);
        }
        Ok(Self { mantissa, scale })
    }

    /// Converts an amount, rounded down to a unit.
    ///
    /// The amount is below 10^20 units and the mantissa below 10^16, so the product is exact.
    pub(crate) fn convert(self, amount: Units) -> Units {
        debug_assert!((0..AMOUNT_LIMIT).contains(&amount));
        amount * self.mantissa / power_of_ten(self.scale)
    }

    /// The smallest amount that converts to at least `value`. `None` outside the engine's range.
    ///
    /// Long division, twelve decimal digits per step, because `value` x 10^scale may exceed 128 bits while the
    /// remainder of each step stays below 10^28.
    pub(crate) fn amount_for(self, value: Units) -> Option<Units> {
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
