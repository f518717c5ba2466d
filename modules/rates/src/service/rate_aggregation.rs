//! Rate aggregation cycles.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{ExclusionReason, ImportedPrice, MarketPrice, ObservedPrice, PairPricing, PricedPair, RateDecision};
use agio_core::{Error, Result, Timestamp};
use agio_plugin_sdk::protocol::PluginKind;
use rust_decimal::Decimal;

use super::{Rates, source_polling};
use crate::model::aggregation::{self, SourceTrust};
use crate::model::decision::{self, AggregationInput, AggregationResult};
use crate::model::formula::Formula;
use crate::model::formula::prices::{FormulaPrices, SourceQuote};
use crate::model::pair_rate_state::{PairRateState, RateLimits};
use crate::model::rank::OrderBook;
use crate::model::rules::RateRules;
use crate::store::{self, HistoryPointRow, PairRateStateRow, SourcePriceRow, SourceRow};
use crate::{JUMP, POLL_EVERY, RESUME, SOURCES, TOLERANCE, WINDOW};
use agio_core::decimal::StoredDecimal;

/// Interval of history points while nothing changes.
const POINT_EVERY: Duration = Duration::from_secs(300);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Rows stored per transaction.
const BATCH_SIZE: usize = 500;
const DAY_SLACK: Duration = Duration::from_secs(3 * 60 * 60);

pub(super) struct CycleStart {
    pub(super) input: AggregationInput,
    pub(super) rules: BTreeMap<i64, RateRules>,
    stored: BTreeMap<i64, PairRateStateRow>,
}

struct CycleWork {
    decision: RateDecision,
    /// Watches of pairs that were suspended or resumed.
    status_changed: Vec<PairRateStateRow>,
    states: Vec<PairRateStateRow>,
    points: Vec<HistoryPointRow>,
}

impl Rates {
    /// Runs one aggregation and applies the decision. One node does it per cycle.
    pub(super) async fn run_aggregation(&self) -> Result<()> {
        let _turn = self.aggregation_lock.lock().await;
        let Some(start) = self.load_cycle().await? else { return self.clear_decisions().await };
        let (now, pair_pricing) = (start.input.now, self.pair_pricing.clone());
        let work = Arc::new(self.platform.background.run(move || start.decide(&*pair_pricing)).await??);
        let (pair_pricing, applied) = (self.pair_pricing.clone(), work.clone());
        let is_mine = self.platform.db.write(move |tx| {
            let (pair_pricing, work) = (pair_pricing.clone(), work.clone());
            Box::pin(async move {
                if !store::claim_cycle(tx, now, now.minus(POLL_EVERY / 2)).await? {
                    return Ok(false);
                }
                pair_pricing.apply_decision(tx, &work.decision).await?;
                for row in &work.status_changed {
                    store::put_pair_state(tx, row).await?;
                }
                Ok(true)
            })
        });
        if is_mine.await? {
            self.is_idle.store(false, std::sync::atomic::Ordering::Relaxed);
            self.pair_pricing.refresh().await?;
            self.save_states(&applied).await?;
        }
        Ok(())
    }

    /// Stores states and history points in batches, so that others can write in between. An interruption leaves the
    /// rest one cycle old.
    async fn save_states(&self, work: &Arc<CycleWork>) -> Result<()> {
        let rows = work.states.len().max(work.points.len());
        for first in (0..rows).step_by(BATCH_SIZE) {
            let work = work.clone();
            let stored = self.platform.db.write(move |tx| {
                let work = work.clone();
                Box::pin(async move {
                    for row in work.states.iter().skip(first).take(BATCH_SIZE) {
                        store::put_pair_state(tx, row).await?;
                    }
                    for row in work.points.iter().skip(first).take(BATCH_SIZE) {
                        store::put_point(tx, row).await?;
                    }
                    Ok(())
                })
            });
            stored.await?;
        }
        Ok(())
    }

    /// Clears all decisions after the last source was disabled.
    async fn clear_decisions(&self) -> Result<()> {
        if self.is_idle.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(());
        }
        let pair_pricing = self.pair_pricing.clone();
        let work = self.platform.db.write(move |tx| {
            let pair_pricing = pair_pricing.clone();
            Box::pin(async move {
                store::clear_suspensions(tx).await?;
                pair_pricing.apply_decision(tx, &RateDecision::default()).await
            })
        });
        work.await?;
        self.is_idle.store(true, std::sync::atomic::Ordering::Relaxed);
        self.pair_pricing.refresh().await
    }

    /// `None` without enabled sources and rules.
    async fn load_cycle(&self) -> Result<Option<CycleStart>> {
        self.load_cycle_with(None).await
    }

    /// With `changes`, the rules of these pairs are replaced, and it also loads without enabled sources and rules.
    pub(super) async fn load_cycle_with(&self, changes: Option<&BTreeMap<i64, RateRules>>) -> Result<Option<CycleStart>> {
        let now = self.platform.clock.now();
        let mut tx = self.platform.db.read().await?;
        let sources = store::sources(&mut tx).await?;
        let rules = store::rules(&mut tx).await?;
        if changes.is_none() && rules.is_empty() && !sources.iter().any(|row| row.enabled) {
            return Ok(None);
        }
        let source_prices = store::source_prices(&mut tx).await?;
        let stored = store::pair_states(&mut tx).await?;
        let direction_offers = store::order_books(&mut tx).await?;
        let a_day_ago = now.minus(DAY);
        let points = store::points_before(&mut tx, a_day_ago, a_day_ago.minus(DAY_SLACK)).await?;
        drop(tx);

        let changed: Vec<RateRules> = changes.iter().flat_map(|changes| changes.values().cloned()).collect();
        let installed = self.plugins.list(PluginKind::Rates);
        let (pair_pricing, defaults, tolerance) =
            (self.pair_pricing.clone(), self.defaults(), Decimal::new(self.platform.settings.int(TOLERANCE), 2));
        let is_live = pair_pricing.is_live() && sources.iter().any(|row| row.enabled);
        let begin = move || -> Result<CycleStart> {
            let rule = |row: store::RuleRow| -> Result<(i64, RateRules)> {
                Ok((row.pair_id, serde_json::from_str(&row.rules).map_err(Error::internal)?))
            };
            let remembered = |row: &PairRateStateRow| -> Result<(i64, PairRateState)> {
                Ok((row.pair_id, serde_json::from_str(&row.state).map_err(Error::internal)?))
            };
            let observed: Vec<ObservedPrice> = source_prices.into_iter().map(observed_price).collect();
            let prices = if is_live { aggregation::aggregate(&observed, &trusted(&sources), tolerance, now) } else { Vec::new() };
            let decision = RateDecision { prices: prices.iter().map(|found| found.result.clone()).collect(), pairs: Vec::new() };
            let rules: BTreeMap<i64, RateRules> = rules.into_iter().map(rule).collect::<Result<_>>()?;
            let formulas: Vec<&str> = rules.values().chain(&changed).filter_map(|rules| rules.formula.as_deref()).collect();
            let known = installed.iter().map(|manifest| &manifest.name).chain(sources.iter().map(|row| &row.name));
            let formula_prices = FormulaPrices {
                assets: pair_pricing.assets(),
                sources: if formulas.is_empty() {
                    BTreeMap::new()
                } else {
                    let live: &[ObservedPrice] = if is_live { &observed } else { &[] };
                    own_prices(known.cloned(), &pair_pricing.imported_prices(), (live, &trusted(&sources)), now)
                },
                market: market_prices(&formulas, &decision, &*pair_pricing),
            };
            let input = AggregationInput {
                is_live,
                formula_prices,
                prices,
                pairs: pair_pricing.price_pairs(&decision),
                defaults,
                states: stored.iter().map(remembered).collect::<Result<_>>()?,
                order_books: order_books(direction_offers, &sources, now)?,
                day_ago: points.into_iter().map(|point| (point.pair_id, (point.market.0, point.at))).collect(),
                now,
            };
            let stored = stored.into_iter().map(|row| (row.pair_id, row)).collect();
            Ok(CycleStart { input, rules, stored })
        };
        self.platform.background.run(begin).await?.map(Some)
    }

    /// What holds for pairs whose rules say nothing.
    fn defaults(&self) -> RateLimits {
        let number = |name| u32::try_from(self.platform.settings.int(name)).unwrap_or_default();
        RateLimits {
            sources: number(SOURCES),
            jump_percent: number(JUMP).into(),
            window: Duration::from_secs(u64::from(number(WINDOW)) * 60),
            resume_after: number(RESUME),
        }
    }

    pub(super) async fn priced(&self, decision: RateDecision) -> Result<Vec<PricedPair>> {
        let pair_pricing = self.pair_pricing.clone();
        self.platform.background.run(move || pair_pricing.price_pairs(&decision)).await
    }
}

impl CycleStart {
    /// The decision, changed states and due history points.
    fn decide(self, pair_pricing: &dyn PairPricing) -> Result<CycleWork> {
        let Self { input, rules, stored } = self;
        let mut result = decision::decide(&input, &rules);
        let points = points(&input, &mut result, pair_pricing);
        let changed = changed(&stored, &result.states)?.into_iter();
        let has_changed_status =
            |row: &PairRateStateRow| stored.get(&row.pair_id).and_then(|before| before.suspended_at) != row.suspended_at;
        let (status_changed, states) = changed.partition(has_changed_status);
        Ok(CycleWork { decision: result.decision, status_changed, states, points })
    }
}

/// Due history points. Updates the states of their pairs.
fn points(input: &AggregationInput, result: &mut AggregationResult, pair_pricing: &dyn PairPricing) -> Vec<HistoryPointRow> {
    let suspended: HashMap<i64, bool> =
        result.decision.pairs.iter().map(|decision| (decision.pair, decision.suspension.is_some())).collect();
    let by_formula: HashSet<i64> =
        result.decision.pairs.iter().filter(|pair| pair.formula.is_some()).map(|pair| pair.pair).collect();
    let has_rate = |pair: &&PricedPair| pair.enabled && (pair.market.is_some() || by_formula.contains(&pair.id));
    let mut due = Vec::new();
    for pair in input.pairs.iter().filter(has_rate) {
        let is_suspended = suspended.get(&pair.id).copied().unwrap_or_default();
        let before = input.states.get(&pair.id);
        let was_suspended = before.is_some_and(|before| before.problem().is_some() || before.rests_since.is_some());
        let last = before.and_then(|before| before.point_at);
        if is_suspended != was_suspended || last.is_none_or(|last| last <= input.now.minus(POINT_EVERY)) {
            due.push((pair.id, is_suspended));
        }
    }
    if due.is_empty() {
        return Vec::new();
    }
    let priced: HashMap<i64, PricedPair> =
        pair_pricing.price_pairs(&result.decision).into_iter().map(|pair| (pair.id, pair)).collect();
    let mut points = Vec::new();
    for (pair, is_suspended) in due {
        let Some((market, rate)) = priced.get(&pair).and_then(|priced| Some((priced.reference.or(priced.market)?, priced.rate)))
        else {
            continue;
        };
        let rate = rate.map(StoredDecimal);
        points.push(HistoryPointRow {
            pair_id: pair,
            at: input.now,
            // The margin is what the rate is away from the market, also if it does not follow it.
            market: StoredDecimal(market),
            rate,
            suspended: is_suspended,
        });
        result.states.entry(pair).or_default().point_at = Some(input.now);
    }
    points
}

/// The own prices of every known source, and whether they may be used. Live prices replace imported ones.
fn own_prices(
    known: impl Iterator<Item = String>,
    imported: &[ImportedPrice],
    (live, trust): (&[ObservedPrice], &BTreeMap<String, SourceTrust>),
    now: Timestamp,
) -> BTreeMap<String, BTreeMap<(String, String), SourceQuote>> {
    let mut prices: BTreeMap<String, BTreeMap<(String, String), SourceQuote>> =
        known.map(|name| (name, BTreeMap::new())).collect();
    let mut put = |price: &ObservedPrice, fault: Option<ExclusionReason>, good_until: Option<Timestamp>| {
        let quote = SourceQuote { bid: price.bid, ask: price.ask, observed_at: price.observed_at, fault, good_until };
        prices.entry(price.source.clone()).or_default().insert((price.base.clone(), price.quote.clone()), quote);
    };
    for ImportedPrice { price, is_fresh, good_until } in imported {
        let fault = aggregation::price_fault(price).or((!is_fresh).then_some(ExclusionReason::Stale));
        put(price, fault, *good_until);
    }
    for price in live {
        let Some(trust) = trust.get(&price.source) else { continue };
        put(price, aggregation::fault(price, trust, now), Some(aggregation::good_until(price, trust)));
    }
    prices
}

/// The market prices that formulas name.
fn market_prices(
    formulas: &[&str],
    decision: &RateDecision,
    pair_pricing: &dyn PairPricing,
) -> BTreeMap<(String, String), MarketPrice> {
    let parsed: Vec<Formula> = formulas.iter().filter_map(|formula| Formula::parse(formula).ok()).collect();
    let assets = pair_pricing.assets();
    let named: BTreeSet<(String, String)> =
        parsed.iter().flat_map(Formula::references).flat_map(|reference| reference.market(&assets)).collect();
    let named: Vec<(String, String)> = named.into_iter().collect();
    let prices = if named.is_empty() { Vec::new() } else { pair_pricing.market_prices(decision, &named) };
    named.into_iter().zip(prices).collect()
}

/// Trust of the enabled sources.
fn trusted(sources: &[SourceRow]) -> BTreeMap<String, SourceTrust> {
    let trust = |row: &SourceRow| SourceTrust {
        max_age: Duration::from_secs(row.max_age_seconds.unsigned_abs()),
        priority: row.priority,
        checks_only: row.cross_check,
    };
    sources.iter().filter(|row| row.enabled).map(|row| (row.name.clone(), trust(row))).collect()
}

fn observed_price(row: SourcePriceRow) -> ObservedPrice {
    let SourcePriceRow { source, base, quote, bid, ask, observed_at } = row;
    ObservedPrice { source, base, quote, bid: bid.0, ask: ask.0, observed_at }
}

/// By source and currency codes.
type OrderBooks = HashMap<(String, String, String), OrderBook>;

/// Recent offers of enabled sources.
fn order_books(rows: Vec<store::OrderBookRow>, sources: &[SourceRow], now: Timestamp) -> Result<OrderBooks> {
    let is_good = |row: &store::OrderBookRow| {
        let of = |source: &SourceRow| {
            let max_age = Duration::from_secs(source.max_age_seconds.unsigned_abs());
            source.enabled && source.name == row.source && row.read_at.plus(max_age) >= now
        };
        sources.iter().any(of)
    };
    let good = rows.into_iter().filter(is_good);
    good.map(|row| {
        let order_book = OrderBook { read_at: row.read_at, competitors: source_polling::competitors(&row.offers)? };
        Ok(((row.source, row.give_code, row.receive_code), order_book))
    })
    .collect()
}

/// Watches that differ from the stored ones.
fn changed(stored: &BTreeMap<i64, PairRateStateRow>, states: &BTreeMap<i64, PairRateState>) -> Result<Vec<PairRateStateRow>> {
    let nothing = PairRateState::default();
    let gone = stored.keys().filter(|pair| !states.contains_key(pair)).map(|pair| (pair, &nothing));
    let mut rows = Vec::new();
    for (pair, state) in states.iter().chain(gone) {
        let row = row(*pair, state)?;
        if stored.get(pair) != Some(&row) {
            rows.push(row);
        }
    }
    Ok(rows)
}

pub(super) fn row(pair: i64, state: &PairRateState) -> Result<PairRateStateRow> {
    Ok(PairRateStateRow {
        pair_id: pair,
        state: serde_json::to_string(state).map_err(Error::internal)?,
        suspended_at: state.problem().map(|suspension| suspension.since),
    })
}
