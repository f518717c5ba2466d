//! Monero, through the JSON-RPC of `monero-wallet-rpc`.
//!
//! Deposit addresses are subaddresses with our key as label, so an address is never created twice for a key. Payouts
//! are built without being sent, stored, and only then sent: see [`payouts`]. The wallet finds payments and keeps the
//! keys, so the driver trusts it.

mod addresses;
mod incoming_payments;
mod payouts;
mod rpc;
mod units;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AllowedHost, Call, CallError, HttpMethod, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse,
    PluginSetting, PluginSettingKind, SettingChoice,
};

/// The code of the currency.
const CODE: &str = "XMR";

/// The settings.
const URL: &str = "url";
const NETWORK: &str = "network";
const USER: &str = "user";
const PASSWORD: &str = "password";
const PRIORITY: &str = "priority";
const MAX_FEE: &str = "max_fee";

/// The networks, with what primary addresses begin with on them. A network of one's own (regtest) has the addresses of
/// the first one.
const NETWORKS: [(&str, &[char]); 3] = [("mainnet", &['4']), ("stagenet", &['5']), ("testnet", &['9', 'A'])];

/// The driver.
pub struct Monero;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Monero);

impl Plugin for Monero {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, (ru, en), default: &str| PluginSetting {
            name: name.to_owned(),
            kind,
            title: LocalizedText::new(ru, en),
            default: Some(default.to_owned()),
        };
        let network = |(name, _): (&str, _)| SettingChoice { value: name.to_owned(), title: LocalizedText::new(name, name) };
        let about = LocalizedText::new(
            "Принимает и отправляет монеро через собственный кошелёк monero-wallet-rpc.",
            "Takes and sends monero through a monero-wallet-rpc wallet of one's own.",
        );
        Manifest {
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: vec![
                field(
                    URL,
                    PluginSettingKind::Url,
                    ("Адрес monero-wallet-rpc", "Address of monero-wallet-rpc"),
                    "http://127.0.0.1:18083",
                ),
                field(
                    NETWORK,
                    PluginSettingKind::Choice { of: NETWORKS.map(network).into() },
                    ("Сеть", "Network"),
                    NETWORKS[0].0,
                ),
                field(
                    USER,
                    PluginSettingKind::Text,
                    (
                        "Пользователь на прокси перед кошельком, если он есть",
                        "User at the proxy before the wallet, if there is one",
                    ),
                    "",
                ),
                field(PASSWORD, PluginSettingKind::Secret, ("Пароль на прокси", "Password at the proxy"), ""),
                field(
                    PRIORITY,
                    PluginSettingKind::Int { min: 0, max: 4 },
                    (
                        "Приоритет выплат: от 1 (дешевле) до 4 (быстрее), 0 — по выбору кошелька",
                        "Priority of payouts: from 1 (cheaper) to 4 (faster), 0: the wallet chooses",
                    ),
                    "0",
                ),
                field(
                    MAX_FEE,
                    PluginSettingKind::Text,
                    ("Наибольшая комиссия сети за выплату, в XMR", "Highest network fee of a payout, in XMR"),
                    "0.01",
                ),
            ],
            limits: PluginLimits { round_ms: 2_000, request_ms: 30_000, reply_bytes: 32 * 1024 * 1024, rounds: 32 },
            ..Manifest::new("monero", "1.0", PluginKind::Payments, LocalizedText::new("Monero", "Monero"), about)
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        let currencies: Vec<&String> = match &request.call {
            Call::Addresses { requests } => requests.iter().map(|one| &one.currency).collect(),
            Call::Watch(watch) => vec![&watch.currency],
            Call::SendPayout(payout) | Call::PayoutStatus(payout) => vec![&payout.currency],
            _ => Vec::new(),
        };
        if let Some(other) = currencies.into_iter().find(|code| *code != CODE) {
            return PluginResponse::Failed(CallError::permanent("other_currency", format!("Monero serves {CODE}, not {other}")));
        }
        match &request.call {
            Call::Addresses { requests } => addresses::find_or_create(request, requests),
            Call::Watch(watch) => incoming_payments::watch(request, watch),
            Call::SendPayout(payout) => payouts::send(request, payout),
            Call::PayoutStatus(payout) => payouts::status(request, payout),
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "a payment driver does not support this")),
        }
    }
}
