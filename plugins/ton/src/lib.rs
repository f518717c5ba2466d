//! TON, through the HTTP API of a node: toncoin and jettons.
//!
//! Customers pay to one address, and a comment says for which claim. Payments are read from the chain of that account,
//! or of its jetton wallet, as blocks of the masterchain have it: that is final. Payouts are built and signed here,
//! stored, and only then sent: see [`payouts`].

mod chain;
mod incoming_payments;
mod messages;
mod node;
mod payouts;
mod settings;
mod wallet;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AddressRequest, AllowedHost, Call, CallError, CallResult, DepositAddress, HttpMethod, LocalizedText, Manifest, PluginKind,
    PluginLimits, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind, SettingChoice,
};
use sha2::{Digest as _, Sha256};

/// The driver.
pub struct Ton;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Ton);

/// Comments have twelve digits, and begin with none of the zeros that people leave out.
const COMMENTS_FROM: u64 = 100_000_000_000;
const COMMENTS: u64 = 900_000_000_000;

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
        field(
            settings::URL,
            PluginSettingKind::Url,
            ("Адрес HTTP API (версия 2)", "Address of the HTTP API (version 2)"),
            "https://toncenter.com/api/v2",
        ),
        field(settings::TOKEN, secret(), ("Ключ API, если нужен", "API key, if the node needs one"), ""),
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
                "Жетоны через запятую: КОД=ЭМИТЕНТ:ЗНАКИ, например USDTTON=EQCx…_sDs:6",
                "Jettons, separated by commas: CODE=ISSUER:DECIMALS, such as USDTTON=EQCx…_sDs:6",
            ),
            "USDTTON=EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs:6",
        ),
        field(
            settings::ADDRESS,
            text(),
            (
                "Адрес кошелька для приёма. Если не указан, принимает кошелёк для выплат",
                "Address of the wallet for deposits. If empty, the wallet for payouts takes them",
            ),
            "",
        ),
        field(
            settings::SECRET,
            secret(),
            (
                "Фраза восстановления (24 слова) или закрытый ключ кошелька для выплат (V4R2)",
                "Recovery phrase (24 words) or private key of the wallet for payouts (V4R2)",
            ),
            "",
        ),
        field(
            settings::SMALLEST,
            text(),
            ("Наименьший платёж; меньшие не учитываются", "Smallest payment; smaller ones are ignored"),
            "0.01",
        ),
    ]
}

/// The address with a comment of its own for each key. Comments that happen to be equal are assigned once: the server
/// keeps the first one of an address.
fn addresses(request: &PluginRequest, requests: &[AddressRequest]) -> Result<Vec<DepositAddress>, CallError> {
    let address = settings::deposit_address(request)?.display_base64_url(false).to_string();
    let assign = |wanted: &AddressRequest| {
        settings::jetton(request, &wanted.currency)?;
        let digest = Sha256::digest(wanted.key.as_bytes());
        let number = digest[..8].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let memo = Some((COMMENTS_FROM + number % COMMENTS).to_string());
        Ok(DepositAddress { key: wanted.key.clone(), address: address.clone(), memo })
    };
    requests.iter().map(assign).collect()
}

impl Plugin for Ton {
    fn manifest(&self) -> Manifest {
        let about = LocalizedText::new(
            "Принимает и отправляет тонкоин и жетоны через HTTP API сети. Платежи различаются по комментарию.",
            "Takes and sends toncoin and jettons through the network's HTTP API. A comment tells payments apart.",
        );
        Manifest {
            hosts: vec![AllowedHost::Setting { setting: settings::URL.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: settings(),
            limits: PluginLimits { round_ms: 5_000, request_ms: 20_000, reply_bytes: 16 * 1024 * 1024, rounds: 64 },
            ..Manifest::new("ton", "1.0", PluginKind::Payments, LocalizedText::new("TON", "TON"), about)
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        match &request.call {
            Call::Addresses { requests } => match addresses(request, requests) {
                Ok(addresses) => PluginResponse::Done(CallResult::Addresses(addresses)),
                Err(refusal) => PluginResponse::Failed(refusal),
            },
            Call::Watch(watch) => incoming_payments::watch(request, watch),
            Call::SendPayout(payout) => payouts::send(request, payout),
            Call::PayoutStatus(payout) => payouts::status(request, payout),
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "a payment driver does not support this")),
        }
    }
}
