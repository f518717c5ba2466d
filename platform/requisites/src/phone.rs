//! Telephone numbers, E.164.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

/// Country codes of the customers' usual countries and how many digits follow. Only these are understood without a plus sign.
const COUNTRIES: [(&str, usize); 17] = [
    ("7", 10),
    ("370", 8),
    ("371", 8),
    ("373", 8),
    ("374", 8),
    ("375", 9),
    ("380", 9),
    ("48", 9),
    ("90", 10),
    ("971", 9),
    ("972", 9),
    ("992", 9),
    ("993", 8),
    ("994", 9),
    ("995", 9),
    ("996", 9),
    ("998", 9),
];

/// Fewest and most digits of an international number.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// Checks a number. The normal form is a plus sign and digits; `8 9xx…`, as Russian numbers are dialled at home, becomes `+7 9xx…`.
pub(crate) fn check(value: &str) -> CheckResult {
    let (has_plus, digits) = match value.strip_prefix('+') {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if !DIGITS.contains(&digits.len()) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    if has_plus {
        return check_international(digits);
    }
    match digits.strip_prefix('8') {
        Some(rest) if is_russian(rest) => ValidRequisite::plain(format!("+7{rest}")),
        _ if country_of(digits).is_some_and(|(code, length)| digits.len() == code.len() + length) => check_international(digits),
        _ => Err(RequisiteRefusal::new("phone_country")),
    }
}

fn check_international(digits: &str) -> CheckResult {
    if digits.starts_with('0') {
        return Err(RequisiteRefusal::new("phone_country"));
    }
    match country_of(digits) {
        Some((code, length)) if digits.len() != code.len() + length => Err(RequisiteRefusal::new("bad_length")),
        Some(("7", _)) if !is_russian(&digits[1..]) => Err(RequisiteRefusal::new("phone_country")),
        _ => ValidRequisite::plain(format!("+{digits}")),
    }
}

fn country_of(digits: &str) -> Option<(&'static str, usize)> {
    COUNTRIES.into_iter().find(|(code, _)| digits.starts_with(code))
}

/// Ten digits of the numbering plan behind +7, which Russia and Kazakhstan share: area and mobile codes begin with 3 to 9.
fn is_russian(rest: &str) -> bool {
    rest.len() == 10 && matches!(rest.as_bytes()[0], b'3'..=b'9')
}
