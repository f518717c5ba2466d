//! Cleans typed and pasted input: removes invisible characters and rejects foreign look-alike letters.

use crate::{kind::RequisiteKind, validation::RequisiteRefusal};

/// Maximum length of the input, in bytes. Real values are far shorter.
pub(crate) const LONGEST_INPUT: usize = 1024;

/// Brings the input to the form the kind's check expects.
pub(crate) fn clean(kind: RequisiteKind, typed: &str) -> Result<String, RequisiteRefusal> {
    if typed.len() > LONGEST_INPUT {
        return Err(RequisiteRefusal::new("too_long"));
    }
    let visible: String = typed.chars().filter(|&c| !is_invisible(c)).collect();
    let value = match kind {
        RequisiteKind::Memo | RequisiteKind::Tag | RequisiteKind::Text | RequisiteKind::Email => visible.trim().to_owned(),
        RequisiteKind::Holder => visible.split_whitespace().collect::<Vec<_>>().join(" "),
        RequisiteKind::Card | RequisiteKind::Phone | RequisiteKind::AccountRu | RequisiteKind::Iban => {
            without_separators(kind, &visible)
        }
        _ => visible.chars().filter(|c| !c.is_whitespace()).collect(),
    };
    if value.is_empty() {
        return Err(RequisiteRefusal::new("empty"));
    }
    if !matches!(kind, RequisiteKind::Memo | RequisiteKind::Text | RequisiteKind::Holder) {
        refuse_foreign(&value)?;
    }
    Ok(value)
}

/// Invisible characters: zero-width ones, direction marks, the soft hyphen and the byte order mark.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Drops the spaces and dashes (and, in telephone numbers, brackets and dots) that numbers are written with.
fn without_separators(kind: RequisiteKind, value: &str) -> String {
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let is_phone_mark = |c: char| kind == RequisiteKind::Phone && matches!(c, '(' | ')' | '.');
    value.chars().filter(|&c| !c.is_whitespace() && !is_dash(c) && !is_phone_mark(c)).collect()
}

/// Rejects anything outside ASCII, with different codes for letters, digits and the rest.
fn refuse_foreign(value: &str) -> Result<(), RequisiteRefusal> {
    match value.chars().find(|c| !c.is_ascii()) {
        None => Ok(()),
        Some(c) if c.is_numeric() => Err(RequisiteRefusal::new("foreign_digits")),
        Some(c) if c.is_alphabetic() => Err(RequisiteRefusal::new("look_alike_letters")),
        Some(_) => Err(RequisiteRefusal::new("bad_characters")),
    }
}
