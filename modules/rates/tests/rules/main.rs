//! Property tests of the rate rules.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod cost_floor;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use agio_contracts::{Adjustment, ObservedPrice, PairCosts, SuspensionCause};
use agio_core::Timestamp;
use agio_rates::model::adjustments::{AdjustmentInput, adjust};
use agio_rates::model::aggregation::{SourceTrust, aggregate};
use agio_rates::model::pair_rate_state::{PairRateObservation, PairRateState, RateLimits, is_beyond, next_state};
use agio_rates::model::rank::{Competitor, OrderBook, target_rank};
use agio_rates::model::rules::{FloorBase, MarginBounds, MarginCheckpoint, RankRule, RateRules, ReserveRule};
use agio_rates::model::schedule::{RateSchedule, ScheduleWindow};
use proptest::option::of;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use rust_decimal::Decimal;
use serde_json::json;

const MINUTE: Duration = Duration::from_secs(60);

/// Counts which cases a property reached, so that none passes vacuously.
#[derive(Default)]
struct Reached(RefCell<BTreeMap<&'static str, u32>>);

impl Reached {
    /// Runs a property on reproducible cases.
    fn runner() -> TestRunner {
        let config = ProptestConfig { cases: 1_024, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    }

    fn notes(&self, kind: &'static str) {
        *self.0.borrow_mut().entry(kind).or_default() += 1;
    }

    fn often(self, kinds: &[&'static str]) {
        let reached = self.0.into_inner();
        assert!(kinds.iter().all(|kind| reached.get(kind).is_some_and(|count| *count >= 20)), "{kinds:?}: {reached:?}");
    }
}

fn now() -> Timestamp {
    Timestamp::parse("2024-03-28T12:00:00Z").unwrap()
}

fn cents(range: std::ops::Range<i64>) -> impl Strategy<Value = Decimal> {
    range.prop_map(|cents| Decimal::new(cents, 2))
}

fn bounds() -> impl Strategy<Value = MarginBounds> {
    (cents(-200..500), cents(0..600)).prop_map(|(floor, width)| MarginBounds {
        floor,
        ceiling: floor + width,
        floor_over: FloorBase::Market,
    })
}

fn rank_rule() -> impl Strategy<Value = RankRule> {
    (1_u32..6, 0_u32..4, cents(1..200), cents(1..10)).prop_map(|(best, more, step, undercut)| RankRule {
        aggregator: "aggregator".to_owned(),
        best,
        worst: best + more,
        step,
        undercut,
        own: vec!["Ours".to_owned(), "ours too".to_owned()],
        least_reserve: Decimal::from(100),
    })
}

fn order_book() -> impl Strategy<Value = OrderBook> {
    let name = prop_oneof![Just("ours"), Just(" OURS TOO "), Just("one"), Just("other"), Just("third")];
    let competitor = (name, -50_000_i64..1_200_000, 0_i64..1_000).prop_map(|(name, rate, reserve)| Competitor {
        exchanger: name.to_owned(),
        rate: Decimal::new(rate, 4),
        reserve: reserve.into(),
    });
    prop::collection::vec(competitor, 0..12).prop_map(|competitors| OrderBook { read_at: now(), competitors })
}

fn whole() -> impl Strategy<Value = Decimal> {
    (800_000_i64..1_200_000).prop_map(|whole| Decimal::new(whole, 4))
}

fn points() -> impl Strategy<Value = Vec<MarginCheckpoint>> {
    prop::collection::btree_map(-100_i64..300, -300_i64..300, 1..6).prop_map(|points| {
        let point = |(from, percent): (i64, i64)| MarginCheckpoint { from: from.into(), percent: Decimal::new(percent, 2) };
        points.into_iter().map(point).collect()
    })
}

/// Floors over the market rate do not depend on costs.
static COSTS: LazyLock<PairCosts> = LazyLock::new(PairCosts::default);

fn adjustment_input(spread: Decimal, market: Decimal, order_book: Option<&OrderBook>) -> AdjustmentInput<'_> {
    AdjustmentInput {
        costs: &COSTS,
        spread,
        market: Some(market),
        reference: Some(market),
        fees: (Decimal::ZERO, Decimal::new(5, 1)),
        free: Decimal::from(70_000),
        day_ago: Some((Decimal::from(90), now())),
        order_book,
        margin: None,
        now: now(),
    }
}

proptest! {
    #[test]
    fn the_margin_stays_in_its_bounds_and_moves_no_further_than_a_step(
        bounds in bounds(), rank_rule in rank_rule(), whole in whole(), order_book in prop::option::of(order_book()), before in cents(-500..1_500),
    ) {
        let of = target_rank(&rank_rule, bounds, whole, order_book.as_ref(), before);
        prop_assert!(of.margin >= bounds.floor && of.margin <= bounds.ceiling);
        prop_assert!(of.aim >= bounds.floor && of.aim <= bounds.ceiling);
        let start = before.clamp(bounds.floor, bounds.ceiling);
        prop_assert!((of.margin - start).abs() <= rank_rule.step);
        let gets_nearer = (of.aim - of.margin).abs() <= (of.aim - start).abs();
        prop_assert!(gets_nearer);
        if of.place.is_none() {
            prop_assert_eq!(of.aim, bounds.ceiling.normalize(), "where nobody fits, the margin that loses nothing");
        }
    }

}

#[test]
fn the_target_rank_is_reached_and_own_offers_are_ignored() {
    let reached = Reached::default();
    let held =
        Reached::runner().run(&(bounds(), rank_rule(), whole(), order_book()), |(bounds, rank_rule, whole, order_book)| {
            let of = target_rank(&rank_rule, bounds, whole, Some(&order_book), bounds.ceiling);
            let counts = |competitor: &&Competitor| {
                !competitor.exchanger.trim().to_lowercase().starts_with("ours")
                    && competitor.rate > Decimal::ZERO
                    && competitor.reserve >= Decimal::from(100)
            };
            let competitors: Vec<_> = order_book.competitors.iter().filter(counts).collect();
            prop_assert_eq!(of.counted, competitors.len().to_string());
            if let Some(place) = of.place {
                let rate = whole * (Decimal::ONE_HUNDRED - of.aim) / Decimal::ONE_HUNDRED;
                let better = competitors.iter().filter(|competitor| competitor.rate > rate).count();
                let place: usize = place.parse().unwrap();
                prop_assert!(better < place, "{better} are better, and the place is {place}");
                prop_assert!(place >= rank_rule.best as usize && place <= rank_rule.worst as usize);
                prop_assert!(!of.exchanger.unwrap().to_lowercase().contains("ours"));
                reached.notes(if better > 0 { "a place behind others" } else { "the first place" });
            } else {
                reached.notes("no place");
            }
            Ok(())
        });
    held.unwrap();
    reached.often(&["a place behind others", "the first place", "no place"]);
}

#[test]
fn all_rules_together_keep_the_margin_in_its_bounds() {
    let reached = Reached::default();
    let rules = (bounds(), of(rank_rule()), of(points()), of(points()), of(cents(-300..300)));
    let cases = (rules, cents(-500..1_000), whole(), of(order_book()));
    let held = Reached::runner().run(&cases, |((bounds, rank_rule, levels, moves, hour), spread, market, order_book)| {
        let window = |percent| ScheduleWindow {
            days: (1..=7).collect(),
            from: "00:00".into(),
            to: "00:00".into(),
            percent: Some(percent),
        };
        let rules = RateRules {
            bounds: Some(bounds),
            rank: rank_rule,
            reserve: levels.map(|levels| ReserveRule { target: Decimal::from(100_000), levels }),
            moves: moves.unwrap_or_default(),
            schedule: hour.map(|percent| RateSchedule { time_zone: "UTC".into(), windows: vec![window(percent)] }),
            ..RateRules::default()
        };
        prop_assert_eq!(rules.faults().len(), 0);
        let adjusted = adjust(&rules, &adjustment_input(spread, market, order_book.as_ref()));
        let margin = spread - adjusted.adjustments.iter().map(Adjustment::percent).sum::<Decimal>();
        if rules.adjusts() {
            prop_assert!(margin >= bounds.floor && margin <= bounds.ceiling, "{margin}");
            let is_at_a_bound = margin == bounds.floor || margin == bounds.ceiling;
            reached.notes(if is_at_a_bound { "at a bound" } else { "between the bounds" });
        } else {
            prop_assert_eq!(adjusted.adjustments.len(), 0);
            reached.notes("no rules");
        }
        prop_assert_eq!(
            adjust(&rules, &adjustment_input(spread, market, order_book.as_ref())),
            adjusted,
            "the same sight, the same rules"
        );
        let stored = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<RateRules>(&stored).unwrap(), rules);
        Ok(())
    });
    held.unwrap();
    reached.often(&["at a bound", "between the bounds", "no rules"]);
}

proptest! {
    #[test]
    fn one_faulty_source_of_three_never_sets_the_price(
        price in 1_000_i64..1_000_000, is_within_tolerance in -40_i64..40, mad in prop_oneof![Just(10_i64), Just(100), Just(-1), Just(0)], age in 0_u64..400,
    ) {
        let price = Decimal::new(price, 2);
        let other = price * (Decimal::ONE + Decimal::new(is_within_tolerance, 4));
        let all = [price_of("first", price, price, 0), price_of("second", other, other, 0), price_of("mad", price * Decimal::from(mad), price * Decimal::from(mad), 0)];
        let found = aggregate(&all, &trusted(), Decimal::ONE, now());
        let agreed = found[0].result.price.clone().unwrap();
        prop_assert_eq!(agreed.agreed, ["first", "second"]);
        prop_assert_eq!(agreed.bid.price, price.min(other).normalize(), "what is sold to the market is sold at the lower price");
        prop_assert_eq!(agreed.ask.price, price.max(other).normalize());
        prop_assert_eq!(&found[0].excluded[0].source, "mad");

        let aged = [price_of("first", price, price, age), price_of("second", other, other, age)];
        prop_assert_eq!(aggregate(&aged, &trusted(), Decimal::ONE, now())[0].result.price.is_some(), age <= 300);
    }

}

#[test]
fn small_steps_are_limited_like_one_large_step() {
    let reached = Reached::default();
    let held = Reached::runner().run(&prop::collection::vec(-90_i64..90, 1..60), |steps| {
        let limits = RateLimits { sources: 1, jump_percent: Decimal::from(2), window: 60 * MINUTE, resume_after: 0 };
        let (mut at, mut rate, mut memory) = (now(), Decimal::from(100), PairRateState::default());
        for step in steps {
            at = at.plus(MINUTE);
            rate *= Decimal::ONE + Decimal::new(step, 4);
            memory = next_state(&memory, &PairRateObservation { market: Some(rate), fault: None, agreed: 1 }, limits, at);
            let anchor = memory.anchor.clone().unwrap();
            if memory.suspension.is_none() {
                prop_assert!(!is_beyond(anchor.rate, rate, limits.jump_percent));
                prop_assert_eq!(memory.last.clone().unwrap().rate, rate);
                reached.notes("goes on");
            } else {
                prop_assert_ne!(memory.last.clone().unwrap().rate, rate, "what stopped a pair is no good rate");
                reached.notes("stands still");
            }
        }
        Ok(())
    });
    held.unwrap();
    reached.often(&["goes on", "stands still"]);
}

fn price_of(source: &str, bid: Decimal, ask: Decimal, age: u64) -> ObservedPrice {
    let observed_at = now().minus(Duration::from_secs(age)).plus(Duration::from_micros(1));
    ObservedPrice { source: source.to_owned(), base: "BTC".to_owned(), quote: "USDT".to_owned(), bid, ask, observed_at }
}

fn trusted() -> BTreeMap<String, SourceTrust> {
    let trust = |priority, checks_only| SourceTrust { max_age: 5 * MINUTE, priority, checks_only };
    let names = [("first", 1, false), ("second", 2, false), ("mad", 0, false), ("checker", 3, true)];
    names.into_iter().map(|(name, priority, checks)| (name.to_owned(), trust(priority, checks))).collect()
}

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn disagreeing_sources_and_a_lone_cross_check_give_no_price() {
    let one = number("69000");
    let found = aggregate(
        &[price_of("first", one, one, 0), price_of("mad", number("690000"), number("690000"), 0)],
        &trusted(),
        Decimal::ONE,
        now(),
    );
    assert_eq!((found[0].result.price.clone(), found[0].usable), (None, 2));
    assert_eq!(found[0].excluded.iter().map(|out| out.reason.name()).collect::<Vec<_>>(), ["apart", "apart"]);

    assert_eq!(aggregate(&[price_of("checker", one, one, 0)], &trusted(), Decimal::ONE, now())[0].result.price, None);
    let both = aggregate(
        &[price_of("first", one, one, 0), price_of("checker", number("69100"), number("69100"), 0)],
        &trusted(),
        Decimal::ONE,
        now(),
    );
    let agreed = both[0].result.price.clone().unwrap();
    assert_eq!((agreed.bid.price, agreed.ask.price, agreed.agreed.len()), (one, one, 2), "it counts and is not priced with");
}

#[test]
fn an_inverted_quote_confirms_but_never_sets_the_price() {
    let status_changed = ObservedPrice {
        base: "USDT".into(),
        quote: "BTC".into(),
        ..price_of("second", number("0.0000144927"), number("0.0000144928"), 0)
    };
    let found =
        aggregate(&[price_of("first", number("69000"), number("69000"), 0), status_changed], &trusted(), Decimal::ONE, now());
    let agreed = found[0].result.price.clone().unwrap();
    assert_eq!((agreed.agreed.len(), agreed.bid.source.as_str(), agreed.ask.source.as_str()), (2, "first", "first"));
}

#[test]
fn a_suspended_pair_resumes_after_good_cycles_or_never() {
    let limits = RateLimits { sources: 1, jump_percent: Decimal::from(5), window: 60 * MINUTE, resume_after: 2 };
    let observation = |rate: &str, agreed| PairRateObservation { market: Some(number(rate)), fault: None, agreed };
    let good = next_state(&PairRateState::default(), &observation("100", 1), limits, now());
    let suspended = next_state(&good, &observation("1000", 1), limits, now());
    assert_eq!(suspended.suspension.as_ref().unwrap().cause, SuspensionCause::Jump);
    // A jump confirmed by one source only stays suspended; a rate that returns resumes.
    let stays = next_state(&suspended, &observation("1000", 1), limits, now());
    assert!(stays.suspension.is_some() && stays.good_cycles == 0);
    let once = next_state(&stays, &observation("101", 1), limits, now());
    assert!(once.suspension.is_some());
    assert!(next_state(&once, &observation("101", 1), limits, now()).suspension.is_none());
    // Two agreeing sources confirm the new rate.
    let agreed =
        next_state(&next_state(&suspended, &observation("1000", 2), limits, now()), &observation("1000", 2), limits, now());
    assert_eq!((agreed.suspension.is_none(), agreed.last.unwrap().rate), (true, number("1000")));
    // With zero only staff can resume it, at the then current rate.
    let never = RateLimits { resume_after: 0, ..limits };
    let waits = (0..50).fold(suspended.clone(), |memory, _| next_state(&memory, &observation("100", 9), never, now()));
    assert!(waits.suspension.is_some());
    assert!(next_state(&suspended.resumed(), &observation("1000", 1), never, now()).suspension.is_none());
}

#[test]
fn hours_may_go_over_midnight_and_belong_to_the_day_they_begin_on() {
    let window = ScheduleWindow { days: vec![5], from: "22:00".into(), to: "06:00".into(), percent: None };
    let schedule = RateSchedule { time_zone: "Europe/Moscow".into(), windows: vec![window] };
    let rests = |moment: &str| schedule.at(Timestamp::parse(moment).unwrap()).is_some();
    // The 29th of March 2024 was a Friday; Moscow is three hours ahead.
    assert!(!rests("2024-03-29T18:59:59Z"));
    assert!(rests("2024-03-29T19:00:00Z"));
    assert!(rests("2024-03-30T02:59:59Z"));
    assert!(!rests("2024-03-30T03:00:00Z"));
    assert!(!rests("2024-03-30T19:00:00Z"));
    let opens =
        |schedule: &RateSchedule, moment: &str| schedule.opens_at(Timestamp::parse(moment).unwrap()).map(|at| at.to_string());
    assert_eq!(opens(&schedule, "2024-03-29T19:00:00Z").as_deref(), Some("2024-03-30T03:00:00Z"));
    assert_eq!(opens(&schedule, "2024-03-30T02:59:59Z").as_deref(), Some("2024-03-30T03:00:00Z"));
    let always = ScheduleWindow { days: (1..=7).collect(), from: "00:00".into(), to: "00:00".into(), percent: None };
    let mut windows = vec![always];
    assert_eq!(opens(&RateSchedule { time_zone: "UTC".into(), windows: windows.clone() }, "2024-03-29T19:00:00Z"), None, "never");
    let hour = ScheduleWindow { days: vec![6], from: "10:00".into(), to: "11:00".into(), percent: Some(0.into()) };
    windows.insert(0, hour);
    let open_on_saturday = RateSchedule { time_zone: "Europe/Berlin".into(), windows };
    assert_eq!(opens(&open_on_saturday, "2024-03-29T19:00:00Z").as_deref(), Some("2024-03-30T09:00:00Z"), "an hour between");
}

#[test]
fn hours_follow_the_clock_of_their_place_through_summer_time() {
    let schedule = |from: &str, to: &str| {
        let window = ScheduleWindow { days: vec![6, 7], from: from.into(), to: to.into(), percent: None };
        RateSchedule { time_zone: "Europe/Berlin".into(), windows: vec![window] }
    };
    let rests = |schedule: &RateSchedule, moment: &str| schedule.at(Timestamp::parse(moment).unwrap()).is_some();
    let opens =
        |schedule: &RateSchedule, moment: &str| schedule.opens_at(Timestamp::parse(moment).unwrap()).map(|at| at.to_string());
    // Clocks went from 02:00 to 03:00 in the night to Sunday the 31st of March 2024, and back on the 27th of October.
    let night = schedule("22:00", "06:00");
    assert!(!rests(&night, "2024-03-30T20:59:59Z") && rests(&night, "2024-03-30T21:00:00Z"), "22:00 is 21:00 in winter");
    assert!(rests(&night, "2024-03-31T03:59:59Z") && !rests(&night, "2024-03-31T04:00:00Z"), "06:00 is 04:00 in summer");
    assert_eq!(opens(&night, "2024-03-30T21:00:00Z").as_deref(), Some("2024-03-31T04:00:00Z"));
    // The hour between comes never in spring and twice in autumn.
    let hour = schedule("01:00", "02:30");
    assert!(rests(&hour, "2024-03-31T00:59:59Z") && !rests(&hour, "2024-03-31T01:00:00Z"));
    assert!(
        rests(&hour, "2024-10-27T00:29:59Z") && rests(&hour, "2024-10-27T01:29:59Z") && !rests(&hour, "2024-10-27T01:30:00Z")
    );
}

#[test]
fn hours_may_have_an_offset_as_schedules_had_before() {
    for (stored, zone, rests_at) in [
        (json!({ "aheadMinutes": 180, "windows": [] }), "+03:00", "2024-07-05T06:00:00Z"),
        (json!({ "aheadMinutes": -570, "windows": [] }), "-09:30", "2024-07-05T18:30:00Z"),
        (json!({ "timeZone": "Asia/Kolkata", "windows": [] }), "Asia/Kolkata", "2024-07-05T03:30:00Z"),
    ] {
        let mut schedule: RateSchedule = serde_json::from_value(stored).unwrap();
        assert_eq!(schedule.time_zone, zone);
        let window = ScheduleWindow { days: vec![5], from: "09:00".into(), to: "09:01".into(), percent: None };
        schedule.windows.push(window);
        let rests = |at: Timestamp| schedule.at(at).is_some();
        let nine = Timestamp::parse(rests_at).unwrap();
        assert!(rests(nine) && !rests(Timestamp(nine.0 - 1)), "{zone}");
    }
}
