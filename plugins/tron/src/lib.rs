//! TRON, through the HTTP API of a node: TRX and TRC-20 tokens.
//!
//! Keys, addresses and events of tokens are those of Ethereum, and so is their code. Deposits are read from solidified
//! blocks, which are never replaced. Payouts are built and signed here, stored, and only then sent: see [`payouts`].

mod address;
mod blocks;
mod incoming_payments;
mod node;
mod payouts;
mod settings;
mod transaction;

use agio_plugin_evm::addresses;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AllowedHost, Call, CallError, HttpMethod, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse,
    PluginSetting, PluginSettingKind, SettingChoice,
};

/// The driver.
pub struct Tron;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Tron);

fn settings() -> Vec<PluginSetting> {
    let field = |name: &str, kind, (ru, en), default: &str| PluginSetting {
        name: name.to_owned(),
        kind,
        title: LocalizedText::new(ru, en),
        default: Some(default.to_owned()),
    };
    let (text, secret) = (|| PluginSettingKind::Text, || PluginSettingKind::Secret);
    let network =
        |(name, title, _): (&str, &str, &str)| SettingChoice { value: name.to_owned(), title: LocalizedText::new(title, title) };
    vec![
        field(settings::URL, PluginSettingKind::Url, ("Адрес узла", "Address of the node"), "http://127.0.0.1:8090"),
        field(
            settings::SOLIDITY_URL,
            PluginSettingKind::Url,
            (
                "Адрес подтверждённых данных (walletsolidity), если он другой",
                "Address of the solidified data (walletsolidity), if it is another",
            ),
            "",
        ),
        field(settings::TOKEN, secret(), ("Ключ TronGrid, если нужен", "TronGrid key, if the node needs one"), ""),
        field(
            settings::NETWORK,
            PluginSettingKind::Choice { of: settings::NETWORKS.map(network).into() },
            ("Сеть", "Network"),
            settings::NETWORKS[0].0,
        ),
        field(
            settings::TOKENS,
            text(),
            (
                "Токены через запятую: КОД=КОНТРАКТ:ЗНАКИ, например USDTTRC20=TR7N…Lj6t:6",
                "Tokens, separated by commas: CODE=CONTRACT:DECIMALS, such as USDTTRC20=TR7N…Lj6t:6",
            ),
            "USDTTRC20=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t:6",
        ),
        field(
            settings::XPUB,
            text(),
            (
                "Расширенный публичный ключ счёта (m/44'/195'/0') для адресов приёма",
                "Extended public key of the account (m/44'/195'/0') for deposit addresses",
            ),
            "",
        ),
        field(
            settings::SECRET,
            secret(),
            ("Фраза восстановления или закрытый ключ счёта для выплат", "Recovery phrase or private key of the payout account"),
            "",
        ),
        field(
            settings::FEE_LIMIT,
            text(),
            (
                "Наибольшая плата за энергию на выплату токена (fee_limit), в TRX",
                "Most that the energy of a token payout may cost (fee_limit), in TRX",
            ),
            "30",
        ),
    ]
}

impl Plugin for Tron {
    fn manifest(&self) -> Manifest {
        let about = LocalizedText::new(
            "Принимает и отправляет TRX и токены TRC-20 через узел сети. Адреса приёма — из расширенного публичного ключа.",
            "Takes and sends TRX and TRC-20 tokens through a node. Deposit addresses come from an extended public key.",
        );
        let host = |setting: &str| AllowedHost::Setting { setting: setting.to_owned(), methods: vec![HttpMethod::Post] };
        Manifest {
            hosts: vec![host(settings::URL), host(settings::SOLIDITY_URL)],
            settings: settings(),
            limits: PluginLimits { round_ms: 5_000, request_ms: 20_000, reply_bytes: 32 * 1024 * 1024, rounds: 32 },
            ..Manifest::new("tron", "1.0", PluginKind::Payments, LocalizedText::new("TRON", "TRON"), about)
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        match &request.call {
            Call::Addresses { requests } => {
                match requests.iter().find_map(|wanted| settings::token(request, &wanted.currency).err()) {
                    Some(refusal) => PluginResponse::Failed(refusal),
                    None => addresses::assign(request, requests, request.setting(settings::XPUB), address::encode),
                }
            }
            Call::Watch(watch) => incoming_payments::watch(request, watch),
            Call::SendPayout(payout) => payouts::send(request, payout),
            Call::PayoutStatus(payout) => payouts::status(request, payout),
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "a payment driver does not support this")),
        }
    }
}
