//! Addresses of Ethereum and the networks with its address form, EIP-55.

use sha3::{Digest, Keccak256};

use crate::{
    payees,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

/// Hexadecimal digits after `0x`.
const DIGITS: usize = 40;

/// Checks an address. The normal form is the EIP-55 one; a text in a single case carries no checksum and is accepted with a warning.
pub(crate) fn check(value: &str) -> CheckResult {
    let digits = value
        .strip_prefix("0x")
        .or_else(|| value.strip_prefix("0X"))
        .ok_or(RequisiteRefusal::new(if is_bare(value) { "missing_prefix" } else { "bad_characters" }))?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    if digits.len() != DIGITS {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let checksummed = eip55(digits);
    let has_lower = digits.bytes().any(|b| b.is_ascii_lowercase());
    let has_upper = digits.bytes().any(|b| b.is_ascii_uppercase());
    let carries_checksum = checksummed[2..] == *digits;
    if has_lower && has_upper && !carries_checksum {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    payees::refuse_evm(&checksummed)?;
    if carries_checksum { ValidRequisite::plain(checksummed) } else { ValidRequisite::unchecked(checksummed) }
}

fn is_bare(value: &str) -> bool {
    value.len() == DIGITS && value.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Writes the digits with EIP-55's capital letters: a letter is a capital where the hash of the lower-case digits has a nibble of 8 or more.
fn eip55(digits: &str) -> String {
    let lower = digits.to_ascii_lowercase();
    let hash = Keccak256::digest(lower.as_bytes());
    let nibble = |index: usize| {
        if index.is_multiple_of(2) { hash[index / 2] >> 4 } else { hash[index / 2] & 0x0f }
    };
    let cased = lower.chars().enumerate().map(|(index, c)| if nibble(index) >= 8 { c.to_ascii_uppercase() } else { c });
    std::iter::once('0').chain(std::iter::once('x')).chain(cased).collect()
}
