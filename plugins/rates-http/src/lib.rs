//! Rates from a source of the owner's, in whatever language it is written: one GET, one list of prices.
//!
//! The contract is `openapi.yaml` in the folder of this crate.

use agio_plugin_rate_source::{PriceCollector, ReadError, Source, SourcePage, handle};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AllowedHost, CallError, HttpMethod, HttpRequest, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest,
    PluginResponse, PluginSetting, PluginSettingKind, Prices,
};
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The settings.
const URL: &str = "url";
const SECRET: &str = "secret";

/// A source of rates.
#[derive(Clone, Copy, Debug, Default)]
pub struct RatesHttp;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(RatesHttp);

#[derive(Deserialize)]
struct PriceList {
    time: String,
    prices: Vec<Price>,
}

#[derive(Deserialize)]
struct Price {
    base: String,
    quote: String,
    bid: String,
    ask: String,
}

impl Source for RatesHttp {
    /// The whole address is a setting.
    const ORIGIN: &str = "";
    const PATH: &str = "";

    fn manifest(_origin: &str) -> Manifest {
        let field = |name: &str, kind, ru, en, default: Option<&str>| PluginSetting {
            name: name.to_owned(),
            kind,
            title: LocalizedText::new(ru, en),
            default: default.map(str::to_owned),
        };
        Manifest {
            name: "rates-http".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: PluginKind::Rates,
            title: LocalizedText::new("Курсы по HTTP", "Rates over HTTP"),
            about: LocalizedText::new(
                "Берёт курсы из вашего источника: одним запросом, одним списком.",
                "Takes rates from a source of your own: one request, one list.",
            ),
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Get] }],
            settings: vec![
                field(URL, PluginSettingKind::Url, "Адрес списка", "Address of the list", None),
                field(
                    SECRET,
                    PluginSettingKind::Secret,
                    "Секрет, если источник его требует",
                    "Secret, if the source requires one",
                    Some(""),
                ),
            ],
            limits: PluginLimits::default(),
            features: Vec::new(),
        }
    }

    fn request(_origin: &str, input: &PluginRequest, _assets: &[String]) -> Result<HttpRequest, CallError> {
        let request = HttpRequest::get(input.setting(URL));
        Ok(match input.setting(SECRET) {
            "" => request,
            secret => request.header("authorization", format!("Bearer {secret}")),
        })
    }

    /// Files are read from well-known sources only.
    fn recognizes(_head: &str) -> bool {
        false
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let list: PriceList = serde_json::from_slice(page.bytes)?;
        let at = OffsetDateTime::parse(&list.time, &Rfc3339).map_err(|_| ReadError::Date(list.time.clone()))?;
        let millis = i64::try_from(at.unix_timestamp_nanos() / 1_000_000).map_err(|_| ReadError::Date(list.time))?;
        let mut prices = PriceCollector::new(page.checked_time(millis)?);
        for Price { base, quote, bid, ask } in &list.prices {
            prices.add(&format!("{base}/{quote}"), Some((base, quote)), [Some(bid), Some(ask)])?;
        }
        prices.finish()
    }
}

impl Plugin for RatesHttp {
    fn manifest(&self) -> Manifest {
        <Self as Source>::manifest(Self::ORIGIN)
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        handle::<Self>(Self::ORIGIN, input)
    }
}
