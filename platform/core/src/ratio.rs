//! Exact positive rationals: a rate is multiplied and divided through any number of steps without loss and rounded
//! once at the end.

use std::cmp::Ordering;

use num_bigint::BigUint;
use rust_decimal::Decimal;

/// Significant digits of an effective rate.
const EFFECTIVE_DIGITS: u32 = 12;
/// Maximum decimals of an effective rate.
const EFFECTIVE_SCALE_MAX: u32 = 24;

/// What is received for one unit given, all fees and roundings included, cut to twelve significant digits. `None` if
/// nothing is given or received.
#[must_use]
pub fn effective_rate(give: Decimal, receive: Decimal) -> Option<Decimal> {
    Ratio::of(receive)?.over(&Ratio::of(give)?).round_down(EFFECTIVE_DIGITS, EFFECTIVE_SCALE_MAX)
}

/// Fractional bits of [`Ratio::log_below`].
const LOG_BITS: u32 = 40;

/// A positive quotient of integers.
#[derive(Clone, Debug)]
pub struct Ratio {
    numerator: BigUint,
    denominator: BigUint,
}

impl Ratio {
    #[must_use]
    pub fn one() -> Self {
        Self { numerator: BigUint::from(1_u32), denominator: BigUint::from(1_u32) }
    }

    /// `None` if the decimal is zero or negative.
    #[must_use]
    pub fn of(value: Decimal) -> Option<Self> {
        let mantissa = BigUint::from(value.mantissa().unsigned_abs());
        (value > Decimal::ZERO).then(|| Self { numerator: mantissa, denominator: BigUint::from(10_u32).pow(value.scale()) })
    }

    /// The factor that adds `percent` per cent (may be negative); `None` if nothing is left.
    #[must_use]
    pub fn plus_percent(percent: Decimal) -> Option<Self> {
        let hundred = Decimal::ONE_HUNDRED;
        let whole = Self::of(hundred.checked_add(percent)?)?;
        Some(whole.over(&Self::of(hundred)?))
    }

    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        Self { numerator: &self.numerator * &other.numerator, denominator: &self.denominator * &other.denominator }
    }

    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        Self { numerator: &self.numerator * &other.denominator, denominator: &self.denominator * &other.numerator }
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// The difference; `None` if it is zero or negative.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Option<Self> {
        let (more, less) = (&self.numerator * &other.denominator, &other.numerator * &self.denominator);
        (more > less).then(|| Self { numerator: more - less, denominator: &self.denominator * &other.denominator })
    }

    /// Rounds down to `digits` significant digits and at most `max_scale` decimals; `None` if the result is zero or
    /// too big for a decimal.
    #[must_use]
    pub fn round_down(&self, digits: u32, max_scale: u32) -> Option<Decimal> {
        self.significant(digits, max_scale, false)
    }

    /// Rounds up, likewise.
    #[must_use]
    pub fn round_up(&self, digits: u32, max_scale: u32) -> Option<Decimal> {
        self.significant(digits, max_scale, true)
    }

    fn significant(&self, digits: u32, max_scale: u32, up: bool) -> Option<Decimal> {
        let length = |number: &BigUint| i64::try_from(number.to_string().len()).ok();
        // The quotient has as many integer digits as the lengths differ, or one more.
        let whole = length(&self.numerator)? - length(&self.denominator)?;
        let mut scale = i64::from(digits) - whole;
        if length(&self.scaled(scale, false))? > i64::from(digits) {
            scale -= 1;
        }
        let scale = scale.min(i64::from(max_scale));
        let cut = i128::try_from(self.scaled(scale, up)).ok()?;
        let value = match u32::try_from(scale) {
            Ok(scale) => Decimal::try_from_i128_with_scale(cut, scale).ok()?,
            Err(_) => {
                let zeros = 10_i128.checked_pow(u32::try_from(-scale).ok()?)?;
                Decimal::try_from_i128_with_scale(cut.checked_mul(zeros)?, 0).ok()?
            }
        };
        (!value.is_zero()).then(|| value.normalize())
    }

    /// The number times 10^`scale`, as an integer.
    fn scaled(&self, scale: i64, up: bool) -> BigUint {
        let power = BigUint::from(10_u32).pow(u32::try_from(scale.unsigned_abs()).unwrap_or(u32::MAX));
        let (above, below) = if scale >= 0 {
            (&self.numerator * power, self.denominator.clone())
        } else {
            (self.numerator.clone(), &self.denominator * power)
        };
        let rest = if up { &below - 1_u32 } else { BigUint::ZERO };
        (above + rest) / below
    }

    /// A lower bound of the binary logarithm, close to it, in units of 2^-40.
    #[must_use]
    pub fn log_below(&self) -> i64 {
        // Each logarithm is cut, so the true one is up to one unit above; another is left for the digits that squaring
        // drops.
        log(&self.numerator) - log(&self.denominator) - 2
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// The binary logarithm of a positive integer in units of 2^-40, cut: bit by bit, by squaring.
fn log(number: &BigUint) -> i64 {
    let bits = number.bits();
    let top = if bits > 64 { number >> (bits - 64) } else { number << (64 - bits) };
    let mut mantissa = top.iter_u64_digits().next().unwrap_or(1 << 63);
    let mut log = i64::try_from(bits).unwrap_or(i64::MAX) - 1;
    for _ in 0..LOG_BITS {
        // Between one and two with 63 fractional bits; squared, between one and four.
        let square = (u128::from(mantissa) * u128::from(mantissa)) >> 63;
        let is_above_two = square >> 64 != 0;
        mantissa = (if is_above_two { square >> 1 } else { square }) as u64;
        log = log << 1 | i64::from(is_above_two);
    }
    log
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Decimals that are kept.
    const SCALE: u32 = 24;

    fn ratio(text: &str) -> Ratio {
        Ratio::of(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn rounding_keeps_the_requested_digits() {
        let third = Ratio::one().over(&ratio("3"));
        assert_eq!(third.round_down(10, SCALE).unwrap().to_string(), "0.3333333333");
        assert_eq!(third.round_up(10, SCALE).unwrap().to_string(), "0.3333333334");
        assert_eq!(ratio("123456789012.34").round_down(10, SCALE).unwrap().to_string(), "123456789000");
        assert_eq!(ratio("9999999999.9").round_up(10, SCALE).unwrap().to_string(), "10000000000");
        assert_eq!(ratio("81.4215").round_up(10, SCALE).unwrap().to_string(), "81.4215");
    }

    #[test]
    fn effective_rates_are_truncated() {
        let quotient = |above: &str, below: &str, digits: u32| {
            let cut = ratio(above).over(&ratio(below)).round_down(digits, SCALE);
            cut.map_or_else(|| "none".to_owned(), |cut| cut.to_string())
        };
        assert_eq!(quotient("2", "3", 12), "0.666666666666");
        assert_eq!(quotient("1", "1", 12), "1");
        assert_eq!(quotient("9999999999999", "1", 12), "9999999999990");
        assert_eq!(quotient("10000000000000001", "10", 16), "1000000000000000");
        assert_eq!(quotient("1", "7000000", 3), "0.000000142");
        // Only 24 decimals are kept, then nothing is left.
        assert_eq!(quotient("1", "300000000000000000000", 12), "0.000000000000000000003333");
        assert_eq!(quotient("1", "3000000000000000000000000", 12), "none");
    }

    #[test]
    fn powers_of_two_have_integer_logarithms() {
        assert_eq!(log(&BigUint::from(1_u32)), 0);
        assert_eq!(log(&BigUint::from(1_024_u32)), 10 << LOG_BITS);
        assert_eq!(log(&(BigUint::from(1_u32) << 200)), 200 << LOG_BITS);
    }

    proptest! {
        #[test]
        fn logarithms_add_up_within_their_error(a in 1_u64.., b in 1_u64..) {
            let (a, b) = (BigUint::from(a), BigUint::from(b));
            let apart = log(&(&a * &b)) - log(&a) - log(&b);
            prop_assert!((-1..=2).contains(&apart), "{apart}");
        }

        #[test]
        fn rounding_brackets_the_number(above in 1_u64.., below in 1_u64..) {
            let number = Ratio::of(Decimal::from(above)).unwrap().over(&Ratio::of(Decimal::from(below)).unwrap());
            let (down, up) = (number.round_down(10, SCALE).unwrap(), number.round_up(10, SCALE).unwrap());
            prop_assert!(Ratio::of(down).unwrap() <= number && number <= Ratio::of(up).unwrap());
            prop_assert!(up - down <= down / Decimal::from(100_000_000));
        }
    }
}
