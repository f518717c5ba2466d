//! "This is a TRON address, you chose ERC-20": finding the field a refused value would have been right in.

use crate::{
    check_as,
    kind::Kind,
    verdict::{Refusal, Verdict},
};

/// Kinds a misplaced value is tried as, those with a checksum first. Solana has none, so it must not speak before the others.
const CANDIDATES: [Kind; 18] = [
    Kind::Tron,
    Kind::Evm,
    Kind::Btc,
    Kind::Ltc,
    Kind::Doge,
    Kind::Bch,
    Kind::Dash,
    Kind::Zec,
    Kind::Ton,
    Kind::Xmr,
    Kind::Xrp,
    Kind::Xlm,
    Kind::Ada,
    Kind::Iban,
    Kind::Card,
    Kind::Phone,
    Kind::Email,
    Kind::Sol,
];

/// Turns a general refusal into `wrong_network` or `wrong_kind` when the value is plainly of another kind.
pub(crate) fn explain(kind: Kind, typed: &str, refusal: Refusal) -> Refusal {
    if is_specific(refusal.code) {
        return refusal;
    }
    let Some(other) = CANDIDATES.into_iter().find(|&other| other != kind && belongs_to(other, typed)) else {
        return refusal;
    };
    let code = if kind.is_address() && other.is_address() { "wrong_network" } else { "wrong_kind" };
    Refusal::of(code, other)
}

/// Refusals that already say what is wrong better than the name of another kind would.
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

fn belongs_to(other: Kind, typed: &str) -> bool {
    let verdict = check_as(other, typed);
    match other {
        // One 19-digit number in ten passes the card checksum, and a 20-digit account that lost a digit should not be called a card.
        Kind::Card => verdict.is_ok_and(|card| card.value.len() == 16),
        _ => is_recognised(&verdict),
    }
}

/// A refused payee of a network is still an address of that network.
fn is_recognised(verdict: &Verdict) -> bool {
    match verdict {
        Ok(_) => true,
        Err(refusal) => matches!(refusal.code, "contract_address" | "forbidden_payee"),
    }
}
