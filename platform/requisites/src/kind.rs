//! The kinds of requisites and their names.

agio_core::named! {
    /// Kind of a requisite, which determines its validation.
    RequisiteKind {
        /// Bitcoin address: base58check or segwit.
        Btc = "btc",
        /// Litecoin address: base58check or segwit.
        Ltc = "ltc",
        /// Dogecoin address.
        Doge = "doge",
        /// Bitcoin Cash address in CashAddr form.
        Bch = "bch",
        /// Dash address.
        Dash = "dash",
        /// Transparent Zcash address.
        Zec = "zec",
        /// Address of Ethereum and every network with its address form: BNB Chain, Polygon, Avalanche C-Chain, Arbitrum.
        Evm = "evm",
        /// TRON address.
        Tron = "tron",
        /// TON address: user-friendly or raw.
        Ton = "ton",
        /// Monero address: standard, subaddress or integrated.
        Xmr = "xmr",
        /// XRP Ledger address: classic or X-address.
        Xrp = "xrp",
        /// Stellar account.
        Xlm = "xlm",
        /// Solana address.
        Sol = "sol",
        /// Cardano address of the Shelley era.
        Ada = "ada",
        /// International bank account number, ISO 13616.
        Iban = "iban",
        /// Number of a payment card, ISO/IEC 7812.
        Card = "card",
        /// Telephone number, E.164.
        Phone = "phone",
        /// Russian bank account of 20 digits, with the bank's BIC beside it when the customer gives one.
        AccountRu = "account_ru",
        /// E-mail address.
        Email = "email",
        /// Name of the holder of a card or account.
        Holder = "holder",
        /// Memo or comment that travels with a transfer.
        Memo = "memo",
        /// Numeric destination tag of the XRP Ledger.
        Tag = "tag",
        /// Any other short text.
        Text = "text",
    }
}

impl RequisiteKind {
    /// Whether the kind is an address on a crypto network.
    #[must_use]
    pub const fn is_address(self) -> bool {
        matches!(
            self,
            Self::Btc
                | Self::Ltc
                | Self::Doge
                | Self::Bch
                | Self::Dash
                | Self::Zec
                | Self::Evm
                | Self::Tron
                | Self::Ton
                | Self::Xmr
                | Self::Xrp
                | Self::Xlm
                | Self::Sol
                | Self::Ada
        )
    }

    /// Whether any short text is valid, so that a [`RequisitePattern`](crate::RequisitePattern) can ask for more.
    #[must_use]
    pub const fn is_free_text(self) -> bool {
        matches!(self, Self::Memo | Self::Text)
    }
}
