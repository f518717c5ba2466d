//! Cardano addresses of the Shelley era, CIP-19.

use bech32::{Bech32, primitives::decode::CheckedHrpstring};

use crate::{
    segwit,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

/// Longest address with a pointer to a stake registration, in characters; the usual ones have 103 or 58.
const LONGEST: usize = 128;
const MAINNET: u8 = 1;

/// Checks a payment address `addr1…`; the normal form is in lower case.
///
/// Reward addresses cannot be paid to. Addresses of the Byron era (`Ae2…`, `DdzFF…`) are refused: wallets have long given newer ones.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.len() > LONGEST {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    if value.starts_with("Ae2") || value.starts_with("DdzFF") {
        return Err(RequisiteRefusal::new("unsupported_version"));
    }
    let checked = CheckedHrpstring::new::<Bech32>(value).map_err(|error| segwit::checked_refusal(&error))?;
    match checked.hrp().to_lowercase().as_str() {
        "addr" => check_payload(value, &checked.byte_iter().collect::<Vec<u8>>()),
        "addr_test" | "stake_test" => Err(RequisiteRefusal::new("testnet")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

/// The header byte holds the type in its upper four bits and the network in its lower four.
fn check_payload(value: &str, bytes: &[u8]) -> CheckResult {
    let header = *bytes.first().ok_or(RequisiteRefusal::new("bad_length"))?;
    if header & 0x0f != MAINNET {
        return Err(RequisiteRefusal::new("testnet"));
    }
    match (header >> 4, bytes.len()) {
        (0..=3, 57) | (4 | 5, 32..=60) | (6 | 7, 29) => ValidRequisite::plain(value.to_ascii_lowercase()),
        (0..=7, _) => Err(RequisiteRefusal::new("bad_length")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}
