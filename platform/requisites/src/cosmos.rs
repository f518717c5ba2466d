//! Cosmos Hub addresses: bech32 with the prefix `cosmos`.

use bech32::{Bech32, primitives::decode::CheckedHrpstring};

use crate::{
    segwit,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const PREFIX: &str = "cosmos";

/// Longest bech32 text that is decoded, BIP-173.
const LONGEST: usize = 90;

/// Checks an address of 20 bytes, or of 32 for modules and contracts; the normal form is in lower case.
///
/// Addresses of validators (`cosmosvaloper1…`) and of other networks of the Cosmos (`osmo1…`) are refused. The test network has the
/// same addresses.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.len() > LONGEST {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let checked = CheckedHrpstring::new::<Bech32>(value).map_err(|error| segwit::checked_refusal(&error))?;
    if checked.hrp().to_lowercase() != PREFIX {
        return Err(RequisiteRefusal::new("unsupported_version"));
    }
    match checked.byte_iter().count() {
        20 | 32 if checked.validate_segwit_padding().is_ok() => ValidRequisite::plain(value.to_ascii_lowercase()),
        _ => Err(RequisiteRefusal::new("bad_length")),
    }
}
