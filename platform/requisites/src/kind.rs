//! The kinds of requisites and their names.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What a requisite field holds, and so how it is checked. The text form is snake_case: `btc`, `account_ru`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Bitcoin address: base58check or segwit.
    Btc,
    /// Litecoin address: base58check or segwit.
    Ltc,
    /// Dogecoin address.
    Doge,
    /// Bitcoin Cash address in CashAddr form.
    Bch,
    /// Dash address.
    Dash,
    /// Transparent Zcash address.
    Zec,
    /// Address of Ethereum and every network with its address form: BNB Chain, Polygon, Avalanche C-Chain, Arbitrum.
    Evm,
    /// TRON address.
    Tron,
    /// TON address: user-friendly or raw.
    Ton,
    /// Monero address: standard, subaddress or integrated.
    Xmr,
    /// XRP Ledger address: classic or X-address.
    Xrp,
    /// Stellar account.
    Xlm,
    /// Solana address.
    Sol,
    /// Cardano address of the Shelley era.
    Ada,
    /// International bank account number, ISO 13616.
    Iban,
    /// Number of a payment card, ISO/IEC 7812.
    Card,
    /// Telephone number, E.164.
    Phone,
    /// Russian bank account of 20 digits, with the bank's BIC beside it when the customer gives one.
    AccountRu,
    /// E-mail address.
    Email,
    /// Name of the holder of a card or account.
    Holder,
    /// Memo or comment that travels with a transfer.
    Memo,
    /// Numeric destination tag of the XRP Ledger.
    Tag,
    /// Any other short text.
    Text,
}

/// A text that names no [`Kind`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind(pub String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown requisite kind {:?}", self.0)
    }
}

impl std::error::Error for UnknownKind {}

impl Kind {
    /// Every kind, in the order of the enum.
    pub const ALL: [Kind; 23] = [
        Kind::Btc,
        Kind::Ltc,
        Kind::Doge,
        Kind::Bch,
        Kind::Dash,
        Kind::Zec,
        Kind::Evm,
        Kind::Tron,
        Kind::Ton,
        Kind::Xmr,
        Kind::Xrp,
        Kind::Xlm,
        Kind::Sol,
        Kind::Ada,
        Kind::Iban,
        Kind::Card,
        Kind::Phone,
        Kind::AccountRu,
        Kind::Email,
        Kind::Holder,
        Kind::Memo,
        Kind::Tag,
        Kind::Text,
    ];

    /// The stable text form, as it stands in the database, in the API and in the keys of the texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Btc => "btc",
            Kind::Ltc => "ltc",
            Kind::Doge => "doge",
            Kind::Bch => "bch",
            Kind::Dash => "dash",
            Kind::Zec => "zec",
            Kind::Evm => "evm",
            Kind::Tron => "tron",
            Kind::Ton => "ton",
            Kind::Xmr => "xmr",
            Kind::Xrp => "xrp",
            Kind::Xlm => "xlm",
            Kind::Sol => "sol",
            Kind::Ada => "ada",
            Kind::Iban => "iban",
            Kind::Card => "card",
            Kind::Phone => "phone",
            Kind::AccountRu => "account_ru",
            Kind::Email => "email",
            Kind::Holder => "holder",
            Kind::Memo => "memo",
            Kind::Tag => "tag",
            Kind::Text => "text",
        }
    }

    /// Whether the kind is an address on a crypto network.
    #[must_use]
    pub const fn is_address(self) -> bool {
        matches!(
            self,
            Kind::Btc
                | Kind::Ltc
                | Kind::Doge
                | Kind::Bch
                | Kind::Dash
                | Kind::Zec
                | Kind::Evm
                | Kind::Tron
                | Kind::Ton
                | Kind::Xmr
                | Kind::Xrp
                | Kind::Xlm
                | Kind::Sol
                | Kind::Ada
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}
