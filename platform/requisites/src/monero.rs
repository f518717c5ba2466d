//! Monero addresses: base58 in blocks of eleven characters, with four bytes of Keccak-256 at the end.

use sha3::{Digest, Keccak256};

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Characters of a full block, which holds eight bytes, and of the last block of an address, which holds five.
const BLOCK: usize = 11;
const LAST_BLOCK: usize = 7;

/// Characters of a standard address or subaddress, and of an integrated address with its payment id of eight bytes.
const PLAIN_LENGTH: usize = 95;
const INTEGRATED_LENGTH: usize = 106;

const STANDARD: u8 = 18;
const INTEGRATED: u8 = 19;
const SUBADDRESS: u8 = 42;
/// Standard, integrated and subaddresses of testnet and stagenet.
const TESTNETS: [u8; 6] = [53, 54, 63, 24, 25, 36];

/// Checks a standard address, a subaddress or an integrated address.
pub(crate) fn check(value: &str) -> CheckResult {
    if !matches!(value.len(), PLAIN_LENGTH | INTEGRATED_LENGTH) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let bytes = decode(value)?;
    let (body, stated) = bytes.split_at(bytes.len() - 4);
    if Keccak256::digest(body)[..4] != *stated {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    match (body[0], value.len()) {
        (STANDARD | SUBADDRESS, PLAIN_LENGTH) | (INTEGRATED, INTEGRATED_LENGTH) => ValidRequisite::plain(value),
        (network, _) if TESTNETS.contains(&network) => Err(RequisiteRefusal::new("testnet")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

fn decode(value: &str) -> Result<Vec<u8>, RequisiteRefusal> {
    let mut bytes = Vec::with_capacity(INTEGRATED_LENGTH);
    for block in value.as_bytes().chunks(BLOCK) {
        let width = if block.len() == LAST_BLOCK { 5 } else { 8 };
        let number = number_of(block)?;
        if number >> (8 * width) != 0 {
            return Err(RequisiteRefusal::new("bad_checksum"));
        }
        bytes.extend_from_slice(&number.to_be_bytes()[16 - width..]);
    }
    Ok(bytes)
}

/// A block as one number; eleven base58 digits stay below 2^65.
fn number_of(block: &[u8]) -> Result<u128, RequisiteRefusal> {
    block.iter().try_fold(0u128, |number, byte| {
        let digit = ALPHABET.iter().position(|b| b == byte).ok_or(RequisiteRefusal::new("bad_characters"))?;
        Ok(number * 58 + digit as u128)
    })
}
