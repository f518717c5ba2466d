//! Round trips by which somebody would leave with more than they came with.
//!
//! Each direction counts at the best rate it has at any amount, fixed fees inside. Cycles of two exchanges are multiplied exactly. Cycles of
//! any length are searched for with logarithms: whole numbers that are never above the true ones, so that a cycle found is truly
//! one, and that are less than a billionth of a thousandth below, so that none worth anybody's trouble is missed. What was found is multiplied
//! out exactly once more for the report.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::ratio::Ratio;

/// How often one direction is taken out and the rest searched again. When that is not enough, whole round trips are taken out at a time.
const GENTLE_ROUNDS: usize = 64;

/// A direction as the search needs it.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The currency sent.
    pub from: i64,
    /// The currency received.
    pub to: i64,
    /// The most that is received for a unit sent, as [`best_rate`] finds it; none where nothing is ever received.
    pub rate: Option<Ratio>,
    /// The same by what sources of rates say; none where they do not say.
    pub market: Option<Ratio>,
}

/// A round trip that gains, and the direction that is left out for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// The place of the direction that is left out: of those on the cycle the one furthest above the market, one of which the market knows
    /// nothing before all others.
    pub blamed: usize,
    /// The places of the directions on the cycle, in order.
    pub cycle: Vec<usize>,
    /// What one unit becomes.
    pub product: Ratio,
}

struct Hop {
    from: usize,
    to: usize,
    rate: Ratio,
    /// How much better than the market it is; nothing where the market does not say.
    excess: Option<Ratio>,
    log: i64,
    is_out: bool,
}

/// The round trips that gain, and those of two exchanges that lose nothing. Without the blamed directions there is none.
#[must_use]
pub fn round_trips(edges: &[Edge]) -> Vec<RoundTrip> {
    let mut nodes = HashMap::new();
    let mut node = |id: i64| {
        let next = nodes.len();
        *nodes.entry(id).or_insert(next)
    };
    let mut hops = Vec::with_capacity(edges.len());
    for Edge { from, to, rate, market } in edges {
        let (from, to) = (node(*from), node(*to));
        let excess = rate.as_ref().zip(market.as_ref()).map(|(rate, market)| rate.over(market));
        let log = rate.as_ref().map_or(0, Ratio::log_below);
        // A direction by which nothing is ever received is on no cycle that gains.
        hops.push(Hop { from, to, is_out: rate.is_none(), rate: rate.clone().unwrap_or_else(Ratio::one), excess, log });
    }
    let mut found = there_and_back(&mut hops);
    for round in 0..hops.len() {
        let cycles = gaining_cycles(&hops, nodes.len());
        if cycles.is_empty() {
            break;
        }
        for cycle in cycles {
            found.extend(blame(&mut hops, &cycle, round >= GENTLE_ROUNDS));
        }
    }
    found
}

/// The most that is received for a unit sent, over all amounts up to `most`: at the upper end of a tier, where fixed fees weigh least.
/// `rates` holds from which sent amount on which rate holds, ascending, the first from zero; `fees` are the fixed ones of both sides.
#[must_use]
pub fn best_rate(rates: &[(Decimal, Decimal)], most: Decimal, fees: (Decimal, Decimal)) -> Option<Ratio> {
    let ends = rates.iter().skip(1).map(|(min, _)| *min).chain([Decimal::MAX]);
    let at = |(rate, end): (Decimal, Decimal)| {
        let send = Ratio::of(end.min(most))?;
        let less = |ratio: Ratio, fee: Decimal| match Ratio::of(fee) {
            Some(fee) => ratio.minus(&fee),
            None => Some(ratio),
        };
        let net = less(send.clone(), fees.0)?;
        Some(less(net.times(&Ratio::of(rate)?), fees.1)?.over(&send))
    };
    rates.iter().zip(ends).filter(|((min, _), _)| *min <= most).filter_map(|((_, rate), end)| at((*rate, end))).max()
}

/// Cycles of two exchanges that lose nothing: an exchange that takes nothing for them has them by mistake.
fn there_and_back(hops: &mut [Hop]) -> Vec<RoundTrip> {
    let places: HashMap<(usize, usize), usize> =
        hops.iter().enumerate().filter(|(_, hop)| !hop.is_out).map(|(place, hop)| ((hop.from, hop.to), place)).collect();
    let mut found = Vec::new();
    for there in 0..hops.len() {
        let (from, to) = (hops[there].from, hops[there].to);
        let Some(&back) = places.get(&(to, from)).filter(|_| from < to && !hops[there].is_out) else { continue };
        if hops[there].rate.times(&hops[back].rate) >= Ratio::one() {
            found.extend(blame(hops, &[there, back], false));
        }
    }
    found
}

/// Takes the direction out that stands out most from the market, one of which the market knows nothing before all others; or the whole cycle.
fn blame(hops: &mut [Hop], cycle: &[usize], wholly: bool) -> Vec<RoundTrip> {
    if cycle.iter().any(|&place| hops[place].is_out) {
        return Vec::new();
    }
    let product = cycle.iter().fold(Ratio::one(), |product, &place| product.times(&hops[place].rate));
    let worst = cycle.iter().copied().max_by(|&one, &other| match (&hops[one].excess, &hops[other].excess) {
        (Some(one), Some(other)) => one.cmp(other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    });
    let blamed: Vec<usize> = if wholly { cycle.to_vec() } else { worst.into_iter().collect() };
    let trip = |blamed| RoundTrip { blamed, cycle: cycle.to_vec(), product: product.clone() };
    blamed.iter().for_each(|&place| hops[place].is_out = true);
    blamed.into_iter().map(trip).collect()
}

/// Cycles that gain, found as Bellman and Ford do; none when there is none.
fn gaining_cycles(hops: &[Hop], nodes: usize) -> Vec<Vec<usize>> {
    let mut gained = vec![0_i64; nodes];
    let mut came_by: Vec<Option<usize>> = vec![None; nodes];
    for _ in 0..=nodes {
        let mut is_better = false;
        for (place, hop) in hops.iter().enumerate().filter(|(_, hop)| !hop.is_out) {
            let reached = gained[hop.from] + hop.log;
            if reached > gained[hop.to] {
                (gained[hop.to], came_by[hop.to], is_better) = (reached, Some(place), true);
            }
        }
        if !is_better {
            return Vec::new();
        }
        let cycles = closed_cycles(hops, &came_by);
        if !cycles.is_empty() {
            return cycles;
        }
    }
    Vec::new()
}

/// The cycles that close among those by which each node was reached best. Each of them gains.
fn closed_cycles(hops: &[Hop], came_by: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut seen_from = vec![usize::MAX; came_by.len()];
    let mut cycles = Vec::new();
    for start in 0..came_by.len() {
        let mut here = start;
        while seen_from[here] == usize::MAX {
            seen_from[here] = start;
            let Some(place) = came_by[here] else { break };
            here = hops[place].from;
        }
        if seen_from[here] != start || came_by[here].is_none() {
            continue;
        }
        let mut cycle = Vec::new();
        let closes_at = here;
        while let Some(place) = came_by[here] {
            cycle.push(place);
            here = hops[place].from;
            if here == closes_at {
                cycle.reverse();
                cycles.push(cycle);
                break;
            }
        }
    }
    cycles
}
