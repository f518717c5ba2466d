//! Binance's best bids and asks (`/api/v3/ticker/bookTicker`), one symbol or all.
//!
//! A symbol is two tickers without a separator, so it is split by known assets; others are skipped and listed. A market with a price of zero
//! is inactive. The response has no time, so its arrival counts. From some countries the status is 451.

use agio_plugin_rate_source::price_collector::split_symbol;
use agio_plugin_rate_source::{PriceCollector, RateSource, ReadError, Source, SourcePage, manifest};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, Prices};
use serde::Deserialize;

pub type Binance = RateSource<BinanceTickers>;

/// What Binance publishes.
pub struct BinanceTickers;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BookTicker {
    symbol: String,
    bid_price: String,
    ask_price: String,
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Binance::default());

impl Source for BinanceTickers {
    const ORIGIN: &str = "https://api.binance.com";
    const PATH: &str = "/api/v3/ticker/bookTicker";

    fn manifest(origin: &str) -> Manifest {
        let about = LocalizedText::new(
            "Лучшие цены покупки и продажи на спотовом рынке. Из некоторых стран биржа не отвечает.",
            "Best bids and asks of the spot market. The exchange does not answer to some countries.",
        );
        manifest("binance", origin, LocalizedText::new("Binance", "Binance"), about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with(['[', '{']) && head.contains("\"bidPrice\"")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let is_list = page.bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
        let tickers: Vec<BookTicker> =
            if is_list { serde_json::from_slice(page.bytes)? } else { vec![serde_json::from_slice(page.bytes)?] };
        let mut collector = PriceCollector::new(page.default_time());
        for ticker in &tickers {
            let pair = split_symbol(&ticker.symbol, |asset| page.is_known(asset));
            collector.add(&ticker.symbol, pair, [Some(&ticker.bid_price), Some(&ticker.ask_price)])?;
        }
        collector.finish()
    }
}
