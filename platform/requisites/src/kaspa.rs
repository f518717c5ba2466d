//! Kaspa addresses: the alphabet and checksum of CashAddr over a version byte and a key or script hash.

use crate::{
    cashaddr,
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
    let (data, symbols) = cashaddr::checked(value, MAINNET, &TESTNETS, LENGTH..=ECDSA_LENGTH)?;
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
