//! Numbers as JavaScript reads and writes them.

/// Limits of the input; nothing exact is beyond them.
const LENGTH_MAX: usize = 40;
const POWER_MAX: i32 = 400;

/// A decimal number: `0.`, the digits, times ten to the power. Zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    is_negative: bool,
    digits: String,
    power: i32,
}

impl Digits {
    pub fn of(text: &str) -> Option<Self> {
        let (is_negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let power: i32 = power.parse().ok().filter(|power: &i32| power.abs() <= POWER_MAX)?;
        if text.len() > LENGTH_MAX
            || whole.is_empty()
            || !(whole.bytes().chain(fraction.bytes())).all(|byte| byte.is_ascii_digit())
        {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let power = power + length(whole) - length(&all[..all.len() - significant.len()]);
        let digits = significant.trim_end_matches('0').to_owned();
        let is_zero = digits.is_empty();
        Some(Self { is_negative: is_negative && !is_zero, digits, power: if is_zero { 0 } else { power } })
    }

    /// The nearest 64-bit float, written as the shortest decimal that reads back as it. `None` if it overflows.
    pub fn nearest_f64(&self) -> Option<Self> {
        let sign = if self.is_negative { "-" } else { "" };
        let read: f64 = format!("{sign}0.{}e{}", self.or_zero(), self.power).parse().ok()?;
        read.is_finite().then(|| Self::of(&format!("{read:e}")))?
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// As JavaScript prints it: without an exponent from 10^-6 on and below 10^21.
    pub fn js_text(&self) -> String {
        if self.is_zero() {
            return "0".to_owned();
        }
        let sign = if self.is_negative { "-" } else { "" };
        let unsigned = match self.power {
            -5..=21 => self.plain_text(),
            _ => {
                let (first, rest) = self.digits.split_at(1);
                let point = if rest.is_empty() { "" } else { "." };
                format!("{first}{point}{rest}e{:+}", self.power - 1)
            }
        };
        format!("{sign}{unsigned}")
    }

    fn plain_text(&self) -> String {
        let zeros = |number: i32| "0".repeat(usize::try_from(number).unwrap_or(0));
        let has = length(&self.digits);
        if self.power <= 0 {
            return format!("0.{}{}", zeros(-self.power), self.or_zero());
        }
        if has <= self.power {
            return format!("{}{}", self.digits, zeros(self.power - has));
        }
        let (whole, fraction) = self.digits.split_at(usize::try_from(self.power).unwrap_or(0));
        format!("{whole}.{fraction}")
    }

    fn or_zero(&self) -> &str {
        if self.is_zero() { "0" } else { &self.digits }
    }
}

fn length(text: &str) -> i32 {
    i32::try_from(text.len()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use agio_core::money::plain;
    use proptest::prelude::*;
    use rust_decimal::Decimal;

    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        let js_text = |text: &str| Digits::of(text).unwrap().nearest_f64().unwrap().js_text();
        let cases = [
            ("0", "0"),
            ("-0.0", "0"),
            ("6500", "6500"),
            ("6500.00", "6500"),
            ("0.1", "0.1"),
            ("1e-1", "0.1"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("0.00000015", "1.5e-7"),
            ("123456789012345680000", "123456789012345680000"),
            ("1e21", "1e+21"),
            ("1.5E+300", "1.5e+300"),
            ("-12.5", "-12.5"),
            ("16.696118100522533", "16.696118100522533"),
            ("0.1000000000000000055511151231257827", "0.1"),
            ("9007199254740993", "9007199254740992"),
            ("5e-324", "5e-324"),
        ];
        for (text, expected) in cases {
            assert_eq!(js_text(text), expected, "{text}");
        }
    }

    #[test]
    fn invalid_numbers_are_refused() {
        for text in ["", "-", "1,5", "1e", "e5", "0x10", "1e9999", "１", "NaN"] {
            assert_eq!(Digits::of(text), None, "{text}");
        }
        assert_eq!(Digits::of("1e399").unwrap().nearest_f64(), None);
    }

    proptest! {
        #[test]
        fn fifteen_digits_are_exact(units in 1_i64..1_000_000_000_000_000, scale in 0_u32..12) {
            let text = plain(Decimal::new(units, scale));
            let digits = Digits::of(&text).unwrap();
            prop_assert_eq!(digits.nearest_f64(), Some(digits.clone()));
        }
    }
}
