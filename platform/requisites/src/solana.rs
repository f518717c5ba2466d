//! Solana addresses: 32 bytes in base58, with no checksum at all.

use crate::{
    base58, payees,
    verdict::{Accepted, Refusal, Verdict},
};

const LENGTH: usize = 32;

/// Checks an address. A typing slip cannot be seen in it, so the customer is always asked to look twice.
pub(crate) fn check(value: &str) -> Verdict {
    let bytes = base58::decode(value)?;
    if bytes.len() != LENGTH {
        return Err(Refusal::new("bad_length"));
    }
    payees::refuse(payees::SOL, value)?;
    Accepted::unchecked(value)
}
