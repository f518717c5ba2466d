//! Exact positive ratios: a rate is multiplied and divided through any number of steps without
//! losing a digit, and rounded once at the end.

use num_bigint::BigUint;
use rust_decimal::Decimal;

use super::rounding::significant_down;

/// A positive number as a quotient of whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: BigUint,
    denominator: BigUint,
}

impl Ratio {
    /// The number one.
    #[must_use]
    pub fn one() -> Self {
        Self { numerator: BigUint::from(1_u32), denominator: BigUint::from(1_u32) }
    }

    /// The ratio equal to a decimal; none when it is zero or negative.
    #[must_use]
    pub fn of(value: Decimal) -> Option<Self> {
        if value <= Decimal::ZERO {
            return None;
        }
        Some(Self {
            numerator: BigUint::from(value.mantissa().unsigned_abs()),
            denominator: BigUint::from(10_u32).pow(value.scale()),
        })
    }

    /// What `percent` per cent more (or less, when negative) is a multiple of; none when nothing
    /// is left.
    #[must_use]
    pub fn plus_percent(percent: Decimal) -> Option<Self> {
        let hundred = Decimal::ONE_HUNDRED;
        let whole = Self::of(hundred.checked_add(percent)?)?;
        Some(whole.over(&Self::of(hundred)?))
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        Self { numerator: &self.numerator * &other.numerator, denominator: &self.denominator * &other.denominator }
    }

    /// The quotient.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        Self { numerator: &self.numerator * &other.denominator, denominator: &self.denominator * &other.numerator }
    }

    /// Rounds down to `digits` significant digits and at most `max_scale` decimals; none when
    /// nothing is left or the number is too big for a decimal.
    #[must_use]
    pub fn round_down(&self, digits: u32, max_scale: u32) -> Option<Decimal> {
        significant_down(&self.numerator, &self.denominator, digits, max_scale)
    }
}
