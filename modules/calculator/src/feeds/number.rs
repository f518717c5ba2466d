//! Numbers as sources write them, read from their digits.

use rust_decimal::Decimal;

use super::FeedError;

/// The decimal sign of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Point,
    Comma,
}

/// Reads digits with at most one decimal sign, nothing else: no sign, no grouping, no exponent.
/// `what` says in an error whose number it is.
pub(super) fn decimal(text: &str, separator: Separator, what: &str) -> Result<Decimal, FeedError> {
    let (sign, name) = match separator {
        Separator::Point => ('.', "point"),
        Separator::Comma => (',', "comma"),
    };
    let (whole, fraction) = text.split_once(sign).unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(FeedError::Number { what: what.to_owned(), text: text.to_owned(), separator: name });
    }
    Decimal::from_str_exact(&format!("{whole}.{fraction}")).map_err(|_| no_price(text, what))
}

/// Reads a number that must be above zero.
pub(super) fn price(text: &str, separator: Separator, what: &str) -> Result<Decimal, FeedError> {
    let price = decimal(text, separator, what)?;
    if price.is_zero() {
        return Err(no_price(text, what));
    }
    Ok(price)
}

/// Reads a JSON number from its raw text, exponent included; it can't be negative.
pub(super) fn json_number(text: &str, what: &str) -> Result<Decimal, FeedError> {
    let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_number {
        return Err(FeedError::Number { what: what.to_owned(), text: text.to_owned(), separator: "point" });
    }
    let has_exponent = text.contains(['e', 'E']);
    let number = if has_exponent { Decimal::from_scientific(text) } else { Decimal::from_str_exact(text) };
    match number {
        Ok(number) if number >= Decimal::ZERO => Ok(number.normalize()),
        _ => Err(no_price(text, what)),
    }
}

fn no_price(text: &str, what: &str) -> FeedError {
    FeedError::Price { what: what.to_owned(), text: text.to_owned() }
}
