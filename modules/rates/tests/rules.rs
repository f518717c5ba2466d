//! The rules of the engine, on random numbers: whatever sources, monitors and operators come up with.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::Timestamp;
use agio_core::needs::Adjustment;
use agio_rates::model::adjust::{Sight, adjust};
use agio_rates::model::legs::{Said, Trust, judge};
use agio_rates::model::position::{Board, Rival, aim};
use agio_rates::model::rules::{Bounds, Checkpoint, Position, Reserve, Rules};
use agio_rates::model::schedule::{Schedule, Window};
use agio_rates::model::watch::{Limits, Seen, Watch, is_beyond, watch};
use proptest::option::of;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use rust_decimal::Decimal;

const MINUTE: Duration = Duration::from_secs(60);

/// What the cases of a property came to, each kind with how often: a property says nothing of what it never reaches.
#[derive(Default)]
struct Reached(RefCell<BTreeMap<&'static str, u32>>);

impl Reached {
    /// Runs a property on cases that are the same each time.
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

fn bounds() -> impl Strategy<Value = Bounds> {
    (cents(-200..500), cents(0..600)).prop_map(|(floor, width)| Bounds { floor, ceiling: floor + width })
}

fn position() -> impl Strategy<Value = Position> {
    (1_u32..6, 0_u32..4, cents(1..200), cents(1..10)).prop_map(|(best, more, step, undercut)| Position {
        monitor: "monitor".to_owned(),
        best,
        worst: best + more,
        step,
        undercut,
        own: vec!["Ours".to_owned(), "ours too".to_owned()],
        least_reserve: Decimal::from(100),
    })
}

fn board() -> impl Strategy<Value = Board> {
    let name = prop_oneof![Just("ours"), Just(" OURS TOO "), Just("one"), Just("other"), Just("third")];
    let rival = (name, -50_000_i64..1_200_000, 0_i64..1_000).prop_map(|(name, course, reserve)| Rival {
        exchanger: name.to_owned(),
        course: Decimal::new(course, 4),
        reserve: reserve.into(),
    });
    prop::collection::vec(rival, 0..12).prop_map(|rivals| Board { read_at: now(), rivals })
}

fn whole() -> impl Strategy<Value = Decimal> {
    (800_000_i64..1_200_000).prop_map(|whole| Decimal::new(whole, 4))
}

fn points() -> impl Strategy<Value = Vec<Checkpoint>> {
    prop::collection::btree_map(-100_i64..300, -300_i64..300, 1..6).prop_map(|points| {
        let point = |(from, percent): (i64, i64)| Checkpoint { from: from.into(), percent: Decimal::new(percent, 2) };
        points.into_iter().map(point).collect()
    })
}

fn sight(spread: Decimal, market: Decimal, board: Option<&Board>) -> Sight<'_> {
    Sight {
        spread,
        market: Some(market),
        fees: (Decimal::ZERO, Decimal::new(5, 1)),
        free: Decimal::from(70_000),
        day_ago: Some((Decimal::from(90), now())),
        board,
        margin: None,
        now: now(),
    }
}

proptest! {
    #[test]
    fn the_margin_stays_in_its_bounds_and_moves_no_further_than_a_step(
        bounds in bounds(), position in position(), whole in whole(), board in prop::option::of(board()), before in cents(-500..1_500),
    ) {
        let of = aim(&position, bounds, whole, board.as_ref(), before);
        prop_assert!(of.margin >= bounds.floor && of.margin <= bounds.ceiling);
        prop_assert!(of.aim >= bounds.floor && of.aim <= bounds.ceiling);
        let start = before.clamp(bounds.floor, bounds.ceiling);
        prop_assert!((of.margin - start).abs() <= position.step);
        let gets_nearer = (of.aim - of.margin).abs() <= (of.aim - start).abs();
        prop_assert!(gets_nearer);
        if of.place.is_none() {
            prop_assert_eq!(of.aim, bounds.ceiling.normalize(), "where nobody fits, the margin that loses nothing");
        }
    }

}

#[test]
fn the_place_aimed_at_is_had_and_nobody_of_the_house_is_bettered() {
    let reached = Reached::default();
    let held = Reached::runner().run(&(bounds(), position(), whole(), board()), |(bounds, position, whole, board)| {
        let of = aim(&position, bounds, whole, Some(&board), bounds.ceiling);
        let counts = |rival: &&Rival| {
            !rival.exchanger.trim().to_lowercase().starts_with("ours")
                && rival.course > Decimal::ZERO
                && rival.reserve >= Decimal::from(100)
        };
        let rivals: Vec<_> = board.rivals.iter().filter(counts).collect();
        prop_assert_eq!(of.counted, rivals.len().to_string());
        if let Some(place) = of.place {
            let course = whole * (Decimal::ONE_HUNDRED - of.aim) / Decimal::ONE_HUNDRED;
            let better = rivals.iter().filter(|rival| rival.course > course).count();
            let place: usize = place.parse().unwrap();
            prop_assert!(better < place, "{better} are better, and the place is {place}");
            prop_assert!(place >= position.best as usize && place <= position.worst as usize);
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
    let rules = (bounds(), of(position()), of(points()), of(points()), of(cents(-300..300)));
    let asked = (rules, cents(-500..1_000), whole(), of(board()));
    let held = Reached::runner().run(&asked, |((bounds, position, levels, moves, hour), spread, market, board)| {
        let window =
            |percent| Window { days: (1..=7).collect(), from: "00:00".into(), to: "00:00".into(), percent: Some(percent) };
        let rules = Rules {
            bounds: Some(bounds),
            position,
            reserve: levels.map(|levels| Reserve { target: Decimal::from(100_000), levels }),
            moves: moves.unwrap_or_default(),
            schedule: hour.map(|percent| Schedule { ahead_minutes: 0, windows: vec![window(percent)] }),
            ..Rules::default()
        };
        prop_assert_eq!(rules.faults().len(), 0);
        let adjusted = adjust(&rules, &sight(spread, market, board.as_ref()));
        let margin = spread - adjusted.adjustments.iter().map(Adjustment::percent).sum::<Decimal>();
        if rules.adjusts() {
            prop_assert!(margin >= bounds.floor && margin <= bounds.ceiling, "{margin}");
            let is_at_a_bound = margin == bounds.floor || margin == bounds.ceiling;
            reached.notes(if is_at_a_bound { "at a bound" } else { "between the bounds" });
        } else {
            prop_assert_eq!(adjusted.adjustments.len(), 0);
            reached.notes("no rules");
        }
        prop_assert_eq!(adjust(&rules, &sight(spread, market, board.as_ref())), adjusted, "the same sight, the same rules");
        let stored = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rules>(&stored).unwrap(), rules);
        Ok(())
    });
    held.unwrap();
    reached.often(&["at a bound", "between the bounds", "no rules"]);
}

proptest! {
    #[test]
    fn one_mad_source_of_three_never_prices(
        price in 1_000_i64..1_000_000, near in -40_i64..40, mad in prop_oneof![Just(10_i64), Just(100), Just(-1), Just(0)], age in 0_u64..400,
    ) {
        let price = Decimal::new(price, 2);
        let other = price * (Decimal::ONE + Decimal::new(near, 4));
        let all = [said("first", price, price, 0), said("second", other, other, 0), said("mad", price * Decimal::from(mad), price * Decimal::from(mad), 0)];
        let found = judge(&all, &trusted(), Decimal::ONE, now());
        let agreed = found[0].leg.price.clone().unwrap();
        prop_assert_eq!(agreed.agreed, ["first", "second"]);
        prop_assert_eq!(agreed.bid.price, price.min(other).normalize(), "what is sold to the market is sold at the lower price");
        prop_assert_eq!(agreed.ask.price, price.max(other).normalize());
        prop_assert_eq!(&found[0].left_out[0].source, "mad");

        let aged = [said("first", price, price, age), said("second", other, other, age)];
        prop_assert_eq!(judge(&aged, &trusted(), Decimal::ONE, now())[0].leg.price.is_some(), age <= 300);
    }

}

#[test]
fn small_steps_go_no_further_in_a_window_than_one_great_one_may() {
    let reached = Reached::default();
    let held = Reached::runner().run(&prop::collection::vec(-90_i64..90, 1..60), |steps| {
        let limits = Limits { sources: 1, jump_percent: Decimal::from(2), window: 60 * MINUTE, resume_after: 0 };
        let (mut at, mut rate, mut memory) = (now(), Decimal::from(100), Watch::default());
        for step in steps {
            at = at.plus(MINUTE);
            rate *= Decimal::ONE + Decimal::new(step, 4);
            memory = watch(&memory, &Seen { market: Some(rate), trouble: None, agreed: 1 }, limits, at);
            let anchor = memory.anchor.clone().unwrap();
            if memory.stop.is_none() {
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

fn said(source: &str, bid: Decimal, ask: Decimal, age: u64) -> Said {
    let observed_at = now().minus(Duration::from_secs(age)).plus(Duration::from_micros(1));
    Said { source: source.to_owned(), base: "BTC".to_owned(), quote: "USDT".to_owned(), bid, ask, observed_at }
}

fn trusted() -> BTreeMap<String, Trust> {
    let trust = |priority, checks_only| Trust { max_age: 5 * MINUTE, priority, checks_only };
    let names = [("first", 1, false), ("second", 2, false), ("mad", 0, false), ("checker", 3, true)];
    names.into_iter().map(|(name, priority, checks)| (name.to_owned(), trust(priority, checks))).collect()
}

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn two_sources_that_differ_have_no_price_and_a_checker_alone_has_none() {
    let one = number("69000");
    let found =
        judge(&[said("first", one, one, 0), said("mad", number("690000"), number("690000"), 0)], &trusted(), Decimal::ONE, now());
    assert_eq!((found[0].leg.price.clone(), found[0].heard), (None, 2));
    assert_eq!(found[0].left_out.iter().map(|out| out.why.as_str()).collect::<Vec<_>>(), ["apart", "apart"]);

    assert_eq!(judge(&[said("checker", one, one, 0)], &trusted(), Decimal::ONE, now())[0].leg.price, None);
    let both = judge(
        &[said("first", one, one, 0), said("checker", number("69100"), number("69100"), 0)],
        &trusted(),
        Decimal::ONE,
        now(),
    );
    let agreed = both[0].leg.price.clone().unwrap();
    assert_eq!((agreed.bid.price, agreed.ask.price, agreed.agreed.len()), (one, one, 2), "it counts and is not priced with");
}

#[test]
fn a_source_that_quotes_the_other_way_round_counts_and_is_not_priced_with() {
    let turned =
        Said { base: "USDT".into(), quote: "BTC".into(), ..said("second", number("0.0000144927"), number("0.0000144928"), 0) };
    let found = judge(&[said("first", number("69000"), number("69000"), 0), turned], &trusted(), Decimal::ONE, now());
    let agreed = found[0].leg.price.clone().unwrap();
    assert_eq!((agreed.agreed.len(), agreed.bid.source.as_str(), agreed.ask.source.as_str()), (2, "first", "first"));
}

#[test]
fn a_stopped_pair_goes_on_after_good_cycles_or_never_by_itself() {
    let limits = Limits { sources: 1, jump_percent: Decimal::from(5), window: 60 * MINUTE, resume_after: 2 };
    let seen = |rate: &str, agreed| Seen { market: Some(number(rate)), trouble: None, agreed };
    let good = watch(&Watch::default(), &seen("100", 1), limits, now());
    let stopped = watch(&good, &seen("1000", 1), limits, now());
    assert_eq!(stopped.stop.as_ref().unwrap().cause, "jump");
    // A rate that stays where one source put it stays stopped; one that comes back is waited for.
    let stays = watch(&stopped, &seen("1000", 1), limits, now());
    assert!(stays.stop.is_some() && stays.good_cycles == 0);
    let once = watch(&stays, &seen("101", 1), limits, now());
    assert!(once.stop.is_some());
    assert!(watch(&once, &seen("101", 1), limits, now()).stop.is_none());
    // Two sources that agree on the new rate are believed.
    let agreed = watch(&watch(&stopped, &seen("1000", 2), limits, now()), &seen("1000", 2), limits, now());
    assert_eq!((agreed.stop.is_none(), agreed.last.unwrap().rate), (true, number("1000")));
    // With zero only an operator lets it go on, and from whatever the rate is.
    let never = Limits { resume_after: 0, ..limits };
    let waits = (0..50).fold(stopped.clone(), |memory, _| watch(&memory, &seen("100", 9), never, now()));
    assert!(waits.stop.is_some());
    assert!(watch(&stopped.released(), &seen("1000", 1), never, now()).stop.is_none());
}

#[test]
fn hours_may_go_over_midnight_and_belong_to_the_day_they_begin_on() {
    let window = Window { days: vec![5], from: "22:00".into(), to: "06:00".into(), percent: None };
    let schedule = Schedule { ahead_minutes: 180, windows: vec![window] };
    let rests = |moment: &str| schedule.at(Timestamp::parse(moment).unwrap()).is_some();
    // The 29th of March 2024 was a Friday; Moscow is three hours ahead.
    assert!(!rests("2024-03-29T18:59:59Z"));
    assert!(rests("2024-03-29T19:00:00Z"));
    assert!(rests("2024-03-30T02:59:59Z"));
    assert!(!rests("2024-03-30T03:00:00Z"));
    assert!(!rests("2024-03-30T19:00:00Z"));
}
