//! Text requisites: email, holder's name, memo, free text.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

/// Longest address and longest part before the `@` that mail servers take, in bytes (RFC 5321).
const LONGEST_EMAIL: usize = 254;
const LONGEST_LOCAL_PART: usize = 64;

/// Longest name, memo of a network without a limit of its own, and text, in characters.
const LONGEST_NAME: usize = 100;
const LONGEST_MEMO: usize = 120;
const LONGEST_TEXT: usize = 255;

/// Checks the form of an e-mail address. The normal form has the domain in lower case; the part before `@` stays as typed.
pub(crate) fn check_email(value: &str) -> CheckResult {
    let (local, domain) = value.rsplit_once('@').ok_or(RequisiteRefusal::new("bad_email"))?;
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~.-".contains(&b);
    let is_right_local = !local.is_empty()
        && local.len() <= LONGEST_LOCAL_PART
        && local.bytes().all(is_local)
        && !(local.starts_with('.') || local.ends_with('.') || local.contains(".."));
    if !is_right_local || !is_domain(domain) || value.len() > LONGEST_EMAIL {
        return Err(RequisiteRefusal::new("bad_email"));
    }
    ValidRequisite::plain(format!("{local}@{}", domain.to_ascii_lowercase()))
}

/// Two or more labels of letters, digits and inner hyphens; the last one is not a number.
fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let has_valid_tld =
        domain.rsplit('.').next().is_some_and(|last| last.len() >= 2 && !last.bytes().all(|b| b.is_ascii_digit()));
    domain.contains('.') && domain.split('.').all(is_label) && has_valid_tld
}

/// Checks a holder's name: letters of one alphabet in each word, hyphens, apostrophes and dots.
pub(crate) fn check_holder(value: &str) -> CheckResult {
    let length = value.chars().count();
    if !(2..=LONGEST_NAME).contains(&length) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let is_right = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '.' | '\'' | '’');
    if !value.chars().all(is_right) || !value.chars().any(char::is_alphabetic) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if value.split([' ', '-']).any(mixes_alphabets) {
        return Err(RequisiteRefusal::new("look_alike_letters"));
    }
    ValidRequisite::plain(value)
}

/// A word with both Latin and Cyrillic letters is a keyboard layout mistake that no bank accepts.
fn mixes_alphabets(word: &str) -> bool {
    let is_latin = |c: char| c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}');
    let is_cyrillic = |c: char| matches!(c, '\u{400}'..='\u{52f}');
    word.chars().any(is_latin) && word.chars().any(is_cyrillic)
}

/// Checks a memo or comment for a network without a limit of its own.
pub(crate) fn check_memo(value: &str) -> CheckResult {
    check_printable(value, LONGEST_MEMO)
}

/// Checks any other text.
pub(crate) fn check_text(value: &str) -> CheckResult {
    check_printable(value, LONGEST_TEXT)
}

/// Checks a text of visible characters.
pub(crate) fn check_printable(value: &str, longest: usize) -> CheckResult {
    if value.chars().any(char::is_control) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if value.chars().count() > longest {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    ValidRequisite::plain(value)
}
