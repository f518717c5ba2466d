//! Amounts in atomic units: 10^-12 XMR.

use rust_decimal::Decimal;

const DECIMALS: u32 = 12;
const UNITS: u64 = 10_u64.pow(DECIMALS);

/// The units of an amount above zero; `None` if it is none, too large, or has more decimals.
pub fn units(amount: Decimal) -> Option<u64> {
    let units = amount.checked_mul(Decimal::from(UNITS)).filter(|units| units.fract().is_zero())?;
    u64::try_from(units).ok().filter(|units| *units > 0)
}

/// The amount of so many units.
pub fn amount(units: u64) -> Decimal {
    // 20 digits always fit.
    Decimal::from_i128_with_scale(units.into(), DECIMALS).normalize()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_exact_or_none() {
        let read = |text: &str| units(text.parse().unwrap());
        assert_eq!(read("0.000000000001"), Some(1));
        assert_eq!(read("18446744.073709551615"), Some(u64::MAX));
        for none in ["0", "-1", "0.0000000000001", "18446744.073709551616", "79228162514264337593543950335"] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn units_survive(one in 1..=u64::MAX) {
            prop_assert_eq!(units(amount(one)), Some(one));
        }
    }
}
