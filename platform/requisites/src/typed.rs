//! What people type and paste, made ready for a check: invisible characters go, foreign look-alikes are refused.

use crate::{kind::Kind, verdict::Refusal};

/// Longest input looked at, in bytes. Every real requisite is far shorter; what is longer is refused before any work is done on it.
pub(crate) const LONGEST_INPUT: usize = 1024;

/// Brings the input to the form the kind's check expects.
pub(crate) fn clean(kind: Kind, typed: &str) -> Result<String, Refusal> {
    if typed.len() > LONGEST_INPUT {
        return Err(Refusal::new("too_long"));
    }
    let visible: String = typed.chars().filter(|&c| !is_invisible(c)).collect();
    let value = match kind {
        Kind::Memo | Kind::Tag | Kind::Text | Kind::Email => visible.trim().to_owned(),
        Kind::Holder => visible.split_whitespace().collect::<Vec<_>>().join(" "),
        Kind::Card | Kind::Phone | Kind::AccountRu | Kind::Iban => without_separators(kind, &visible),
        _ => visible.chars().filter(|c| !c.is_whitespace()).collect(),
    };
    if value.is_empty() {
        return Err(Refusal::new("empty"));
    }
    if !matches!(kind, Kind::Memo | Kind::Text | Kind::Holder) {
        refuse_foreign(&value)?;
    }
    Ok(value)
}

/// Characters that take no place on the screen: zero-width ones, direction marks, the soft hyphen and the byte order mark.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Drops the spaces and dashes (and, in telephone numbers, brackets and dots) that numbers are written with.
fn without_separators(kind: Kind, value: &str) -> String {
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let is_phone_mark = |c: char| kind == Kind::Phone && matches!(c, '(' | ')' | '.');
    value.chars().filter(|&c| !c.is_whitespace() && !is_dash(c) && !is_phone_mark(c)).collect()
}

/// Refuses anything outside ASCII, saying apart letters, digits and the rest, since each needs another word to the customer.
fn refuse_foreign(value: &str) -> Result<(), Refusal> {
    match value.chars().find(|c| !c.is_ascii()) {
        None => Ok(()),
        Some(c) if c.is_numeric() => Err(Refusal::new("foreign_digits")),
        Some(c) if c.is_alphabetic() => Err(Refusal::new("look_alike_letters")),
        Some(_) => Err(Refusal::new("bad_characters")),
    }
}
