//! A feed of ten thousand directions, checked by independent rules.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use agio_contracts::{CurrencyKind, OfferedDirection, OfferedSide, VerificationSubject};
use agio_feeds::model::item::FeedRate;
use agio_feeds::model::marks::FeedMark;
use agio_feeds::model::{DirectionRules, Feed, FeedProfile, FeedRules, build_feed, format, validation};
use proptest::prelude::*;
use rust_decimal::Decimal;

const CURRENCIES: i64 = 101;
const FAR: i64 = 15;

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Unit price, from a thousandth to tens of thousands, all different.
fn price(id: i64) -> Decimal {
    let digits = Decimal::new(1_000 + 37 * id * id % 8_999, 3);
    [decimal("0.001"), decimal("0.1"), Decimal::ONE, Decimal::TEN, decimal("10000")][usize::try_from(id % 5).unwrap()] * digits
}

fn side(id: i64, min: &str, max: &str) -> OfferedSide {
    let kinds = [CurrencyKind::Crypto, CurrencyKind::Bank, CurrencyKind::Ewallet, CurrencyKind::Bank, CurrencyKind::Cash];
    let kind = kinds[usize::try_from(id % 5).unwrap()];
    let code = if kind == CurrencyKind::Cash { format!("CASH{id:03}") } else { format!("C{id:03}_X") };
    OfferedSide { id, code, ticker: format!("T{id}"), kind, min: decimal(min), max: decimal(max) }
}

/// A direction at a multiple of the market rate, with two more tiers.
fn direction(from: i64, to: i64, share: &str) -> OfferedDirection {
    let market = (price(from) / price(to)).round_sf(16).unwrap();
    let site_rate = |more: &str| (market * decimal(share) * decimal(more)).round_sf(16).unwrap().normalize();
    OfferedDirection {
        from: side(from, "10", "5000"),
        to: side(to, "0.01", "80000"),
        rates: vec![
            (Decimal::ZERO, site_rate("1")),
            (decimal("1000"), site_rate("1.002")),
            (decimal("2500.5"), site_rate("1.004")),
            (decimal("9000"), site_rate("1.1")),
        ],
        give_fee: if from % 3 == 0 { decimal("0.5") } else { Decimal::ZERO },
        receive_fee: if to % 4 == 0 { decimal("0.002") } else { Decimal::ZERO },
        reserve: decimal("80500"),
        floating: ((from + to) % 7 == 0).then_some(30),
        manual: to % 2 == 1,
        verification: [None, Some(VerificationSubject::Card), Some(VerificationSubject::Identity)]
            [usize::try_from((from * to) % 3).unwrap()],
        has_terms: false,
        market: Some(market),
        cities: if from % 5 == 4 || to % 5 == 4 { vec!["MSK".into()] } else { Vec::new() },
    }
}

fn matrix() -> Vec<OfferedDirection> {
    let ids = 1..=CURRENCIES;
    ids.clone().flat_map(|from| ids.clone().filter(move |to| *to != from).map(move |to| direction(from, to, "0.98"))).collect()
}

fn rules() -> FeedRules {
    FeedRules::default()
}

fn profile() -> FeedProfile {
    FeedProfile::default()
}

fn build(directions: &[OfferedDirection]) -> Feed {
    build_feed(directions, &validation::check_directions(directions, FAR), &rules(), &profile())
}

fn place(directions: &[OfferedDirection], from: i64, to: i64) -> usize {
    directions.iter().position(|other| (other.from.id, other.to.id) == (from, to)).unwrap()
}

fn excluded(feed: &Feed) -> Vec<((i64, i64), &'static str)> {
    feed.findings.iter().map(|found| (found.ends, found.fault.rule.name())).collect()
}

#[test]
fn a_feed_of_ten_thousand_directions_follows_every_rule() {
    let directions = matrix();
    let started = Instant::now();
    let wrong = validation::check_directions(&directions, FAR);
    let linted = started.elapsed();
    let feed = build_feed(&directions, &wrong, &rules(), &profile());
    let (xml, json) = (format::xml(&feed.items), format::json(&feed.items));
    println!("{} directions: linted in {linted:?}, written in {:?}", directions.len(), started.elapsed() - linted);
    println!("{} bytes of XML, {} of JSON", xml.len(), json.len());
    assert_eq!(excluded(&feed), []);

    let entries = rules::read(&xml);
    assert_eq!(entries.len(), 10_100);
    for (entry, direction) in entries.iter().zip(&directions) {
        assert_eq!(entry.ends(), (direction.from.code.as_str(), direction.to.code.as_str()));
        // Never better than the site's rate, and worse only by rounding.
        let site_rate = direction.rates[0].1;
        let (give, get) = (entry.number("in"), entry.number("out"));
        let lost = site_rate * give - get;
        assert!(lost >= Decimal::ZERO && lost <= site_rate * give * decimal("0.00000001"), "{entry:?} of {site_rate}");
        assert_eq!(entry.marks().contains("floating"), direction.floating.is_some());
        assert_eq!(entry.marks().contains("manual"), direction.manual);
        assert_eq!(entry.marks().contains("cardverify"), direction.verification == Some(VerificationSubject::Card));
        assert_eq!(entry.steps.len(), 2, "the tier above the maximum is left out");
    }
    let shown: serde_json::Value = serde_json::from_str(&json).unwrap();
    let shown = shown["rates"].as_array().unwrap();
    assert_eq!(shown.len(), entries.len());
    for (shown, entry) in shown.iter().zip(&entries) {
        for (name, element) in [("in", "in"), ("out", "out"), ("amount", "amount"), ("in_min_amount", "frommin")] {
            assert_eq!(shown[name].to_string(), entry.text(element).unwrap(), "the two forms say the same");
        }
    }
}

#[test]
fn an_implausible_rate_is_excluded_with_details() {
    let mut directions = matrix();
    let bad = place(&directions, 7, 11);
    directions[bad] = direction(7, 11, "0.5");
    let feed = build(&directions);
    assert_eq!(excluded(&feed), [((7, 11), "rate_far")]);
    assert_eq!(feed.findings[0].fault.params["percent"], "15");
    assert_eq!(feed.items.len(), directions.len() - 1);
}

#[test]
fn a_profitable_round_trip_loses_its_better_half() {
    let mut directions = matrix();
    let bad = place(&directions, 3, 4);
    directions[bad] = direction(3, 4, "1.06");
    let feed = build(&directions);
    assert_eq!(excluded(&feed), [((3, 4), "arbitrage")]);
    assert_eq!(feed.findings[0].fault.params["way"], "C003_X > CASH004 > C003_X");
}

#[test]
fn an_arbitrage_cycle_of_five_is_found_among_ten_thousand() {
    let mut directions = matrix();
    let round = [(10, 22), (22, 41), (41, 63), (63, 98), (98, 10)];
    for (from, to) in round {
        let at = place(&directions, from, to);
        directions[at] = direction(from, to, "1.001");
    }
    let started = Instant::now();
    let feed = build(&directions);
    println!("a round of five found in {:?}", started.elapsed());
    let [((from, to), "arbitrage")] = excluded(&feed)[..] else { panic!("{:?}", feed.findings) };
    assert!(round.contains(&(from, to)));
    let stops: Vec<_> = feed.findings[0].fault.params["way"].split(" > ").map(str::to_owned).collect();
    assert_eq!(stops.len(), 6, "{stops:?}");
    // Without the excluded direction there is no profit.
    directions.remove(place(&directions, from, to));
    assert_eq!(excluded(&build(&directions)), []);
}

#[test]
fn a_direction_without_a_market_rate_is_excluded_first() {
    let mut directions = matrix();
    let (there, back) = (place(&directions, 5, 6), place(&directions, 6, 5));
    directions[there] = direction(5, 6, "1.02");
    directions[back].market = None;
    assert_eq!(excluded(&build(&directions)), [((6, 5), "arbitrage")]);
}

#[test]
fn fixed_fees_count_where_they_weigh_least() {
    let mut pair = vec![direction(1, 2, "1"), direction(2, 1, "1")];
    for (direction, fee) in pair.iter_mut().zip(["0", "0"]) {
        direction.rates.truncate(1);
        (direction.give_fee, direction.receive_fee) = (decimal(fee), Decimal::ZERO);
    }
    // A round trip without loss is arbitrage.
    pair[1].rates[0].1 = (Decimal::ONE / pair[0].rates[0].1).round_sf(16).unwrap();
    pair[0].rates[0].1 *= decimal("1.0001");
    assert_eq!(excluded(&build(&pair)).len(), 1);
    pair[0].give_fee = decimal("1");
    assert_eq!(excluded(&build(&pair)), [], "a fee of 1 of at most 5000 is more than was gained");
}

#[test]
fn invalid_entries_name_their_rule() {
    let only = |change: &dyn Fn(&mut OfferedDirection)| {
        let mut directions = vec![direction(1, 2, "0.98")];
        change(&mut directions[0]);
        let feed = build(&directions);
        excluded(&feed).first().map(|(_, rule)| *rule)
    };
    assert_eq!(only(&|_| {}), None);
    assert_eq!(only(&|direction| direction.reserve = decimal("79999")), Some("reserve_low"));
    assert_eq!(only(&|direction| direction.from.min = decimal("5001")), Some("limits_crossed"));
    assert_eq!(only(&|direction| direction.to.code = "Sber-RUB".into()), Some("code_malformed"));
    assert_eq!(only(&|direction| direction.to.code = direction.from.code.clone()), Some("code_repeated"));

    let marks = BTreeSet::from([FeedMark::Juridical]);
    let setups = BTreeMap::from([((1, 5), DirectionRules { listed: true, marks })]);
    let unfit = build_feed(&[direction(1, 5, "0.98")], &BTreeMap::new(), &FeedRules { setups, ..rules() }, &profile());
    assert_eq!(excluded(&unfit), [((1, 5), "mark_unfit")], "there is no bank to pay from a company's account");
}

#[test]
fn an_aggregator_gets_its_codes_and_manual_directions_pause() {
    let directions = [direction(1, 2, "0.98"), direction(2, 1, "0.98"), direction(3, 1, "0.98")];
    let setup = |listed, marks: &[FeedMark]| DirectionRules { listed, marks: marks.iter().copied().collect() };
    let setups = BTreeMap::from([((1, 2), setup(true, &[])), ((3, 1), setup(false, &[]))]);
    let codes = BTreeMap::from([(2, "SBERRUB".to_owned())]);
    let night = FeedRules { setups, outside_hours: true };
    let feed = build_feed(&directions, &BTreeMap::new(), &night, &FeedProfile { codes, marks: BTreeSet::from([FeedMark::Reg]) });
    let entries = rules::read(&format::xml(&feed.items));
    assert_eq!(entries.iter().map(rules::Entry::ends).collect::<Vec<_>>(), [("C001_X", "SBERRUB")]);
    assert!(entries[0].marks().contains("reg"));
    assert_eq!((feed.resting, feed.unlisted), (1, 1));
    assert_eq!(rules::read(&format::xml(&[])).len(), 0, "an empty file is a valid one");
}

proptest! {
    #[test]
    fn a_feed_rate_is_never_better_than_the_rate(mantissa in 1_u64..10_u64.pow(16), scale in 0_u32..24) {
        let site_rate = Decimal::from_i128_with_scale(i128::from(mantissa), scale);
        let rate = FeedRate::of(site_rate).unwrap();
        prop_assert!(rate.give == Decimal::ONE || rate.get == Decimal::ONE);
        let (shown, exact) = (rate.course().unwrap(), agio_core::ratio::Ratio::of(site_rate).unwrap());
        prop_assert!(shown <= exact);
        let slack = agio_core::ratio::Ratio::of(decimal("0.999999998")).unwrap();
        prop_assert!(shown >= exact.times(&slack));
    }
}
