//! Cross rates from several sources.

use std::collections::BTreeSet;

use agio_calculator::model::cross::{Cross, RateGraph, Side};
use agio_calculator::model::observation::{Observation, ObservedAt, SOURCE_PRIORITY};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use crate::demo_day::demo_day;

fn number(text: &str) -> Decimal {
    text.parse().expect("a decimal number")
}

pub fn observed(source: &str, pair: &str, bid: &str, ask: &str, at: i64) -> Observation {
    let (base, quote) = pair.split_once('/').expect("base/quote");
    Observation {
        source: source.to_owned(),
        base: base.to_owned(),
        quote: quote.to_owned(),
        bid: number(bid),
        ask: number(ask),
        observed_at: ObservedAt::Moment(at),
    }
}

fn graph(observations: &[Observation]) -> RateGraph {
    RateGraph::new(observations, &["first", "second"])
}

fn route(cross: &Cross) -> String {
    let prices = cross.path.iter().map(|leg| format!("{}>{}", leg.sell, leg.buy));
    prices.collect::<Vec<_>>().join(" ")
}

#[test]
fn bitcoin_is_worth_roubles_on_the_demo_day() {
    let graph = RateGraph::new(&demo_day(), &SOURCE_PRIORITY);
    let cross = graph.cross("BTC", "RUB").expect("a path");
    // 92.5919 / 0.000014374, cut to sixteen digits.
    assert_eq!(cross.rate, number("6441623.765131487"));
    assert_eq!(route(&cross), "BTC>USD USD>RUB");
    let sources: Vec<&str> = cross.path.iter().map(|leg| leg.source.as_str()).collect();
    assert_eq!(sources, ["currency-api", "cbr"]);
    assert_eq!([cross.path[0].side, cross.path[1].side], [Side::Ask, Side::Bid]);
    assert_eq!(cross.observed_at.map(|at| at.to_string()).as_deref(), Some("2024-03-28"));

    let back = graph.cross("RUB", "BTC").expect("a path");
    assert_eq!(back.rate, number("0.0000001552403611979017"));
}

#[test]
fn stablecoins_are_priced_by_a_source_not_taken_for_dollars() {
    let graph = RateGraph::new(&demo_day(), &SOURCE_PRIORITY);
    let cross = graph.cross("USDT", "USD").expect("a path");
    assert_eq!(cross.rate, number("0.9994454476988897"), "1 / 1.00055486");
    let cross = graph.cross("USDT", "KZT").expect("a path");
    assert_eq!(route(&cross), "USDT>USD USD>RUB RUB>KZT");
    let lonely = [observed("first", "BTC/USDT", "1", "1", 0)];
    assert_eq!(graph_cross(&lonely, "BTC", "USD"), None);
}

fn graph_cross(observations: &[Observation], from: &str, to: &str) -> Option<String> {
    graph(observations).cross(from, to).map(|cross| route(&cross))
}

#[test]
fn the_customer_sells_at_the_bid_and_buys_at_the_ask() {
    let observations = [observed("first", "BTC/USDT", "99", "100", 0)];
    let forward = graph(&observations).cross("BTC", "USDT").expect("a path");
    assert_eq!(forward.rate, number("99"));
    let bought = graph(&observations).cross("USDT", "BTC").expect("a path");
    assert_eq!(bought.rate, number("0.01"));
}

#[test]
fn a_rate_and_its_reciprocal_cancel_exactly() {
    let observations = [
        observed("first", "A/B", "0.3", "0.3", 0),
        observed("first", "C/B", "0.7", "0.7", 0),
        observed("first", "C/D", "2.1", "2.1", 0),
        observed("first", "E/D", "0.9", "0.9", 0),
    ];
    // 0.3 / 0.7 x 2.1 / 0.9 is one, though its second step has no end.
    let cross = graph(&observations).cross("A", "E").expect("a path");
    assert_eq!(cross.rate, Decimal::ONE);
    assert_eq!(cross.path.len(), 4);
}

#[test]
fn unknown_assets_have_no_rate() {
    let graph = RateGraph::new(&demo_day(), &SOURCE_PRIORITY);
    let same = graph.cross("USDT", "USDT").expect("the same asset");
    assert_eq!((same.rate, same.path.len(), same.observed_at), (Decimal::ONE, 0, None));
    assert_eq!(graph.cross("BTC", "NOPE"), None);
    assert_eq!(graph.cross("NOPE", "BTC"), None);
}

#[test]
fn more_than_four_conversions_are_too_many() {
    let chain = ["A/B", "B/C", "C/D", "D/E", "E/F"];
    let chain = chain.map(|pair| observed("first", pair, "2", "2", 0));
    assert_eq!(graph(&chain).cross("A", "E").expect("four legs").rate, number("16"));
    assert_eq!(graph(&chain).cross("A", "F"), None);
}

#[test]
fn fewer_conversions_then_fresher_then_better_sources() {
    let long = [observed("first", "A/M", "1", "1", 9), observed("first", "M/Z", "1", "1", 9)];
    let short = [observed("second", "A/Z", "5", "5", 1)];
    assert_eq!(graph_cross(&[&long[..], &short].concat(), "A", "Z").as_deref(), Some("A>Z"));

    // Of two equally long paths, the one whose oldest conversion is fresher.
    let stale = [observed("first", "A/K", "1", "1", 9), observed("first", "K/Z", "1", "1", 1)];
    let fresh = [observed("second", "A/M", "1", "1", 2), observed("second", "M/Z", "1", "1", 2)];
    let both = [stale, fresh].concat();
    assert_eq!(graph_cross(&both, "A", "Z").as_deref(), Some("A>M M>Z"));

    // Equally fresh: source priority decides, then alphabetical order, never input order.
    let second = [observed("second", "A/K", "1", "1", 2), observed("second", "K/Z", "1", "1", 2)];
    let first = [observed("first", "A/M", "1", "1", 2), observed("first", "M/Z", "1", "1", 2)];
    let mut both = [second, first].concat();
    assert_eq!(graph_cross(&both, "A", "Z").as_deref(), Some("A>M M>Z"));
    both.reverse();
    assert_eq!(graph_cross(&both, "A", "Z").as_deref(), Some("A>M M>Z"));
    assert_eq!(graph_cross(&both, "Z", "A").as_deref(), Some("Z>M M>A"));

    let double = [observed("second", "A/Z", "7", "7", 2), observed("first", "Z/A", "2", "2", 2)];
    let cross = graph(&double).cross("A", "Z").expect("a path");
    assert_eq!(cross.rate, number("0.5"), "the first source says so");
    let double = [observed("second", "A/Z", "7", "7", 3), observed("first", "Z/A", "2", "2", 2)];
    let cross = graph(&double).cross("A", "Z").expect("a path");
    assert_eq!(cross.rate, number("7"), "the fresher one says so");
}

#[test]
fn invalid_prices_are_ignored() {
    let wrong =
        [observed("first", "A/B", "0", "1", 0), observed("first", "A/C", "2", "1", 0), observed("first", "A/A", "2", "2", 0)];
    assert_eq!(graph_cross(&wrong, "A", "B"), None);
    assert_eq!(graph_cross(&wrong, "A", "C"), None);
}

#[test]
fn no_pair_of_the_demo_day_can_be_turned_round_for_a_gain() {
    let observations = demo_day();
    let tickers: BTreeSet<&str> = observations.iter().flat_map(|known| [known.base.as_str(), known.quote.as_str()]).collect();
    let graph = RateGraph::new(&observations, &SOURCE_PRIORITY);
    let exact = |rate: Decimal| Ratio::of(rate).expect("rates are above zero");
    let mut pairs = 0;
    for from in &tickers {
        for to in &tickers {
            let there = graph.cross(from, to).expect("all currencies of the day are joined");
            let back = graph.cross(to, from).expect("all currencies of the day are joined");
            let product = exact(there.rate).times(&exact(back.rate));
            let product = product.round_down(20, 24).expect("about one");
            assert!(product <= Decimal::ONE, "{from}, {to}: {product}");
            assert!(product > number("0.99999999999999"), "{from}, {to}: {product}");
            assert!(there.path.len() <= 4);
            pairs += 1;
        }
    }
    assert!(pairs > 4000, "only {pairs} pairs");
}
