//! What is wrong with a direction or its entry, so that it is kept out of a feed and an operator is told.

use std::collections::BTreeMap;

use agio_core::arbitrage::{Edge, best_rate, round_trips};
use agio_core::money::plain;
use agio_core::needs::Direction;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::item::{InOut, Item, RATE_SCALE_MAX, course_at};
use super::marks;

/// The longest code of a currency.
const CODE_MAX: usize = 20;

/// By how little a rate may be worse than the site's: what is lost when it is cut to its digits.
const RATE_SLACK: Decimal = Decimal::from_parts(1, 0, 0, false, 8);

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The rule that is broken; its text is `monitor_finding.RULE`.
    pub rule: &'static str,
    /// The numbers its text names.
    pub params: BTreeMap<&'static str, String>,
}

impl Fault {
    /// A broken rule.
    #[must_use]
    pub fn of<const N: usize>(rule: &'static str, params: [(&'static str, String); N]) -> Self {
        Self { rule, params: params.into() }
    }
}

/// What is wrong with the matrix itself, whatever a monitor calls it: the place of each bad direction with its fault.
#[must_use]
pub fn matrix(directions: &[Direction], far_percent: i64) -> BTreeMap<usize, Fault> {
    let mut faults = BTreeMap::new();
    let edges: Vec<_> = directions.iter().map(edge).collect();
    for trip in round_trips(&edges) {
        let first = trip.cycle.first().map(|&place| directions[place].from.code.clone());
        let stops = trip.cycle.iter().map(|&place| directions[place].to.code.clone());
        let way: Vec<_> = first.into_iter().chain(stops).collect();
        let times = trip.product.round_down(8, RATE_SCALE_MAX).map(plain).unwrap_or_default();
        faults.entry(trip.blamed).or_insert_with(|| Fault::of("arbitrage", [("way", way.join(" > ")), ("times", times)]));
    }
    for (place, direction) in directions.iter().enumerate() {
        // A rate that is absurd by itself is a better reason than what follows from it.
        if let Some(fault) = far_from_market(direction, far_percent).or_else(|| against_reserve(direction)) {
            faults.insert(place, fault);
        }
    }
    faults
}

fn edge(direction: &Direction) -> Edge {
    Edge {
        from: direction.from.id,
        to: direction.to.id,
        rate: best_rate(&direction.courses, direction.from.max, (direction.fee_from, direction.fee_to)),
        market: direction.market.and_then(Ratio::of),
    }
}

/// Whether a course is farther from the market's rate than so many percent of it, either way.
fn far_from_market(direction: &Direction, percent: i64) -> Option<Fault> {
    let market = Ratio::of(direction.market?)?;
    let bound = |percent: i64| Ratio::of(Decimal::new(100 + percent, 2));
    let is_far = |course: Decimal| {
        let share = Ratio::of(course).map(|course| course.over(&market));
        share.is_none_or(|share| {
            bound(percent).is_some_and(|most| share > most) || bound(-percent).is_some_and(|least| share < least)
        })
    };
    let can_be_had = direction.courses.iter().filter(|(min, _)| *min <= direction.from.max);
    let course = can_be_had.map(|(_, course)| *course).find(|course| is_far(*course))?;
    let numbers = [("course", plain(course)), ("market", plain(direction.market?)), ("percent", percent.to_string())];
    Some(Fault::of("rate_far", numbers))
}

/// Whether limits cross, or more may be received than there is.
fn against_reserve(direction: &Direction) -> Option<Fault> {
    let Direction { from, to, reserve, .. } = direction;
    if from.min > from.max || to.min > to.max {
        return Some(Fault::of("limits_crossed", [("min", plain(from.min)), ("max", plain(from.max))]));
    }
    (to.max > *reserve).then(|| Fault::of("reserve_low", [("reserve", plain(*reserve)), ("max", plain(to.max))]))
}

/// What is wrong with an entry made from a direction. The entry is looked at as a monitor would, without asking how it was made.
#[must_use]
pub fn entry(item: &Item, direction: &Direction) -> Option<Fault> {
    for code in [&item.from, &item.to] {
        if !is_code(code) {
            return Some(Fault::of("code_malformed", [("code", code.clone())]));
        }
    }
    if let Some(mark) = marks::unfit(&item.marks, direction) {
        return Some(Fault::of("mark_unfit", [("mark", mark.to_owned())]));
    }
    let steps = item.steps.iter().map(|step| (step.from_min, step.rate));
    std::iter::once((item.from_min, item.rate)).chain(steps).find_map(|(send, rate)| disagrees(direction, send, rate))
}

/// Whether a rate is not the site's for a sent amount: better at all, or worse by more than its digits.
fn disagrees(direction: &Direction, send: Decimal, rate: InOut) -> Option<Fault> {
    if rate.give != Decimal::ONE && rate.get != Decimal::ONE {
        return Some(Fault::of("rate_without_one", [("in", plain(rate.give)), ("out", plain(rate.get))]));
    }
    let course = course_at(direction, send);
    let agrees = || {
        let (told, site) = (rate.course()?, Ratio::of(course?)?);
        let least = site.times(&Ratio::of(Decimal::ONE - RATE_SLACK)?);
        Some(told <= site && told >= least)
    };
    let numbers = || [("in", plain(rate.give)), ("out", plain(rate.get)), ("course", course.map(plain).unwrap_or_default())];
    (agrees() != Some(true)).then(|| Fault::of("rate_differs", numbers()))
}

/// Whether a code is one monitors read: capital Latin letters, digits and low lines.
#[must_use]
pub fn is_code(code: &str) -> bool {
    let is_read = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (2..=CODE_MAX).contains(&code.len()) && code.bytes().all(is_read)
}
