//! HTX's spot market (`/market/tickers`).
//!
//! Prices are JSON numbers, some with an exponent, parsed from their digits. A symbol is two tickers in lower case without a separator. Old
//! responses have no bid and ask; the last price does not replace them. The response has a time.

use agio_plugin_rate_source::number::json_number;
use agio_plugin_rate_source::price_collector::split_symbol;
use agio_plugin_rate_source::{PriceCollector, RateSource, ReadError, Source, SourcePage, manifest};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, Prices};
use serde::Deserialize;
use serde_json::value::RawValue;

/// HTX, formerly Huobi.
pub type Htx = RateSource<HtxTickers>;

/// What Htx publishes.
pub struct HtxTickers;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Reply {
    status: String,
    #[serde(default)]
    err_code: String,
    #[serde(default)]
    err_msg: String,
    ts: Option<i64>,
    #[serde(default)]
    data: Vec<Ticker>,
}

#[derive(Deserialize)]
struct Ticker {
    symbol: String,
    bid: Option<Box<RawValue>>,
    ask: Option<Box<RawValue>>,
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Htx::default());

impl Source for HtxTickers {
    const ORIGIN: &str = "https://api.huobi.pro";
    const PATH: &str = "/market/tickers";

    fn manifest(origin: &str) -> Manifest {
        let about = LocalizedText::new(
            "Лучшие цены покупки и продажи на спотовом рынке. Прежде — Huobi.",
            "Best bids and asks of the spot market. Formerly Huobi.",
        );
        manifest("htx", origin, LocalizedText::new("HTX", "HTX"), about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('{') && head.contains("\"status\"") && head.contains("\"ts\"")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if reply.status != "ok" {
            return Err(ReadError::from_source(format_args!("{} {} {}", reply.status, reply.err_code, reply.err_msg)));
        }
        let stamp = reply.ts.ok_or_else(|| ReadError::Missing { what: "ts", of: "the reply".to_owned() })?;
        let mut collector = PriceCollector::new(page.checked_time(stamp)?);
        for ticker in &reply.data {
            let symbol = ticker.symbol.to_ascii_uppercase();
            let pair = split_symbol(&symbol, |asset| page.is_known(asset));
            let read = |side: &Option<Box<RawValue>>| side.as_ref().map(|raw| json_number(raw.get(), &symbol)).transpose();
            collector.add_lazy(&ticker.symbol, pair, || Ok([read(&ticker.bid)?, read(&ticker.ask)?]))?;
        }
        collector.finish()
    }
}
