//! Cross rates: what one currency is worth in another when no source prices the two together.
//!
//! Observations are edges between tickers. The customer sells `from` to the house, so each leg
//! either sells the base at the bid or buys the base at the ask. Stablecoins are assets of their
//! own: nothing is taken to be worth a dollar unless a source says so.
//!
//! Of several sources for the same two tickers the freshest counts, then the one named first in
//! the priority list. Of several paths the one with the fewest legs counts, then the one whose
//! oldest leg is freshest, then the one of better sources, then the alphabet. None of this depends
//! on the direction, so the way back uses the same observations and a round trip never gains.
//!
//! Where live sources price two tickers, the price they agree on is the only one. Where they do not agree, the two are joined all the
//! same, by a leg without a price: a path over it has no rate, and a longer way round it is not taken.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use agio_core::ratio::Ratio;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::amount::{COURSE_DIGITS, COURSE_MAX_SCALE};
use super::decimal_text;
use super::observation::{Observation, ObservedAt};

/// Legs a path may have.
pub const MAX_LEGS: usize = 4;

/// Which price of an observation a leg uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The base is sold: multiply by the bid.
    Bid,
    /// The base is bought: divide by the ask.
    Ask,
}

/// One step of a cross rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Leg {
    /// Ticker that is given.
    pub sell: String,
    /// Ticker that is got.
    pub buy: String,
    /// Whose price is used.
    pub source: String,
    /// Which price is used.
    pub side: Side,
    /// The price as observed: units of the quote for one base.
    #[serde(with = "decimal_text")]
    pub price: Decimal,
    /// When it was observed.
    pub observed_at: ObservedAt,
    /// The sources that agree on it, where more than one was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreed: Vec<String>,
}

/// A price of two tickers that live sources agree on: the bid of one of them and the ask of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The observation whose bid counts.
    pub bid: Observation,
    /// The observation whose ask counts, of the same base and quote.
    pub ask: Observation,
    /// The sources that agree.
    pub sources: Vec<String>,
}

impl Leg {
    /// Units of `buy` for one unit of `sell`; none when the price is not above zero.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        let price = Ratio::of(self.price)?;
        Some(match self.side {
            Side::Bid => price,
            Side::Ask => Ratio::one().over(&price),
        })
    }
}

/// A cross rate and the way it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cross {
    /// Units of the bought currency for one sold: the exact product of the legs, rounded down to
    /// 16 significant digits (and 24 decimals).
    pub rate: Decimal,
    /// The legs in order; empty when both tickers are the same asset.
    pub path: Vec<Leg>,
    /// When the oldest leg was observed; none without legs.
    pub observed_at: Option<ObservedAt>,
}

impl Cross {
    /// The exact product of the legs.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        product(&self.path)
    }
}

fn product(path: &[Leg]) -> Option<Ratio> {
    path.iter().try_fold(Ratio::one(), |product, leg| Some(product.times(&leg.ratio()?)))
}

/// Observations arranged for finding cross rates.
#[derive(Clone, Debug, Default)]
pub struct RateGraph {
    /// Of each ticker its neighbours, each with the one observation that counts.
    neighbours: BTreeMap<String, BTreeMap<String, Edge>>,
}

#[derive(Clone, Debug)]
struct Edge {
    /// What is priced with; nothing where the sources do not agree.
    price: Option<Agreed>,
    /// Place of the source in the priority list; sources that are not in it come last.
    rank: usize,
}

impl Edge {
    /// Less is better. The names only make the choice the same every time.
    fn order(&self) -> impl Ord {
        let names = self.price.as_ref().map(|price| (price.bid.source.clone(), price.bid.base.clone()));
        (Reverse(self.observed()), self.rank, names)
    }

    /// When the older of its sides was observed; longer ago than anything where there is no price.
    fn observed(&self) -> i64 {
        let observed = |price: &Agreed| price.bid.observed_at.micros().min(price.ask.observed_at.micros());
        self.price.as_ref().map_or(i64::MIN, observed)
    }

    fn leg(&self, sell: &str, buy: &str) -> Option<Leg> {
        let Agreed { bid, ask, sources } = self.price.as_ref()?;
        let (side, of) = if bid.base == sell { (Side::Bid, bid) } else { (Side::Ask, ask) };
        Some(Leg {
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
    /// Arranges observations; `priority` names the sources from the most trusted on.
    ///
    /// Observations without a usable price (bid not above zero, or above the ask) are left out.
    /// Staleness is the caller's: what is given here counts.
    #[must_use]
    pub fn new(observations: &[Observation], priority: &[&str]) -> Self {
        let mut graph = Self::default();
        for observation in observations {
            let usable = observation.bid > Decimal::ZERO && observation.bid <= observation.ask;
            if !usable || observation.base == observation.quote {
                continue;
            }
            let rank = priority.iter().position(|source| *source == observation.source);
            let price = Agreed { bid: observation.clone(), ask: observation.clone(), sources: Vec::new() };
            let edge = Edge { price: Some(price), rank: rank.unwrap_or(priority.len()) };
            graph.add(&observation.base, &observation.quote, &edge);
            graph.add(&observation.quote, &observation.base, &edge);
        }
        graph
    }

    /// Puts what live sources agree on in the place of whatever is known of two tickers; with nothing agreed, no path over them has a rate.
    pub fn rule(&mut self, base: &str, quote: &str, price: Option<Agreed>) {
        let edge = Edge { price, rank: 0 };
        for (from, to) in [(base, quote), (quote, base)] {
            self.neighbours.entry(from.to_owned()).or_default().insert(to.to_owned(), edge.clone());
        }
    }

    fn add(&mut self, from: &str, to: &str, edge: &Edge) {
        let neighbours = self.neighbours.entry(from.to_owned()).or_default();
        let better = neighbours.get(to).is_none_or(|known| edge.order() < known.order());
        if better {
            neighbours.insert(to.to_owned(), edge.clone());
        }
    }

    /// The cross rate of two tickers, none when no path of at most [`MAX_LEGS`] legs joins them
    /// or the rate is outside the range of a course.
    #[must_use]
    pub fn cross(&self, from: &str, to: &str) -> Option<Cross> {
        let tickers = self.best_path(from, to)?;
        let path: Option<Vec<Leg>> =
            tickers.windows(2).map(|pair| self.neighbours[pair[0]][pair[1]].leg(pair[0], pair[1])).collect();
        let path = path?;
        Some(Cross {
            rate: product(&path)?.round_down(COURSE_DIGITS, COURSE_MAX_SCALE)?,
            observed_at: path.iter().map(|leg| leg.observed_at).min_by_key(|at| at.micros()),
            path,
        })
    }

    /// The first two tickers on the way from one to the other that sources do not agree on.
    #[must_use]
    pub fn blocked(&self, from: &str, to: &str) -> Option<(String, String)> {
        let tickers = self.best_path(from, to)?;
        let blocked = tickers.windows(2).find(|pair| self.neighbours[pair[0]][pair[1]].price.is_none())?;
        Some((blocked[0].to_owned(), blocked[1].to_owned()))
    }

    fn best_path<'a>(&'a self, from: &'a str, to: &'a str) -> Option<Vec<&'a str>> {
        if from == to {
            return Some(vec![from]);
        }
        let legs_left = self.distances(to);
        legs_left.get(from)?;
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
                if legs_left.get(next.as_str()).is_some_and(|left| left + 1 == legs_left[here]) {
                    open.push([path.as_slice(), &[next]].concat());
                }
            }
        }
        best
    }

    /// Fewest legs from each ticker to `to`, for those within [`MAX_LEGS`].
    fn distances<'a>(&'a self, to: &'a str) -> BTreeMap<&'a str, usize> {
        let mut distances = BTreeMap::from([(to, 0)]);
        let mut open = VecDeque::from([to]);
        while let Some(here) = open.pop_front() {
            let legs = distances[here] + 1;
            if legs > MAX_LEGS {
                break;
            }
            for next in self.neighbours.get(here).into_iter().flat_map(BTreeMap::keys) {
                if !distances.contains_key(next.as_str()) {
                    distances.insert(next, legs);
                    open.push_back(next);
                }
            }
        }
        distances
    }

    /// Orders paths of equal length between the same two tickers, the same in both directions.
    fn order(&self, path: &[&str]) -> impl Ord + use<> {
        let edges = path.windows(2).map(|pair| &self.neighbours[pair[0]][pair[1]]);
        let oldest = edges.clone().map(Edge::observed).min();
        let ranks: usize = edges.map(|edge| edge.rank).sum();
        let forwards: Vec<String> = path.iter().map(|ticker| (*ticker).to_owned()).collect();
        let backwards: Vec<String> = forwards.iter().rev().cloned().collect();
        (Reverse(oldest), ranks, forwards.min(backwards))
    }
}
