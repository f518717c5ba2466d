//! Ethereum and networks like it, through the JSON-RPC of a node: the native coin and ERC-20 tokens.
//!
//! Deposit addresses come from an extended public key, so the keys of deposits need not be on the server. Payouts are
//! sent from one account whose key is a setting. The node is not trusted with keys, and it cannot make the driver pay
//! twice: see [`payouts`].
//!
//! The driver of TRON, whose keys, addresses and events are those of Ethereum, uses the public modules.

pub mod addresses;
mod chain;
mod incoming_payments;
pub mod keys;
mod networks;
mod payouts;
mod rpc;
mod settings;
mod transaction;
pub mod values;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AllowedHost, Call, CallError, HttpMethod, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse,
    PluginSetting, PluginSettingKind,
};

pub use incoming_payments::transfer;
pub use networks::{EvmNetwork, NETWORKS};
pub use settings::{TokenContract, tokens};

/// The driver of a network.
pub struct Evm(&'static EvmNetwork);

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Evm::new(&NETWORKS[NETWORKS.len() - 1]));

impl Evm {
    pub fn new(network: &'static EvmNetwork) -> Self {
        Self(network)
    }

    /// A driver for each network.
    pub fn all() -> impl Iterator<Item = Self> {
        NETWORKS.iter().map(Self)
    }

    fn settings(&self) -> Vec<PluginSetting> {
        let field = |name: &str, kind, (ru, en), default: Option<&str>| PluginSetting {
            name: name.to_owned(),
            kind,
            title: LocalizedText::new(ru, en),
            default: default.map(str::to_owned),
        };
        // What the network does not define has to be set.
        let defined = |value: &'static str| (!value.is_empty()).then_some(value);
        let (text, secret) = (|| PluginSettingKind::Text, || PluginSettingKind::Secret);
        let whole = |min, max| PluginSettingKind::Int { min, max };
        let network = self.0;
        vec![
            field(settings::URL, PluginSettingKind::Url, ("Адрес узла", "Address of the node"), Some("http://127.0.0.1:8545")),
            field(
                settings::TOKEN,
                secret(),
                ("Токен доступа к узлу, если нужен", "Access token of the node, if it needs one"),
                Some(""),
            ),
            field(settings::CHAIN_ID, whole(1, i64::MAX), ("Номер сети (chain id)", "Chain id"), defined(network.chain_id)),
            field(settings::NATIVE, text(), ("Код основной монеты", "Code of the native coin"), defined(network.native)),
            field(
                settings::TOKENS,
                text(),
                (
                    "Токены через запятую: КОД=КОНТРАКТ:ЗНАКИ, например USDTERC20=0xdAC1…1ec7:6",
                    "Tokens, separated by commas: CODE=CONTRACT:DECIMALS, such as USDTERC20=0xdAC1…1ec7:6",
                ),
                Some(network.tokens),
            ),
            field(
                settings::XPUB,
                text(),
                (
                    "Расширенный публичный ключ счёта (m/44'/60'/0') для адресов приёма",
                    "Extended public key of the account (m/44'/60'/0') for deposit addresses",
                ),
                Some(""),
            ),
            field(
                settings::SECRET,
                secret(),
                (
                    "Фраза восстановления или закрытый ключ счёта для выплат",
                    "Recovery phrase or private key of the payout account",
                ),
                Some(""),
            ),
            field(
                settings::MAX_FEE,
                text(),
                ("Наибольшая комиссия сети за выплату, в основной монете", "Highest network fee of a payout, in the native coin"),
                Some(network.max_fee),
            ),
            field(
                settings::MAX_GAS,
                whole(21_000, 30_000_000),
                ("Наибольший расход газа на выплату", "Most gas of a payout"),
                Some(network.max_gas),
            ),
            field(
                settings::FINAL_BLOCKS,
                whole(1, 10_000),
                ("Через сколько блоков запись в сети окончательна", "Blocks after which the chain is final"),
                Some(network.final_blocks),
            ),
            field(
                settings::SHARED_ACCOUNT,
                PluginSettingKind::Bool,
                ("Со счёта для выплат отправляют и другие программы", "Other programs send from the payout account as well"),
                Some("false"),
            ),
        ]
    }
}

impl Plugin for Evm {
    fn manifest(&self) -> Manifest {
        let (ru, en) = self.0.title;
        let about = LocalizedText::new(
            "Принимает и отправляет монеты и токены ERC-20 через узел сети. Адреса приёма — из расширенного публичного ключа.",
            "Takes and sends coins and ERC-20 tokens through a node. Deposit addresses come from an extended public key.",
        );
        Manifest {
            hosts: vec![AllowedHost::Setting { setting: settings::URL.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: self.settings(),
            limits: PluginLimits { round_ms: 5_000, request_ms: 20_000, reply_bytes: 32 * 1024 * 1024, rounds: 32 },
            ..Manifest::new(self.0.name, "1.0", PluginKind::Payments, LocalizedText::new(ru, en), about)
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        match &request.call {
            Call::Addresses { requests } => {
                match requests.iter().find_map(|wanted| settings::currency(request, &wanted.currency).err()) {
                    Some(refusal) => PluginResponse::Failed(refusal),
                    None => addresses::assign(request, requests, request.setting(settings::XPUB), |address| address.to_string()),
                }
            }
            Call::Watch(watch) => incoming_payments::watch(request, watch),
            Call::SendPayout(payout) => payouts::send(request, payout),
            Call::PayoutStatus(payout) => payouts::status(request, payout),
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "a payment driver does not support this")),
        }
    }
}
