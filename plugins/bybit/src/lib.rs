//! Bybit's spot market (`/v5/market/tickers?category=spot`).
//!
//! A symbol is two tickers without a separator. Fields may be empty strings, most often `usdIndexPrice`. A `retCode` other than 0 is an error
//! with status 200. The response has a time.

use agio_plugin_rate_source::price_collector::split_symbol;
use agio_plugin_rate_source::{PriceCollector, RateSource, ReadError, Source, SourcePage, manifest};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, Prices};
use serde::Deserialize;

pub type Bybit = RateSource<BybitTickers>;

/// What Bybit publishes.
pub struct BybitTickers;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    ret_code: i64,
    ret_msg: String,
    result: Option<Tickers>,
    time: Option<i64>,
}

/// An error comes with an empty result, so nothing in it is sure to be there.
#[derive(Deserialize)]
struct Tickers {
    category: Option<String>,
    #[serde(default)]
    list: Vec<Ticker>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ticker {
    symbol: String,
    bid1_price: Option<String>,
    ask1_price: Option<String>,
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Bybit::default());

impl Source for BybitTickers {
    const ORIGIN: &str = "https://api.bybit.com";
    const PATH: &str = "/v5/market/tickers?category=spot";

    fn manifest(origin: &str) -> Manifest {
        let about =
            LocalizedText::new("Лучшие цены покупки и продажи на спотовом рынке.", "Best bids and asks of the spot market.");
        manifest("bybit", origin, LocalizedText::new("Bybit", "Bybit"), about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('{') && head.contains("\"retCode\"")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if reply.ret_code != 0 {
            return Err(ReadError::from_source(format_args!("{} {}", reply.ret_code, reply.ret_msg)));
        }
        let missing = |what| ReadError::Missing { what, of: "the reply".to_owned() };
        let tickers = reply.result.ok_or_else(|| missing("result"))?;
        if tickers.category.as_deref() != Some("spot") {
            // Futures have the same symbols and other prices.
            return Err(missing("category spot"));
        }
        let mut collector = PriceCollector::new(page.checked_time(reply.time.ok_or_else(|| missing("time"))?)?);
        for ticker in &tickers.list {
            let pair = split_symbol(&ticker.symbol, |asset| page.is_known(asset));
            collector.add(&ticker.symbol, pair, [ticker.bid1_price.as_deref(), ticker.ask1_price.as_deref()])?;
        }
        collector.finish()
    }
}
