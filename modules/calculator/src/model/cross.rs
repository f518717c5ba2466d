//! Cross rates between two currencies that no source prices directly.
//!
//! Observations are edges between tickers. The customer sells `from` to the exchange, so each conversion either sells
//! the base at the bid or buys the base at the ask. Stablecoins are assets of their own: nothing is worth a dollar
//! unless a source says so.
//!
//! Of several sources for the same two tickers the freshest wins, then the first in the priority list. Of several
//! paths the one with the fewest conversions wins, then the one whose oldest conversion is freshest, then the one
//! with better sources, then alphabetical order. None of this depends on the direction, so the way back uses the same
//! observations and a round trip never gains.
//!
//! Where live sources price two tickers, only their aggregated price counts. Where they disagree, the edge has no
//! price: a path over it has no rate, and no longer detour is taken.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use agio_core::ratio::Ratio;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::amount::{RATE_DIGITS, RATE_MAX_SCALE};
use super::observation::{Observation, ObservedAt};

pub const MAX_CONVERSIONS: usize = 4;

/// Which price of an observation is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The base is sold: multiply by the bid.
    Bid,
    /// The base is bought: divide by the ask.
    Ask,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversion {
    pub sell: String,
    pub buy: String,
    pub source: String,
    pub side: Side,
    /// The observed price: units of the quote for one base.
    #[serde(with = "agio_core::decimal::text")]
    pub price: Decimal,
    pub observed_at: ObservedAt,
    /// The sources that agree on the price, for aggregated prices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreed: Vec<String>,
}

/// An aggregated price: the bid and the ask may come from different sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsensusObservation {
    pub bid: Observation,
    /// Same base and quote as `bid`.
    pub ask: Observation,
    pub sources: Vec<String>,
}

impl Conversion {
    /// Units of `buy` for one unit of `sell`. `None` if the price is not positive.
    pub fn ratio(&self) -> Option<Ratio> {
        let price = Ratio::of(self.price)?;
        Some(match self.side {
            Side::Bid => price,
            Side::Ask => Ratio::one().over(&price),
        })
    }
}

/// A cross rate and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cross {
    /// Units of the bought currency for one sold: the exact product of the conversions, rounded down to 16
    /// significant digits (and 24 decimals).
    pub rate: Decimal,
    /// Conversions in order. Empty if both tickers are the same asset.
    pub path: Vec<Conversion>,
    /// Time of the oldest conversion.
    pub observed_at: Option<ObservedAt>,
}

impl Cross {
    /// The exact product of the conversions.
    pub fn ratio(&self) -> Option<Ratio> {
        product(&self.path)
    }
}

fn product(path: &[Conversion]) -> Option<Ratio> {
    path.iter().try_fold(Ratio::one(), |product, step| Some(product.times(&step.ratio()?)))
}

#[derive(Clone, Debug, Default)]
pub struct RateGraph {
    /// The edge that counts, by ticker and neighbour.
    neighbours: BTreeMap<String, BTreeMap<String, RateEdge>>,
}

#[derive(Clone, Debug)]
struct RateEdge {
    /// `None` if sources disagree.
    price: Option<ConsensusObservation>,
    /// Index in the priority list; unknown sources come last.
    rank: usize,
}

impl RateEdge {
    /// Less is better. Names only make the choice deterministic.
    fn order(&self) -> impl Ord {
        let names = self.price.as_ref().map(|price| (price.bid.source.clone(), price.bid.base.clone()));
        (Reverse(self.observed()), self.rank, names)
    }

    /// Time of the older side; the minimum without a price.
    fn observed(&self) -> i64 {
        let observed = |price: &ConsensusObservation| price.bid.observed_at.micros().min(price.ask.observed_at.micros());
        self.price.as_ref().map_or(i64::MIN, observed)
    }

    fn conversion(&self, sell: &str, buy: &str) -> Option<Conversion> {
        let ConsensusObservation { bid, ask, sources } = self.price.as_ref()?;
        let (side, of) = if bid.base == sell { (Side::Bid, bid) } else { (Side::Ask, ask) };
        Some(Conversion {
            sell: sell.to_owned(),
            buy: buy.to_owned(),
            source: of.source.clone(),
            side,
            price: if side == Side::Bid { of.bid } else { of.ask },
            observed_at: of.observed_at,
            agreed: sources.clone(),
        })
    }
}

impl RateGraph {
    /// `priority` lists sources, most trusted first.
    ///
    /// Ignores observations without a usable price (bid not positive or above the ask). Does not check the age.
    pub fn new(observations: &[Observation], priority: &[&str]) -> Self {
        let mut graph = Self::default();
        for observation in observations {
            let usable = observation.bid > Decimal::ZERO && observation.bid <= observation.ask;
            if !usable || observation.base == observation.quote {
                continue;
            }
            let rank = priority.iter().position(|source| *source == observation.source);
            let price = ConsensusObservation { bid: observation.clone(), ask: observation.clone(), sources: Vec::new() };
            let edge = RateEdge { price: Some(price), rank: rank.unwrap_or(priority.len()) };
            graph.add(&observation.base, &observation.quote, &edge);
            graph.add(&observation.quote, &observation.base, &edge);
        }
        graph
    }

    /// Replaces the edge between two tickers by an aggregated price. With `None`, no path over them has a rate.
    pub fn rule(&mut self, base: &str, quote: &str, price: Option<ConsensusObservation>) {
        let edge = RateEdge { price, rank: 0 };
        for (from, to) in [(base, quote), (quote, base)] {
            self.neighbours.entry(from.to_owned()).or_default().insert(to.to_owned(), edge.clone());
        }
    }

    fn add(&mut self, from: &str, to: &str, edge: &RateEdge) {
        let neighbours = self.neighbours.entry(from.to_owned()).or_default();
        let better = neighbours.get(to).is_none_or(|known| edge.order() < known.order());
        if better {
            neighbours.insert(to.to_owned(), edge.clone());
        }
    }

    /// `None` if no path of at most [`MAX_CONVERSIONS`] joins the tickers or the rate is out of range.
    pub fn cross(&self, from: &str, to: &str) -> Option<Cross> {
        let tickers = self.best_path(from, to)?;
        let path: Option<Vec<Conversion>> =
            tickers.windows(2).map(|pair| self.neighbours[pair[0]][pair[1]].conversion(pair[0], pair[1])).collect();
        let path = path?;
        Some(Cross {
            rate: product(&path)?.round_down(RATE_DIGITS, RATE_MAX_SCALE)?,
            observed_at: path.iter().map(|step| step.observed_at).min_by_key(|at| at.micros()),
            path,
        })
    }

    /// The first asset pair on the path that sources disagree on.
    pub fn blocked(&self, from: &str, to: &str) -> Option<(String, String)> {
        let tickers = self.best_path(from, to)?;
        let blocked = tickers.windows(2).find(|pair| self.neighbours[pair[0]][pair[1]].price.is_none())?;
        Some((blocked[0].to_owned(), blocked[1].to_owned()))
    }

    fn best_path<'a>(&'a self, from: &'a str, to: &'a str) -> Option<Vec<&'a str>> {
        if from == to {
            return Some(vec![from]);
        }
        let steps_left = self.distances(to);
        steps_left.get(from)?;
        let mut best: Option<Vec<&str>> = None;
        let mut open = vec![vec![from]];
        while let Some(path) = open.pop() {
            let here = path[path.len() - 1];
            if here == to {
                if best.as_ref().is_none_or(|best| self.order(&path) < self.order(best)) {
                    best = Some(path);
                }
                continue;
            }
            for next in self.neighbours[here].keys() {
                if steps_left.get(next.as_str()).is_some_and(|left| left + 1 == steps_left[here]) {
                    open.push([path.as_slice(), &[next]].concat());
                }
            }
        }
        best
    }

    /// Fewest conversions from each ticker to `to`, up to [`MAX_CONVERSIONS`].
    fn distances<'a>(&'a self, to: &'a str) -> BTreeMap<&'a str, usize> {
        let mut distances = BTreeMap::from([(to, 0)]);
        let mut open = VecDeque::from([to]);
        while let Some(here) = open.pop_front() {
            let steps = distances[here] + 1;
            if steps > MAX_CONVERSIONS {
                break;
            }
            for next in self.neighbours.get(here).into_iter().flat_map(BTreeMap::keys) {
                if !distances.contains_key(next.as_str()) {
                    distances.insert(next, steps);
                    open.push_back(next);
                }
            }
        }
        distances
    }

    /// Orders paths of equal length between the same two tickers, the same in both directions.
    fn order(&self, path: &[&str]) -> impl Ord + use<> {
        let edges = path.windows(2).map(|pair| &self.neighbours[pair[0]][pair[1]]);
        let oldest = edges.clone().map(RateEdge::observed).min();
        let ranks: usize = edges.map(|edge| edge.rank).sum();
        let forwards: Vec<String> = path.iter().map(|ticker| (*ticker).to_owned()).collect();
        let backwards: Vec<String> = forwards.iter().rev().cloned().collect();
        (Reverse(oldest), ranks, forwards.min(backwards))
    }
}
