//! KuCoin's spot market (`/api/v1/market/allTickers`).
//!
//! Success is the code "200000", a string; any other code is an error with status 200. Symbols have a dash as separator. A market with a null
//! side is inactive. The response has a time.

use agio_plugin_rate_source::{PriceCollector, RateSource, ReadError, Source, SourcePage, manifest};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, Prices};
use serde::Deserialize;

/// KuCoin.
pub type Kucoin = RateSource<KucoinTickers>;

/// What Kucoin publishes.
pub struct KucoinTickers;

#[derive(Deserialize)]
struct Reply {
    code: String,
    #[serde(default)]
    msg: String,
    data: Option<Tickers>,
}

#[derive(Deserialize)]
struct Tickers {
    time: i64,
    ticker: Vec<Ticker>,
}

#[derive(Deserialize)]
struct Ticker {
    symbol: String,
    buy: Option<String>,
    sell: Option<String>,
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Kucoin::default());

impl Source for KucoinTickers {
    const ORIGIN: &str = "https://api.kucoin.com";
    const PATH: &str = "/api/v1/market/allTickers";

    fn manifest(origin: &str) -> Manifest {
        let about =
            LocalizedText::new("Лучшие цены покупки и продажи на спотовом рынке.", "Best bids and asks of the spot market.");
        manifest("kucoin", origin, LocalizedText::new("KuCoin", "KuCoin"), about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('{') && head.contains("\"code\"") && head.contains("\"ticker\"")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if reply.code != "200000" {
            return Err(ReadError::from_source(format_args!("{} {}", reply.code, reply.msg)));
        }
        let tickers = reply.data.ok_or_else(|| ReadError::Missing { what: "data", of: "the reply".to_owned() })?;
        let mut collector = PriceCollector::new(page.checked_time(tickers.time)?);
        for ticker in &tickers.ticker {
            let pair = ticker.symbol.split_once('-').filter(|(base, quote)| page.is_known(base) && page.is_known(quote));
            collector.add(&ticker.symbol, pair, [ticker.buy.as_deref(), ticker.sell.as_deref()])?;
        }
        collector.finish()
    }
}
