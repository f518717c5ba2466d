//! The market: one immutable picture of currencies, pairs and rates, built from the tables and swapped whole.
//!
//! [`Market::build`] is pure: rows go in, priced pairs come out. The free reserves are not in the picture, they change with
//! every claim; whoever needs a limit asks with the reserve of that moment.

pub mod currency;
pub mod notices;
pub mod observations;
pub mod pair;
mod priced;
pub mod suspension;
pub mod wording;

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::needs::{JudgedLeg, PairRuling, SidePrice};
use agio_core::{Error, Result, Timestamp};
use time::Date;

pub use currency::{Currency, CurrencyChange};
pub use notices::{BilingualNotice, Notice, Notices};
pub use observations::{Freshness, Sighting};
pub use pair::{Pair, PairChange, RateSource, Tolerance};
pub use priced::{Cut, Lifted, MarketPair, PairState, Rate};
pub use suspension::Suspension;

use crate::model::cross::{Agreed, Cross, RateGraph};
use crate::model::observation::{Observation, SOURCE_PRIORITY};
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
    /// What live sources agree on. It does not count while a day is fixed.
    pub legs: Vec<JudgedLeg>,
    /// Pairs that are not left as their operator set them.
    pub rulings: Vec<PairRuling>,
    /// The day whose rates are used, where the present ones are not.
    pub fixed_day: Option<Date>,
    /// Whether directions are sold that a round trip gains over.
    pub allows_arbitrage: bool,
}

/// What the rates of a market are made from: the fresh observations, and all of them.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    fresh: RateGraph,
    any: RateGraph,
    fixed_day: Option<Date>,
    /// What has been found, by the ticker that is sold and the one that is bought: many pairs differ by their networks alone.
    found: HashMap<String, HashMap<String, Option<Crossing>>>,
}

/// A cross rate, and whether every observation it is made from is fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Crossing {
    cross: Cross,
    is_fresh: bool,
}

/// Everything the public calls and the quotes need, as of one moment.
#[derive(Clone, Debug)]
pub struct Market {
    /// When it was built; names this market in the quotes made from it.
    pub built_at: Timestamp,
    /// Currencies in the order of lists.
    pub currencies: Vec<Arc<Currency>>,
    /// Pairs in the order of their currencies.
    pub pairs: Vec<Arc<MarketPair>>,
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
    pub fn of(sightings: &[Sighting], legs: &[JudgedLeg], fixed_day: Option<Date>) -> Self {
        let graph = |wanted: &dyn Fn(&Sighting) -> bool| {
            let chosen: Vec<_> = sightings.iter().filter(|seen| wanted(seen)).map(Sighting::observation).collect();
            RateGraph::new(&chosen, &SOURCE_PRIORITY)
        };
        let mut fresh = graph(&|seen| seen.is_fresh);
        for leg in legs.iter().filter(|_| fixed_day.is_none()) {
            fresh.rule(&leg.base, &leg.quote, agreed(leg));
        }
        Self { fresh, any: graph(&|_| true), fixed_day, found: HashMap::new() }
    }

    /// Finds what one asset is worth in another once for all who ask.
    fn find(&mut self, sell: &str, buy: &str) {
        if self.found.get(sell).is_some_and(|found| found.contains_key(buy)) {
            return;
        }
        let crossing = self.crossing(sell, buy);
        self.found.entry(sell.to_owned()).or_default().insert(buy.to_owned(), crossing);
    }

    /// What one asset is worth in another, by what is fresh if that is enough.
    fn crossing(&self, sell: &str, buy: &str) -> Option<Crossing> {
        if let Some(found) = self.found.get(sell).and_then(|found| found.get(buy)) {
            return found.clone();
        }
        let fresh = self.fresh.cross(sell, buy).map(|cross| Crossing { cross, is_fresh: true });
        fresh.or_else(|| Some(Crossing { cross: self.any.cross(sell, buy)?, is_fresh: false }))
    }

    /// The day of the rates a crossing is made from, where that is not the present.
    fn day_of(&self, crossing: &Crossing) -> Option<Date> {
        self.fixed_day.filter(|_| crossing.is_fresh)
    }

    /// Whether two assets are worth the same here as there, for the same reasons.
    fn agrees(&self, other: &Self, sell: &str, buy: &str) -> bool {
        self.fixed_day == other.fixed_day && self.crossing(sell, buy) == other.crossing(sell, buy)
    }

    /// The two assets on the way from one to another that sources do not agree on.
    #[must_use]
    pub fn blocked(&self, from: &str, to: &str) -> Option<(String, String)> {
        self.fresh.blocked(from, to)
    }

    /// What one asset is worth in another by what is fresh.
    #[must_use]
    pub fn fresh(&self, from: &str, to: &str) -> Option<Cross> {
        self.fresh.cross(from, to)
    }
}

/// What sources agree on, as prices are made from it.
fn agreed(leg: &JudgedLeg) -> Option<Agreed> {
    let price = leg.price.as_ref()?;
    let observation = |side: &SidePrice| Observation {
        source: side.source.clone(),
        base: leg.base.clone(),
        quote: leg.quote.clone(),
        bid: side.price,
        ask: side.price,
        observed_at: observations::observed_at(side.observed_at),
    };
    Some(Agreed { bid: observation(&price.bid), ask: observation(&price.ask), sources: price.agreed.clone() })
}

impl Market {
    /// Builds the market.
    ///
    /// # Errors
    /// `internal` when a row is not one this program has written, or a pair names a currency that is not there.
    pub fn build(rows: MarketRows, built_at: Timestamp) -> Result<Self> {
        Self::succeeding(None, rows, built_at)
    }

    /// Builds the market that comes after this one. What is of the same rows and the same rates is not made again.
    ///
    /// # Errors
    /// As [`Market::build`].
    pub fn next(&self, rows: MarketRows, built_at: Timestamp) -> Result<Self> {
        Self::succeeding(Some(self), rows, built_at)
    }

    fn succeeding(before: Option<&Self>, rows: MarketRows, built_at: Timestamp) -> Result<Self> {
        let made = Made::of(before);
        let currencies = rows.currencies.iter().map(|row| made.currency(row)).collect::<Result<Vec<_>>>()?;
        let currency_by_id: HashMap<i64, usize> =
            currencies.iter().enumerate().map(|(place, currency)| (currency.id(), place)).collect();
        let place = |id: i64| {
            currency_by_id
                .get(&id)
                .copied()
                .ok_or_else(|| Error::internal(format!("a pair names currency {id}, which is not there")))
        };

        let mut rates = Rates::of(&rows.sightings, &rows.legs, rows.fixed_day);
        let rulings: HashMap<i64, &PairRuling> = rows.rulings.iter().map(|ruling| (ruling.pair, ruling)).collect();
        let mut placed = Vec::with_capacity(rows.pairs.len());
        for row in &rows.pairs {
            let (from, to) = (place(row.from_id)?, place(row.to_id)?);
            let ends = (&currencies[from], &currencies[to]);
            rates.find(&ends.0.facts.ticker, &ends.1.facts.ticker);
            let ruling = rulings.get(&row.id).copied();
            let pair = match made.pair(row, ends, &rates, ruling) {
                Some(made) => made,
                None => {
                    let pair = Pair::from_row(row, ends.0, ends.1)?;
                    Arc::new(MarketPair::price(pair, ends.0, ends.1, &rates, ruling.cloned().map(Arc::new)))
                }
            };
            placed.push((from, to, pair));
        }
        placed.sort_by_key(|(from, to, _)| (*from, *to));
        let mut pairs: Vec<Arc<MarketPair>> = placed.into_iter().map(|(_, _, pair)| pair).collect();
        suspend(&mut pairs, before, &rates, built_at, rows.allows_arbitrage);

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

    /// The same market with another ruling, for a look at its rates: nothing is sold from it, and round trips are not searched for.
    ///
    /// # Errors
    /// As [`Market::build`].
    pub fn ruled(&self, legs: &[JudgedLeg], rulings: &[PairRuling]) -> Result<Self> {
        let (legs, rulings) = (legs.to_vec(), rulings.to_vec());
        self.next(MarketRows { legs, rulings, allows_arbitrage: true, ..self.rows.clone() }, self.built_at)
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
        self.pair_by_id.get(&id).map(|place| &*self.pairs[*place])
    }

    /// The place among [`Market::pairs`] of the pair of two currencies.
    #[must_use]
    pub fn place_of(&self, from: i64, to: i64) -> Option<usize> {
        self.pair_by_ends.get(&(from, to)).copied()
    }

    /// The pair of two currencies.
    #[must_use]
    pub fn between(&self, from: i64, to: i64) -> Option<&MarketPair> {
        self.place_of(from, to).map(|place| &*self.pairs[place])
    }

    /// Whether customers may exchange one for the other now; `free` tells the free reserve of a currency in units.
    fn offers<'m>(&'m self, free: impl Fn(i64) -> i64 + 'm) -> impl Iterator<Item = &'m MarketPair> {
        self.pairs.iter().map(|pair| &**pair).filter(move |pair| pair.state(free(pair.pair.to)) == PairState::Ok)
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

/// Suspends the directions by which a round trip gains, and lets those go on by which none does any more.
fn suspend(pairs: &mut [Arc<MarketPair>], before: Option<&Market>, rates: &Rates, now: Timestamp, allows_arbitrage: bool) {
    let suspended = if allows_arbitrage {
        HashMap::new()
    } else {
        let former = before.into_iter().flat_map(|before| &before.pairs);
        let former = former.filter_map(|pair| Some((pair.pair.id, pair.suspension.as_deref()?))).collect();
        let sellable: Vec<_> = pairs.iter().filter(|pair| pair.is_sellable()).map(|pair| pair.sellable(rates)).collect();
        suspension::suspensions(&sellable, &former, now)
    };
    for pair in pairs {
        let wanted = suspended.get(&pair.pair.id);
        if pair.suspension.as_deref() != wanted {
            *pair = Arc::new(MarketPair { suspension: wanted.cloned().map(Arc::new), ..MarketPair::clone(pair) });
        }
    }
}

/// What was made for the market before, to be taken again where nothing about it changed.
#[derive(Default)]
struct Made<'a> {
    before: Option<&'a Market>,
    currencies: HashMap<i64, &'a CurrencyRow>,
    pairs: HashMap<i64, &'a PairRow>,
}

impl<'a> Made<'a> {
    fn of(before: Option<&'a Market>) -> Self {
        let Some(market) = before else { return Self::default() };
        Self {
            before,
            currencies: market.rows.currencies.iter().map(|row| (row.id, row)).collect(),
            pairs: market.rows.pairs.iter().map(|row| (row.id, row)).collect(),
        }
    }

    fn currency(&self, row: &CurrencyRow) -> Result<Arc<Currency>> {
        let is_same = self.currencies.get(&row.id) == Some(&row);
        match self.before.and_then(|before| before.currency(row.id)).filter(|_| is_same) {
            Some(made) => Ok(made.clone()),
            None => Currency::from_row(row).map(Arc::new),
        }
    }

    fn pair(
        &self,
        row: &PairRow,
        (from, to): (&Arc<Currency>, &Arc<Currency>),
        rates: &Rates,
        ruling: Option<&PairRuling>,
    ) -> Option<Arc<MarketPair>> {
        let before = self.before?;
        let made = &before.pairs[*before.pair_by_id.get(&row.id)?];
        let is_same = self.pairs.get(&row.id) == Some(&row)
            && Arc::ptr_eq(&made.from, from)
            && Arc::ptr_eq(&made.to, to)
            && made.ruling.as_deref() == ruling
            && (made.pair.source == RateSource::Manual || rates.agrees(&before.rates, &from.facts.ticker, &to.facts.ticker));
        is_same.then(|| made.clone())
    }
}
