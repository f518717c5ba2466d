//! Aggregation of source prices per asset pair.
//!
//! A quote is usable if it is recent and valid. Quotes agree if both their prices lie within the tolerance of one of
//! them. The largest agreeing group wins if it holds more than half of the usable quotes. The lowest bid and the
//! highest ask of the group become the price, so that the exchange never benefits from a difference. Cross-check
//! sources, and sources that quote the other way round, confirm the price but never set it.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_contracts::{AggregatedPrice, ConsensusPrice, ExcludedSource, ExclusionReason, ObservedPrice, SidePrice};
use agio_core::Timestamp;
use rust_decimal::Decimal;

/// A day in microseconds.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;
/// Clocks differ.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(120);
/// Central banks publish rates for the day after a weekend or a holiday.
const MAX_DAY_AHEAD: Duration = Duration::from_secs(12 * 24 * 60 * 60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTrust {
    pub max_age: Duration,
    pub priority: i64,
    pub checks_only: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregatedQuote {
    pub result: AggregatedPrice,
    pub usable: usize,
    pub excluded: Vec<ExcludedSource>,
}

/// Aggregates the prices of known sources. `tolerance` is in percent.
pub fn aggregate(
    observed: &[ObservedPrice],
    sources: &BTreeMap<String, SourceTrust>,
    tolerance: Decimal,
    now: Timestamp,
) -> Vec<AggregatedQuote> {
    let mut by_assets: BTreeMap<(&str, &str), Vec<(&ObservedPrice, &SourceTrust)>> = BTreeMap::new();
    for observed in observed.iter().filter(|observed| observed.base != observed.quote) {
        let Some(trust) = sources.get(&observed.source) else { continue };
        let (base, quote) = (observed.base.as_str(), observed.quote.as_str());
        by_assets.entry((base.min(quote), base.max(quote))).or_default().push((observed, trust));
    }
    by_assets.into_values().map(|all| aggregate_pair(all, tolerance, now)).collect()
}

/// A usable price, converted to the direction of the asset pair.
struct UsableQuote<'a> {
    observed: &'a ObservedPrice,
    trust: &'a SourceTrust,
    bid: Decimal,
    ask: Decimal,
    is_same_direction: bool,
}

fn aggregate_pair(mut all: Vec<(&ObservedPrice, &SourceTrust)>, tolerance: Decimal, now: Timestamp) -> AggregatedQuote {
    // The most trusted pricing source defines the direction of the asset pair.
    all.sort_by_key(|(observed, trust)| (trust.checks_only, trust.priority, observed.source.clone(), observed.base.clone()));
    let (base, quote) = (all[0].0.base.clone(), all[0].0.quote.clone());
    let mut usable = Vec::new();
    let mut excluded = Vec::new();
    for (observed, trust) in all {
        match check_price(observed, trust, &base, now) {
            Ok(one) => usable.push(one),
            Err((reason, quote)) => excluded.push(ExcludedSource { source: observed.source.clone(), reason, quote }),
        }
    }
    let agreed = majority(&usable, tolerance);
    for one in usable.iter().filter(|one| !agreed.iter().any(|other| std::ptr::eq(*one, *other))) {
        excluded.push(ExcludedSource {
            source: one.observed.source.clone(),
            reason: ExclusionReason::Apart,
            quote: prices(one.observed),
        });
    }
    let price = agree(&agreed, now);
    AggregatedQuote { result: AggregatedPrice { base, quote, price }, usable: usable.len(), excluded }
}

/// Converts a usable price, or returns the reason for exclusion and the value.
fn check_price<'a>(
    observed: &'a ObservedPrice,
    trust: &'a SourceTrust,
    base: &str,
    now: Timestamp,
) -> Result<UsableQuote<'a>, (ExclusionReason, String)> {
    if let Some(reason) = fault(observed, trust, now) {
        let is_time = matches!(reason, ExclusionReason::Stale | ExclusionReason::Ahead);
        return Err((reason, if is_time { observed.observed_at.to_string() } else { prices(observed) }));
    }
    let is_same_direction = observed.base == base;
    let status_changed = |price: Decimal| Decimal::ONE.checked_div(price);
    let status_changed = if is_same_direction {
        Some((observed.bid, observed.ask))
    } else {
        status_changed(observed.ask).zip(status_changed(observed.bid))
    };
    match status_changed {
        Some((bid, ask)) if bid > Decimal::ZERO => Ok(UsableQuote { observed, trust, bid, ask, is_same_direction }),
        _ => Err((ExclusionReason::NotPositive, prices(observed))),
    }
}

/// Why a price of a source cannot be used.
pub(crate) fn fault(observed: &ObservedPrice, trust: &SourceTrust, now: Timestamp) -> Option<ExclusionReason> {
    let is_day = observed.observed_at.0.rem_euclid(DAY_MICROS) == 0;
    let ahead = if is_day { MAX_DAY_AHEAD } else { MAX_CLOCK_SKEW };
    price_fault(observed).or_else(|| {
        if observed.observed_at > now.plus(ahead) {
            return Some(ExclusionReason::Ahead);
        }
        (good_until(observed, trust) < now).then_some(ExclusionReason::Stale)
    })
}

/// Why a price cannot be used whatever its age.
pub(crate) fn price_fault(observed: &ObservedPrice) -> Option<ExclusionReason> {
    if observed.bid <= Decimal::ZERO || observed.ask <= Decimal::ZERO {
        return Some(ExclusionReason::NotPositive);
    }
    (observed.bid > observed.ask).then_some(ExclusionReason::Crossed)
}

/// When a price expires. The age of a daily price counts from the end of its day.
pub(crate) fn good_until(observed: &ObservedPrice, trust: &SourceTrust) -> Timestamp {
    let is_day = observed.observed_at.0.rem_euclid(DAY_MICROS) == 0;
    let held = if is_day { observed.observed_at.plus(Duration::from_secs(24 * 60 * 60)) } else { observed.observed_at };
    held.plus(trust.max_age)
}

/// The largest agreeing group, if it holds more than half.
fn majority<'h, 'a>(usable: &'h [UsableQuote<'a>], tolerance: Decimal) -> Vec<&'h UsableQuote<'a>> {
    let mut best: Vec<&UsableQuote> = Vec::new();
    for candidate in usable {
        let group: Vec<_> = usable.iter().filter(|one| is_within_tolerance(candidate, one, tolerance)).collect();
        if group.len() > best.len() {
            best = group;
        }
    }
    if 2 * best.len() > usable.len() { best } else { Vec::new() }
}

/// Whether both prices lie within the tolerance of the candidate's mid price.
fn is_within_tolerance(candidate: &UsableQuote, one: &UsableQuote, tolerance: Decimal) -> bool {
    let bounds = || {
        let middle = candidate.bid.checked_add(candidate.ask)?.checked_div(Decimal::TWO)?;
        let most = middle.checked_mul(tolerance)?.checked_div(Decimal::ONE_HUNDRED)?;
        Some((middle.checked_sub(most)?, middle.checked_add(most)?))
    };
    std::ptr::eq(candidate, one) || bounds().is_some_and(|(least, most)| one.bid >= least && one.ask <= most)
}

fn agree(agreed: &[&UsableQuote], now: Timestamp) -> Option<ConsensusPrice> {
    let priced = agreed.iter().copied().filter(|one| one.is_same_direction && !one.trust.checks_only);
    let side = |one: &UsableQuote, price| SidePrice {
        price,
        source: one.observed.source.clone(),
        observed_at: one.observed.observed_at,
    };
    let bid = priced.clone().min_by_key(|one| one.observed.bid)?;
    let ask = priced.max_by_key(|one| one.observed.ask)?;
    let good = good_until(bid.observed, bid.trust).min(good_until(ask.observed, ask.trust));
    Some(ConsensusPrice {
        bid: side(bid, bid.observed.bid.normalize()),
        ask: side(ask, ask.observed.ask.normalize()),
        agreed: agreed.iter().map(|one| one.observed.source.clone()).collect(),
        good_until: good.max(now),
    })
}

fn prices(observed: &ObservedPrice) -> String {
    format!("{} / {}", observed.bid.normalize(), observed.ask.normalize())
}
