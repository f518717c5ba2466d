//! Binance's best bids and asks (`/api/v3/ticker/bookTicker`), one symbol or all.
//!
//! A symbol is two tickers without a separator, so it is split by the assets that are known here;
//! others are left out and named. A market with a price of zero is dead. The reply carries no
//! time: it is as old as its arrival. From some countries the answer is 451.

use agio_plugin::Plugin;
use agio_plugin::protocol::{HttpRequest, Manifest, Prices, Question, Refusal, Step, Words};
use agio_plugin_reading::book::split;
use agio_plugin_reading::{Book, Page, ReadError, Source, handle, manifest};
use serde::Deserialize;

/// Binance.
pub struct Binance {
    origin: String,
}

impl Default for Binance {
    fn default() -> Self {
        Self::at("https://api.binance.com")
    }
}

impl Binance {
    /// The same exchange found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BookTicker {
    symbol: String,
    bid_price: String,
    ask_price: String,
}

#[cfg(feature = "library")]
agio_plugin::export!(Binance::default());

impl Plugin for Binance {
    fn manifest(&self) -> Manifest {
        let about = Words::new(
            "Лучшие цены покупки и продажи на спотовом рынке. Из некоторых стран биржа не отвечает.",
            "Best bids and asks of the spot market. The exchange does not answer to some countries.",
        );
        manifest("binance", &self.origin, Words::new("Binance", "Binance"), about)
    }

    fn handle(&self, question: &Question) -> Step {
        handle(self, question)
    }
}

impl Source for Binance {
    fn request(&self, _question: &Question, _assets: &[String]) -> Result<HttpRequest, Refusal> {
        Ok(HttpRequest::get(format!("{}/api/v3/ticker/bookTicker", self.origin)))
    }

    fn knows(&self, head: &str) -> bool {
        head.starts_with(['[', '{']) && head.contains("\"bidPrice\"")
    }

    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError> {
        let is_list = page.bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
        let tickers: Vec<BookTicker> =
            if is_list { serde_json::from_slice(page.bytes)? } else { vec![serde_json::from_slice(page.bytes)?] };
        let mut book = Book::of(page.undated());
        for ticker in &tickers {
            let pair = split(&ticker.symbol, |asset| page.is_known(asset));
            book.take(&ticker.symbol, pair, [Some(&ticker.bid_price), Some(&ticker.ask_price)])?;
        }
        book.finish()
    }
}
