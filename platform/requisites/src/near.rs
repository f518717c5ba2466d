//! NEAR accounts: names, and keys in hexadecimal. Neither has a checksum.

use crate::{
    hex_account::is_hex,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

/// Length of a key in hexadecimal, and of the longest name.
const LONGEST: usize = 64;

/// Endings under which wallets give out names.
const REGISTRARS: [&str; 2] = [".near", ".tg"];

/// Checks an account; the normal form is in lower case. A typing slip cannot be seen in it, so the customer is always asked to look twice.
///
/// Names with other endings are refused. Hardly anybody has one, and a slip in the ending can be seen.
pub(crate) fn check(value: &str) -> CheckResult {
    let account = value.to_ascii_lowercase();
    if account.len() > LONGEST {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    if account.len() == LONGEST && is_hex(&account) {
        return ValidRequisite::unchecked(account);
    }
    if !account.split('.').all(is_part) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if account.ends_with(".testnet") {
        return Err(RequisiteRefusal::new("testnet"));
    }
    if REGISTRARS.iter().any(|ending| account.ends_with(ending)) {
        return ValidRequisite::unchecked(account);
    }
    Err(RequisiteRefusal::new(if account.contains('.') { "unsupported_version" } else { "bad_length" }))
}

/// Letters and digits, with single hyphens and underscores between them.
fn is_part(part: &str) -> bool {
    part.split(['-', '_']).all(|piece| !piece.is_empty() && piece.bytes().all(|b| b.is_ascii_alphanumeric()))
}
