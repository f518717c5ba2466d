//! Binance's best bids and asks (`/api/v3/ticker/bookTicker`), one symbol or all.
//!
//! A symbol is two tickers without a separator, so it is split by the assets that are known here;
//! others are left out and named. A market with a price of zero is dead. The reply carries no
//! time: it is as old as its arrival.

use std::collections::HashSet;

use rust_decimal::Decimal;
use serde::Deserialize;

use super::number::{Separator, decimal};
use super::{Feed, FeedError, Format, checked};
use crate::model::observation::{Observation, ObservedAt};

/// The source's name in observations.
pub const SOURCE: &str = "binance";

/// Tickers that symbols are split into.
pub const KNOWN_ASSETS: [&str; 33] = [
    "ADA", "ATOM", "AVAX", "BCH", "BNB", "BTC", "DAI", "DASH", "DOGE", "DOT", "ETC", "ETH", "EUR", "FDUSD", "GBP", "KZT", "LTC",
    "MATIC", "POL", "RUB", "SHIB", "SOL", "TON", "TRX", "TRY", "TUSD", "UAH", "USDC", "USDT", "XLM", "XMR", "XRP", "ZEC",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BookTicker {
    symbol: String,
    bid_price: String,
    ask_price: String,
}

/// Reads the reply for one symbol or for all.
pub fn parse(bytes: &[u8], received_at: i64, assets: &[&str]) -> Result<Feed, FeedError> {
    let mut seen = HashSet::new();
    let mut observations = Vec::new();
    let mut skipped = Vec::new();
    for ticker in read(checked(bytes)?)? {
        if !seen.insert(ticker.symbol.clone()) {
            return Err(FeedError::Duplicate(ticker.symbol));
        }
        let bid = decimal(&ticker.bid_price, Separator::Point, &ticker.symbol)?;
        let ask = decimal(&ticker.ask_price, Separator::Point, &ticker.symbol)?;
        let is_dead = bid.is_zero() || ask.is_zero();
        let Some((base, quote)) = split(&ticker.symbol, assets).filter(|_| !is_dead) else {
            skipped.push(ticker.symbol);
            continue;
        };
        observations.push(observation(&ticker.symbol, base, quote, (bid, ask), received_at)?);
    }
    if observations.is_empty() {
        return Err(FeedError::NoPrices);
    }
    Ok(Feed { format: Format::Binance, observations, skipped })
}

fn read(bytes: &[u8]) -> Result<Vec<BookTicker>, FeedError> {
    let is_list = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let tickers = if is_list { serde_json::from_slice(bytes) } else { serde_json::from_slice(bytes).map(|ticker| vec![ticker]) };
    tickers.map_err(|error| FeedError::Json(error.to_string()))
}

/// Splits a symbol into base and quote; none when no known pair of assets makes it, or more than
/// one does.
fn split<'a>(symbol: &'a str, assets: &[&str]) -> Option<(&'a str, &'a str)> {
    let known = |ticker: &str| assets.contains(&ticker);
    let mut splits =
        (1..symbol.len()).filter_map(|place| symbol.split_at_checked(place)).filter(|(base, quote)| known(base) && known(quote));
    let found = splits.next()?;
    splits.next().is_none().then_some(found)
}

fn observation(
    symbol: &str,
    base: &str,
    quote: &str,
    (bid, ask): (Decimal, Decimal),
    received_at: i64,
) -> Result<Observation, FeedError> {
    if bid > ask {
        return Err(FeedError::Crossed { symbol: symbol.to_owned(), bid, ask });
    }
    Ok(Observation {
        source: SOURCE.to_owned(),
        base: base.to_owned(),
        quote: quote.to_owned(),
        bid,
        ask,
        observed_at: ObservedAt::Moment(received_at),
    })
}
