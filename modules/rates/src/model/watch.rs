//! The breaker of a pair: when its rate stops, and when it goes on.

use std::time::Duration;

use agio_core::Timestamp;
use agio_core::needs::{LeftOut, Stop};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::rules::{maybe, text};

/// What is remembered of a pair from one cycle to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Watch {
    /// The last good rate.
    pub last: Option<Good>,
    /// A good rate of the beginning of the window: many small steps do not go further than one great one may.
    pub anchor: Option<Good>,
    /// Why the pair is stopped.
    pub stop: Option<Stop>,
    /// How many cycles in a row were good while it was.
    pub good_cycles: u32,
    /// The rate of the cycle before, good or not.
    #[serde(with = "maybe")]
    pub previous: Option<Decimal>,
    /// The margin that the place on a monitor took.
    #[serde(with = "maybe")]
    pub margin: Option<Decimal>,
    /// Since when it rests by the hour.
    pub rests_since: Option<Timestamp>,
    /// When a point of its chart was made last.
    pub point_at: Option<Timestamp>,
}

/// A rate that was good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Good {
    /// Units received for one sent at the market.
    #[serde(with = "text")]
    pub rate: Decimal,
    /// When.
    pub at: Timestamp,
}

/// When a pair stops and goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many sources have to agree.
    pub sources: u32,
    /// By how many percent the rate may move.
    pub jump_percent: Decimal,
    /// Within which time.
    pub window: Duration,
    /// After how many good cycles a stopped pair goes on by itself; zero for never.
    pub resume_after: u32,
}

/// What a cycle saw of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The market's rate, where there is one.
    pub market: Option<Decimal>,
    /// What is wrong with what it is made from.
    pub trouble: Option<Trouble>,
    /// How many sources agree on the part of it that the fewest agree on.
    pub agreed: u32,
}

/// What is wrong with what a rate is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// `stale`, `apart`, `too_few`.
    pub cause: &'static str,
    /// The two assets.
    pub leg: String,
    /// The numbers of the text.
    pub numbers: Vec<(String, String)>,
    /// The sources that do not count.
    pub left_out: Vec<LeftOut>,
}

/// What is remembered after a cycle.
#[must_use]
pub fn watch(before: &Watch, seen: &Seen, limits: Limits, now: Timestamp) -> Watch {
    let mut after = Watch { previous: seen.market.or(before.previous), ..before.clone() };
    let trouble = seen.trouble.clone().or_else(|| jump(before, seen, limits));
    if let Some(trouble) = trouble {
        let since = before.stop.as_ref().map_or(now, |stop| stop.since);
        let Trouble { cause, leg, numbers, left_out } = trouble;
        after.stop = Some(Stop { cause: cause.to_owned(), leg, numbers, left_out, since });
        after.good_cycles = 0;
        return after;
    }
    let Some(rate) = seen.market else { return after };
    if before.stop.is_some() {
        after.good_cycles = before.good_cycles.saturating_add(1);
        if limits.resume_after == 0 || after.good_cycles < limits.resume_after {
            return after;
        }
        return Watch { last: None, anchor: None, ..after }.going_on(rate, limits, now);
    }
    after.going_on(rate, limits, now)
}

impl Watch {
    /// An operator says that the rate is right: it goes on from whatever it is at the next look.
    #[must_use]
    pub fn released(&self) -> Self {
        Self { last: None, anchor: None, stop: None, good_cycles: 0, ..self.clone() }
    }

    fn going_on(self, rate: Decimal, limits: Limits, now: Timestamp) -> Self {
        let is_old = |anchor: &Good| anchor.at < now.minus(limits.window);
        let anchor = match self.anchor {
            Some(anchor) if !is_old(&anchor) => anchor,
            _ => self.last.unwrap_or(Good { rate, at: now }),
        };
        // What was the last good rate a long time ago begins a window of now.
        let anchor = if is_old(&anchor) { Good { rate: anchor.rate, at: now } } else { anchor };
        let last = Some(Good { rate, at: now });
        Self { last, anchor: Some(anchor), stop: None, good_cycles: 0, ..self }
    }
}

/// A rate further from the last good ones than it may be. That of a stopped pair is compared with the last good one however old that is,
/// unless two sources or more agree on the new one and it stays.
fn jump(before: &Watch, seen: &Seen, limits: Limits) -> Option<Trouble> {
    let rate = seen.market?;
    let is_far = |good: &Good| is_beyond(good.rate, rate, limits.jump_percent);
    let good = [&before.last, &before.anchor].into_iter().flatten().find(|good| is_far(good))?;
    let is_steady = before.previous.is_some_and(|previous| !is_beyond(previous, rate, limits.jump_percent));
    if before.stop.is_some() && is_steady && seen.agreed >= limits.sources.max(2) {
        return None;
    }
    let numbers = [("before", good.rate), ("now", rate), ("percent", limits.jump_percent)];
    let numbers = numbers.map(|(name, number)| (name.to_owned(), agio_core::money::plain(number)));
    Some(Trouble { cause: "jump", leg: String::new(), numbers: numbers.to_vec(), left_out: Vec::new() })
}

/// Whether a rate is more than some percent above or below another, measured by the smaller of them, so that it is the same both ways.
#[must_use]
pub fn is_beyond(before: Decimal, after: Decimal, percent: Decimal) -> bool {
    let (least, most) = (before.min(after), before.max(after));
    let bound = || least.checked_mul(Decimal::ONE_HUNDRED.checked_add(percent)?)?.checked_div(Decimal::ONE_HUNDRED);
    least <= Decimal::ZERO || bound().is_none_or(|bound| most > bound)
}
