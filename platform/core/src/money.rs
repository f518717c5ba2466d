//! Exact amounts of money: integers of a currency's smallest unit.
//!
//! An [`Amount`] is what the ledger stores: a 64-bit count of the smallest unit, with its currency. Amounts of different
//! currencies cannot be added or compared.

use std::cmp::Ordering;
use std::fmt;

use rust_decimal::Decimal;

use crate::error::{Error, Result};

/// The most decimals of a currency. With eight decimals, 64 bits reach about 92 billion.
pub const SCALE_MAX: u32 = 8;

/// A currency as amounts know it: its id, and the number of decimals of its smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CurrencyUnit {
    id: i64,
    scale: u32,
}

impl CurrencyUnit {
    /// # Panics
    /// The scale is not between zero and [`SCALE_MAX`]: such a currency cannot have been stored.
    #[must_use]
    pub fn new(id: i64, scale: impl TryInto<u32> + Copy + fmt::Display) -> Self {
        match scale.try_into() {
            Ok(valid) if valid <= SCALE_MAX => Self { id, scale: valid },
            _ => panic!("a currency has {SCALE_MAX} decimals at most, not {scale}"),
        }
    }

    #[must_use]
    pub fn id(self) -> i64 {
        self.id
    }

    #[must_use]
    pub fn scale(self) -> u32 {
        self.scale
    }
}

/// A number of smallest units of a currency. There is no order: an order between currencies would have to be wrong or to
/// panic, so [`Amount::compare`] may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Amount {
    units: i64,
    currency: CurrencyUnit,
}

impl Amount {
    #[must_use]
    pub fn of_units(units: i64, currency: impl Into<CurrencyUnit>) -> Self {
        Self { units, currency: currency.into() }
    }

    /// The exact amount of a decimal value.
    ///
    /// # Errors
    /// `too_many_digits` when the value has more decimals than the currency (it is never rounded), `amount_too_large`
    /// when it does not fit 64 bits.
    pub fn exact(value: Decimal, currency: impl Into<CurrencyUnit>) -> Result<Self> {
        let currency = currency.into();
        Ok(Self { units: units_of(value, currency.scale)?, currency })
    }

    #[must_use]
    pub fn units(self) -> i64 {
        self.units
    }

    #[must_use]
    pub fn currency(self) -> CurrencyUnit {
        self.currency
    }

    #[must_use]
    pub fn scale(self) -> u32 {
        self.currency.scale
    }

    /// The value as a decimal number, without trailing zeros.
    #[must_use]
    pub fn value(self) -> Decimal {
        value_of(self.units, self.currency.scale)
    }

    /// # Errors
    /// `amount_too_large` on overflow; `internal` if the currencies differ.
    pub fn plus(self, other: Self) -> Result<Self> {
        self.combine(other, i64::checked_add)
    }

    /// # Errors
    /// `amount_too_large` on overflow; `internal` if the currencies differ.
    pub fn minus(self, other: Self) -> Result<Self> {
        self.combine(other, i64::checked_sub)
    }

    /// # Errors
    /// `internal` if the currencies differ.
    pub fn compare(self, other: Self) -> Result<Ordering> {
        self.require_same_currency(other)?;
        Ok(self.units.cmp(&other.units))
    }

    fn combine(self, other: Self, operation: fn(i64, i64) -> Option<i64>) -> Result<Self> {
        self.require_same_currency(other)?;
        let units = operation(self.units, other.units).ok_or_else(|| Error::unprocessable("amount_too_large"))?;
        Ok(Self { units, ..self })
    }

    fn require_same_currency(self, other: Self) -> Result<()> {
        let (one, two) = (self.currency, other.currency);
        if one == two { Ok(()) } else { Err(Error::internal(format!("amounts of different currencies: {one:?} and {two:?}"))) }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value(), f)
    }
}

/// The number of units of 10^-`scale` in a value. For what is counted in units and has no currency, as percents have
/// none; money is an [`Amount`].
///
/// # Errors
/// `too_many_digits` when the value has more decimals than the scale (it is never rounded), `amount_too_large` when it
/// does not fit 64 bits.
pub fn units_of(value: Decimal, scale: u32) -> Result<i64> {
    let value = value.normalize();
    if value.scale() > scale {
        return Err(Error::unprocessable("too_many_digits").with("digits", scale));
    }
    let raise = 10_i128.checked_pow(scale - value.scale());
    raise
        .and_then(|raise| value.mantissa().checked_mul(raise))
        .and_then(|units| i64::try_from(units).ok())
        .ok_or_else(|| Error::unprocessable("amount_too_large"))
}

/// The value of units of 10^-`scale`, without trailing zeros.
#[must_use]
pub fn value_of(units: i64, scale: u32) -> Decimal {
    Decimal::from_i128_with_scale(i128::from(units), scale).normalize()
}

/// Writes a decimal without trailing zeros, exponent or minus zero.
#[must_use]
pub fn plain(value: Decimal) -> String {
    let value = value.normalize();
    if value.is_zero() { "0".to_owned() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn bitcoin() -> CurrencyUnit {
        CurrencyUnit::new(1, 8)
    }

    /// Another currency of the same scale.
    fn litecoin() -> CurrencyUnit {
        CurrencyUnit::new(2, 8)
    }

    #[test]
    fn amounts_keep_every_digit() {
        let amount = Amount::exact(decimal("0.00000001"), bitcoin()).unwrap();
        assert_eq!(amount.units(), 1);
        assert_eq!(amount.to_string(), "0.00000001");
    }

    #[test]
    fn excess_decimals_are_refused() {
        let refused = Amount::exact(decimal("1.005"), CurrencyUnit::new(3, 2)).unwrap_err();
        assert_eq!(refused.code(), "too_many_digits");
    }

    #[test]
    fn overflow_is_refused() {
        let refused = Amount::exact(decimal("92233720368.54775808"), bitcoin()).unwrap_err();
        assert_eq!(refused.code(), "amount_too_large");
        let most = Amount::of_units(i64::MAX, bitcoin());
        assert_eq!(most.plus(Amount::of_units(1, bitcoin())).unwrap_err().code(), "amount_too_large");
    }

    #[test]
    fn trailing_zeros_are_ignored() {
        assert_eq!(units_of(decimal("1.50000"), 2).unwrap(), 150);
        assert_eq!(plain(decimal("-0.00")), "0");
    }

    #[test]
    #[should_panic(expected = "8 decimals at most")]
    fn a_scale_that_cannot_have_been_stored_panics() {
        let _ = CurrencyUnit::new(1, -1);
    }

    proptest! {
        #[test]
        fn amounts_of_different_currencies_do_not_meet(one in any::<i64>(), two in any::<i64>(), scale in 0_u32..=SCALE_MAX) {
            let bitcoins = Amount::of_units(one, bitcoin());
            // A different id, and a different scale of the same id, are different currencies.
            let others = [litecoin(), CurrencyUnit::new(1, scale), CurrencyUnit::new(2, scale)];
            for other in others.into_iter().filter(|other| *other != bitcoin()) {
                let other = Amount::of_units(two, other);
                prop_assert_ne!(bitcoins, other);
                prop_assert_eq!(bitcoins.plus(other).unwrap_err().code(), "internal");
                prop_assert_eq!(bitcoins.minus(other).unwrap_err().code(), "internal");
                prop_assert_eq!(bitcoins.compare(other).unwrap_err().code(), "internal");
            }
        }

        #[test]
        fn sums_differences_and_order_are_those_of_the_values(one in any::<i64>(), two in any::<i64>()) {
            let (a, b) = (Amount::of_units(one, bitcoin()), Amount::of_units(two, bitcoin()));
            prop_assert_eq!(a.plus(b).ok().map(Amount::value), one.checked_add(two).map(|_| a.value() + b.value()));
            prop_assert_eq!(a.minus(b).ok().map(Amount::value), one.checked_sub(two).map(|_| a.value() - b.value()));
            prop_assert_eq!(a.compare(b).unwrap(), a.value().cmp(&b.value()));
            if let Ok(sum) = a.plus(b) {
                prop_assert_eq!(sum.minus(b).unwrap(), a);
                prop_assert_eq!(b.plus(a).unwrap(), sum);
            }
        }

        #[test]
        fn units_and_values_are_two_forms_of_one_amount(units in any::<i64>(), scale in 0_u32..=SCALE_MAX) {
            let amount = Amount::of_units(units, CurrencyUnit::new(1, scale));
            prop_assert_eq!(Amount::exact(amount.value(), amount.currency()).unwrap(), amount);
        }
    }
}
