//! Bitcoin, and coins whose nodes have the same JSON-RPC.
//!
//! Addresses have our key as label, payouts have it as comment. So the wallet itself shows what was done for a key:
//! an address is never created twice, and before a payout the wallet is searched for it. Amounts are parsed from
//! their digits and sent as text, never through a binary float. Each call first compares the node's first block with
//! the one of the network in the settings.

mod addresses;
mod coins;
mod incoming_payments;
mod payouts;
mod rpc;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AllowedHost, Call, CallError, HttpMethod, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse,
    PluginSetting, PluginSettingKind, SettingChoice,
};

use crate::coins::Coin;

/// A driver for the node of one coin.
#[derive(Clone, Copy, Debug)]
pub struct BitcoinLike(&'static Coin);

impl BitcoinLike {
    /// Bitcoin Core.
    pub const BITCOIN: Self = Self(&coins::BITCOIN);
    /// Litecoin Core.
    pub const LITECOIN: Self = Self(&coins::LITECOIN);
}

/// The settings.
const URL: &str = "url";
const NETWORK: &str = "network";
const WALLET: &str = "wallet";
const PAYOUT_WALLET: &str = "payout_wallet";
const USER: &str = "user";
const PASSWORD: &str = "password";
const FEE_RATE: &str = "fee_rate";
const FEE_BLOCKS: &str = "fee_blocks";

#[cfg(feature = "library")]
agio_plugin_sdk::export!(BitcoinLike::BITCOIN);

impl Plugin for BitcoinLike {
    fn manifest(&self) -> Manifest {
        let coin = self.0;
        let field = |name: &str, kind, title, default: Option<&str>| PluginSetting {
            name: name.to_owned(),
            kind,
            title,
            default: default.map(str::to_owned),
        };
        let networks = coin.networks.iter().map(|network| SettingChoice {
            value: network.name.to_owned(),
            title: LocalizedText::new(network.name, network.name),
        });
        Manifest {
            name: coin.plugin.to_owned(),
            version: "1.1".to_owned(),
            kind: PluginKind::Payments,
            title: LocalizedText::new(coin.title, coin.title),
            about: coin.about(),
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: vec![
                field(URL, PluginSettingKind::Url, LocalizedText::new("Адрес узла", "Address of the node"), Some(coin.url)),
                field(
                    NETWORK,
                    PluginSettingKind::Choice { of: networks.collect() },
                    LocalizedText::new("Сеть", "Network"),
                    coin.networks.first().map(|network| network.name),
                ),
                field(
                    WALLET,
                    PluginSettingKind::Text,
                    LocalizedText::new("Кошелёк, который принимает", "Wallet that receives"),
                    Some(""),
                ),
                field(
                    PAYOUT_WALLET,
                    PluginSettingKind::Text,
                    LocalizedText::new("Кошелёк для выплат, если он другой", "Wallet for payouts, if it is another one"),
                    Some(""),
                ),
                field(USER, PluginSettingKind::Text, LocalizedText::new("Пользователь RPC", "RPC user"), None),
                field(PASSWORD, PluginSettingKind::Secret, LocalizedText::new("Пароль RPC", "RPC password"), None),
                field(
                    FEE_BLOCKS,
                    PluginSettingKind::Int { min: 1, max: 1_008 },
                    LocalizedText::new(
                        "Срок подтверждения выплат для оценки комиссии, в блоках",
                        "Confirmation target of payouts for the fee estimate, in blocks",
                    ),
                    Some("6"),
                ),
                field(
                    FEE_RATE,
                    PluginSettingKind::Int { min: 0, max: 10_000 },
                    LocalizedText::new(
                        "Комиссия за виртуальный байт в наименьших единицах монеты (0 — оценка узла)",
                        "Fee per virtual byte in the smallest units of the coin (0: the node's estimate)",
                    ),
                    Some("0"),
                ),
            ],
            limits: PluginLimits { request_ms: 30_000, rounds: 64, reply_bytes: 16 * 1024 * 1024, ..PluginLimits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        let currencies: Vec<&String> = match &request.call {
            Call::Addresses { requests } => requests.iter().map(|one| &one.currency).collect(),
            Call::Watch(watch) => vec![&watch.currency],
            Call::SendPayout(payout) | Call::PayoutStatus(payout) => vec![&payout.currency],
            _ => Vec::new(),
        };
        if let Some(other) = currencies.into_iter().find(|code| *code != self.0.code) {
            let why = format!("{} serves {}, not {other}", self.0.title, self.0.code);
            return PluginResponse::Failed(CallError::permanent("other_currency", why));
        }
        match &request.call {
            Call::Addresses { requests } => addresses::find_or_create(self.0, request, requests),
            Call::Watch(watch) => incoming_payments::watch(self.0, request, watch),
            Call::SendPayout(payout) => payouts::send(self.0, request, payout),
            Call::PayoutStatus(payout) => payouts::status(self.0, request, payout),
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "a payment driver does not support this")),
        }
    }
}
