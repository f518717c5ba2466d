//! Kraken's spot market (`/0/public/Ticker`).
//!
//! The reply is keyed by names of Kraken's own, which are not those one asks by: "XXBTZUSD" is XBT/USD. Older currencies have an X before them,
//! those of states a Z; Bitcoin is XBT and Dogecoin XDG. Each side is an array that begins with the price. The reply carries no time: it is as old
//! as its arrival.

use agio_plugin::Plugin;
use agio_plugin::protocol::{HttpRequest, Manifest, Prices, Question, Refusal, Step, Words};
use agio_plugin_reading::book::split;
use agio_plugin_reading::json::entries;
use agio_plugin_reading::{Book, Page, ReadError, Source, handle, manifest};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Currencies that have an X before them in keys.
const WITH_X: [&str; 11] = ["ETC", "ETH", "LTC", "MLN", "REP", "XBT", "XDG", "XLM", "XMR", "XRP", "ZEC"];

/// Those of states, which have a Z before them.
const WITH_Z: [&str; 6] = ["AUD", "CAD", "EUR", "GBP", "JPY", "USD"];

/// Kraken.
pub struct Kraken {
    origin: String,
}

impl Default for Kraken {
    fn default() -> Self {
        Self::at("https://api.kraken.com")
    }
}

impl Kraken {
    /// The same exchange found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

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
agio_plugin::export!(Kraken::default());

impl Plugin for Kraken {
    fn manifest(&self) -> Manifest {
        let about = Words::new(
            "Лучшие цены покупки и продажи на спотовом рынке, в том числе за доллары и евро.",
            "Best bids and asks of the spot market, in dollars and euros among others.",
        );
        manifest("kraken", &self.origin, Words::new("Kraken", "Kraken"), about)
    }

    fn handle(&self, question: &Question) -> Step {
        handle(self, question)
    }
}

impl Source for Kraken {
    fn request(&self, _question: &Question, _assets: &[String]) -> Result<HttpRequest, Refusal> {
        Ok(HttpRequest::get(format!("{}/0/public/Ticker", self.origin)))
    }

    fn knows(&self, head: &str) -> bool {
        head.starts_with('{') && head.contains("\"error\"") && head.contains("\"result\"")
    }

    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if !reply.error.is_empty() {
            return Err(ReadError::said(reply.error.join(", ")));
        }
        let result = reply.result.ok_or_else(|| ReadError::Missing { what: "result", of: "the reply".to_owned() })?;
        let mut book = Book::of(page.undated());
        for (key, ticker) in entries(result.get().as_bytes())? {
            let pair = split(&key, |name| page.is_known(&ticker_of(name)));
            let pair = pair.map(|(base, quote)| (ticker_of(base), ticker_of(quote))).filter(|(base, quote)| base != quote);
            let ticker: Ticker = serde_json::from_str(ticker.get())?;
            let price = |side: &'_ [String]| side.first().cloned();
            let sides = [price(&ticker.b), price(&ticker.a)];
            let pair = pair.as_ref().map(|(base, quote)| (base.as_str(), quote.as_str()));
            book.take(&key, pair, [sides[0].as_deref(), sides[1].as_deref()])?;
        }
        book.finish()
    }
}

/// The ticker everybody else knows a currency by. What is no name of Kraken's is given back as it stands.
fn ticker_of(name: &str) -> String {
    let plain = match (name.strip_prefix('X'), name.strip_prefix('Z')) {
        (Some(ticker), _) if WITH_X.contains(&ticker) => ticker,
        (_, Some(ticker)) if WITH_Z.contains(&ticker) => ticker,
        _ => name,
    };
    match plain {
        "XBT" => "BTC",
        "XDG" => "DOGE",
        // Whoever writes these means something else by them: Kraken has no such names.
        "BTC" | "DOGE" => "",
        ticker => ticker,
    }
    .to_owned()
}
