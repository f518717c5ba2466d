//! Amounts on the network.

use rust_decimal::Decimal;

/// Decimal places.
const SCALE: u32 = 8;

/// Formats units as an amount.
pub fn amount(units: u64) -> String {
    Decimal::from_i128_with_scale(units.into(), SCALE).to_string()
}

/// Parses an amount; `None` if it is invalid.
pub fn units(text: &str) -> Option<u64> {
    let amount = Decimal::from_str_exact(text).ok()?.normalize();
    let missing = SCALE.checked_sub(amount.scale())?;
    u64::try_from(amount.mantissa().checked_mul(10_i128.pow(missing))?).ok().filter(|units| *units > 0)
}
