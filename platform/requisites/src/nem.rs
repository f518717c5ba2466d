//! NEM addresses: base32 of a network byte, a hash of the key and four bytes of Keccak-256.

use sha3::{Digest, Keccak256};

use crate::{
    base32,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

/// Characters of 25 bytes in base32.
const LENGTH: usize = 40;
const MAINNET: u8 = 0x68;
/// The test network and that of private chains.
const TESTNETS: [u8; 2] = [0x98, 0x60];

/// Checks an address. Wallets group it with dashes; the normal form has none and is in capitals.
pub(crate) fn check(value: &str) -> CheckResult {
    let address = value.replace('-', "").to_ascii_uppercase();
    if address.len() != LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let bytes = base32::decode(&address)?;
    let (body, stated) = bytes.split_at(21);
    if Keccak256::digest(body)[..4] != *stated {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    match body[0] {
        MAINNET => ValidRequisite::plain(address),
        network if TESTNETS.contains(&network) => Err(RequisiteRefusal::new("testnet")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}
