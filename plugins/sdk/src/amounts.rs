//! Amounts as whole numbers of a currency's smallest units.

use rust_decimal::Decimal;

/// The largest mantissa of a `Decimal`.
const MANTISSA_MAX: u128 = (1 << 96) - 1;

/// An amount of the smallest units. Digits that a `Decimal` cannot hold are cut off at the end.
#[must_use]
pub fn amount(mut units: u128, decimals: u32) -> Decimal {
    let mut scale = decimals;
    while scale > 0 && (units > MANTISSA_MAX || scale > Decimal::MAX_SCALE) {
        (units, scale) = (units / 10, scale - 1);
    }
    i128::try_from(units).ok().and_then(|units| Decimal::try_from_i128_with_scale(units, scale).ok()).unwrap_or(Decimal::MAX)
}

/// The smallest units of an amount above zero; `None` if there is no whole number of them.
#[must_use]
pub fn units(amount: Decimal, decimals: u32) -> Option<u128> {
    let amount = amount.normalize();
    let missing = decimals.checked_sub(amount.scale())?;
    let units = u128::try_from(amount.mantissa()).ok()?.checked_mul(10_u128.checked_pow(missing)?)?;
    (units > 0).then_some(units)
}
