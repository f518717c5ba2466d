//! Payment URIs and explorer links.

use agio_contracts::{CurrencyInfo, TX_PLACE};
use agio_core::Amount;
use agio_core::money::plain;
use agio_requisites::RequisiteKind;
use rust_decimal::Decimal;

use super::Claim;
use crate::model::ClaimState;

/// The kind of address of a currency: that of its first requisite.
pub fn address_kind(currency: &CurrencyInfo) -> Option<RequisiteKind> {
    currency.address_kind()
}

/// What the network of a currency calls the number that tells payments to one address apart.
pub fn memo_kind(currency: &CurrencyInfo) -> RequisiteKind {
    let has_tag = currency.inputs.iter().any(|input| input.kind == RequisiteKind::Tag);
    if has_tag { RequisiteKind::Tag } else { RequisiteKind::Memo }
}

/// Whether payment details are shown in this state.
pub const fn shows_payment_details(state: ClaimState) -> bool {
    matches!(
        state,
        ClaimState::AwaitingPayment | ClaimState::PaymentClaimed | ClaimState::PaymentSeen | ClaimState::AmountMismatch
    )
}

/// The text of the payment QR code: a URI with the exact amount where wallets support one, otherwise
/// the value itself.
pub fn payment_uri(currency: &CurrencyInfo, value: &str, memo: Option<&str>, amount: Amount) -> String {
    let sum = plain(amount.value());
    let native = |ticker: &str| currency.ticker == ticker;
    match address_kind(currency) {
        Some(RequisiteKind::Btc) => format!("bitcoin:{value}?amount={sum}"),
        Some(RequisiteKind::Ltc) => format!("litecoin:{value}?amount={sum}"),
        Some(RequisiteKind::Doge) => format!("dogecoin:{value}?amount={sum}"),
        Some(RequisiteKind::Dash) => format!("dash:{value}?amount={sum}"),
        Some(RequisiteKind::Zec) => format!("zcash:{value}?amount={sum}"),
        Some(RequisiteKind::Bch) => format!("bitcoincash:{}?amount={sum}", value.trim_start_matches("bitcoincash:")),
        Some(RequisiteKind::Xmr) => format!("monero:{value}?tx_amount={sum}"),
        Some(RequisiteKind::Sol) if native("SOL") => format!("solana:{value}?amount={sum}"),
        // Wallets that overlook the chain of ERC-681 would send on Ethereum what is awaited on another network.
        Some(RequisiteKind::Evm) if native("ETH") && evm_network(currency) == Some(EvmNetwork::Ethereum) => {
            match whole(amount.value(), 18) {
                Some(wei) => format!("ethereum:{value}@1?value={wei}"),
                None => value.to_owned(),
            }
        }
        Some(RequisiteKind::Ton) if native("TON") => match whole(amount.value(), 9) {
            Some(nanotons) => ton_uri(value, nanotons, memo),
            None => value.to_owned(),
        },
        _ => value.to_owned(),
    }
}

impl Claim {
    /// The text of the QR code of the claim's payment: the page of its invoice, if it has one.
    pub fn payment_uri(&self, currency: &CurrencyInfo, value: &str) -> String {
        let page = self.payment.page.clone();
        page.unwrap_or_else(|| payment_uri(currency, value, self.payment.memo.as_deref(), self.give.amount))
    }
}

fn ton_uri(value: &str, nanotons: i128, memo: Option<&str>) -> String {
    let text = memo.map(|memo| format!("&text={}", percent_encoded(memo))).unwrap_or_default();
    format!("ton://transfer/{value}?amount={nanotons}{text}")
}

/// The amount in units of 10^-`decimals`, if it is a whole number of them.
fn whole(amount: Decimal, decimals: u32) -> Option<i128> {
    let amount = amount.normalize();
    amount.mantissa().checked_mul(10_i128.checked_pow(decimals.checked_sub(amount.scale())?)?)
}

/// Percent-encodes every byte except letters, digits and `-._~`.
fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The block explorer's link; `None` for banks, unknown networks and texts that are not a transaction id.
pub fn explorer_link(currency: &CurrencyInfo, tx_id: &str) -> Option<String> {
    let is_id = tx_id.len() >= 32 && tx_id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_id {
        return None;
    }
    match &currency.explorer {
        Some(page) => Some(page.replace(TX_PLACE, tx_id)),
        None => Some(format!("{}{tx_id}", explorer(currency)?)),
    }
}

fn explorer(currency: &CurrencyInfo) -> Option<&'static str> {
    Some(match address_kind(currency)? {
        RequisiteKind::Btc => "https://mempool.space/tx/",
        RequisiteKind::Ltc => "https://litecoinspace.org/tx/",
        RequisiteKind::Doge => "https://dogechain.info/tx/",
        RequisiteKind::Bch => "https://blockchair.com/bitcoin-cash/transaction/",
        RequisiteKind::Dash => "https://blockchair.com/dash/transaction/",
        RequisiteKind::Zec => "https://blockchair.com/zcash/transaction/",
        RequisiteKind::Evm => evm_network(currency)?.explorer(),
        RequisiteKind::Tron => "https://tronscan.org/#/transaction/",
        RequisiteKind::Ton => "https://tonviewer.com/transaction/",
        RequisiteKind::Xmr => "https://xmrchain.net/tx/",
        RequisiteKind::Xrp => "https://livenet.xrpl.org/transactions/",
        RequisiteKind::Xlm => "https://stellar.expert/explorer/public/tx/",
        RequisiteKind::Sol => "https://solscan.io/tx/",
        RequisiteKind::Ada => "https://cardanoscan.io/transaction/",
        RequisiteKind::Qtum => "https://qtum.info/tx/",
        RequisiteKind::Xvg => "https://verge-blockchain.info/tx/",
        RequisiteKind::Bsv => "https://whatsonchain.com/tx/",
        RequisiteKind::Kmd => "https://kmdexplorer.io/tx/",
        RequisiteKind::Rvn => "https://rvn.cryptoscope.io/tx/?txid=",
        RequisiteKind::Dgb => "https://digiexplorer.info/tx/",
        RequisiteKind::Dot => "https://polkadot.subscan.io/extrinsic/",
        RequisiteKind::Atom => "https://www.mintscan.io/cosmos/tx/",
        RequisiteKind::Xtz => "https://tzkt.io/",
        RequisiteKind::Algo => "https://allo.info/tx/",
        RequisiteKind::Eos => "https://unicove.com/en/vaulta/transaction/",
        RequisiteKind::Xem => "https://explorer.nemtool.com/#/s_tx?hash=",
        RequisiteKind::Neo => "https://dora.coz.io/transaction/neo3/mainnet/",
        RequisiteKind::Ont => "https://explorer.ont.io/tx/",
        RequisiteKind::Waves => "https://wavesexplorer.com/transactions/",
        RequisiteKind::Icx => "https://tracker.icon.community/transaction/",
        RequisiteKind::Near => "https://nearblocks.io/txns/",
        RequisiteKind::Sui => "https://suiscan.xyz/mainnet/tx/",
        RequisiteKind::Apt => "https://explorer.aptoslabs.com/txn/",
        RequisiteKind::Fil => "https://filfox.info/en/message/",
        RequisiteKind::Kas => "https://explorer.kaspa.org/txs/",
        _ => return None,
    })
}

/// The networks that share Ethereum's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EvmNetwork {
    Ethereum,
    EthereumClassic,
    BnbSmartChain,
    Polygon,
    Arbitrum,
    Optimism,
    Base,
    Avalanche,
    VeChain,
}

impl EvmNetwork {
    const fn explorer(self) -> &'static str {
        match self {
            Self::Ethereum => "https://etherscan.io/tx/",
            Self::EthereumClassic => "https://etc.blockscout.com/tx/",
            Self::BnbSmartChain => "https://bscscan.com/tx/",
            Self::Polygon => "https://polygonscan.com/tx/",
            Self::Arbitrum => "https://arbiscan.io/tx/",
            Self::Optimism => "https://optimistic.etherscan.io/tx/",
            Self::Base => "https://basescan.org/tx/",
            Self::Avalanche => "https://snowtrace.io/tx/",
            Self::VeChain => "https://explore.vechain.org/transactions/",
        }
    }
}

/// The network of a currency by its English name; `None` for one that is not known by it.
fn evm_network(currency: &CurrencyInfo) -> Option<EvmNetwork> {
    let letters = currency.network.en.chars().filter(char::is_ascii_alphanumeric);
    let name = letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>();
    Some(match name.as_str() {
        "erc20" | "eth" | "ethereum" | "ethereumerc20" => EvmNetwork::Ethereum,
        "etc" | "ethereumclassic" => EvmNetwork::EthereumClassic,
        "bep20" | "bsc" | "bnb" | "bnbchain" | "bnbsmartchain" | "bnbsmartchainbep20" => EvmNetwork::BnbSmartChain,
        "polygon" | "polygonpos" | "matic" => EvmNetwork::Polygon,
        "arbitrum" | "arbitrumone" => EvmNetwork::Arbitrum,
        "optimism" | "opmainnet" => EvmNetwork::Optimism,
        "base" => EvmNetwork::Base,
        "avalanche" | "avalanchecchain" | "avaxc" | "avaxcchain" => EvmNetwork::Avalanche,
        "vechain" => EvmNetwork::VeChain,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use agio_contracts::{CurrencyInput, CurrencyKind};
    use agio_core::CurrencyUnit;
    use agio_core::texts::Bilingual;

    use super::*;

    fn currency(ticker: &str, network: &str, kind: &str) -> CurrencyInfo {
        CurrencyInfo {
            id: 1,
            code: ticker.into(),
            ticker: ticker.into(),
            network: Bilingual { ru: network.into(), en: network.into() },
            kind: CurrencyKind::Crypto,
            name: Bilingual::default(),
            icon: String::new(),
            scale: 8,
            inputs: vec![CurrencyInput {
                name: "address".into(),
                kind: kind.parse().unwrap(),
                label: Bilingual::default(),
                required: true,
                give: false,
                receive: true,
                hint: None,
                pattern: None,
                mask: None,
            }],
            cities: Vec::new(),
            explorer: None,
        }
    }

    #[test]
    fn a_wallet_is_told_the_exact_amount() {
        let amount = Amount::of_units(1_500_000, CurrencyUnit::new(1, 8));
        let uri = |ticker, network, kind, memo| payment_uri(&currency(ticker, network, kind), "ADDR", memo, amount);
        assert_eq!(uri("BTC", "Bitcoin", "btc", None), "bitcoin:ADDR?amount=0.015");
        assert_eq!(uri("ETH", "ERC20", "evm", None), "ethereum:ADDR@1?value=15000000000000000");
        assert_eq!(uri("TON", "TON", "ton", Some("№ 7")), "ton://transfer/ADDR?amount=15000000&text=%E2%84%96%207");
    }

    #[test]
    fn ether_of_another_network_is_paid_to_the_plain_address() {
        let amount = Amount::of_units(1_500_000, CurrencyUnit::new(1, 8));
        for network in ["BEP20", "Arbitrum", "Optimism", "Base", "Ethereum Classic", "A network of one's own"] {
            assert_eq!(payment_uri(&currency("ETH", network, "evm"), "0xA", None, amount), "0xA", "{network}");
        }
    }

    #[test]
    fn a_transaction_is_looked_up_on_its_own_network() {
        let id = "0x".to_owned() + &"ab".repeat(32);
        let link = |network| explorer_link(&currency("ETH", network, "evm"), &id);
        assert_eq!(link("Ethereum Classic"), Some(format!("https://etc.blockscout.com/tx/{id}")));
        assert_eq!(link("Ethereum (ERC-20)"), Some(format!("https://etherscan.io/tx/{id}")));
        assert_eq!(link("Optimism"), Some(format!("https://optimistic.etherscan.io/tx/{id}")));
        assert_eq!(link("A network of one's own"), None);
    }

    #[test]
    fn a_token_is_paid_to_the_plain_address() {
        let amount = Amount::of_units(1, CurrencyUnit::new(1, 6));
        assert_eq!(payment_uri(&currency("USDT", "ERC20", "evm"), "0xA", None, amount), "0xA");
        assert_eq!(payment_uri(&currency("USDT", "TON", "ton"), "UQA", None, amount), "UQA");
        assert_eq!(payment_uri(&currency("RUB", "Сбербанк", "card"), "2202", None, amount), "2202");
    }

    #[test]
    fn only_a_transaction_id_becomes_a_link() {
        let bitcoin = currency("BTC", "Bitcoin", "btc");
        let id = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
        assert_eq!(explorer_link(&bitcoin, id), Some(format!("https://mempool.space/tx/{id}")));
        let own = CurrencyInfo { explorer: Some("https://explorer.example/{tx}?lang=en".into()), ..bitcoin.clone() };
        assert_eq!(explorer_link(&own, id), Some(format!("https://explorer.example/{id}?lang=en")));
        assert_eq!(explorer_link(&own, "../../evil?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), None);
        assert_eq!(explorer_link(&bitcoin, "javascript:alert(1)//aaaaaaaaaaaaaaaaaaaaaaaa"), None);
        assert_eq!(explorer_link(&currency("RUB", "Сбербанк", "card"), id), None);
    }
}
