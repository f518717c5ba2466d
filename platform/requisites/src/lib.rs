//! Validation of payment details: whether money can be sent to what the customer typed, and its normal form.
//!
//! All functions are pure: no network, no clock, no configuration. A valid address is *well formed* and has no typo that its checksum can
//! detect. Whether it belongs to the customer cannot be checked.
//!
//! ```
//! use agio_requisites::{RequisiteKind, check};
//!
//! let accepted = check(RequisiteKind::Card, " 4111 1111-1111 1111 ").expect("a well-known test number");
//! assert_eq!(accepted.value, "4111111111111111");
//!
//! let refusal = check(RequisiteKind::Evm, "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf").expect_err("an address of another network");
//! assert_eq!((refusal.code, refusal.other), ("wrong_network", Some("tron")));
//! ```

mod account_ru;
mod algorand;
mod base32;
mod base58;
mod card;
mod cardano;
mod cashaddr;
#[cfg(test)]
mod checksum_tests;
mod cosmos;
mod eos;
mod evm;
mod filecoin;
mod hedera;
mod hex_account;
mod iban;
mod input;
mod input_mask;
mod kaspa;
mod kind;
mod link;
mod mask;
mod memo;
mod misplaced;
mod monero;
mod near;
mod nem;
mod pattern;
mod payees;
mod phone;
mod polkadot;
mod secret;
mod segwit;
mod solana;
mod stellar;
mod text;
mod ton;
mod transaction;
mod tron;
mod utxo;
mod validation;
mod waves;
mod xrp;

pub use input_mask::{INPUT_MASK_MAX, InputMask};
pub use kind::RequisiteKind;
pub use link::link_parts;
pub use mask::{group_for_reading, mask};
pub use pattern::{PATTERN_MAX, RequisitePattern};
pub use transaction::{is_transaction_id, linked_transaction, movement_key, transaction_key};
pub use validation::{REFUSAL_CODES, RequisiteRefusal, RequisiteWarning, ValidRequisite, WARNING_CODES};

use validation::CheckResult;

/// Russian texts for customers: a flat JSON object from refusal code, warning code or `kind_` + kind name to a text.
///
/// `{other}` and `{expected}` in a text stand for the `kind_*` texts of [`RequisiteRefusal::other`] and of the expected kind.
pub const TEXTS_RU: &str = include_str!("../texts/ru.json");

/// English texts for customers, with the keys of [`TEXTS_RU`].
pub const TEXTS_EN: &str = include_str!("../texts/en.json");

/// Validates what was `typed` into a field of this `kind` and returns its normal form.
///
/// Spaces, no-break spaces and zero-width characters are removed first. Look-alike letters of other alphabets are rejected, not mapped:
/// the customer should copy the value again.
///
/// # Errors
///
/// A [`RequisiteRefusal`] with a stable code. If the value is valid for another kind, the code is `wrong_network` (addresses) or
/// `wrong_kind` (anything else), and [`RequisiteRefusal::other`] is that kind.
pub fn check(kind: RequisiteKind, typed: &str) -> Result<ValidRequisite, RequisiteRefusal> {
    secret::refuse_secrets(kind, typed)?;
    check_as(kind, typed).map_err(|refusal| misplaced::explain(kind, typed, refusal))
}

/// Validates the memo, comment or destination tag for an address of the kind `address`, by the limits of that network.
///
/// # Errors
///
/// As for [`check`]; `bad_length` if the memo is too long for the network, `not_a_number` or `out_of_range` where it is a number.
pub fn check_memo(address: RequisiteKind, typed: &str) -> Result<ValidRequisite, RequisiteRefusal> {
    secret::refuse_secrets(RequisiteKind::Memo, typed)?;
    let refused = match memo::check(address, typed) {
        Ok(accepted) => return Ok(accepted),
        Err(refusal) => refusal,
    };
    Err(misplaced::explain(memo::kind_of(address), typed, refused))
}

/// Validates as one kind only, without trying other kinds.
fn check_as(kind: RequisiteKind, typed: &str) -> CheckResult {
    let value = input::clean(kind, typed)?;
    match kind {
        RequisiteKind::Btc => utxo::BITCOIN.check(&value),
        RequisiteKind::Ltc => utxo::LITECOIN.check(&value),
        RequisiteKind::Doge => utxo::DOGECOIN.check(&value),
        RequisiteKind::Dash => utxo::DASH.check(&value),
        RequisiteKind::Zec => utxo::ZCASH.check(&value),
        RequisiteKind::Bch => cashaddr::check(&value),
        RequisiteKind::Evm => evm::check(&value),
        RequisiteKind::Tron => tron::check(&value),
        RequisiteKind::Ton => ton::check(&value),
        RequisiteKind::Xmr => monero::check(&value),
        RequisiteKind::Xrp => xrp::check(&value),
        RequisiteKind::Xlm => stellar::check(&value),
        RequisiteKind::Sol => solana::check(&value),
        RequisiteKind::Ada => cardano::check(&value),
        RequisiteKind::Qtum => utxo::QTUM.check(&value),
        RequisiteKind::Xvg => utxo::VERGE.check(&value),
        RequisiteKind::Bsv => utxo::BITCOIN_SV.check(&value),
        RequisiteKind::Kmd => utxo::KOMODO.check(&value),
        RequisiteKind::Btg => utxo::BITCOIN_GOLD.check(&value),
        RequisiteKind::Rvn => utxo::RAVENCOIN.check(&value),
        RequisiteKind::Dgb => utxo::DIGIBYTE.check(&value),
        RequisiteKind::Dot => polkadot::check(&value),
        RequisiteKind::Atom => cosmos::check(&value),
        RequisiteKind::Xtz => utxo::TEZOS.check(&value),
        RequisiteKind::Algo => algorand::check(&value),
        RequisiteKind::Eos => eos::check(&value),
        RequisiteKind::Xem => nem::check(&value),
        RequisiteKind::Neo => utxo::NEO.check(&value),
        RequisiteKind::Ont => utxo::ONTOLOGY.check(&value),
        RequisiteKind::Waves => waves::check(&value),
        RequisiteKind::Icx => hex_account::ICON.check(&value),
        RequisiteKind::Near => near::check(&value),
        RequisiteKind::Sui => hex_account::SUI.check(&value),
        RequisiteKind::Apt => hex_account::APTOS.check(&value),
        RequisiteKind::Hbar => hedera::check(&value),
        RequisiteKind::Fil => filecoin::check(&value),
        RequisiteKind::Kas => kaspa::check(&value),
        RequisiteKind::Iban => iban::check(&value),
        RequisiteKind::Card => card::check(&value),
        RequisiteKind::Phone => phone::check(&value),
        RequisiteKind::AccountRu => account_ru::check(&value),
        RequisiteKind::Email => text::check_email(&value),
        RequisiteKind::Holder => text::check_holder(&value),
        RequisiteKind::Tag => xrp::check_tag(&value),
        RequisiteKind::Memo => text::check_memo(&value),
        RequisiteKind::Text => text::check_text(&value),
    }
}
