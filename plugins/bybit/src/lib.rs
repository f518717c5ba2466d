//! Bybit's spot market (`/v5/market/tickers?category=spot`).
//!
//! A symbol is two tickers without a separator. Fields may be empty strings, `usdIndexPrice` most often. A `retCode` other than 0 is an
//! error with the status 200. The reply says when it was made.

use agio_plugin::Plugin;
use agio_plugin::protocol::{HttpRequest, Manifest, Prices, Question, Refusal, Step, Words};
use agio_plugin_reading::book::split;
use agio_plugin_reading::{Book, Page, ReadError, Source, handle, manifest};
use serde::Deserialize;

/// Bybit.
pub struct Bybit {
    origin: String,
}

impl Default for Bybit {
    fn default() -> Self {
        Self::at("https://api.bybit.com")
    }
}

impl Bybit {
    /// The same exchange found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

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
agio_plugin::export!(Bybit::default());

impl Plugin for Bybit {
    fn manifest(&self) -> Manifest {
        let about = Words::new("Лучшие цены покупки и продажи на спотовом рынке.", "Best bids and asks of the spot market.");
        manifest("bybit", &self.origin, Words::new("Bybit", "Bybit"), about)
    }

    fn handle(&self, question: &Question) -> Step {
        handle(self, question)
    }
}

impl Source for Bybit {
    fn request(&self, _question: &Question, _assets: &[String]) -> Result<HttpRequest, Refusal> {
        Ok(HttpRequest::get(format!("{}/v5/market/tickers?category=spot", self.origin)))
    }

    fn knows(&self, head: &str) -> bool {
        head.starts_with('{') && head.contains("\"retCode\"")
    }

    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if reply.ret_code != 0 {
            return Err(ReadError::said(format_args!("{} {}", reply.ret_code, reply.ret_msg)));
        }
        let missing = |what| ReadError::Missing { what, of: "the reply".to_owned() };
        let tickers = reply.result.ok_or_else(|| missing("result"))?;
        if tickers.category.as_deref() != Some("spot") {
            // Futures have the same symbols and other prices.
            return Err(missing("category spot"));
        }
        let mut book = Book::of(page.at_millis(reply.time.ok_or_else(|| missing("time"))?)?);
        for ticker in &tickers.list {
            let pair = split(&ticker.symbol, |asset| page.is_known(asset));
            book.take(&ticker.symbol, pair, [ticker.bid1_price.as_deref(), ticker.ask1_price.as_deref()])?;
        }
        book.finish()
    }
}
