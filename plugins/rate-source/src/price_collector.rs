//! Strict collection of bids and asks of many markets.

use std::collections::HashSet;

use agio_plugin_sdk::protocol::{PriceObservation, Prices};
use rust_decimal::Decimal;

use crate::ReadError;
use crate::number::{Separator, decimal};

/// Tickers used to split symbols without a separator, in addition to the requested ones. They include quote currencies that are never
/// requested, so that ambiguous symbols are detected.
pub const KNOWN_TICKERS: [&str; 42] = [
    "ADA", "ATOM", "AVAX", "BCH", "BNB", "BRL", "BTC", "BUSD", "CAD", "DAI", "DASH", "DOGE", "DOT", "ETC", "ETH", "EUR", "FDUSD",
    "GBP", "JPY", "KZT", "LTC", "MATIC", "PAX", "POL", "RUB", "SHIB", "SOL", "TON", "TRX", "TRY", "TUSD", "UAH", "USD", "USDC",
    "USDE", "USDS", "USDT", "XLM", "XMR", "XRP", "XTZ", "ZEC",
];

/// Maximum ratio of ask to bid. A wider market has no trades, so neither side is a price.
const MAX_SPREAD: Decimal = Decimal::from_parts(15, 0, 0, false, 1);

/// Collects prices of one point in time.
pub struct PriceCollector {
    observed_at: String,
    seen: HashSet<String>,
    prices: Prices,
}

impl PriceCollector {
    /// `observed_at` is the time of all prices.
    pub fn new(observed_at: String) -> Self {
        Self { observed_at, seen: HashSet::new(), prices: Prices { observations: Vec::new(), skipped: Vec::new() } }
    }

    /// Adds a market with bid and ask as strings. A market with an unknown currency, a missing or zero side or a too wide spread is
    /// skipped and listed.
    ///
    /// # Errors
    /// The symbol is a duplicate, a side is not a number, or the bid is above the ask.
    pub fn add(&mut self, symbol: &str, pair: Option<(&str, &str)>, sides: [Option<&str>; 2]) -> Result<(), ReadError> {
        self.add_lazy(symbol, pair, || {
            let [bid, ask] = sides.map(|side| side.filter(|text| !text.is_empty()));
            let read = |side: Option<&str>| side.map(|text| decimal(text, Separator::Point, symbol)).transpose();
            Ok([read(bid)?, read(ask)?])
        })
    }

    /// Like [`add`](Self::add), but `read` parses the sides only if they are needed.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub fn add_lazy(
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
        if bid.checked_mul(MAX_SPREAD).is_none_or(|widest| ask > widest) {
            self.prices.skipped.push(symbol.to_owned());
            return Ok(());
        }
        let observed_at = self.observed_at.clone();
        let (base, quote) = (base.to_owned(), quote.to_owned());
        self.prices.observations.push(PriceObservation { base, quote, bid, ask, observed_at });
        Ok(())
    }

    /// Returns the collected prices.
    ///
    /// # Errors
    /// There are none, or two symbols are the same pair.
    pub fn finish(self) -> Result<Prices, ReadError> {
        validate_prices(self.prices)
    }
}

/// Checks that there is at least one price and at most one per pair and time.
///
/// # Errors
/// There is none, or a pair is duplicated.
pub fn validate_prices(prices: Prices) -> Result<Prices, ReadError> {
    if prices.observations.is_empty() {
        return Err(ReadError::NoPrices);
    }
    let mut seen = HashSet::new();
    match prices.observations.iter().find(|known| !seen.insert((&known.base, &known.quote, &known.observed_at))) {
        Some(twice) => Err(ReadError::Duplicate(format!("{}/{}", twice.base, twice.quote))),
        None => Ok(prices),
    }
}

/// Splits a symbol into base and quote; `None` if there is no split into known tickers or more than one.
pub fn split_symbol(symbol: &str, is_known: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let mut splits = (1..symbol.len())
        .filter_map(|place| symbol.split_at_checked(place))
        .filter(|(base, quote)| base != quote && is_known(base) && is_known(quote));
    let found = splits.next()?;
    splits.next().is_none().then_some(found)
}
