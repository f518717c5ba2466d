//! The decisions of one cycle about all pairs.

use std::collections::{BTreeMap, HashMap};

use agio_contracts::{
    ExcludedSource, ExclusionReason, FormulaDecision, OPENS_AT, PairRateDecision, PricedPair, RateDecision, SuspensionCause,
    SuspensionReason,
};
use agio_core::Timestamp;
use agio_core::money::plain;
use rust_decimal::Decimal;

use super::adjustments::{self, AdjustmentInput, RuleResult};
use super::aggregation::AggregatedQuote;
use super::cost_price::{CostFault, CostPrice};
use super::formula::Formula;
use super::formula::evaluation::FormulaResult;
use super::formula::prices::FormulaPrices;
use super::pair_rate_state::{PairRateObservation, PairRateState, RateFault, RateLimits, next_state};
use super::rank::OrderBook;
use super::rules::RateRules;

#[derive(Clone, Debug)]
pub struct AggregationInput {
    /// Whether live prices are in use.
    pub is_live: bool,
    /// Aggregated prices of all asset pairs.
    pub prices: Vec<AggregatedQuote>,
    /// The prices that formulas may use.
    pub formula_prices: FormulaPrices,
    pub pairs: Vec<PricedPair>,
    /// Limits for pairs without their own.
    pub defaults: RateLimits,
    pub states: BTreeMap<i64, PairRateState>,
    /// Recent competitors' offers by source and currency codes.
    pub order_books: HashMap<(String, String, String), OrderBook>,
    /// Market rates a day ago.
    pub day_ago: HashMap<i64, (Decimal, Timestamp)>,
    pub now: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AggregationResult {
    pub decision: RateDecision,
    /// State to store per pair; pairs without state are omitted.
    pub states: BTreeMap<i64, PairRateState>,
}

pub fn decide(input: &AggregationInput, rules: &BTreeMap<i64, RateRules>) -> AggregationResult {
    let found = input.asset_pairs();
    let prices = input.prices.iter().map(|found| found.result.clone()).collect();
    let mut result = AggregationResult { decision: RateDecision { prices, pairs: Vec::new() }, states: BTreeMap::new() };
    let none = RateRules::default();
    for pair in &input.pairs {
        let own = rules.get(&pair.id);
        let limits = own.map_or(input.defaults, |rules| rules.limits(input.defaults));
        let formula = own.and_then(|rules| rules.formula.as_deref()).filter(|_| pair.is_market);
        let before = input.states.get(&pair.id).cloned().unwrap_or_default().for_formula(formula);
        let priced = formula.map(|formula| input.evaluate(formula, pair, &found, limits));
        let is_checked = (input.is_live || formula.is_some()) && pair.is_market && pair.enabled;
        let mut after = if is_checked {
            let observation = match &priced {
                Some(priced) => observe_formula(priced),
                None => observe(pair, &found, limits),
            };
            let after = next_state(&before, &observation, limits, input.now);
            // Rates of a fixed day have nothing to be compared with.
            if input.is_live { after } else { after.without_rates() }
        } else {
            // Unchecked pairs are not suspended and start afresh when checked again.
            PairRateState {
                margin: before.margin,
                rests_since: before.rests_since,
                cost_suspension: before.cost_suspension.clone(),
                point_at: before.point_at,
                formula: before.formula.clone(),
                ..PairRateState::default()
            }
        };
        let RuleResult { adjustments, rest, opens_at, margin, cost_fault } =
            adjustments::adjust(own.unwrap_or(&none), &adjustment_input(input, pair, own, (&before, priced.as_ref())));
        after.margin = margin;
        after.rests_since = rest.is_some().then(|| before.rests_since.unwrap_or(input.now));
        let since = before.cost_suspension.as_ref().map_or(input.now, |suspension| suspension.since);
        let below_cost = own.zip(cost_fault).map(|(rules, fault)| cost_suspension(fault, rules, pair, since));
        after.cost_suspension = below_cost.clone().filter(|_| pair.enabled);
        let suspension =
            after.suspension.clone().or(below_cost).or_else(|| Some(schedule_suspension(rest?, opens_at, after.rests_since?)));
        let jump_percent = own.and_then(|rules| rules.jump_percent);
        let formula = formula
            .map(|formula| FormulaDecision { formula: formula.to_owned(), price: priced.and_then(|priced| priced.price.ok()) });
        if suspension.is_some() || !adjustments.is_empty() || jump_percent.is_some() || formula.is_some() {
            result.decision.pairs.push(PairRateDecision { pair: pair.id, suspension, adjustments, jump_percent, formula });
        }
        if after != PairRateState::default() {
            result.states.insert(pair.id, after);
        }
    }
    result
}

impl AggregationInput {
    /// The aggregated prices by asset pair.
    pub fn asset_pairs(&self) -> AssetPairs<'_> {
        self.prices.iter().map(|found| (pair_key(&found.result.base, &found.result.quote), found)).collect()
    }

    /// What the formula of a pair gives. `None` if its rules have none.
    pub fn formula_of(&self, pair: i64, rules: &BTreeMap<i64, RateRules>) -> Option<FormulaResult> {
        let rules = rules.get(&pair)?;
        let pair = self.pairs.iter().find(|known| known.id == pair)?;
        Some(self.evaluate(rules.formula.as_deref()?, pair, &self.asset_pairs(), rules.limits(self.defaults)))
    }

    /// What a floor over the cost price of a pair would depend on under these rules.
    pub fn cost_price<'k>(&'k self, pair: &'k PricedPair, rules: &RateRules) -> CostPrice<'k> {
        let formula = rules.formula.as_deref().filter(|_| pair.is_market);
        let priced = formula.map(|formula| self.evaluate(formula, pair, &self.asset_pairs(), rules.limits(self.defaults)));
        adjustment_input(self, pair, Some(rules), (&PairRateState::default(), priced.as_ref())).cost_price()
    }

    /// What a formula gives for a pair. One that does not fit the pair gives nothing: its currencies have changed.
    pub fn evaluate(&self, formula: &str, pair: &PricedPair, found: &AssetPairs<'_>, limits: RateLimits) -> FormulaResult {
        // Imported prices of a fixed day have one source each.
        let limits = if self.is_live { limits } else { RateLimits { sources: 1, ..limits } };
        let tickers = (pair.tickers.0.as_str(), pair.tickers.1.as_str());
        let result = Formula::parse(formula).and_then(|formula| formula.evaluate(tickers, &self.formula_prices, found, limits));
        result.unwrap_or_else(|_| FormulaResult::unusable())
    }
}

fn observe_formula(priced: &FormulaResult) -> PairRateObservation {
    PairRateObservation {
        market: priced.price.as_ref().ok().map(|price| price.rate),
        fault: priced.price.as_ref().err().cloned(),
        agreed: priced.agreed,
    }
}

impl RateRules {
    /// The pair's own limits, otherwise the defaults.
    pub fn limits(&self, defaults: RateLimits) -> RateLimits {
        RateLimits {
            sources: self.sources.unwrap_or(defaults.sources),
            jump_percent: self.jump_percent.unwrap_or(defaults.jump_percent),
            window: self
                .window_minutes
                .map_or(defaults.window, |minutes| std::time::Duration::from_secs(u64::from(minutes) * 60)),
            resume_after: self.resume_after.unwrap_or(defaults.resume_after),
        }
    }
}

/// Aggregated prices by the assets, in alphabetical order.
pub type AssetPairs<'a> = HashMap<(&'a str, &'a str), &'a AggregatedQuote>;

/// The aggregated price of two assets, in either order.
pub fn find<'a>(found: &AssetPairs<'a>, (one, other): &(String, String)) -> Option<&'a AggregatedQuote> {
    found.get(&pair_key(one, other)).copied()
}

fn pair_key<'a>(one: &'a str, other: &'a str) -> (&'a str, &'a str) {
    (one.min(other), one.max(other))
}

fn schedule_suspension(hours: String, opens_at: Option<Timestamp>, since: Timestamp) -> SuspensionReason {
    let opens_at = opens_at.map(|at| (OPENS_AT.to_owned(), at.to_string()));
    let numbers = std::iter::once(("hours".to_owned(), hours)).chain(opens_at).collect();
    SuspensionReason { cause: SuspensionCause::Schedule, asset_pair: String::new(), numbers, excluded: Vec::new(), since }
}

fn cost_suspension(fault: CostFault, rules: &RateRules, pair: &PricedPair, since: Timestamp) -> SuspensionReason {
    let floor = rules.bounds.map(|bounds| ("percent".to_owned(), plain(bounds.floor)));
    let fee = ("fee".to_owned(), format!("{} {}", plain(pair.costs.network_fee), pair.codes.1));
    SuspensionReason {
        cause: match fault {
            CostFault::Unknown => SuspensionCause::CostUnknown,
            CostFault::BelowCost => SuspensionCause::BelowCost,
        },
        asset_pair: format!("{}/{}", pair.tickers.0, pair.tickers.1),
        numbers: floor.into_iter().chain([fee]).collect(),
        excluded: Vec::new(),
        since,
    }
}

fn adjustment_input<'k>(
    input: &'k AggregationInput,
    pair: &'k PricedPair,
    rules: Option<&RateRules>,
    (before, priced): (&PairRateState, Option<&FormulaResult>),
) -> AdjustmentInput<'k> {
    let market = pair.market.filter(|_| pair.is_fresh && pair.blocked.is_none());
    let rank_rule = rules.and_then(|rules| rules.rank.as_ref());
    let key = |aggregator: &String| (aggregator.clone(), pair.codes.0.clone(), pair.codes.1.clone());
    AdjustmentInput {
        spread: pair.spread_percent,
        market: priced.map_or(market, |priced| priced.price.as_ref().ok().map(|price| price.rate)),
        reference: if pair.is_market { market } else { pair.reference },
        fees: pair.fee_percents,
        costs: &pair.costs,
        free: pair.free,
        day_ago: input.day_ago.get(&pair.id).copied(),
        order_book: rank_rule.and_then(|rank_rule| input.order_books.get(&key(&rank_rule.aggregator))),
        margin: before.margin,
        now: input.now,
    }
}

/// The market rate of a pair, how many sources support it, and what is wrong with it.
fn observe(pair: &PricedPair, found: &AssetPairs<'_>, limits: RateLimits) -> PairRateObservation {
    if let Some(blocked) = &pair.blocked {
        let fault = find(found, blocked).map(|found| disagreement(found, limits));
        return PairRateObservation { market: None, fault, agreed: 0 };
    }
    let (fault, agreed) = support(&pair.path, found, limits);
    PairRateObservation { market: pair.market.filter(|_| pair.is_fresh), fault, agreed }
}

/// The smallest number of sources that agree on an asset pair of a path, and what is wrong with that.
pub(super) fn support(path: &[(String, String)], found: &AssetPairs<'_>, limits: RateLimits) -> (Option<RateFault>, u32) {
    let agreed_on = |found: &AggregatedQuote| found.result.price.as_ref().map_or(0, |price| price.agreed.len());
    // An asset pair without live sources counts as supported by its import.
    let support = path.iter().map(|assets| (assets, find(found, assets), find(found, assets).map_or(1, agreed_on)));
    let fewest = support.min_by_key(|(_, _, agreed)| *agreed);
    let agreed = fewest.map_or(u32::MAX, |(_, _, agreed)| u32::try_from(agreed).unwrap_or(u32::MAX));
    let fault = fewest.filter(|_| agreed < limits.sources).map(|((from, to), found, _)| {
        let asset_pair = found.map_or_else(|| format!("{from}/{to}"), name);
        too_few(asset_pair, agreed as usize, limits, found.map_or_else(Vec::new, |found| found.excluded.clone()))
    });
    (fault, agreed)
}

pub(super) fn disagreement(found: &AggregatedQuote, limits: RateLimits) -> RateFault {
    let excluded = found.excluded.clone();
    let cause = match found.usable {
        0 if excluded.iter().all(|one| one.reason == ExclusionReason::Stale) => SuspensionCause::Stale,
        0 => SuspensionCause::Unusable,
        _ if excluded.iter().any(|one| one.reason == ExclusionReason::Apart) => SuspensionCause::Apart,
        usable => return too_few(name(found), usable.saturating_sub(1), limits, excluded),
    };
    RateFault { cause, asset_pair: name(found), numbers: Vec::new(), excluded }
}

pub(super) fn too_few(asset_pair: String, have: usize, limits: RateLimits, excluded: Vec<ExcludedSource>) -> RateFault {
    let numbers = vec![("have".to_owned(), have.to_string()), ("need".to_owned(), limits.sources.max(1).to_string())];
    RateFault { cause: SuspensionCause::TooFew, asset_pair, numbers, excluded }
}

fn name(found: &AggregatedQuote) -> String {
    format!("{}/{}", found.result.base, found.result.quote)
}
