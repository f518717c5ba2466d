//! Bids and asks of many markets, gathered strictly.

use std::collections::HashSet;

use agio_plugin::protocol::{Observation, Prices};
use rust_decimal::Decimal;

use crate::ReadError;
use crate::number::{Separator, decimal};

/// Tickers that symbols without a separator are split into, besides those asked for. Quote currencies nobody here asks for are among them, so that
/// a symbol which could be split in two ways is seen to be ambiguous.
pub const KNOWN: [&str; 42] = [
    "ADA", "ATOM", "AVAX", "BCH", "BNB", "BRL", "BTC", "BUSD", "CAD", "DAI", "DASH", "DOGE", "DOT", "ETC", "ETH", "EUR", "FDUSD",
    "GBP", "JPY", "KZT", "LTC", "MATIC", "PAX", "POL", "RUB", "SHIB", "SOL", "TON", "TRX", "TRY", "TUSD", "UAH", "USD", "USDC",
    "USDE", "USDS", "USDT", "XLM", "XMR", "XRP", "XTZ", "ZEC",
];

/// How many times the bid an ask may be at most: where the sides are further apart nobody trades, and neither is a price.
const WIDEST: Decimal = Decimal::from_parts(15, 0, 0, false, 1);

/// Prices being gathered from markets of one moment.
pub struct Book {
    observed_at: String,
    seen: HashSet<String>,
    prices: Prices,
}

impl Book {
    /// An empty one; its prices held at this time.
    #[must_use]
    pub fn of(observed_at: String) -> Self {
        Self { observed_at, seen: HashSet::new(), prices: Prices { observations: Vec::new(), skipped: Vec::new() } }
    }

    /// Takes the market of a symbol whose sides are strings. A market of currencies nobody here knows, and one that lacks a side, is
    /// dead or too wide, is left out and named.
    ///
    /// # Errors
    /// The symbol was there before, a side is no number, or the bid is above the ask.
    pub fn take(&mut self, symbol: &str, pair: Option<(&str, &str)>, sides: [Option<&str>; 2]) -> Result<(), ReadError> {
        self.take_read(symbol, pair, || {
            let [bid, ask] = sides.map(|side| side.filter(|text| !text.is_empty()));
            let read = |side: Option<&str>| side.map(|text| decimal(text, Separator::Point, symbol)).transpose();
            Ok([read(bid)?, read(ask)?])
        })
    }

    /// The same with sides that `read` reads once they are wanted.
    ///
    /// # Errors
    /// As those of [`take`](Self::take).
    pub fn take_read(
        &mut self,
        symbol: &str,
        pair: Option<(&str, &str)>,
        read: impl FnOnce() -> Result<[Option<Decimal>; 2], ReadError>,
    ) -> Result<(), ReadError> {
        if !self.seen.insert(symbol.to_owned()) {
            return Err(ReadError::Duplicate(symbol.to_owned()));
        }
        let sides = if pair.is_some() { read()? } else { [None; 2] };
        let (Some((base, quote)), [Some(bid), Some(ask)]) = (pair, sides) else {
            self.prices.skipped.push(symbol.to_owned());
            return Ok(());
        };
        if bid.is_zero() || ask.is_zero() {
            self.prices.skipped.push(symbol.to_owned());
            return Ok(());
        }
        if bid > ask {
            return Err(ReadError::Crossed { symbol: symbol.to_owned(), bid, ask });
        }
        if bid.checked_mul(WIDEST).is_none_or(|widest| ask > widest) {
            self.prices.skipped.push(symbol.to_owned());
            return Ok(());
        }
        let observed_at = self.observed_at.clone();
        let (base, quote) = (base.to_owned(), quote.to_owned());
        self.prices.observations.push(Observation { base, quote, bid, ask, observed_at });
        Ok(())
    }

    /// What was gathered.
    ///
    /// # Errors
    /// Nothing was, or two symbols stand for one pair.
    pub fn finish(self) -> Result<Prices, ReadError> {
        finished(self.prices)
    }
}

/// Prices as a whole: at least one, and one for each pair and time.
///
/// # Errors
/// There is none, or a pair is there twice.
pub fn finished(prices: Prices) -> Result<Prices, ReadError> {
    if prices.observations.is_empty() {
        return Err(ReadError::NoPrices);
    }
    let mut seen = HashSet::new();
    match prices.observations.iter().find(|known| !seen.insert((&known.base, &known.quote, &known.observed_at))) {
        Some(twice) => Err(ReadError::Duplicate(format!("{}/{}", twice.base, twice.quote))),
        None => Ok(prices),
    }
}

/// Splits a symbol into base and quote; none when no pair of known tickers makes it, or more than one does.
pub fn split(symbol: &str, is_known: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let mut splits = (1..symbol.len())
        .filter_map(|place| symbol.split_at_checked(place))
        .filter(|(base, quote)| base != quote && is_known(base) && is_known(quote));
    let found = splits.next()?;
    splits.next().is_none().then_some(found)
}
