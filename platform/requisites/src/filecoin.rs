//! Filecoin addresses: base32 of a payload and four bytes of BLAKE2b over it.

use blake2::{Blake2b, Digest, digest::consts::U4};

use crate::{
    base32,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const SECP256K1: u8 = 1;
const BLS: u8 = 3;
const DELEGATED: u8 = 4;

/// Namespace of the delegated addresses that stand for 0x… ones.
const EVM_NAMESPACE: u8 = 10;
const CHECKSUM_LENGTH: usize = 4;

/// Checks an address of a wallet: `f1…`, `f3…`, or `f410f…`, which stands for a 0x… address.
///
/// Actors (`f2…`) and numbers (`f0…`), which can change until they are final, are refused. So are 0x… addresses: the wallet shows the
/// `f410f…` form, which has a checksum and no other network.
pub(crate) fn check(value: &str) -> CheckResult {
    let rest = match value.as_bytes() {
        [b't', b'0'..=b'4', ..] => return Err(RequisiteRefusal::new("testnet")),
        [b'f', b'0' | b'2', ..] => return Err(RequisiteRefusal::new("unsupported_version")),
        [b'f', ..] => &value[1..],
        _ => return Err(RequisiteRefusal::new("bad_characters")),
    };
    let (covered, payload, length): (&[u8], _, _) = if let Some(payload) = rest.strip_prefix("410f") {
        (&[DELEGATED, EVM_NAMESPACE], payload, 20)
    } else if let Some(payload) = rest.strip_prefix('1') {
        (&[SECP256K1], payload, 20)
    } else if let Some(payload) = rest.strip_prefix('3') {
        (&[BLS], payload, 48)
    } else if rest.starts_with('4') {
        return Err(RequisiteRefusal::new("unsupported_version"));
    } else {
        return Err(RequisiteRefusal::new("bad_characters"));
    };
    check_payload(covered, payload, length)?;
    ValidRequisite::plain(value)
}

/// The checksum covers the address type, and the namespace of a delegated address, before the payload.
fn check_payload(covered: &[u8], payload: &str, length: usize) -> Result<(), RequisiteRefusal> {
    if payload.len() != ((length + CHECKSUM_LENGTH) * 8).div_ceil(5) {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    if payload.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(RequisiteRefusal::new("bad_characters"));
    }
    let bytes = base32::decode(&payload.to_ascii_uppercase())?;
    let (body, stated) = bytes.split_at(length);
    let checksum = Blake2b::<U4>::new().chain_update(covered).chain_update(body).finalize();
    if checksum[..] == *stated { Ok(()) } else { Err(RequisiteRefusal::new("bad_checksum")) }
}
