//! A feed of ten thousand directions, checked by rules of its own.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use agio_core::needs::{Direction, DirectionSide, Proof};
use agio_monitors::model::item::InOut;
use agio_monitors::model::{Feed, House, Profile, Setup, feed, lint, write};
use proptest::prelude::*;
use rust_decimal::Decimal;

const CURRENCIES: i64 = 101;
const FAR: i64 = 15;

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// What a unit of a currency is worth: from a thousandth to tens of thousands, no two alike.
fn price(id: i64) -> Decimal {
    let digits = Decimal::new(1_000 + 37 * id * id % 8_999, 3);
    [decimal("0.001"), decimal("0.1"), Decimal::ONE, Decimal::TEN, decimal("10000")][usize::try_from(id % 5).unwrap()] * digits
}

fn side(id: i64, min: &str, max: &str) -> DirectionSide {
    let kind = ["crypto", "bank", "ewallet", "bank", "cash"][usize::try_from(id % 5).unwrap()];
    let code = if kind == "cash" { format!("CASH{id:03}") } else { format!("C{id:03}_X") };
    DirectionSide { id, code, ticker: format!("T{id}"), kind: kind.to_owned(), min: decimal(min), max: decimal(max) }
}

/// A direction at so much of the market's rate, with two tiers above the first.
fn direction(from: i64, to: i64, share: &str) -> Direction {
    let market = (price(from) / price(to)).round_sf(16).unwrap();
    let course = |more: &str| (market * decimal(share) * decimal(more)).round_sf(16).unwrap().normalize();
    Direction {
        from: side(from, "10", "5000"),
        to: side(to, "0.01", "80000"),
        courses: vec![
            (Decimal::ZERO, course("1")),
            (decimal("1000"), course("1.002")),
            (decimal("2500.5"), course("1.004")),
            (decimal("9000"), course("1.1")),
        ],
        fee_from: if from % 3 == 0 { decimal("0.5") } else { Decimal::ZERO },
        fee_to: if to % 4 == 0 { decimal("0.002") } else { Decimal::ZERO },
        reserve: decimal("80500"),
        floating: ((from + to) % 7 == 0).then_some(30),
        manual: to % 2 == 1,
        proof: [None, Some(Proof::Card), Some(Proof::Identity)][usize::try_from((from * to) % 3).unwrap()],
        market: Some(market),
    }
}

fn matrix() -> Vec<Direction> {
    let ids = 1..=CURRENCIES;
    ids.clone().flat_map(|from| ids.clone().filter(move |to| *to != from).map(move |to| direction(from, to, "0.98"))).collect()
}

fn house() -> House {
    House::default()
}

fn profile() -> Profile {
    Profile { city: Some("MSK".into()), ..Profile::default() }
}

fn made(directions: &[Direction]) -> Feed {
    feed(directions, &lint::matrix(directions, FAR), &house(), &profile())
}

fn place(directions: &[Direction], from: i64, to: i64) -> usize {
    directions.iter().position(|other| (other.from.id, other.to.id) == (from, to)).unwrap()
}

fn kept_out(feed: &Feed) -> Vec<((i64, i64), &'static str)> {
    feed.findings.iter().map(|found| (found.ends, found.fault.rule)).collect()
}

#[test]
fn ten_thousand_directions_make_a_file_that_keeps_every_rule() {
    let directions = matrix();
    let started = Instant::now();
    let wrong = lint::matrix(&directions, FAR);
    let linted = started.elapsed();
    let feed = feed(&directions, &wrong, &house(), &profile());
    let (xml, json) = (write::xml(&feed.items), write::json(&feed.items));
    println!("{} directions: linted in {linted:?}, written in {:?}", directions.len(), started.elapsed() - linted);
    println!("{} bytes of XML, {} of JSON", xml.len(), json.len());
    assert_eq!(kept_out(&feed), []);

    let entries = rules::read(&xml);
    assert_eq!(entries.len(), 10_100);
    for (entry, direction) in entries.iter().zip(&directions) {
        assert_eq!(entry.ends(), (direction.from.code.as_str(), direction.to.code.as_str()));
        // Never better than the site, and worse only by what ten digits cannot say.
        let course = direction.courses[0].1;
        let (give, get) = (entry.number("in"), entry.number("out"));
        let lost = course * give - get;
        assert!(lost >= Decimal::ZERO && lost <= course * give * decimal("0.00000001"), "{entry:?} of {course}");
        assert_eq!(entry.marks().contains("floating"), direction.floating.is_some());
        assert_eq!(entry.marks().contains("manual"), direction.manual);
        assert_eq!(entry.marks().contains("cardverify"), direction.proof == Some(Proof::Card));
        assert_eq!(entry.steps.len(), 2, "the tier above the maximum is nobody's");
    }
    let told: serde_json::Value = serde_json::from_str(&json).unwrap();
    let told = told["rates"].as_array().unwrap();
    assert_eq!(told.len(), entries.len());
    for (told, entry) in told.iter().zip(&entries) {
        for (name, element) in [("in", "in"), ("out", "out"), ("amount", "amount"), ("in_min_amount", "frommin")] {
            assert_eq!(told[name].to_string(), entry.text(element).unwrap(), "the two forms say the same");
        }
    }
}

#[test]
fn an_absurd_rate_is_kept_out_and_told_with_its_numbers() {
    let mut directions = matrix();
    let bad = place(&directions, 7, 11);
    directions[bad] = direction(7, 11, "0.5");
    let feed = made(&directions);
    assert_eq!(kept_out(&feed), [((7, 11), "rate_far")]);
    assert_eq!(feed.findings[0].fault.params["percent"], "15");
    assert_eq!(feed.items.len(), directions.len() - 1);
}

#[test]
fn a_way_there_and_back_that_gains_loses_its_better_half() {
    let mut directions = matrix();
    let bad = place(&directions, 3, 4);
    directions[bad] = direction(3, 4, "1.06");
    let feed = made(&directions);
    assert_eq!(kept_out(&feed), [((3, 4), "arbitrage")]);
    assert_eq!(feed.findings[0].fault.params["way"], "C003_X > CASH004 > C003_X");
}

#[test]
fn a_round_over_five_exchanges_is_found_among_ten_thousand() {
    let mut directions = matrix();
    let round = [(10, 22), (22, 41), (41, 63), (63, 98), (98, 10)];
    for (from, to) in round {
        let at = place(&directions, from, to);
        directions[at] = direction(from, to, "1.001");
    }
    let started = Instant::now();
    let feed = made(&directions);
    println!("a round of five found in {:?}", started.elapsed());
    let [((from, to), "arbitrage")] = kept_out(&feed)[..] else { panic!("{:?}", feed.findings) };
    assert!(round.contains(&(from, to)));
    let stops: Vec<_> = feed.findings[0].fault.params["way"].split(" > ").map(str::to_owned).collect();
    assert_eq!(stops.len(), 6, "{stops:?}");
    // Without the blamed one nobody gains any more.
    directions.remove(place(&directions, from, to));
    assert_eq!(kept_out(&made(&directions)), []);
}

#[test]
fn a_direction_the_market_knows_nothing_of_is_blamed_first() {
    let mut directions = matrix();
    let (there, back) = (place(&directions, 5, 6), place(&directions, 6, 5));
    directions[there] = direction(5, 6, "1.02");
    directions[back].market = None;
    assert_eq!(kept_out(&made(&directions)), [((6, 5), "arbitrage")]);
}

#[test]
fn fixed_fees_count_where_they_weigh_least() {
    let mut pair = vec![direction(1, 2, "1"), direction(2, 1, "1")];
    for (direction, fee) in pair.iter_mut().zip(["0", "0"]) {
        direction.courses.truncate(1);
        (direction.fee_from, direction.fee_to) = (decimal(fee), Decimal::ZERO);
    }
    // Whoever goes there and back without loss was given it for nothing.
    pair[1].courses[0].1 = (Decimal::ONE / pair[0].courses[0].1).round_sf(16).unwrap();
    pair[0].courses[0].1 *= decimal("1.0001");
    assert_eq!(kept_out(&made(&pair)).len(), 1);
    pair[0].fee_from = decimal("1");
    assert_eq!(kept_out(&made(&pair)), [], "a fee of 1 of at most 5000 is more than was gained");
}

#[test]
fn what_does_not_fit_is_named_by_its_rule() {
    let only = |change: &dyn Fn(&mut Direction)| {
        let mut directions = vec![direction(1, 2, "0.98")];
        change(&mut directions[0]);
        let feed = made(&directions);
        kept_out(&feed).first().map(|(_, rule)| *rule)
    };
    assert_eq!(only(&|_| {}), None);
    assert_eq!(only(&|direction| direction.reserve = decimal("79999")), Some("reserve_low"));
    assert_eq!(only(&|direction| direction.from.min = decimal("5001")), Some("limits_crossed"));
    assert_eq!(only(&|direction| direction.to.code = "Sber-RUB".into()), Some("code_malformed"));
    assert_eq!(only(&|direction| direction.to.code = direction.from.code.clone()), Some("code_repeated"));

    let cash = [direction(4, 1, "0.98")];
    let nowhere = feed(&cash, &BTreeMap::new(), &house(), &Profile::default());
    assert_eq!((nowhere.items.len(), nowhere.without_city), (0, 1), "a city is for monitors to say, not a mistake");
    let marks = BTreeSet::from(["juridical".to_owned()]);
    let setups = BTreeMap::from([((1, 5), Setup { listed: true, marks })]);
    let unfit = feed(&[direction(1, 5, "0.98")], &BTreeMap::new(), &House { setups, ..house() }, &profile());
    assert_eq!(kept_out(&unfit), [((1, 5), "mark_unfit")], "there is no bank to pay from a company's account");
}

#[test]
fn a_monitor_gets_its_codes_and_manual_directions_rest() {
    let directions = [direction(1, 2, "0.98"), direction(2, 1, "0.98"), direction(3, 1, "0.98")];
    let setup = |listed, marks: &[&str]| Setup { listed, marks: marks.iter().map(|mark| (*mark).to_owned()).collect() };
    let setups = BTreeMap::from([((1, 2), setup(true, &[])), ((3, 1), setup(false, &[]))]);
    let codes = BTreeMap::from([(2, "SBERRUB".to_owned())]);
    let night = House { setups, rests: true };
    let feed =
        feed(&directions, &BTreeMap::new(), &night, &Profile { codes, marks: BTreeSet::from(["reg".into()]), ..profile() });
    let entries = rules::read(&write::xml(&feed.items));
    assert_eq!(entries.iter().map(rules::Entry::ends).collect::<Vec<_>>(), [("C001_X", "SBERRUB")]);
    assert!(entries[0].marks().contains("reg"));
    assert_eq!((feed.resting, feed.unlisted), (1, 1));
    assert_eq!(rules::read(&write::xml(&[])).len(), 0, "an empty file is a valid one");
}

proptest! {
    #[test]
    fn a_rate_never_promises_more_than_the_course(mantissa in 1_u64..10_u64.pow(16), scale in 0_u32..24) {
        let course = Decimal::from_i128_with_scale(i128::from(mantissa), scale);
        let rate = InOut::of(course).unwrap();
        prop_assert!(rate.give == Decimal::ONE || rate.get == Decimal::ONE);
        let (told, exact) = (rate.course().unwrap(), agio_core::ratio::Ratio::of(course).unwrap());
        prop_assert!(told <= exact);
        let slack = agio_core::ratio::Ratio::of(decimal("0.999999998")).unwrap();
        prop_assert!(told >= exact.times(&slack));
    }
}
