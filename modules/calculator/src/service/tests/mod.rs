//! The service over the demonstration's market: the pure parts on rows in memory, the rest on a SQLite file.

mod agreeing;
mod keeping;
mod pricing;
mod suspending;
mod swapping;

use std::time::Duration;

use agio_core::Timestamp;
use agio_core::needs::{Agreed, Asked};
use agio_core::texts::Texts;
use agio_core::{Error, Result};
use rust_decimal::Decimal;
use time::Date;
use time::macros::date;
use uuid::Uuid;

use super::agree::agree;
use super::rates::observation;
use super::seed::{DemoMarket, RATES};
use crate::market::{Freshness, Market, MarketPair, MarketRows, Sighting, observations};
use crate::model::quote::Quote;

/// The day of the demonstration's rates.
const DAY: Date = date!(2024 - 03 - 28);

/// Plenty of any currency, in units.
const PLENTY: i64 = 1_000_000_000_000_000;

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn moment(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The demonstration's rows, its rates judged at this moment.
fn rows(now: Timestamp, fixed_day: Option<Date>) -> MarketRows {
    let freshness = Freshness { now, max_age: Duration::from_secs(72 * 60 * 60), fixed_day };
    let planned = DemoMarket::shipped().unwrap().plan(now, Uuid::nil).unwrap();
    let read = RATES.map(|file| agio_testkit::rate_files().read(file, now).unwrap());
    let seen = read.iter().flat_map(|file| file.prices.iter().map(|price| observation(&file.source, price).unwrap()));
    MarketRows {
        currencies: planned.currencies.into_iter().map(|(row, _)| row).collect(),
        pairs: planned.pairs,
        sightings: seen.map(|seen| Sighting::judge(observations::to_row(&seen, now), &freshness)).collect(),
        fixed_day,
        ..MarketRows::default()
    }
}

/// The demonstration's market on its own day.
fn market() -> Market {
    let now = moment("2024-03-28T12:00:00Z");
    Market::build(rows(now, Some(DAY)), now).unwrap()
}

fn between<'m>(market: &'m Market, from: &str, to: &str) -> &'m MarketPair {
    let id = |code| market.currency_named(code).unwrap().id();
    market.between(id(from), id(to)).unwrap()
}

/// What a customer asks for who sends this much, was shown that much, and holds no quote.
fn asked(pair: &MarketPair, send: &str, shown: Option<&str>) -> Asked {
    Asked { receive: shown.map(number), ..Asked::plainly(pair.pair.from, pair.pair.to, number(send)) }
}

fn agreed(pair: &MarketPair, asked: &Asked, quote: Option<&Quote>, free: i64) -> Result<Agreed, Error> {
    let texts = Texts::merge(&[agio_core::dictionary!()]).unwrap();
    agree(pair, &market().rates, asked, quote, free, &texts)
}
