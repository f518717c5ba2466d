//! XRP Ledger: classic addresses, X-addresses (XLS-5) and destination tags.

use crate::{
    base58, payees,
    validation::{CheckResult, RequisiteRefusal, RequisiteWarning, ValidRequisite},
};

const CLASSIC_VERSION: u8 = 0;
const CLASSIC_LENGTH: usize = 21;
const X_PREFIX: [u8; 2] = [0x05, 0x44];
const X_TESTNET_PREFIX: [u8; 2] = [0x04, 0x93];
/// Prefix, account of 20 bytes, flag and tag of 8 bytes.
const X_LENGTH: usize = 31;

/// Checks a classic address or an X-address. An X-address stays as it is: splitting it would leave the tag it carries behind.
pub(crate) fn check(value: &str) -> CheckResult {
    let bytes = base58::decode_check_xrp(value)?;
    match bytes.len() {
        CLASSIC_LENGTH if bytes[0] == CLASSIC_VERSION => {
            payees::refuse(payees::XRP, value)?;
            ValidRequisite::plain(value)
        }
        X_LENGTH if bytes.starts_with(&X_PREFIX) => check_x_address(value, &bytes),
        X_LENGTH if bytes.starts_with(&X_TESTNET_PREFIX) => Err(RequisiteRefusal::new("testnet")),
        CLASSIC_LENGTH | X_LENGTH => Err(RequisiteRefusal::new("unsupported_version")),
        _ => Err(RequisiteRefusal::new("bad_length")),
    }
}

fn check_x_address(value: &str, bytes: &[u8]) -> CheckResult {
    let tag_is_32_bits = bytes[27..].iter().all(|&byte| byte == 0);
    match bytes[22] {
        0 if bytes[23..].iter().all(|&byte| byte == 0) => ValidRequisite::plain(value),
        1 if tag_is_32_bits => ValidRequisite::warned(value, RequisiteWarning::TAG_INSIDE),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

/// Checks a destination tag: a whole number from 0 to 2^32 - 1. The normal form has no leading zeros.
pub(crate) fn check_tag(value: &str) -> CheckResult {
    if !value.bytes().all(|b| b.is_ascii_digit()) {
        return Err(RequisiteRefusal::new("not_a_number"));
    }
    match value.parse::<u32>() {
        Ok(tag) => ValidRequisite::plain(tag.to_string()),
        Err(_) => Err(RequisiteRefusal::new("out_of_range")),
    }
}
