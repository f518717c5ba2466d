//! Round trips by which somebody would leave with more than they came with.
//!
//! Each direction counts at the best rate it has at any amount, fixed fees inside. Ways of two exchanges are multiplied exactly. Ways of
//! any length are searched for with logarithms: whole numbers that are never above the true ones, so that a way found is truly
//! one, and that are less than a billionth of a thousandth below, so that none worth anybody's trouble is missed. What was found is multiplied
//! out exactly once more for the report.

use std::collections::HashMap;

use agio_core::needs::Direction;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

/// How often one direction is taken out and the rest searched again. When that is not enough, whole round trips are taken out at a time.
const GENTLE_ROUNDS: usize = 64;

/// A round trip that gains, and the direction that is left out for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// The place of the direction that is left out.
    pub blamed: usize,
    /// The places of the directions on the way, in order.
    pub way: Vec<usize>,
    /// What one unit becomes.
    pub product: Ratio,
}

struct Edge {
    from: usize,
    to: usize,
    rate: Ratio,
    /// How much better than the market it is; nothing where the market does not say.
    excess: Option<Ratio>,
    log: i64,
    is_out: bool,
}

/// The round trips that gain. Without the blamed directions there is none.
#[must_use]
pub fn round_trips(directions: &[Direction]) -> Vec<RoundTrip> {
    let mut nodes = HashMap::new();
    let mut node = |id: i64| {
        let next = nodes.len();
        *nodes.entry(id).or_insert(next)
    };
    let mut edges = Vec::with_capacity(directions.len());
    for direction in directions {
        let (from, to) = (node(direction.from.id), node(direction.to.id));
        let rate = best_rate(direction);
        let excess = rate.as_ref().zip(direction.market.and_then(Ratio::of)).map(|(rate, market)| rate.over(&market));
        let log = rate.as_ref().map_or(0, Ratio::log_below);
        // A direction by which nothing is ever received is on no way that gains.
        edges.push(Edge { from, to, is_out: rate.is_none(), rate: rate.unwrap_or_else(Ratio::one), excess, log });
    }
    let mut found = there_and_back(&mut edges);
    for round in 0..edges.len() {
        let ways = ways_that_gain(&edges, nodes.len());
        if ways.is_empty() {
            break;
        }
        for way in ways {
            found.extend(blame(&mut edges, &way, round >= GENTLE_ROUNDS));
        }
    }
    found
}

/// The most that is received for a unit sent, over all amounts: at the upper end of a tier, where fixed fees weigh least.
fn best_rate(direction: &Direction) -> Option<Ratio> {
    let most = direction.from.max;
    let ends = direction.courses.iter().skip(1).map(|(min, _)| *min).chain([Decimal::MAX]);
    let at = |(course, end): (Decimal, Decimal)| {
        let send = Ratio::of(end.min(most))?;
        let less = |ratio: Ratio, fee: Decimal| match Ratio::of(fee) {
            Some(fee) => ratio.minus(&fee),
            None => Some(ratio),
        };
        let net = less(send.clone(), direction.fee_from)?;
        Some(less(net.times(&Ratio::of(course)?), direction.fee_to)?.over(&send))
    };
    direction
        .courses
        .iter()
        .zip(ends)
        .filter(|((min, _), _)| *min <= most)
        .filter_map(|((_, course), end)| at((*course, end)))
        .max()
}

/// Ways there and back that lose nothing: a house that takes nothing for them has them by mistake.
fn there_and_back(edges: &mut [Edge]) -> Vec<RoundTrip> {
    let places: HashMap<(usize, usize), usize> =
        edges.iter().enumerate().filter(|(_, edge)| !edge.is_out).map(|(place, edge)| ((edge.from, edge.to), place)).collect();
    let mut found = Vec::new();
    for there in 0..edges.len() {
        let (from, to) = (edges[there].from, edges[there].to);
        let Some(&back) = places.get(&(to, from)).filter(|_| from < to && !edges[there].is_out) else { continue };
        if edges[there].rate.times(&edges[back].rate) >= Ratio::one() {
            found.extend(blame(edges, &[there, back], false));
        }
    }
    found
}

/// Takes the direction out that stands out most from the market, one of which the market knows nothing before all others; or the whole way.
fn blame(edges: &mut [Edge], way: &[usize], wholly: bool) -> Vec<RoundTrip> {
    if way.iter().any(|&place| edges[place].is_out) {
        return Vec::new();
    }
    let product = way.iter().fold(Ratio::one(), |product, &place| product.times(&edges[place].rate));
    let worst = way.iter().copied().max_by(|&one, &other| match (&edges[one].excess, &edges[other].excess) {
        (Some(one), Some(other)) => one.cmp(other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    });
    let blamed: Vec<usize> = if wholly { way.to_vec() } else { worst.into_iter().collect() };
    let trip = |blamed| RoundTrip { blamed, way: way.to_vec(), product: product.clone() };
    blamed.iter().for_each(|&place| edges[place].is_out = true);
    blamed.into_iter().map(trip).collect()
}

/// Ways that come back and gain, found as Bellman and Ford do; none when there is none.
fn ways_that_gain(edges: &[Edge], nodes: usize) -> Vec<Vec<usize>> {
    let mut gained = vec![0_i64; nodes];
    let mut came_by: Vec<Option<usize>> = vec![None; nodes];
    for _ in 0..=nodes {
        let mut is_better = false;
        for (place, edge) in edges.iter().enumerate().filter(|(_, edge)| !edge.is_out) {
            let reached = gained[edge.from] + edge.log;
            if reached > gained[edge.to] {
                (gained[edge.to], came_by[edge.to], is_better) = (reached, Some(place), true);
            }
        }
        if !is_better {
            return Vec::new();
        }
        let ways = closed_ways(edges, &came_by);
        if !ways.is_empty() {
            return ways;
        }
    }
    Vec::new()
}

/// The ways that close among those by which each node was reached best. Each of them gains.
fn closed_ways(edges: &[Edge], came_by: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut seen_from = vec![usize::MAX; came_by.len()];
    let mut ways = Vec::new();
    for start in 0..came_by.len() {
        let mut here = start;
        while seen_from[here] == usize::MAX {
            seen_from[here] = start;
            let Some(place) = came_by[here] else { break };
            here = edges[place].from;
        }
        if seen_from[here] != start || came_by[here].is_none() {
            continue;
        }
        let mut way = Vec::new();
        let closes_at = here;
        while let Some(place) = came_by[here] {
            way.push(place);
            here = edges[place].from;
            if here == closes_at {
                way.reverse();
                ways.push(way);
                break;
            }
        }
    }
    ways
}
