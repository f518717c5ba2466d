//! Directions that are not sold because a round trip over them would gain.
//!
//! The search is the one that keeps such directions out of feeds, over the limits that are set: reserves come and go with every claim, and a
//! direction does not change its state with them. The direction that is suspended is, of those on the cycle, the one furthest above the
//! market. It is sold again once no round trip over it gains, with a margin to spare, so that a rate that hovers at the bound does not switch
//! it on and off.

use std::collections::HashMap;

use agio_core::Timestamp;
use agio_core::arbitrage::{Edge, RoundTrip, best_rate, round_trips};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::MarketPair;

/// By how much, in percent, a round trip over a suspended direction has to lose until it is sold again; and how much further above the
/// market another direction has to be to be suspended in its place.
const RESUME_PERCENT: Decimal = Decimal::from_parts(1, 0, 0, false, 1);

/// Digits of what a round trip gives.
const PRODUCT_DIGITS: u32 = 8;
/// Decimals of it, at most.
const PRODUCT_SCALE_MAX: u32 = 24;

/// Why a direction is not sold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// The codes of the currencies on the round trip, the first of them last again.
    pub cycle: Vec<String>,
    /// What one unit becomes on it.
    pub product: Decimal,
    /// Since when.
    pub since: Timestamp,
}

impl Suspension {
    /// What the round trip gains, in percent.
    #[must_use]
    pub fn gain_percent(&self) -> Decimal {
        (self.product - Decimal::ONE).saturating_mul(Decimal::ONE_HUNDRED).round_dp(4).normalize()
    }
}

/// A direction that could be sold.
pub struct Sellable<'a> {
    /// The pair.
    pub pair: &'a MarketPair,
    /// Its rate by what sources say, where they do.
    pub market: Option<Decimal>,
}

impl Sellable<'_> {
    fn edge(&self) -> Option<Edge> {
        let MarketPair { pair, rate, .. } = self.pair;
        let rate = rate.as_ref()?;
        let courses: Vec<_> = rate.terms.parts().tiers_from_zero().iter().map(|tier| (tier.min_send, tier.course)).collect();
        let best = best_rate(&courses, rate.most_send?, (pair.fee_from.fixed, pair.fee_to.fixed));
        Some(Edge { from: pair.from, to: pair.to, rate: best, market: self.market.and_then(Ratio::of) })
    }
}

/// The directions that are suspended, by the identifiers of their pairs. `before` knows those that were until now.
#[must_use]
pub fn suspensions(sellable: &[Sellable<'_>], before: &HashMap<i64, &Suspension>, now: Timestamp) -> HashMap<i64, Suspension> {
    let (pairs, edges): (Vec<_>, Vec<_>) = sellable.iter().filter_map(|one| Some((one.pair, one.edge()?))).unzip();
    let margin = Ratio::plus_percent(RESUME_PERCENT).expect("the margin is above nothing");
    let was_suspended = |place: usize| before.get(&pairs[place].pair.id).copied();

    // Who was suspended stays blamed unless another is clearly further from the market.
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
        let RoundTrip { blamed, cycle, product } = trip;
        let first = cycle.first().map(|&place| pairs[place].from.facts.code.clone());
        let codes = first.into_iter().chain(cycle.iter().map(|&place| pairs[place].to.facts.code.clone()));
        let found = || Suspension {
            cycle: codes.collect(),
            product: product.round_down(PRODUCT_DIGITS, PRODUCT_SCALE_MAX).unwrap_or(Decimal::MAX),
            since: was_suspended(blamed).map_or(now, |before| before.since),
        };
        suspended.entry(pairs[blamed].pair.id).or_insert_with(found);
    }

    // What was suspended and gains no longer waits until it loses a little.
    let is_out = |place: usize| suspended.contains_key(&pairs[place].pair.id);
    let waiting: Vec<usize> = (0..pairs.len()).filter(|&place| was_suspended(place).is_some() && !is_out(place)).collect();
    if waiting.is_empty() {
        return suspended;
    }
    let lifted: Vec<Edge> = edges
        .into_iter()
        .enumerate()
        .map(|(place, edge)| match edge {
            edge if is_out(place) => Edge { rate: None, ..edge },
            // Blamed before all others: without the margin nothing gains.
            edge if waiting.contains(&place) => Edge { rate: edge.rate.map(|rate| rate.times(&margin)), market: None, ..edge },
            edge => Edge { market: edge.market.or_else(|| Some(Ratio::one())), ..edge },
        })
        .collect();
    for trip in round_trips(&lifted) {
        let id = pairs[trip.blamed].pair.id;
        if let Some(before) = was_suspended(trip.blamed) {
            suspended.insert(id, before.clone());
        }
    }
    suspended
}
