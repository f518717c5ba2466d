//! The market: an immutable snapshot of currencies, pairs and rates, built from the tables and replaced as a whole.
//!
//! [`Market::build`] is pure: rows in, priced pairs out. Available reserves are not part of the snapshot because they
//! change with every claim; callers pass the current reserve.

pub mod currency;
mod market_pair;
pub mod observations;
pub mod pair;
pub mod pair_notices;
pub mod rate_text;
pub mod suspension;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use agio_contracts::{AggregatedPrice, CurrencyKind, MarketPrice, PairRateDecision, SidePrice};
use agio_core::ratio::Ratio;
use agio_core::{Error, Result, Timestamp};
use time::Date;

pub use currency::{Currency, CurrencyChange, NewCurrency, POSITION_MAX};
pub use market_pair::{BonusLimit, BonusRate, MarketPair, PairStatus, Rate};
pub use observations::{DatedObservation, Freshness};
pub(crate) use pair::NEW_HOLD_MINUTES;
pub use pair::{Pair, PairChange, RateSourceKind, Tolerance};
pub use pair_notices::{BilingualNotice, NoticeText, PairNotices};
pub use suspension::Suspension;

use crate::model::amount::{RATE_DIGITS, RATE_MAX_SCALE};
use crate::model::cross::{ConsensusObservation, Conversion, Cross, RateGraph};
use crate::model::observation::{Observation, ObservedAt, SOURCE_PRIORITY};
use crate::store::{CurrencyRow, PairRow};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarketRows {
    pub currencies: Vec<CurrencyRow>,
    /// By identifier.
    pub pairs: Vec<PairRow>,
    /// The latest observation of each source.
    pub observations: Vec<DatedObservation>,
    /// Aggregated prices of live sources. Ignored while a day is fixed.
    pub prices: Vec<AggregatedPrice>,
    /// Decisions of rate aggregation about pairs.
    pub decisions: Vec<PairRateDecision>,
    /// The fixed day of the rates, if any.
    pub fixed_day: Option<Date>,
    /// Whether directions with a profitable round trip stay available.
    pub allows_arbitrage: bool,
}

/// Rate graphs of fresh observations and of all observations.
#[derive(Clone, Debug, Default)]
pub struct MarketRates {
    fresh: RateGraph,
    any: RateGraph,
    fixed_day: Option<Date>,
    /// Cache by sell and buy ticker: many pairs differ only by network.
    found: HashMap<String, HashMap<String, Option<Crossing>>>,
}

/// A cross rate and whether all its observations are fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Crossing {
    cross: Cross,
    is_fresh: bool,
}

/// Everything public calls and quotes need, at one moment.
#[derive(Clone, Debug)]
pub struct Market {
    /// When the market was built. Identifies it in quotes.
    pub built_at: Timestamp,
    pub currencies: Vec<Arc<Currency>>,
    pub pairs: Vec<Arc<MarketPair>>,
    pub rates: MarketRates,
    rows: MarketRows,
    currency_by_id: HashMap<i64, usize>,
    /// By the code in lower case.
    currency_by_code: HashMap<String, usize>,
    pair_by_id: HashMap<i64, usize>,
    pair_by_ends: HashMap<(i64, i64), usize>,
}

impl MarketRates {
    pub fn of(observations: &[DatedObservation], prices: &[AggregatedPrice], fixed_day: Option<Date>) -> Self {
        let graph = |wanted: &dyn Fn(&DatedObservation) -> bool| {
            let chosen: Vec<_> = observations.iter().filter(|dated| wanted(dated)).map(DatedObservation::observation).collect();
            RateGraph::new(&chosen, &SOURCE_PRIORITY)
        };
        let mut fresh = graph(&|dated| dated.is_fresh);
        for aggregated in prices.iter().filter(|_| fixed_day.is_none()) {
            fresh.rule(&aggregated.base, &aggregated.quote, agreed(aggregated));
        }
        Self { fresh, any: graph(&|_| true), fixed_day, found: HashMap::new() }
    }

    /// Caches the cross rate of two assets.
    fn find(&mut self, sell: &str, buy: &str) {
        if self.found.get(sell).is_some_and(|found| found.contains_key(buy)) {
            return;
        }
        let crossing = self.crossing(sell, buy);
        self.found.entry(sell.to_owned()).or_default().insert(buy.to_owned(), crossing);
    }

    /// The cross rate of two assets, from fresh observations if possible.
    fn crossing(&self, sell: &str, buy: &str) -> Option<Crossing> {
        if let Some(found) = self.found.get(sell).and_then(|found| found.get(buy)) {
            return found.clone();
        }
        let fresh = self.fresh.cross(sell, buy).map(|cross| Crossing { cross, is_fresh: true });
        fresh.or_else(|| Some(Crossing { cross: self.any.cross(sell, buy)?, is_fresh: false }))
    }

    /// What a unit of one asset sells at and costs in another, and over which conversions.
    pub fn price(&self, base: &str, quote: &str, freshness: &Freshness, prices: &[AggregatedPrice]) -> MarketPrice {
        let blocked = self.blocked(base, quote);
        let both = self.crossing(base, quote).zip(self.crossing(quote, base));
        let Some((there, back)) = both else { return MarketPrice { blocked, ..MarketPrice::default() } };
        let ask = || Ratio::one().over(&back.cross.ratio()?).round_up(RATE_DIGITS, RATE_MAX_SCALE);
        let conversions = || there.cross.path.iter().chain(&back.cross.path);
        let good_until = |conversion: &Conversion| {
            let (sell, buy) = (&conversion.sell, &conversion.buy);
            let is_it = |of: &&AggregatedPrice| [(&of.base, &of.quote), (&of.quote, &of.base)].contains(&(sell, buy));
            let aggregated = prices.iter().find(is_it).filter(|_| self.fixed_day.is_none());
            match aggregated.and_then(|aggregated| aggregated.price.as_ref()) {
                Some(price) => Some(price.good_until),
                None => freshness.good_until(conversion.observed_at),
            }
        };
        let of = |conversion: &Conversion| {
            if conversion.agreed.is_empty() { vec![conversion.source.clone()] } else { conversion.agreed.clone() }
        };
        let sources: BTreeSet<String> = conversions().flat_map(of).collect();
        MarketPrice {
            sides: ask().map(|ask| (there.cross.rate, ask)),
            path: there.cross.path.iter().map(|step| (step.sell.clone(), step.buy.clone())).collect(),
            blocked,
            is_fresh: there.is_fresh && back.is_fresh,
            sources: sources.into_iter().collect(),
            observed_at: conversions().map(|step| Timestamp(step.observed_at.micros())).min(),
            good_until: conversions().filter_map(good_until).min(),
        }
    }

    fn day_of(&self, crossing: &Crossing) -> Option<Date> {
        self.fixed_day.filter(|_| crossing.is_fresh)
    }

    /// Whether both give the same cross rate for the same reasons.
    fn agrees(&self, other: &Self, sell: &str, buy: &str) -> bool {
        self.fixed_day == other.fixed_day && self.crossing(sell, buy) == other.crossing(sell, buy)
    }

    /// The first asset pair on the path that sources disagree on.
    pub fn blocked(&self, from: &str, to: &str) -> Option<(String, String)> {
        self.fresh.blocked(from, to)
    }

    /// The cross rate from fresh observations.
    pub fn fresh(&self, from: &str, to: &str) -> Option<Cross> {
        self.fresh.cross(from, to)
    }
}

fn agreed(aggregated: &AggregatedPrice) -> Option<ConsensusObservation> {
    let price = aggregated.price.as_ref()?;
    let observation = |side: &SidePrice| Observation {
        source: side.source.clone(),
        base: aggregated.base.clone(),
        quote: aggregated.quote.clone(),
        bid: side.price,
        ask: side.price,
        observed_at: ObservedAt::stored(side.observed_at),
    };
    Some(ConsensusObservation { bid: observation(&price.bid), ask: observation(&price.ask), sources: price.agreed.clone() })
}

impl Market {
    /// Builds the market.
    ///
    /// # Errors
    /// `internal` if a row is invalid or a pair names an unknown currency.
    pub fn build(rows: MarketRows, built_at: Timestamp) -> Result<Self> {
        Self::build_from(None, rows, built_at)
    }

    /// Builds the next market and reuses everything whose rows and rates are unchanged.
    ///
    /// # Errors
    /// As [`Market::build`].
    pub fn next(&self, rows: MarketRows, built_at: Timestamp) -> Result<Self> {
        Self::build_from(Some(self), rows, built_at)
    }

    fn build_from(before: Option<&Self>, rows: MarketRows, built_at: Timestamp) -> Result<Self> {
        let previous = PreviousMarket::of(before);
        let currencies = rows.currencies.iter().map(|row| previous.currency(row)).collect::<Result<Vec<_>>>()?;
        let currency_by_id: HashMap<i64, usize> =
            currencies.iter().enumerate().map(|(place, currency)| (currency.id(), place)).collect();
        let place = |id: i64| {
            currency_by_id
                .get(&id)
                .copied()
                .ok_or_else(|| Error::internal(format!("a pair names currency {id}, which is not there")))
        };

        let mut rates = MarketRates::of(&rows.observations, &rows.prices, rows.fixed_day);
        let decisions: HashMap<i64, &PairRateDecision> =
            rows.decisions.iter().map(|decision| (decision.pair, decision)).collect();
        let mut placed = Vec::with_capacity(rows.pairs.len());
        for row in &rows.pairs {
            let (from, to) = (place(row.give_id)?, place(row.receive_id)?);
            let ends = (&currencies[from], &currencies[to]);
            rates.find(&ends.0.facts.ticker, &ends.1.facts.ticker);
            let decision = decisions.get(&row.id).copied();
            let pair = match previous.pair(row, ends, &rates, decision) {
                Some(previous) => previous,
                None => {
                    let pair = Pair::from_row(row, ends.0, ends.1)?;
                    Arc::new(MarketPair::price(pair, ends.0, ends.1, &rates, decision.cloned().map(Arc::new)))
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
            pair_by_ends: pairs
                .iter()
                .enumerate()
                .map(|(place, priced)| ((priced.pair.give_id, priced.pair.receive_id), place))
                .collect(),
            currency_by_code: currencies
                .iter()
                .enumerate()
                .rev()
                .map(|(place, currency)| (currency.facts.code.to_ascii_lowercase(), place))
                .collect(),
            currencies,
            currency_by_id,
            pairs,
            rates,
            rows,
        })
    }

    /// Whether it was built from the same rows.
    pub fn is_built_from(&self, rows: &MarketRows) -> bool {
        self.rows == *rows
    }

    /// The market with other rate decisions, for previews only: round trips are not searched.
    ///
    /// # Errors
    /// As [`Market::build`].
    pub fn with_decisions(&self, prices: &[AggregatedPrice], decisions: &[PairRateDecision]) -> Result<Self> {
        let (prices, decisions) = (prices.to_vec(), decisions.to_vec());
        self.next(MarketRows { prices, decisions, allows_arbitrage: true, ..self.rows.clone() }, self.built_at)
    }

    /// The rates under other aggregated prices.
    pub fn rates_with(&self, prices: &[AggregatedPrice]) -> MarketRates {
        MarketRates::of(&self.rows.observations, prices, self.rows.fixed_day)
    }

    /// The market with these pairs changed, or added where their identifiers are new.
    ///
    /// # Errors
    /// As [`Market::build`].
    pub fn with_pairs(&self, changed: Vec<PairRow>) -> Result<Self> {
        let mut rows = self.rows.clone();
        let mut changed: BTreeMap<i64, PairRow> = changed.into_iter().map(|row| (row.id, row)).collect();
        for row in &mut rows.pairs {
            if let Some(after) = changed.remove(&row.id) {
                *row = after;
            }
        }
        rows.pairs.extend(changed.into_values());
        self.next(rows, self.built_at)
    }

    pub fn observations(&self) -> &[DatedObservation] {
        &self.rows.observations
    }

    /// The fixed day of the rates, if any.
    pub fn fixed_day(&self) -> Option<Date> {
        self.rows.fixed_day
    }

    /// Includes hidden currencies.
    pub fn currency(&self, id: i64) -> Option<&Arc<Currency>> {
        self.currency_by_id.get(&id).map(|place| &self.currencies[*place])
    }

    /// Finds a currency by identifier or by code, case-insensitive.
    pub fn currency_named(&self, name: &str) -> Option<&Arc<Currency>> {
        match name.parse() {
            Ok(id) => self.currency(id),
            Err(_) => self.currency_by_code(name),
        }
    }

    /// Case-insensitive. Includes hidden currencies.
    pub fn currency_by_code(&self, code: &str) -> Option<&Arc<Currency>> {
        self.currency_by_code.get(&code.to_ascii_lowercase()).map(|place| &self.currencies[*place])
    }

    pub fn pair(&self, id: i64) -> Option<&MarketPair> {
        self.pair_by_id.get(&id).map(|place| &*self.pairs[*place])
    }

    /// A pair as it is stored.
    pub fn pair_row(&self, id: i64) -> Option<&PairRow> {
        self.rows.pairs.binary_search_by_key(&id, |row| row.id).ok().map(|place| &self.rows.pairs[place])
    }

    /// The greatest identifier of a pair, or 0.
    pub fn last_pair_id(&self) -> i64 {
        self.rows.pairs.last().map_or(0, |row| row.id)
    }

    /// Index into [`Market::pairs`].
    pub fn place_of(&self, from: i64, to: i64) -> Option<usize> {
        self.pair_by_ends.get(&(from, to)).copied()
    }

    pub fn between(&self, from: i64, to: i64) -> Option<&MarketPair> {
        self.place_of(from, to).map(|place| &*self.pairs[place])
    }

    /// Pairs that can be exchanged now. `free` gives the available reserve of a currency in units.
    fn offers<'m>(&'m self, free: impl Fn(i64) -> i64 + 'm) -> impl Iterator<Item = &'m MarketPair> {
        self.pairs.iter().map(|pair| &**pair).filter(move |pair| pair.state(free(pair.pair.receive_id)) == PairStatus::Ok)
    }

    /// For each currency that can be given now a pair with another kind of currency, cryptocurrencies and others in
    /// turn. Of the currencies to receive, the one that was taken least is next.
    pub fn popular<'m>(&'m self, free: impl Fn(i64) -> i64 + 'm) -> Vec<&'m MarketPair> {
        let crossing: Vec<_> = self.offers(free).filter(|pair| pair.give.facts.kind != pair.receive.facts.kind).collect();
        let mut taken: HashMap<i64, usize> = HashMap::new();
        // Pairs are ordered by give currency.
        let of_one = crossing.chunk_by(|one, next| one.pair.give_id == next.pair.give_id).filter_map(|pairs| {
            let times = |pair: &&&MarketPair| taken.get(&pair.pair.receive_id).copied().unwrap_or_default();
            let pair = *pairs.iter().min_by_key(times)?;
            *taken.entry(pair.pair.receive_id).or_default() += 1;
            Some(pair)
        });
        let (sold, bought): (Vec<_>, Vec<_>) = of_one.partition(|pair| pair.give.facts.kind == CurrencyKind::Crypto);
        let in_turn = (0..sold.len().max(bought.len())).flat_map(|place| [sold.get(place), bought.get(place)]);
        in_turn.flatten().copied().collect()
    }

    /// Currencies that can be given now, in list order.
    pub fn giveable(&self, free: impl Fn(i64) -> i64) -> Vec<i64> {
        let mut ids: Vec<i64> = self.offers(free).map(|pair| pair.pair.give_id).collect();
        // Pairs are ordered by give currency, so duplicates are adjacent.
        ids.dedup();
        ids
    }

    /// Currencies that can be received for one now, in list order.
    pub fn receivable(&self, from: i64, free: impl Fn(i64) -> i64) -> Vec<i64> {
        self.offers(free).filter(|pair| pair.pair.give_id == from).map(|pair| pair.pair.receive_id).collect()
    }

    /// The default pair: as requested where available, otherwise the first available.
    pub fn default_pair(&self, from: Option<&str>, to: Option<&str>, free: impl Fn(i64) -> i64) -> Option<(i64, i64)> {
        let find = |name: Option<&str>| name.and_then(|name| self.currency_named(name)).map(|currency| currency.id());
        let (from, to) = (find(from), find(to));
        let offers: Vec<(i64, i64)> = self.offers(free).map(|pair| (pair.pair.give_id, pair.pair.receive_id)).collect();
        let first = |wanted: &dyn Fn(&(i64, i64)) -> bool| offers.iter().copied().find(|ends| wanted(ends));
        first(&|ends| Some(ends.0) == from && Some(ends.1) == to)
            .or_else(|| first(&|ends| Some(ends.0) == from))
            .or_else(|| first(&|ends| Some(ends.1) == to))
            .or_else(|| first(&|_| true))
    }
}

/// Suspends directions with a profitable round trip and resumes the others.
fn suspend(pairs: &mut [Arc<MarketPair>], before: Option<&Market>, rates: &MarketRates, now: Timestamp, allows_arbitrage: bool) {
    let suspended = if allows_arbitrage {
        HashMap::new()
    } else {
        let retired = before.into_iter().flat_map(|before| &before.pairs);
        let retired = retired.filter_map(|pair| Some((pair.pair.id, pair.suspension.as_deref()?))).collect();
        let candidates: Vec<_> =
            pairs.iter().filter(|pair| pair.is_otherwise_available()).map(|pair| pair.suspension_candidate(rates)).collect();
        suspension::suspensions(&candidates, &retired, now)
    };
    for pair in pairs {
        let wanted = suspended.get(&pair.pair.id);
        if pair.suspension.as_deref() != wanted {
            *pair = Arc::new(MarketPair { suspension: wanted.cloned().map(Arc::new), ..MarketPair::clone(pair) });
        }
    }
}

/// The previous market, for reuse of unchanged parts.
#[derive(Default)]
struct PreviousMarket<'a> {
    before: Option<&'a Market>,
    currencies: HashMap<i64, &'a CurrencyRow>,
    pairs: HashMap<i64, &'a PairRow>,
}

impl<'a> PreviousMarket<'a> {
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
            Some(previous) => Ok(previous.clone()),
            None => Currency::from_row(row).map(Arc::new),
        }
    }

    fn pair(
        &self,
        row: &PairRow,
        (from, to): (&Arc<Currency>, &Arc<Currency>),
        rates: &MarketRates,
        decision: Option<&PairRateDecision>,
    ) -> Option<Arc<MarketPair>> {
        let before = self.before?;
        let previous = &before.pairs[*before.pair_by_id.get(&row.id)?];
        let is_same = self.pairs.get(&row.id) == Some(&row)
            && Arc::ptr_eq(&previous.give, from)
            && Arc::ptr_eq(&previous.receive, to)
            && previous.decision.as_deref() == decision
            && (previous.pair.source == RateSourceKind::Manual
                || rates.agrees(&before.rates, &from.facts.ticker, &to.facts.ticker));
        is_same.then(|| previous.clone())
    }
}
