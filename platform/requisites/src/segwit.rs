//! Segwit addresses, BIP-173 and BIP-350.

use bech32::primitives::decode::{
    CharError, CheckedHrpstringError, SegwitHrpstring, SegwitHrpstringError, UncheckedHrpstringError,
};

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

/// Checks a segwit address whose human-readable part is known to be right.
///
/// Only witness programs with a meaning today are accepted: version 0 with a key or script hash, version 1 with a Taproot key. Any other program
/// can be spent by anyone.
pub(crate) fn check(value: &str) -> CheckResult {
    let segwit = SegwitHrpstring::new(value).map_err(|error| refusal(&error))?;
    match (segwit.witness_version().to_u8(), segwit.byte_iter().count()) {
        (0, 20 | 32) | (1, 32) => ValidRequisite::plain(value.to_ascii_lowercase()),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

fn refusal(error: &SegwitHrpstringError) -> RequisiteRefusal {
    RequisiteRefusal::new(match error {
        SegwitHrpstringError::Unchecked(parse) => parse_code(parse),
        SegwitHrpstringError::Checksum(_) => "bad_checksum",
        SegwitHrpstringError::InvalidWitnessVersion(_) => "unsupported_version",
        _ => "bad_length",
    })
}

/// Refusal of a text that is no bech32, or has a wrong checksum.
pub(crate) fn checked_refusal(error: &CheckedHrpstringError) -> RequisiteRefusal {
    RequisiteRefusal::new(match error {
        CheckedHrpstringError::Parse(parse) => parse_code(parse),
        _ => "bad_checksum",
    })
}

/// Refusal code for a text that is no bech32 at all.
fn parse_code(error: &UncheckedHrpstringError) -> &'static str {
    match error {
        UncheckedHrpstringError::Char(CharError::MixedCase) => "mixed_case",
        UncheckedHrpstringError::Char(CharError::NothingAfterSeparator) => "bad_length",
        _ => "bad_characters",
    }
}
