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
        /// Qtum address: base58check or segwit.
        Qtum = "qtum",
        /// Verge address.
        Xvg = "xvg",
        /// Bitcoin SV address: the form of a Bitcoin one, base58check only.
        Bsv = "bsv",
        /// Komodo address.
        Kmd = "kmd",
        /// Bitcoin Gold address: base58check or segwit.
        Btg = "btg",
        /// Ravencoin address.
        Rvn = "rvn",
        /// DigiByte address: base58check or segwit.
        Dgb = "dgb",
        /// Polkadot address in SS58.
        Dot = "dot",
        /// Cosmos Hub address.
        Atom = "atom",
        /// Tezos account, `tz1` to `tz4`.
        Xtz = "xtz",
        /// Algorand address.
        Algo = "algo",
        /// Account name on Vaulta, formerly EOS.
        Eos = "eos",
        /// NEM address.
        Xem = "xem",
        /// Neo N3 address.
        Neo = "neo",
        /// Ontology address.
        Ont = "ont",
        /// Waves address.
        Waves = "waves",
        /// ICON address.
        Icx = "icx",
        /// NEAR account: named or implicit.
        Near = "near",
        /// Sui address.
        Sui = "sui",
        /// Aptos address.
        Apt = "apt",
        /// Hedera account.
        Hbar = "hbar",
        /// Filecoin address: `f1`, `f3` or `f410`.
        Fil = "fil",
        /// Kaspa address.
        Kas = "kas",
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
                | Self::Qtum
                | Self::Xvg
                | Self::Bsv
                | Self::Kmd
                | Self::Btg
                | Self::Rvn
                | Self::Dgb
                | Self::Dot
                | Self::Atom
                | Self::Xtz
                | Self::Algo
                | Self::Eos
                | Self::Xem
                | Self::Neo
                | Self::Ont
                | Self::Waves
                | Self::Icx
                | Self::Near
                | Self::Sui
                | Self::Apt
                | Self::Hbar
                | Self::Fil
                | Self::Kas
        )
    }

    /// Whether any short text is valid, so that a [`RequisitePattern`](crate::RequisitePattern) can ask for more.
    pub const fn is_free_text(self) -> bool {
        matches!(self, Self::Memo | Self::Text)
    }
}
