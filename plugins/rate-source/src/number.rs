//! Parses numbers in the sources' formats from their digits.

use rust_decimal::Decimal;

use crate::ReadError;

/// The decimal sign of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// 1.5
    Point,
    /// 1,5
    Comma,
}

/// How much of what is no number an error quotes, in characters.
const QUOTED: usize = 40;

/// Reads digits with at most one decimal sign, nothing else: no sign, no grouping, no exponent.
/// `what` names the number in an error.
///
/// # Errors
/// It is anything else, or has more digits than fit.
pub fn decimal(text: &str, separator: Separator, what: &str) -> Result<Decimal, ReadError> {
    let (sign, name) = match separator {
        Separator::Point => ('.', "point"),
        Separator::Comma => (',', "comma"),
    };
    let (whole, fraction) = text.split_once(sign).unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(ReadError::Number { what: what.to_owned(), text: quoted(text), separator: name });
    }
    Decimal::from_str_exact(&format!("{whole}.{fraction}")).map_err(|_| no_price(text, what))
}

/// Reads a number that must be above zero.
///
/// # Errors
/// It is zero, or as those of [`decimal`].
pub fn price(text: &str, separator: Separator, what: &str) -> Result<Decimal, ReadError> {
    let price = decimal(text, separator, what)?;
    if price.is_zero() {
        return Err(no_price(text, what));
    }
    Ok(price)
}

/// Reads a JSON number from its raw text, exponent included; it can't be negative.
///
/// # Errors
/// It is negative, no number, or has more digits than fit.
pub fn json_number(text: &str, what: &str) -> Result<Decimal, ReadError> {
    let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_number {
        return Err(ReadError::Number { what: what.to_owned(), text: quoted(text), separator: "point" });
    }
    let has_exponent = text.contains(['e', 'E']);
    let number = if has_exponent { Decimal::from_scientific(text) } else { Decimal::from_str_exact(text) };
    match number {
        Ok(number) if number >= Decimal::ZERO => Ok(number.normalize()),
        _ => Err(no_price(text, what)),
    }
}

fn no_price(text: &str, what: &str) -> ReadError {
    ReadError::Price { what: what.to_owned(), text: quoted(text) }
}

fn quoted(text: &str) -> String {
    text.chars().take(QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_plain_digits_are_numbers() {
        for text in
            ["", "-1.08", "+1.08", "1e3", "NaN", "Infinity", "1.08 ", " 1", ".5", "1.", "1.0.8", "1,08", "0x1", "1_0", "\u{661}"]
        {
            assert!(decimal(text, Separator::Point, "USD").is_err(), "{text:?}");
        }
        for text in ["NaN", "null", "\"1\"", "-1", "1e999", "-0.1", "", "1e", "1.2.3"] {
            assert!(json_number(text, "USD").is_err(), "{text:?}");
        }
        let error = decimal(&"9".repeat(1_000_000), Separator::Point, "USD").unwrap_err().to_string();
        assert!(error.len() < 100, "an error quotes only the beginning");
    }

    proptest! {
        #[test]
        fn digits_are_kept_as_they_are(whole in 0_u64..1_000_000_000_000, fraction in "[0-9]{1,12}") {
            let text = format!("{whole}.{fraction}");
            prop_assert_eq!(decimal(&text, Separator::Point, "x").unwrap().to_string(), text.clone());
            let comma = text.replace('.', ",");
            prop_assert_eq!(decimal(&comma, Separator::Comma, "x").unwrap().to_string(), text.clone());
            prop_assert_eq!(json_number(&text, "x").unwrap(), decimal(&text, Separator::Point, "x").unwrap());
        }

        #[test]
        fn any_text_is_parsed_or_rejected(text in "\\PC{0,40}") {
            if let Ok(number) = decimal(&text, Separator::Point, "x") {
                prop_assert!(number >= Decimal::ZERO);
            }
            if let Ok(number) = json_number(&text, "x") {
                prop_assert!(number >= Decimal::ZERO);
            }
        }
    }
}
