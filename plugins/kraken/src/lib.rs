//! Kraken's spot market (`/0/public/Ticker`).
//!
//! The keys of the response are Kraken's own names: "XXBTZUSD" is XBT/USD. Older cryptocurrencies have the prefix X, fiat currencies Z; Bitcoin
//! is XBT and Dogecoin XDG. Each side is an array that starts with the price. The response has no time, so its arrival counts.

use agio_plugin_rate_source::json::entries;
use agio_plugin_rate_source::price_collector::split_symbol;
use agio_plugin_rate_source::{PriceCollector, RateSource, ReadError, Source, SourcePage, manifest};
use agio_plugin_sdk::protocol::{LocalizedText, Manifest, Prices};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Currencies that have an X before them in keys.
const WITH_X: [&str; 11] = ["ETC", "ETH", "LTC", "MLN", "REP", "XBT", "XDG", "XLM", "XMR", "XRP", "ZEC"];

/// Those of states, which have a Z before them.
const WITH_Z: [&str; 6] = ["AUD", "CAD", "EUR", "GBP", "JPY", "USD"];

pub type Kraken = RateSource<KrakenTickers>;

/// What Kraken publishes.
pub struct KrakenTickers;

#[derive(Deserialize)]
struct Reply {
    error: Vec<String>,
    result: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Ticker {
    /// The best ask: price, whole lots, lots.
    a: Vec<String>,
    /// The best bid, likewise.
    b: Vec<String>,
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Kraken::default());

impl Source for KrakenTickers {
    const ORIGIN: &str = "https://api.kraken.com";
    const PATH: &str = "/0/public/Ticker";

    fn manifest(origin: &str) -> Manifest {
        let about = LocalizedText::new(
            "Лучшие цены покупки и продажи на спотовом рынке, в том числе за доллары и евро.",
            "Best bids and asks of the spot market, in dollars and euros among others.",
        );
        manifest("kraken", origin, LocalizedText::new("Kraken", "Kraken"), about)
    }

    fn recognizes(head: &str) -> bool {
        head.starts_with('{') && head.contains("\"error\"") && head.contains("\"result\"")
    }

    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if !reply.error.is_empty() {
            return Err(ReadError::from_source(reply.error.join(", ")));
        }
        let result = reply.result.ok_or_else(|| ReadError::Missing { what: "result", of: "the reply".to_owned() })?;
        let mut collector = PriceCollector::new(page.default_time());
        for (key, ticker) in entries(result.get().as_bytes())? {
            let pair = split_symbol(&key, |name| page.is_known(&ticker_of(name)));
            let pair = pair.map(|(base, quote)| (ticker_of(base), ticker_of(quote))).filter(|(base, quote)| base != quote);
            let ticker: Ticker = serde_json::from_str(ticker.get())?;
            let price = |side: &'_ [String]| side.first().cloned();
            let sides = [price(&ticker.b), price(&ticker.a)];
            let pair = pair.as_ref().map(|(base, quote)| (base.as_str(), quote.as_str()));
            collector.add(&key, pair, [sides[0].as_deref(), sides[1].as_deref()])?;
        }
        collector.finish()
    }
}

/// The common ticker of a Kraken name. Other names are returned unchanged.
fn ticker_of(name: &str) -> String {
    let plain = match (name.strip_prefix('X'), name.strip_prefix('Z')) {
        (Some(ticker), _) if WITH_X.contains(&ticker) => ticker,
        (_, Some(ticker)) if WITH_Z.contains(&ticker) => ticker,
        _ => name,
    };
    match plain {
        "XBT" => "BTC",
        "XDG" => "DOGE",
        // Kraken does not use these names, so their meaning is unknown.
        "BTC" | "DOGE" => "",
        ticker => ticker,
    }
    .to_owned()
}
