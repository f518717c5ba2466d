//! Service tests on the demo market: pure parts on rows in memory, the rest on a SQLite file.

mod agreement;
mod market_swap;
mod persistence;
mod pricing;
mod suspensions;

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{AgreedQuote, QuoteRequest};
use agio_core::Timestamp;
use agio_core::texts::Texts;
use agio_core::{Error, Result};
use rust_decimal::Decimal;
use time::Date;
use time::macros::date;
use uuid::Uuid;

use super::agreement::agree;
use super::demo_market::{RATES, market_file};
use super::market_plan::{MarketPlan, PlannedRows, StoredMarket};
use super::rates::observation;
use crate::market::{DatedObservation, Freshness, Market, MarketPair, MarketRows, observations};
use crate::model::quote::Quote;

/// The demo day.
const DAY: Date = date!(2024 - 03 - 28);

/// More than enough of any currency, in units.
const PLENTY: i64 = 1_000_000_000_000_000;

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn timestamp(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The rows of the demo file.
fn planned(now: Timestamp) -> PlannedRows {
    let stored = StoredMarket::default();
    stored.settings.declare(crate::settings::SETTINGS.iter().copied());
    MarketPlan::new(Arc::new(market_file().unwrap()), false, &stored, now).unwrap().rows
}

/// The demo rows with freshness evaluated at `now`.
fn rows(now: Timestamp, fixed_day: Option<Date>) -> MarketRows {
    let freshness = Freshness { now, max_age: Duration::from_secs(72 * 60 * 60), fixed_day };
    let planned = planned(now);
    let read = RATES.map(|file| agio_test_app::rate_files().read(file, now).unwrap());
    let observed = read.iter().flat_map(|file| file.prices.iter().map(|price| observation(&file.source, price).unwrap()));
    MarketRows {
        currencies: planned.currencies.into_iter().map(|(_, row)| row).collect(),
        pairs: planned.pairs.into_iter().map(|(_, row)| row).collect(),
        observations: observed
            .map(|observed| DatedObservation::with_freshness(observations::to_row(&observed, now), &freshness))
            .collect(),
        fixed_day,
        ..MarketRows::default()
    }
}

/// The demo market on the demo day.
fn market() -> Market {
    let now = timestamp("2024-03-28T12:00:00Z");
    Market::build(rows(now, Some(DAY)), now).unwrap()
}

fn between<'m>(market: &'m Market, from: &str, to: &str) -> &'m MarketPair {
    let id = |code| market.currency_named(code).unwrap().id();
    market.between(id(from), id(to)).unwrap()
}

/// A quote request without a quote token.
fn request(pair: &MarketPair, give: &str, shown: Option<&str>) -> QuoteRequest {
    QuoteRequest { receive: shown.map(number), ..QuoteRequest::anonymous(pair.pair.give_id, pair.pair.receive_id, number(give)) }
}

fn agreed(pair: &MarketPair, request: &QuoteRequest, quote: Option<&Quote>, free: i64) -> Result<AgreedQuote, Error> {
    let texts = Texts::merge(&[agio_core::dictionary!()]).unwrap();
    agree(pair, &market().rates, request, quote, free, &texts)
}
