//! HTX's spot market (`/market/tickers`).
//!
//! Prices are JSON numbers, some with an exponent, read from their digits. A symbol is two tickers in lower case without a separator. Some years ago
//! the reply had no bid and ask: the last price stands for neither. The reply says when it was made.

use agio_plugin::Plugin;
use agio_plugin::protocol::{HttpRequest, Manifest, Prices, Question, Refusal, Step, Words};
use agio_plugin_reading::book::split;
use agio_plugin_reading::number::json_number;
use agio_plugin_reading::{Book, Page, ReadError, Source, handle, manifest};
use serde::Deserialize;
use serde_json::value::RawValue;

/// HTX, formerly Huobi.
pub struct Htx {
    origin: String,
}

impl Default for Htx {
    fn default() -> Self {
        Self::at("https://api.huobi.pro")
    }
}

impl Htx {
    /// The same exchange found elsewhere: a double, in tests.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

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
agio_plugin::export!(Htx::default());

impl Plugin for Htx {
    fn manifest(&self) -> Manifest {
        let about = Words::new(
            "Лучшие цены покупки и продажи на спотовом рынке. Прежде — Huobi.",
            "Best bids and asks of the spot market. Formerly Huobi.",
        );
        manifest("htx", &self.origin, Words::new("HTX", "HTX"), about)
    }

    fn handle(&self, question: &Question) -> Step {
        handle(self, question)
    }
}

impl Source for Htx {
    fn request(&self, _question: &Question, _assets: &[String]) -> Result<HttpRequest, Refusal> {
        Ok(HttpRequest::get(format!("{}/market/tickers", self.origin)))
    }

    fn knows(&self, head: &str) -> bool {
        head.starts_with('{') && head.contains("\"status\"") && head.contains("\"ts\"")
    }

    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError> {
        let reply: Reply = serde_json::from_slice(page.bytes)?;
        if reply.status != "ok" {
            return Err(ReadError::said(format_args!("{} {} {}", reply.status, reply.err_code, reply.err_msg)));
        }
        let stamp = reply.ts.ok_or_else(|| ReadError::Missing { what: "ts", of: "the reply".to_owned() })?;
        let mut book = Book::of(page.at_millis(stamp)?);
        for ticker in &reply.data {
            let symbol = ticker.symbol.to_ascii_uppercase();
            let pair = split(&symbol, |asset| page.is_known(asset));
            let read = |side: &Option<Box<RawValue>>| side.as_ref().map(|raw| json_number(raw.get(), &symbol)).transpose();
            book.take_read(&ticker.symbol, pair, || Ok([read(&ticker.bid)?, read(&ticker.ask)?]))?;
        }
        book.finish()
    }
}
