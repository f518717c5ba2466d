//! Algorand addresses: base32 of a public key and the last four bytes of its SHA-512/256.

use sha2::{Digest, Sha512_256};

use crate::{
    base32,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

/// Characters of 36 bytes in base32.
const LENGTH: usize = 58;
const KEY_LENGTH: usize = 32;

/// Checks an address. The test networks have the same addresses.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.len() != LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let bytes = base32::decode(value)?;
    let (key, stated) = bytes.split_at(KEY_LENGTH);
    if !Sha512_256::digest(key).ends_with(stated) {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    if key.iter().all(|&byte| byte == 0) {
        return Err(RequisiteRefusal::new("forbidden_payee"));
    }
    ValidRequisite::plain(value)
}
