//! The market: one immutable picture of currencies, pairs and rates, built from the tables and swapped whole.
//!
//! [`Market::build`] is pure: rows go in, priced pairs come out. The free reserves are not in the picture, they change with
//! every claim; whoever needs a limit asks with the reserve of that moment.

pub mod currency;
pub mod notices;
pub mod observations;
pub mod pair;
mod priced;
pub mod wording;

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::{Error, Result, Timestamp};
use time::Date;

pub use currency::{Currency, CurrencyChange};
pub use notices::{BilingualNotice, Notice, Notices};
pub use observations::{Freshness, Sighting};
pub use pair::{Pair, PairChange, RateSource};
pub use priced::{Cut, Lifted, MarketPair, PairState, Rate};

use crate::feeds::SOURCE_PRIORITY;
use crate::model::cross::{Cross, RateGraph};
use crate::store::{CurrencyRow, PairRow};

/// What a market is built from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarketRows {
    /// Currencies in the order of lists.
    pub currencies: Vec<CurrencyRow>,
    /// Pairs.
    pub pairs: Vec<PairRow>,
    /// The newest of what each source said, judged by its age.
    pub sightings: Vec<Sighting>,
    /// The day whose rates are used, where the present ones are not.
    pub fixed_day: Option<Date>,
}

/// What the rates of a market are made from: the fresh observations, and all of them.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    fresh: RateGraph,
    any: RateGraph,
    fixed_day: Option<Date>,
}

/// Everything the public calls and the quotes need, as of one moment.
#[derive(Clone, Debug)]
pub struct Market {
    /// When it was built; names this market in the quotes made from it.
    pub built_at: Timestamp,
    /// Currencies in the order of lists.
    pub currencies: Vec<Arc<Currency>>,
    /// Pairs in the order of their currencies.
    pub pairs: Vec<MarketPair>,
    /// What pairs are priced with.
    pub rates: Rates,
    rows: MarketRows,
    currency_by_id: HashMap<i64, usize>,
    pair_by_id: HashMap<i64, usize>,
    pair_by_ends: HashMap<(i64, i64), usize>,
}

impl Rates {
    /// Arranges what the sources said.
    #[must_use]
    pub fn of(sightings: &[Sighting], fixed_day: Option<Date>) -> Self {
        let graph = |wanted: &dyn Fn(&Sighting) -> bool| {
            let chosen: Vec<_> = sightings.iter().filter(|seen| wanted(seen)).map(Sighting::observation).collect();
            RateGraph::new(&chosen, &SOURCE_PRIORITY)
        };
        Self { fresh: graph(&|seen| seen.is_fresh), any: graph(&|_| true), fixed_day }
    }

    /// What one asset is worth in another by what is fresh.
    #[must_use]
    pub fn fresh(&self, from: &str, to: &str) -> Option<Cross> {
        self.fresh.cross(from, to)
    }
}

impl Market {
    /// Builds the market.
    ///
    /// # Errors
    /// `internal` when a row is not one this program has written, or a pair names a currency that is not there.
    pub fn build(rows: MarketRows, built_at: Timestamp) -> Result<Self> {
        let currencies = rows.currencies.iter().map(|row| Currency::from_row(row).map(Arc::new)).collect::<Result<Vec<_>>>()?;
        let currency_by_id: HashMap<i64, usize> =
            currencies.iter().enumerate().map(|(place, currency)| (currency.id(), place)).collect();
        let place = |id: i64| {
            currency_by_id
                .get(&id)
                .copied()
                .ok_or_else(|| Error::internal(format!("a pair names currency {id}, which is not there")))
        };

        let rates = Rates::of(&rows.sightings, rows.fixed_day);
        let mut placed = Vec::with_capacity(rows.pairs.len());
        for row in &rows.pairs {
            let (from, to) = (place(row.from_id)?, place(row.to_id)?);
            let pair = Pair::from_row(row, &currencies[from], &currencies[to])?;
            placed.push((from, to, MarketPair::price(pair, &currencies[from], &currencies[to], &rates)));
        }
        placed.sort_by_key(|(from, to, _)| (*from, *to));
        let pairs: Vec<MarketPair> = placed.into_iter().map(|(_, _, pair)| pair).collect();

        Ok(Self {
            built_at,
            pair_by_id: pairs.iter().enumerate().map(|(place, priced)| (priced.pair.id, place)).collect(),
            pair_by_ends: pairs.iter().enumerate().map(|(place, priced)| ((priced.pair.from, priced.pair.to), place)).collect(),
            currencies,
            currency_by_id,
            pairs,
            rates,
            rows,
        })
    }

    /// Whether it was built from the same rows.
    #[must_use]
    pub fn is_of(&self, rows: &MarketRows) -> bool {
        self.rows == *rows
    }

    /// The newest of what each source said.
    #[must_use]
    pub fn sightings(&self) -> &[Sighting] {
        &self.rows.sightings
    }

    /// The day whose rates are used, where the present ones are not.
    #[must_use]
    pub fn fixed_day(&self) -> Option<Date> {
        self.rows.fixed_day
    }

    /// A currency by its identifier, hidden ones included.
    #[must_use]
    pub fn currency(&self, id: i64) -> Option<&Arc<Currency>> {
        self.currency_by_id.get(&id).map(|place| &self.currencies[*place])
    }

    /// A currency by its identifier or its code in any case, as links name it.
    #[must_use]
    pub fn currency_named(&self, name: &str) -> Option<&Arc<Currency>> {
        match name.parse() {
            Ok(id) => self.currency(id),
            Err(_) => self.currencies.iter().find(|currency| currency.facts.code.eq_ignore_ascii_case(name)),
        }
    }

    /// A pair by its identifier.
    #[must_use]
    pub fn pair(&self, id: i64) -> Option<&MarketPair> {
        self.pair_by_id.get(&id).map(|place| &self.pairs[*place])
    }

    /// The place among [`Market::pairs`] of the pair of two currencies.
    #[must_use]
    pub fn place_of(&self, from: i64, to: i64) -> Option<usize> {
        self.pair_by_ends.get(&(from, to)).copied()
    }

    /// The pair of two currencies.
    #[must_use]
    pub fn between(&self, from: i64, to: i64) -> Option<&MarketPair> {
        self.place_of(from, to).map(|place| &self.pairs[place])
    }

    /// Whether customers may exchange one for the other now; `free` tells the free reserve of a currency in units.
    fn offers<'m>(&'m self, free: impl Fn(i64) -> i64 + 'm) -> impl Iterator<Item = &'m MarketPair> {
        self.pairs.iter().filter(move |pair| pair.state(free(pair.pair.to)) == PairState::Ok)
    }

    /// Currencies that can be sent now, in the order of lists.
    #[must_use]
    pub fn sendable(&self, free: impl Fn(i64) -> i64) -> Vec<i64> {
        let mut ids: Vec<i64> = self.offers(free).map(|pair| pair.pair.from).collect();
        // Pairs come in the order of their sent currencies, so equal ones are neighbours.
        ids.dedup();
        ids
    }

    /// Currencies that can be received for one now, in the order of lists.
    #[must_use]
    pub fn receivable(&self, from: i64, free: impl Fn(i64) -> i64) -> Vec<i64> {
        self.offers(free).filter(|pair| pair.pair.from == from).map(|pair| pair.pair.to).collect()
    }

    /// The pair a visitor starts with: what they asked for as far as it can be had, else the first that can.
    #[must_use]
    pub fn opening(&self, from: Option<&str>, to: Option<&str>, free: impl Fn(i64) -> i64) -> Option<(i64, i64)> {
        let asked = |name: Option<&str>| name.and_then(|name| self.currency_named(name)).map(|currency| currency.id());
        let (from, to) = (asked(from), asked(to));
        let offers: Vec<(i64, i64)> = self.offers(free).map(|pair| (pair.pair.from, pair.pair.to)).collect();
        let first = |wanted: &dyn Fn(&(i64, i64)) -> bool| offers.iter().copied().find(|ends| wanted(ends));
        first(&|ends| Some(ends.0) == from && Some(ends.1) == to)
            .or_else(|| first(&|ends| Some(ends.0) == from))
            .or_else(|| first(&|ends| Some(ends.1) == to))
            .or_else(|| first(&|_| true))
    }
}
