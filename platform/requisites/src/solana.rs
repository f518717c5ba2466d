//! Solana addresses: 32 bytes in base58, with no checksum at all.

use crate::{
    base58, payees,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const LENGTH: usize = 32;

/// Checks an address. A typing slip cannot be seen in it, so the customer is always asked to look twice.
pub(crate) fn check(value: &str) -> CheckResult {
    let bytes = base58::decode(value)?;
    if bytes.len() != LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    payees::refuse(payees::SOL, value)?;
    ValidRequisite::unchecked(value)
}
