//! Arbitrage: round trips by which a customer would end up with more than they started with.
//!
//! Each direction counts at its best rate for any amount, fixed fees included. Cycles of two exchanges are multiplied
//! exactly. Longer cycles are searched with logarithms, rounded down to integers, so that every cycle found is real;
//! they are less than 10^-12 too low, so that none worth anyone's trouble is missed. Cycles found are multiplied out
//! exactly for the report.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::ratio::Ratio;

/// How often a single direction is removed and the rest searched again. After that, whole round trips are removed.
const SINGLE_EXCLUSIONS_MAX: usize = 64;

#[derive(Clone, Debug)]
pub struct Edge {
    /// The given currency.
    pub from: i64,
    /// The received currency.
    pub to: i64,
    /// The most that is received for one unit given, from [`best_rate`]; `None` if nothing ever is.
    pub rate: Option<Ratio>,
    /// The same at the sources' rate; `None` if it is unknown.
    pub market: Option<Ratio>,
}

/// A profitable round trip and the direction to suspend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// Index of the direction to suspend: the one furthest above the market, preferably one without a market rate.
    pub excluded: usize,
    /// Indices of the directions on the cycle, in order.
    pub cycle: Vec<usize>,
    /// What one unit becomes.
    pub product: Ratio,
}

struct Direction {
    from: usize,
    to: usize,
    rate: Ratio,
    /// How much better than the market it is; `None` if there is no market rate.
    excess: Option<Ratio>,
    log: i64,
    is_excluded: bool,
}

/// Finds profitable round trips, and round trips of two exchanges without a loss. Without the excluded directions
/// there are none.
#[must_use]
pub fn round_trips(edges: &[Edge]) -> Vec<RoundTrip> {
    let mut nodes = HashMap::new();
    let mut node = |id: i64| {
        let next = nodes.len();
        *nodes.entry(id).or_insert(next)
    };
    let mut directions = Vec::with_capacity(edges.len());
    for Edge { from, to, rate, market } in edges {
        let (from, to) = (node(*from), node(*to));
        let excess = rate.as_ref().zip(market.as_ref()).map(|(rate, market)| rate.over(market));
        let log = rate.as_ref().map_or(0, Ratio::log_below);
        // A direction that never yields anything is on no profitable cycle.
        directions.push(Direction {
            from,
            to,
            is_excluded: rate.is_none(),
            rate: rate.clone().unwrap_or_else(Ratio::one),
            excess,
            log,
        });
    }
    let mut found = two_way_cycles(&mut directions);
    for round in 0..directions.len() {
        let cycles = profitable_cycles(&directions, nodes.len());
        if cycles.is_empty() {
            break;
        }
        for cycle in cycles {
            found.extend(exclude(&mut directions, &cycle, round >= SINGLE_EXCLUSIONS_MAX));
        }
    }
    found
}

/// The most that is received for one unit given, over all amounts up to `most`: at the upper end of a tier, where
/// fixed fees weigh least. `rates` lists rates by least given amount, ascending from zero; `fees` are the fixed fees
/// of both sides.
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

/// Cycles of two exchanges without a loss: they are a configuration mistake.
fn two_way_cycles(directions: &mut [Direction]) -> Vec<RoundTrip> {
    let places: HashMap<(usize, usize), usize> = directions
        .iter()
        .enumerate()
        .filter(|(_, direction)| !direction.is_excluded)
        .map(|(place, direction)| ((direction.from, direction.to), place))
        .collect();
    let mut found = Vec::new();
    for there in 0..directions.len() {
        let (from, to) = (directions[there].from, directions[there].to);
        let Some(&back) = places.get(&(to, from)).filter(|_| from < to && !directions[there].is_excluded) else { continue };
        if directions[there].rate.times(&directions[back].rate) >= Ratio::one() {
            found.extend(exclude(directions, &[there, back], false));
        }
    }
    found
}

/// Removes the direction that deviates most from the market, preferably one without a market rate; or the whole cycle.
fn exclude(directions: &mut [Direction], cycle: &[usize], wholly: bool) -> Vec<RoundTrip> {
    if cycle.iter().any(|&place| directions[place].is_excluded) {
        return Vec::new();
    }
    let product = cycle.iter().fold(Ratio::one(), |product, &place| product.times(&directions[place].rate));
    let worst = cycle.iter().copied().max_by(|&one, &other| match (&directions[one].excess, &directions[other].excess) {
        (Some(one), Some(other)) => one.cmp(other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    });
    let excluded: Vec<usize> = if wholly { cycle.to_vec() } else { worst.into_iter().collect() };
    let trip = |excluded| RoundTrip { excluded, cycle: cycle.to_vec(), product: product.clone() };
    excluded.iter().for_each(|&place| directions[place].is_excluded = true);
    excluded.into_iter().map(trip).collect()
}

/// Profitable cycles by the Bellman-Ford algorithm.
fn profitable_cycles(directions: &[Direction], nodes: usize) -> Vec<Vec<usize>> {
    let mut gained = vec![0_i64; nodes];
    let mut predecessors: Vec<Option<usize>> = vec![None; nodes];
    for _ in 0..=nodes {
        let mut is_better = false;
        for (place, direction) in directions.iter().enumerate().filter(|(_, direction)| !direction.is_excluded) {
            let reached = gained[direction.from] + direction.log;
            if reached > gained[direction.to] {
                (gained[direction.to], predecessors[direction.to], is_better) = (reached, Some(place), true);
            }
        }
        if !is_better {
            return Vec::new();
        }
        let cycles = closed_cycles(directions, &predecessors);
        if !cycles.is_empty() {
            return cycles;
        }
    }
    Vec::new()
}

/// The cycles closed by the best predecessors of each node. Each of them is profitable.
fn closed_cycles(directions: &[Direction], predecessors: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut seen_from = vec![usize::MAX; predecessors.len()];
    let mut cycles = Vec::new();
    for start in 0..predecessors.len() {
        let mut here = start;
        while seen_from[here] == usize::MAX {
            seen_from[here] = start;
            let Some(place) = predecessors[here] else { break };
            here = directions[place].from;
        }
        if seen_from[here] != start || predecessors[here].is_none() {
            continue;
        }
        let mut cycle = Vec::new();
        let closes_at = here;
        while let Some(place) = predecessors[here] {
            cycle.push(place);
            here = directions[place].from;
            if here == closes_at {
                cycle.reverse();
                cycles.push(cycle);
                break;
            }
        }
    }
    cycles
}
