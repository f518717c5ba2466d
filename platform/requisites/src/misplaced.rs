//! Finds the kind a rejected value is valid for: "This is a TRON address, you chose ERC-20".

use crate::{
    check_as,
    kind::RequisiteKind,
    validation::{CheckResult, RequisiteRefusal},
};

/// Kinds to try: those with a checksum, then those whose form alone tells.
///
/// Left out are names that are anybody's word (EOS, NEAR), digits that are of two networks (Sui and Aptos), and addresses that were another
/// network's first: Bitcoin SV's are Bitcoin's, and Ontology's the older ones of Neo.
const CANDIDATES: [RequisiteKind; 35] = [
    RequisiteKind::Tron,
    RequisiteKind::Evm,
    RequisiteKind::Btc,
    RequisiteKind::Ltc,
    RequisiteKind::Doge,
    RequisiteKind::Bch,
    RequisiteKind::Dash,
    RequisiteKind::Zec,
    RequisiteKind::Ton,
    RequisiteKind::Xmr,
    RequisiteKind::Xrp,
    RequisiteKind::Xlm,
    RequisiteKind::Ada,
    RequisiteKind::Qtum,
    RequisiteKind::Xvg,
    RequisiteKind::Kmd,
    RequisiteKind::Btg,
    RequisiteKind::Rvn,
    RequisiteKind::Dgb,
    RequisiteKind::Dot,
    RequisiteKind::Atom,
    RequisiteKind::Xtz,
    RequisiteKind::Algo,
    RequisiteKind::Xem,
    RequisiteKind::Neo,
    RequisiteKind::Waves,
    RequisiteKind::Fil,
    RequisiteKind::Kas,
    RequisiteKind::Iban,
    RequisiteKind::Card,
    RequisiteKind::Phone,
    RequisiteKind::Email,
    RequisiteKind::Sol,
    RequisiteKind::Icx,
    RequisiteKind::Hbar,
];

/// Turns a general refusal into `wrong_network` or `wrong_kind` if the value is clearly of another kind.
pub(crate) fn explain(kind: RequisiteKind, typed: &str, refusal: RequisiteRefusal) -> RequisiteRefusal {
    if is_specific(refusal.code) {
        return refusal;
    }
    let Some(other) = CANDIDATES.into_iter().find(|&other| other != kind && belongs_to(other, typed)) else {
        return refusal;
    };
    let code = if kind.is_address() && other.is_address() { "wrong_network" } else { "wrong_kind" };
    RequisiteRefusal::of(code, other)
}

/// Refusals that are more helpful than the name of another kind.
fn is_specific(code: &str) -> bool {
    matches!(
        code,
        "empty"
            | "too_long"
            | "look_alike_letters"
            | "foreign_digits"
            | "testnet"
            | "contract_address"
            | "forbidden_payee"
            | "ambiguous"
            | "secret_key"
            | "bank_own_account"
    )
}

fn belongs_to(other: RequisiteKind, typed: &str) -> bool {
    let result = check_as(other, typed);
    match other {
        // One 19-digit number in ten passes the card checksum, and a 20-digit account that lost a digit should not be called a card.
        RequisiteKind::Card => result.is_ok_and(|card| card.value.len() == 16),
        _ => is_recognised(&result),
    }
}

/// A refused payee of a network is still an address of that network. An address of two networks is not taken for one of them.
fn is_recognised(result: &CheckResult) -> bool {
    match result {
        Ok(accepted) => !accepted.warnings.iter().any(|warning| warning.code == "also_valid_on"),
        Err(refusal) => matches!(refusal.code, "contract_address" | "forbidden_payee"),
    }
}
