//! Polkadot addresses: SS58, base58 of a network prefix, a public key and two bytes of BLAKE2b.

use blake2::{Blake2b512, Digest};

use crate::{
    base58,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

/// Before everything the checksum covers.
const CONTEXT: &[u8] = b"SS58PRE";
const CHECKSUM_LENGTH: usize = 2;
/// A key, behind a prefix of one byte or two.
const LENGTHS: [usize; 2] = [33, 34];

const POLKADOT: u8 = 0;

/// Checks an address with the prefix of Polkadot. The same key has other addresses on other networks, such as Kusama, and one that names no
/// network (`5…`); they are refused.
pub(crate) fn check(value: &str) -> CheckResult {
    let bytes = base58::decode(value)?;
    let Some((body, stated)) = bytes.split_last_chunk::<CHECKSUM_LENGTH>() else {
        return Err(RequisiteRefusal::new("bad_length"));
    };
    if !LENGTHS.contains(&body.len()) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let checksum = Blake2b512::new().chain_update(CONTEXT).chain_update(body).finalize();
    if !checksum.starts_with(stated) {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    if body[0] == POLKADOT && body.len() == LENGTHS[0] {
        ValidRequisite::plain(value)
    } else {
        Err(RequisiteRefusal::new("unsupported_version"))
    }
}
