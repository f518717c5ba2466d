//! One cycle's ruling on every pair: what is known goes in, what is ruled and remembered comes out.

use std::collections::{BTreeMap, HashMap};

use agio_core::Timestamp;
use agio_core::needs::{BookPair, LeftOut, PairRuling, Ruling, Stop};
use rust_decimal::Decimal;

use super::adjust::{self, Adjusted, Sight};
use super::legs::LegFound;
use super::position::Board;
use super::rules::Rules;
use super::watch::{Limits, Seen, Trouble, Watch, watch};

/// What is known in a cycle.
#[derive(Clone, Debug)]
pub struct Known {
    /// Whether live prices count and there are any.
    pub is_live: bool,
    /// What was found of every two assets that live sources price.
    pub legs: Vec<LegFound>,
    /// Every pair, priced with that.
    pub pairs: Vec<BookPair>,
    /// What holds where a pair's rules say nothing.
    pub usual: Limits,
    /// What is remembered of pairs.
    pub watches: BTreeMap<i64, Watch>,
    /// What monitors showed, as far as that is recent enough: by source and codes.
    pub boards: HashMap<(String, String, String), Board>,
    /// The market's rates of a day ago.
    pub day_ago: HashMap<i64, (Decimal, Timestamp)>,
    /// The present.
    pub now: Timestamp,
}

/// What comes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// What is ruled.
    pub ruling: Ruling,
    /// What is remembered; pairs that nothing is to be remembered of are not in it.
    pub watches: BTreeMap<i64, Watch>,
}

/// Rules on every pair.
#[must_use]
pub fn decide(known: &Known, rules: &BTreeMap<i64, Rules>) -> Decided {
    let found: HashMap<(&str, &str), &LegFound> =
        known.legs.iter().map(|found| (ends(&found.leg.base, &found.leg.quote), found)).collect();
    let legs = known.legs.iter().map(|found| found.leg.clone()).collect();
    let mut decided = Decided { ruling: Ruling { legs, pairs: Vec::new() }, watches: BTreeMap::new() };
    let none = Rules::default();
    for pair in &known.pairs {
        let own = rules.get(&pair.id);
        let before = known.watches.get(&pair.id).cloned().unwrap_or_default();
        let is_watched = known.is_live && pair.is_market && pair.enabled;
        let limits = own.map_or(known.usual, |rules| rules.limits(known.usual));
        let mut after = if is_watched {
            watch(&before, &seen(pair, &found, limits), limits, known.now)
        } else {
            // What is not watched is not stopped, and begins anew when it is watched again.
            Watch { margin: before.margin, rests_since: before.rests_since, point_at: before.point_at, ..Watch::default() }
        };
        let Adjusted { adjustments, rest, margin } = adjust::adjust(own.unwrap_or(&none), &sight(known, pair, own, &before));
        after.margin = margin;
        after.rests_since = rest.is_some().then(|| before.rests_since.unwrap_or(known.now));
        let stop = after.stop.clone().or_else(|| Some(resting(rest?, after.rests_since?)));
        let jump_percent = own.and_then(|rules| rules.jump_percent);
        if stop.is_some() || !adjustments.is_empty() || jump_percent.is_some() {
            decided.ruling.pairs.push(PairRuling { pair: pair.id, stop, adjustments, jump_percent });
        }
        if after != Watch::default() {
            decided.watches.insert(pair.id, after);
        }
    }
    decided
}

impl Rules {
    /// When a pair stops and goes on: by its own rules, else as usual.
    #[must_use]
    pub fn limits(&self, usual: Limits) -> Limits {
        Limits {
            sources: self.sources.unwrap_or(usual.sources),
            jump_percent: self.jump_percent.unwrap_or(usual.jump_percent),
            window: self.window_minutes.map_or(usual.window, |minutes| std::time::Duration::from_secs(u64::from(minutes) * 60)),
            resume_after: self.resume_after.unwrap_or(usual.resume_after),
        }
    }
}

fn ends<'a>(one: &'a str, other: &'a str) -> (&'a str, &'a str) {
    (one.min(other), one.max(other))
}

fn resting(hours: String, since: Timestamp) -> Stop {
    let numbers = vec![("hours".to_owned(), hours)];
    Stop { cause: "schedule".to_owned(), leg: String::new(), numbers, left_out: Vec::new(), since }
}

fn sight<'k>(known: &'k Known, pair: &BookPair, rules: Option<&Rules>, before: &Watch) -> Sight<'k> {
    let position = rules.and_then(|rules| rules.position.as_ref());
    let key = |monitor: &String| (monitor.clone(), pair.codes.0.clone(), pair.codes.1.clone());
    Sight {
        spread: pair.spread_percent,
        market: pair.market.filter(|_| pair.is_fresh && pair.blocked.is_none()),
        fees: pair.fee_percents,
        free: pair.free,
        day_ago: known.day_ago.get(&pair.id).copied(),
        board: position.and_then(|position| known.boards.get(&key(&position.monitor))),
        margin: before.margin,
        now: known.now,
    }
}

/// What a cycle sees of a pair: its rate, by how many sources it is borne, and what is wrong with it.
fn seen(pair: &BookPair, found: &HashMap<(&str, &str), &LegFound>, limits: Limits) -> Seen {
    let leg = |(from, to): &(String, String)| found.get(&ends(from, to)).copied();
    if let Some(blocked) = &pair.blocked {
        let trouble = leg(blocked).map(|found| disagreement(found, limits));
        return Seen { market: None, trouble, agreed: 0 };
    }
    let agreed_on = |found: &LegFound| found.leg.price.as_ref().map_or(0, |price| price.agreed.len());
    // Two assets that no live source prices are borne by whoever brought their price in.
    let borne = pair.path.iter().map(|ends| (ends, leg(ends), leg(ends).map_or(1, agreed_on)));
    let fewest = borne.min_by_key(|(_, _, agreed)| *agreed);
    let agreed = fewest.map_or(u32::MAX, |(_, _, agreed)| u32::try_from(agreed).unwrap_or(u32::MAX));
    let trouble = fewest.filter(|_| agreed < limits.sources).map(|((from, to), found, _)| {
        let leg = found.map_or_else(|| format!("{from}/{to}"), name);
        too_few(leg, agreed as usize, limits, found.map_or_else(Vec::new, |found| found.left_out.clone()))
    });
    Seen { market: pair.market.filter(|_| pair.is_fresh), trouble, agreed }
}

/// Why sources have no price for two assets.
fn disagreement(found: &LegFound, limits: Limits) -> Trouble {
    let left_out = found.left_out.clone();
    let cause = match found.heard {
        0 if left_out.iter().all(|one| one.why == "stale") => "stale",
        0 => "unusable",
        _ if left_out.iter().any(|one| one.why == "apart") => "apart",
        heard => return too_few(name(found), heard.saturating_sub(1), limits, left_out),
    };
    Trouble { cause, leg: name(found), numbers: Vec::new(), left_out }
}

fn too_few(leg: String, have: usize, limits: Limits, left_out: Vec<LeftOut>) -> Trouble {
    let numbers = vec![("have".to_owned(), have.to_string()), ("need".to_owned(), limits.sources.max(1).to_string())];
    Trouble { cause: "too_few", leg, numbers, left_out }
}

fn name(found: &LegFound) -> String {
    format!("{}/{}", found.leg.base, found.leg.quote)
}
