//! Bitcoin through Bitcoin Core's JSON-RPC.
//!
//! Addresses have our key as label, payouts have it as comment. So the wallet itself shows what was done for a key: an address is never
//! created twice, and before a payout the wallet is searched for it. Amounts are parsed from their digits and sent as text, never through a
//! binary float.

mod addresses;
mod incoming_payments;
mod payouts;
mod rpc;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AllowedHost, Call, CallError, HttpMethod, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse,
    PluginSetting, PluginSettingKind,
};

/// The driver.
pub struct BitcoinCore;

/// The settings.
const URL: &str = "url";
const WALLET: &str = "wallet";
const USER: &str = "user";
const PASSWORD: &str = "password";

#[cfg(feature = "library")]
agio_plugin_sdk::export!(BitcoinCore);

impl Plugin for BitcoinCore {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, title, default: Option<&str>| PluginSetting {
            name: name.to_owned(),
            kind,
            title,
            default: default.map(str::to_owned),
        };
        Manifest {
            name: "bitcoin-core".to_owned(),
            version: "1.0".to_owned(),
            kind: PluginKind::Payments,
            title: LocalizedText::new("Bitcoin Core", "Bitcoin Core"),
            about: LocalizedText::new(
                "Принимает и отправляет биткоины через собственный узел Bitcoin Core.",
                "Takes and sends bitcoin through a Bitcoin Core node of one's own.",
            ),
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: vec![
                field(
                    URL,
                    PluginSettingKind::Url,
                    LocalizedText::new("Адрес узла", "Address of the node"),
                    Some("http://127.0.0.1:8332"),
                ),
                field(WALLET, PluginSettingKind::Text, LocalizedText::new("Кошелёк", "Wallet"), Some("")),
                field(USER, PluginSettingKind::Text, LocalizedText::new("Пользователь RPC", "RPC user"), None),
                field(PASSWORD, PluginSettingKind::Secret, LocalizedText::new("Пароль RPC", "RPC password"), None),
            ],
            limits: PluginLimits { request_ms: 30_000, rounds: 24, ..PluginLimits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        match &request.call {
            Call::Addresses { requests } => addresses::find_or_make(request, requests),
            Call::Watch(watch) => incoming_payments::watch(request, watch),
            Call::SendPayout(payout) => payouts::send(request, payout),
            Call::PayoutStatus(payout) => payouts::sent(request, payout),
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "a payment driver does not support this")),
        }
    }
}
