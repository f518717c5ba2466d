//! Exact money: whole units of a currency's fixed scale.
//!
//! An [`Amount`] is what the ledger stores: a 64-bit count of the smallest unit the currency is kept in, together
//! with the number of decimals of that unit. Amounts of different scales do not compare or add.

use std::fmt;

use rust_decimal::Decimal;

use crate::error::{Error, Result};

/// The most decimals a currency may be kept in. At eight decimals 64 bits reach about 92 billion.
pub const SCALE_MAX: u32 = 8;

/// A sum of money: `units` of 10^-`scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Amount {
    units: i64,
    scale: u32,
}

impl Amount {
    /// `units` smallest units of a currency kept in `scale` decimals.
    ///
    /// # Panics
    /// The scale is over [`SCALE_MAX`]: a currency like that cannot have been stored.
    #[must_use]
    pub fn of_units(units: i64, scale: u32) -> Self {
        assert!(scale <= SCALE_MAX, "a currency is kept in {SCALE_MAX} decimals at most, not {scale}");
        Self { units, scale }
    }

    /// The exact amount of a decimal value.
    ///
    /// # Errors
    /// `too_many_digits` when the value has more decimals than the scale (nothing is ever rounded here),
    /// `amount_too_large` when it does not fit 64 bits.
    pub fn exact(value: Decimal, scale: u32) -> Result<Self> {
        let value = value.normalize();
        if value.scale() > scale {
            return Err(Error::unprocessable("too_many_digits").with("digits", scale));
        }
        let raise = 10_i128.pow(scale - value.scale());
        value
            .mantissa()
            .checked_mul(raise)
            .and_then(|units| i64::try_from(units).ok())
            .map(|units| Self { units, scale })
            .ok_or_else(|| Error::unprocessable("amount_too_large"))
    }

    /// The count of smallest units, as stored.
    #[must_use]
    pub fn units(self) -> i64 {
        self.units
    }

    /// How many decimals one unit stands for.
    #[must_use]
    pub fn scale(self) -> u32 {
        self.scale
    }

    /// The value as a decimal number, without trailing zeros.
    #[must_use]
    pub fn value(self) -> Decimal {
        Decimal::from_i128_with_scale(i128::from(self.units), self.scale).normalize()
    }

    /// The sum, or nothing where it does not fit.
    ///
    /// # Panics
    /// The scales differ: two currencies are being added.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        assert_eq!(self.scale, other.scale, "amounts of different currencies do not add");
        Some(Self { units: self.units.checked_add(other.units)?, scale: self.scale })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value(), f)
    }
}

/// Writes a decimal the way answers carry it: no trailing zeros, no exponent, no minus zero.
#[must_use]
pub fn plain(value: Decimal) -> String {
    let value = value.normalize();
    if value.is_zero() { "0".to_owned() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn an_amount_keeps_every_digit_of_its_scale() {
        let amount = Amount::exact(decimal("0.00000001"), 8).unwrap();
        assert_eq!(amount.units(), 1);
        assert_eq!(amount.to_string(), "0.00000001");
    }

    #[test]
    fn more_decimals_than_the_currency_has_are_refused_not_rounded() {
        let refused = Amount::exact(decimal("1.005"), 2).unwrap_err();
        assert_eq!(refused.code(), "too_many_digits");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = Amount::exact(decimal("92233720368.54775808"), 8).unwrap_err();
        assert_eq!(refused.code(), "amount_too_large");
    }

    #[test]
    fn zeros_at_the_end_do_not_count_as_digits() {
        assert_eq!(Amount::exact(decimal("1.50000"), 2).unwrap().units(), 150);
        assert_eq!(plain(decimal("-0.00")), "0");
    }
}
