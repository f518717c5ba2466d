//! TRON addresses: base58check of the byte 0x41 and the twenty bytes an EVM address has.

use crate::{
    base58, payees,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const MAINNET: u8 = 0x41;
const TESTNET: u8 = 0xa0;
const LENGTH: usize = 21;

/// Checks an address; the hexadecimal form that nodes use inside is refused.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.len() == 2 * LENGTH && value.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(RequisiteRefusal::new("unsupported_version"));
    }
    let bytes = base58::decode_check(value)?;
    match bytes[0] {
        _ if bytes.len() != LENGTH => Err(RequisiteRefusal::new("bad_length")),
        MAINNET => {
            payees::refuse(payees::TRON, value)?;
            ValidRequisite::plain(value)
        }
        TESTNET => Err(RequisiteRefusal::new("testnet")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}
