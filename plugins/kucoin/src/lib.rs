//! KuCoin's spot market (`/api/v1/market/allTickers`).
//!
//! Success is the code "200000", a string; any other code is an error with the status 200. Symbols are parted by a dash. Either side may be null:
//! such a market is dead. The reply says when it was made.

use agio_plugin::Plugin;
use agio_plugin::protocol::{HttpRequest, Manifest, Prices, Question, Refusal, Step, Words};
use agio_plugin_reading::{Book, Page, ReadError, Source, handle, manifest};
use serde::Deserialize;

/// KuCoin.
pub struct Kucoin {
    origin: String,
}

impl Default for Kucoin {
    fn default() -> Self {
        Self::at("https://api.kucoin.com")
    }
}

impl Kucoin {
    /// The same exchange found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

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
agio_plugin::export!(Kucoin::default());

impl Plugin for Kucoin {
    fn manifest(&self) -> Manifest {
        let about = Words::new("Лучшие цены покупки и продажи на спотовом рынке.", "Best bids and asks of the spot market.");
        manifest("kucoin", &self.origin, Words::new("KuCoin", "KuCoin"), about)
    }

    fn handle(&self, question: &Question) -> Step {
        handle(self, question)
    }
}

impl Source for Kucoin {
    fn request(&self, _question: &Question, _assets: &[String]) -> Result<HttpRequest, Refusal> {
        Ok(HttpRequest::get(format!("{}/api/v1/market/allTickers", self.origin)))
    }

    fn knows(&self, head: &str) -> bool {
        head.starts_with('{') && head.contains("\"code\"") && head.contains("\"ticker\"")
    }

    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if reply.code != "200000" {
            return Err(ReadError::said(format_args!("{} {}", reply.code, reply.msg)));
        }
        let tickers = reply.data.ok_or_else(|| ReadError::Missing { what: "data", of: "the reply".to_owned() })?;
        let mut book = Book::of(page.at_millis(tickers.time)?);
        for ticker in &tickers.ticker {
            let pair = ticker.symbol.split_once('-').filter(|(base, quote)| page.is_known(base) && page.is_known(quote));
            book.take(&ticker.symbol, pair, [ticker.buy.as_deref(), ticker.sell.as_deref()])?;
        }
        book.finish()
    }
}
