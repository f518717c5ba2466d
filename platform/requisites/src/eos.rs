//! Account names of Vaulta, formerly EOS: up to twelve letters, digits from 1 to 5 and dots, with no checksum at all.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

const LONGEST: usize = 12;

/// Checks a name; the normal form is in lower case. A typing slip cannot be seen in it, so the customer is always asked to look twice.
pub(crate) fn check(value: &str) -> CheckResult {
    let name = value.to_ascii_lowercase();
    if name.len() > LONGEST {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let is_right = |b: u8| matches!(b, b'a'..=b'z' | b'1'..=b'5' | b'.');
    if !name.bytes().all(is_right) || name.starts_with('.') || name.ends_with('.') {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    ValidRequisite::unchecked(name)
}
