//! Suspension of directions with a profitable round trip (arbitrage).
//!
//! Uses the same search as the feeds, but with the configured limits instead of the reserves, so that a direction
//! does not change state with every claim. Of each cycle, the direction furthest above the market is suspended. It
//! resumes once no round trip over it gains, with a margin, so that a rate at the threshold does not flap.

use std::collections::HashMap;

use agio_core::Timestamp;
use agio_core::arbitrage::{Edge, RoundTrip, best_rate, round_trips};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::MarketPair;

/// Hysteresis in percent: a round trip over a suspended direction must lose this much before the direction resumes,
/// and another direction must be this much further above the market to be suspended instead.
const RESUME_PERCENT: Decimal = Decimal::from_parts(1, 0, 0, false, 1);

const PRODUCT_DIGITS: u32 = 8;
const PRODUCT_SCALE_MAX: u32 = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// Currency codes of the round trip; the last equals the first.
    pub cycle: Vec<String>,
    /// What one unit becomes on the round trip.
    pub product: Decimal,
    pub since: Timestamp,
}

impl Suspension {
    /// Gain of the round trip in percent.
    pub fn gain_percent(&self) -> Decimal {
        (self.product - Decimal::ONE).saturating_mul(Decimal::ONE_HUNDRED).round_dp(4).normalize()
    }
}

pub struct SuspensionCandidate<'a> {
    pub pair: &'a MarketPair,
    /// The market rate, if known.
    pub market: Option<Decimal>,
}

impl SuspensionCandidate<'_> {
    fn edge(&self) -> Option<Edge> {
        let MarketPair { pair, rate, .. } = self.pair;
        let rate = rate.as_ref()?;
        let parts = rate.terms.parts();
        let rates: Vec<_> = parts.tiers_from_zero().iter().map(|tier| (tier.min_give, tier.rate)).collect();
        let best = best_rate(&rates, rate.max_give?, (parts.give_fee, parts.receive_fee));
        Some(Edge { from: pair.give_id, to: pair.receive_id, rate: best, market: self.market.and_then(Ratio::of) })
    }
}

/// Suspensions by pair identifier. `before` holds the current suspensions.
pub fn suspensions(
    candidates: &[SuspensionCandidate<'_>],
    before: &HashMap<i64, &Suspension>,
    now: Timestamp,
) -> HashMap<i64, Suspension> {
    let (pairs, edges): (Vec<_>, Vec<_>) = candidates.iter().filter_map(|one| Some((one.pair, one.edge()?))).unzip();
    let margin = Ratio::plus_percent(RESUME_PERCENT).expect("the margin is above nothing");
    let was_suspended = |place: usize| before.get(&pairs[place].pair.id).copied();

    // A suspended direction stays suspended unless another is clearly further from the market.
    let present: Vec<Edge> = edges
        .iter()
        .cloned()
        .enumerate()
        .map(|(place, edge)| match was_suspended(place) {
            Some(_) => Edge { market: edge.market.map(|market| market.over(&margin)), ..edge },
            None => edge,
        })
        .collect();
    let mut suspended = HashMap::new();
    for trip in round_trips(&present) {
        let RoundTrip { excluded, cycle, product } = trip;
        let first = cycle.first().map(|&place| pairs[place].give.facts.code.clone());
        let codes = first.into_iter().chain(cycle.iter().map(|&place| pairs[place].receive.facts.code.clone()));
        let found = || Suspension {
            cycle: codes.collect(),
            product: product.round_down(PRODUCT_DIGITS, PRODUCT_SCALE_MAX).unwrap_or(Decimal::MAX),
            since: was_suspended(excluded).map_or(now, |before| before.since),
        };
        suspended.entry(pairs[excluded].pair.id).or_insert_with(found);
    }

    // A suspended direction that no longer gains resumes only after the margin.
    let is_out = |place: usize| suspended.contains_key(&pairs[place].pair.id);
    let waiting: Vec<usize> = (0..pairs.len()).filter(|&place| was_suspended(place).is_some() && !is_out(place)).collect();
    if waiting.is_empty() {
        return suspended;
    }
    let with_margin: Vec<Edge> = edges
        .into_iter()
        .enumerate()
        .map(|(place, edge)| match edge {
            edge if is_out(place) => Edge { rate: None, ..edge },
            // Excluded before all others: without the margin nothing gains.
            edge if waiting.contains(&place) => Edge { rate: edge.rate.map(|rate| rate.times(&margin)), market: None, ..edge },
            edge => Edge { market: edge.market.or_else(|| Some(Ratio::one())), ..edge },
        })
        .collect();
    for trip in round_trips(&with_margin) {
        let id = pairs[trip.excluded].pair.id;
        if let Some(before) = was_suspended(trip.excluded) {
            suspended.insert(id, before.clone());
        }
    }
    suspended
}
