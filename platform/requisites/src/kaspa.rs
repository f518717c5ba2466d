//! Kaspa addresses: the alphabet and checksum of CashAddr over a version byte and a key or script hash.

use crate::{
    cashaddr::{checksum, symbols_of},
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const MAINNET: &str = "kaspa";
const TESTNETS: [&str; 3] = ["kaspatest", "kaspadev", "kaspasim"];

/// Symbols of a Schnorr key or a script hash, and of an ECDSA key, with a version byte and the checksum.
const LENGTH: usize = 61;
const ECDSA_LENGTH: usize = 63;

/// The version byte: the first symbol and three bits of the second.
const SCHNORR: u8 = 0;
const ECDSA: u8 = 1;
const SCRIPT_HASH: u8 = 8;

/// Checks an address, with or without its prefix. The normal form has the prefix and is in lower case.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.bytes().any(|b| b.is_ascii_lowercase()) && value.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(RequisiteRefusal::new("mixed_case"));
    }
    let lower = value.to_ascii_lowercase();
    let (prefix, data) = lower.split_once(':').unwrap_or(("", &lower));
    let symbols = symbols_of(data, LENGTH..=ECDSA_LENGTH)?;
    let holds_for = |candidate: &str| (prefix.is_empty() || prefix == candidate) && checksum(candidate, &symbols) == 0;
    if TESTNETS.into_iter().any(holds_for) {
        return Err(RequisiteRefusal::new("testnet"));
    }
    if !holds_for(MAINNET) {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    let version = symbols[0] << 3 | symbols[1] >> 2;
    let last = symbols[symbols.len() - 9];
    let is_padded_with_zeros = match symbols.len() {
        LENGTH => last & 0b1 == 0,
        _ => last & 0b111 == 0,
    };
    match (version, symbols.len()) {
        _ if !is_padded_with_zeros => Err(RequisiteRefusal::new("bad_length")),
        (SCHNORR | SCRIPT_HASH, LENGTH) | (ECDSA, ECDSA_LENGTH) => ValidRequisite::plain(format!("{MAINNET}:{data}")),
        (SCHNORR | SCRIPT_HASH | ECDSA, _) => Err(RequisiteRefusal::new("bad_length")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}
