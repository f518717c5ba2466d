//! Payments through a gateway of the owner's, in whatever language it is written: a bank, a merchant, a cash office.
//!
//! The contract is `openapi.yaml` in the folder of this crate, and `docs/gateways.md` explains it. Each claim gets an invoice of
//! its own. Invoices and payouts carry our key, so a repeated request changes nothing. Polling is the truth: a callback only
//! makes it happen at once.

mod answers;
mod balance;
mod capabilities;
mod invoices;
mod movements;
mod payouts;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, AllowedHost, BALANCE, CALLBACKS, CAPABILITIES, Call, CallError, HttpMethod, HttpRequest, INVOICES, LocalizedText,
    Manifest, PAYER, PluginKind, PluginLimits, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind,
};

/// The settings: address and secret of the gateway, the origin of the pages it may send customers to, and whether it is told
/// who pays.
const URL: &str = "url";
const SECRET: &str = "secret";
const PAGES: &str = "pages";
const PAYER_SETTING: &str = "payer";

/// The shortest secret, in bytes: a shorter one can be guessed.
const SECRET_MIN: usize = 16;

/// A gateway.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaymentsHttp;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(PaymentsHttp);

impl Plugin for PaymentsHttp {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, ru, en, default: Option<&str>| PluginSetting {
            name: name.to_owned(),
            kind,
            title: LocalizedText::new(ru, en),
            default: default.map(str::to_owned),
        };
        Manifest {
            name: "payments-http".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: PluginKind::Payments,
            title: LocalizedText::new("Платёжный шлюз по HTTP", "Payment gateway over HTTP"),
            about: LocalizedText::new(
                "Принимает и отправляет деньги через ваш шлюз к банку, мерчанту или кассе.",
                "Takes and sends money through your own gateway to a bank, merchant or cash office.",
            ),
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Get, HttpMethod::Post] }],
            settings: vec![
                field(URL, PluginSettingKind::Url, "Адрес шлюза", "Address of the gateway", None),
                field(SECRET, PluginSettingKind::Secret, "Секрет, не короче 16 знаков", "Secret, at least 16 characters", None),
                field(
                    PAGES,
                    PluginSettingKind::Url,
                    "Сайт страниц оплаты, например https://pay.example (пусто — без страниц)",
                    "Site of the payment pages, such as https://pay.example (empty: none)",
                    Some(""),
                ),
                field(
                    PAYER_SETTING,
                    PluginSettingKind::Bool,
                    "Сообщать шлюзу, что клиент указал о счёте, с которого платит",
                    "Tell the gateway what customers say about the account they pay from",
                    Some("false"),
                ),
            ],
            limits: PluginLimits { request_ms: 20_000, ..PluginLimits::default() },
            features: [INVOICES, CALLBACKS, BALANCE, CAPABILITIES, PAYER].map(str::to_owned).to_vec(),
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        let handled = match &input.call {
            Call::CreateInvoice(invoice) => invoices::create(input, invoice),
            Call::Watch(watch) => movements::watch(input, watch),
            Call::SendPayout(payout) => payouts::send(input, payout),
            Call::PayoutStatus(payout) => payouts::status(input, payout),
            Call::Balance { currency } => balance::balance(input, currency),
            Call::Capabilities { currency } => capabilities::capabilities(input, currency),
            _ => Err(CallError::permanent("not_mine", "a gateway makes an invoice for each claim and gives out no addresses")),
        };
        handled.unwrap_or_else(PluginResponse::Failed)
    }
}

fn get(input: &PluginRequest, path: &str) -> Result<PluginResponse, CallError> {
    request(input, HttpRequest::get(address(input, path)))
}

fn post(input: &PluginRequest, path: &str, body: &serde_json::Value) -> Result<PluginResponse, CallError> {
    request(input, HttpRequest::post_json(address(input, path), body))
}

fn address(input: &PluginRequest, path: &str) -> String {
    format!("{}/{path}", input.setting(URL).trim_end_matches('/'))
}

fn request(input: &PluginRequest, request: HttpRequest) -> Result<PluginResponse, CallError> {
    let secret = input.setting(SECRET);
    if secret.len() < SECRET_MIN {
        return Err(CallError::permanent("bad_secret", "the secret is shorter than 16 characters"));
    }
    Ok(PluginResponse::action(Action::Http(request.header("authorization", format!("Bearer {secret}")))))
}
