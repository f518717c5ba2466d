//! Validation of directions and entries; erroneous ones are excluded.

use std::collections::BTreeMap;

use agio_contracts::OfferedDirection;
use agio_core::arbitrage::{Edge, best_rate, round_trips};
use agio_core::money::plain;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::item::{FeedItem, FeedRate, RATE_SCALE_MAX, course_at};
use super::marks;

const CODE_MAX: usize = 20;

/// Rounding tolerance: how much worse than the site's rate an entry may be.
const RATE_SLACK: Decimal = Decimal::from_parts(1, 0, 0, false, 8);

agio_core::named! {
    /// A rule of feeds.
    FeedFindingRule {
        /// An arbitrage cycle.
        Arbitrage = "arbitrage",
        /// The rate deviates too far from the market.
        RateFar = "rate_far",
        /// The rate differs from the site's.
        RateDiffers = "rate_differs",
        /// Neither side of the rate is 1.
        RateWithoutOne = "rate_without_one",
        /// The rate is out of range.
        RateOutOfRange = "rate_out_of_range",
        /// The minimum is above the maximum.
        LimitsCrossed = "limits_crossed",
        /// The maximum exceeds the reserve.
        ReserveLow = "reserve_low",
        /// A mark does not apply.
        MarkUnfit = "mark_unfit",
        /// A malformed currency code.
        CodeMalformed = "code_malformed",
        /// Two currencies have the same code.
        CodeRepeated = "code_repeated",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FeedFault {
    pub rule: FeedFindingRule,
    pub params: BTreeMap<&'static str, String>,
}

impl FeedFault {
    pub fn of<const N: usize>(rule: FeedFindingRule, params: [(&'static str, String); N]) -> Self {
        Self { rule, params: params.into() }
    }
}

/// Errors of the directions themselves, for all feeds, by index.
pub fn check_directions(directions: &[OfferedDirection], far_percent: i64) -> BTreeMap<usize, FeedFault> {
    let mut faults = BTreeMap::new();
    let edges: Vec<_> = directions.iter().map(edge).collect();
    for trip in round_trips(&edges) {
        let first = trip.cycle.first().map(|&place| directions[place].from.code.clone());
        let stops = trip.cycle.iter().map(|&place| directions[place].to.code.clone());
        let path: Vec<_> = first.into_iter().chain(stops).collect();
        let times = trip.product.round_down(8, RATE_SCALE_MAX).map(plain).unwrap_or_default();
        faults
            .entry(trip.excluded)
            .or_insert_with(|| FeedFault::of(FeedFindingRule::Arbitrage, [("way", path.join(" > ")), ("times", times)]));
    }
    for (place, direction) in directions.iter().enumerate() {
        // An implausible rate is a better explanation than its consequences.
        if let Some(fault) = deviates_from_market(direction, far_percent).or_else(|| limit_error(direction)) {
            faults.insert(place, fault);
        }
    }
    faults
}

fn edge(direction: &OfferedDirection) -> Edge {
    Edge {
        from: direction.from.id,
        to: direction.to.id,
        rate: best_rate(&direction.rates, direction.from.max, (direction.give_fee, direction.receive_fee)),
        market: direction.market.and_then(Ratio::of),
    }
}

fn deviates_from_market(direction: &OfferedDirection, percent: i64) -> Option<FeedFault> {
    let market = Ratio::of(direction.market?)?;
    let bound = |percent: i64| Ratio::of(Decimal::new(100 + percent, 2));
    let is_far = |course: Decimal| {
        let share = Ratio::of(course).map(|course| course.over(&market));
        share.is_none_or(|share| bound(percent).is_some_and(|max| share > max) || bound(-percent).is_some_and(|min| share < min))
    };
    let reachable = direction.rates.iter().filter(|(min, _)| *min <= direction.from.max);
    let course = reachable.map(|(_, course)| *course).find(|course| is_far(*course))?;
    let numbers = [("course", plain(course)), ("market", plain(direction.market?)), ("percent", percent.to_string())];
    Some(FeedFault::of(FeedFindingRule::RateFar, numbers))
}

fn limit_error(direction: &OfferedDirection) -> Option<FeedFault> {
    let OfferedDirection { from, to, reserve, .. } = direction;
    if from.min > from.max || to.min > to.max {
        return Some(FeedFault::of(FeedFindingRule::LimitsCrossed, [("min", plain(from.min)), ("max", plain(from.max))]));
    }
    (to.max > *reserve)
        .then(|| FeedFault::of(FeedFindingRule::ReserveLow, [("reserve", plain(*reserve)), ("max", plain(to.max))]))
}

/// Checks the finished entry independently of how it was built.
pub fn check_item(item: &FeedItem, direction: &OfferedDirection) -> Option<FeedFault> {
    for code in [&item.from, &item.to] {
        if !is_code(code) {
            return Some(FeedFault::of(FeedFindingRule::CodeMalformed, [("code", code.clone())]));
        }
    }
    if let Some(mark) = marks::inapplicable(&item.marks, direction) {
        return Some(FeedFault::of(FeedFindingRule::MarkUnfit, [("mark", mark.to_string())]));
    }
    let steps = item.steps.iter().map(|step| (step.from_min, step.rate));
    std::iter::once((item.from_min, item.rate)).chain(steps).find_map(|(send, rate)| rate_error(direction, send, rate))
}

/// The rate must not be better than the site's, nor worse by more than rounding.
fn rate_error(direction: &OfferedDirection, send: Decimal, rate: FeedRate) -> Option<FeedFault> {
    if rate.give != Decimal::ONE && rate.get != Decimal::ONE {
        return Some(FeedFault::of(FeedFindingRule::RateWithoutOne, [("in", plain(rate.give)), ("out", plain(rate.get))]));
    }
    let course = course_at(direction, send);
    let agrees = || {
        let (feed, site) = (rate.course()?, Ratio::of(course?)?);
        let min = site.times(&Ratio::of(Decimal::ONE - RATE_SLACK)?);
        Some(feed <= site && feed >= min)
    };
    let numbers = || [("in", plain(rate.give)), ("out", plain(rate.get)), ("course", course.map(plain).unwrap_or_default())];
    (agrees() != Some(true)).then(|| FeedFault::of(FeedFindingRule::RateDiffers, numbers()))
}

/// Capital Latin letters, digits and underscores.
pub fn is_code(code: &str) -> bool {
    let is_read = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (2..=CODE_MAX).contains(&code.len()) && code.bytes().all(is_read)
}
