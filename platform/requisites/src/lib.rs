//! Checks of payment requisites: is what the customer typed a thing money can be sent to, and in which normal form is it stored.
//!
//! Everything here is pure: no network, no clock, no configuration. An address that passes is *well formed* and free of typing slips as far as its
//! checksum can tell; that it belongs to the customer is for nobody but the customer to know.
//!
//! ```
//! use agio_requisites::{Kind, check};
//!
//! let accepted = check(Kind::Card, " 4111 1111-1111 1111 ").expect("a well-known test number");
//! assert_eq!(accepted.value, "4111111111111111");
//!
//! let refusal = check(Kind::Evm, "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf").expect_err("an address of another network");
//! assert_eq!((refusal.code, refusal.other), ("wrong_network", Some("tron")));
//! ```

mod account_ru;
mod base58;
mod card;
mod cardano;
mod cashaddr;
mod elsewhere;
mod evm;
mod iban;
mod kind;
mod mask;
mod monero;
#[cfg(test)]
mod mutations;
mod payees;
mod phone;
mod secret;
mod segwit;
mod solana;
mod stellar;
mod text;
mod ton;
mod transaction;
mod tron;
mod typed;
mod utxo;
mod verdict;
mod xrp;

pub use kind::{Kind, UnknownKind};
pub use mask::{group_for_reading, mask};
pub use transaction::transaction_key;
pub use verdict::{Accepted, REFUSAL_CODES, Refusal, WARNING_CODES, Warning};

use verdict::Verdict;

/// Russian texts for customers: a flat JSON object from refusal code, warning code or `kind_` + kind name to a text.
///
/// `{other}` and `{expected}` in a text stand for the `kind_*` texts of [`Refusal::other`] and of the kind that was asked for.
pub const TEXTS_RU: &str = include_str!("../texts/ru.json");

/// English texts for customers, with the keys of [`TEXTS_RU`].
pub const TEXTS_EN: &str = include_str!("../texts/en.json");

/// Checks what was `typed` into a field of this `kind` and brings it to its normal form.
///
/// Spaces, no-break spaces and zero-width characters that copying leaves behind are dropped first. Look-alike letters of other alphabets are
/// refused rather than mapped: whoever sees one should copy the value again.
///
/// # Errors
///
/// A [`Refusal`] with a stable code. When the value would have been right in another field, the code is `wrong_network` (addresses) or
/// `wrong_kind` (anything else) and [`Refusal::other`] names that field's kind.
pub fn check(kind: Kind, typed: &str) -> Result<Accepted, Refusal> {
    secret::refuse_secrets(kind, typed)?;
    check_as(kind, typed).map_err(|refusal| elsewhere::explain(kind, typed, refusal))
}

/// Checks the memo, comment or destination tag that goes beside an address of the kind `address`, by that network's own limits.
///
/// # Errors
///
/// A [`Refusal`] as [`check`] gives it; `bad_length` when the network cannot carry a memo this long.
pub fn check_memo(address: Kind, typed: &str) -> Result<Accepted, Refusal> {
    match address {
        Kind::Xrp => check(Kind::Tag, typed),
        Kind::Xlm => stellar::check_memo(&typed::clean(Kind::Memo, typed)?),
        _ => check(Kind::Memo, typed),
    }
}

/// The check of one kind alone, without a look at what else the value could be.
fn check_as(kind: Kind, typed: &str) -> Verdict {
    let value = typed::clean(kind, typed)?;
    match kind {
        Kind::Btc => utxo::BITCOIN.check(&value),
        Kind::Ltc => utxo::LITECOIN.check(&value),
        Kind::Doge => utxo::DOGECOIN.check(&value),
        Kind::Dash => utxo::DASH.check(&value),
        Kind::Zec => utxo::ZCASH.check(&value),
        Kind::Bch => cashaddr::check(&value),
        Kind::Evm => evm::check(&value),
        Kind::Tron => tron::check(&value),
        Kind::Ton => ton::check(&value),
        Kind::Xmr => monero::check(&value),
        Kind::Xrp => xrp::check(&value),
        Kind::Xlm => stellar::check(&value),
        Kind::Sol => solana::check(&value),
        Kind::Ada => cardano::check(&value),
        Kind::Iban => iban::check(&value),
        Kind::Card => card::check(&value),
        Kind::Phone => phone::check(&value),
        Kind::AccountRu => account_ru::check(&value),
        Kind::Email => text::check_email(&value),
        Kind::Holder => text::check_holder(&value),
        Kind::Tag => xrp::check_tag(&value),
        Kind::Memo => text::check_memo(&value),
        Kind::Text => text::check_text(&value),
    }
}
