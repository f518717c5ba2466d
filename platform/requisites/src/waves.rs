//! Waves addresses: base58 of a version, a chain, a hash of the key and four bytes of Keccak-256 over BLAKE2b-256.

use blake2::{Blake2b, digest::consts::U32};
use sha3::{Digest, Keccak256};

use crate::{
    base58,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const LENGTH: usize = 26;
const VERSION: u8 = 1;
const MAINNET: u8 = b'W';
/// The test network and the stage network.
const TESTNETS: [u8; 2] = [b'T', b'S'];

/// Checks an address `3P…`. Aliases are refused: their owner can be found on the network only.
pub(crate) fn check(value: &str) -> CheckResult {
    let bytes = base58::decode(value)?;
    if bytes.len() != LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let (body, stated) = bytes.split_at(LENGTH - 4);
    if Keccak256::digest(Blake2b::<U32>::digest(body))[..4] != *stated {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    match (body[0], body[1]) {
        (VERSION, MAINNET) => ValidRequisite::plain(value),
        (VERSION, chain) if TESTNETS.contains(&chain) => Err(RequisiteRefusal::new("testnet")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}
