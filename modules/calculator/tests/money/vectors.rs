//! Test vectors of the page's engine. `AGIO_WRITE_VECTORS=1 cargo test -p agio-calculator --test money vectors`
//! rewrites them; without it a difference fails.

use std::fmt::Write as _;
use std::path::Path;

use agio_calculator::model::engine::{Terms, TermsParts, Tier};
use agio_calculator::model::limits::{ConfiguredRange, Limits, Range};
use agio_calculator::model::pricing::{Fee, MarketRate, Pricing, TierRule};
use rust_decimal::Decimal;
use serde::Serialize;

use crate::generators::NumberGenerator;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/vectors/money.json");
const EXCHANGES: usize = 800;
const LIMITS: usize = 200;
const STEPS: usize = 300;

#[test]
fn the_shared_vectors_are_fresh() {
    let fresh = file();
    if std::env::var_os("AGIO_WRITE_VECTORS").is_some() {
        std::fs::write(Path::new(FILE), &fresh).expect("the vectors can be written");
    }
    let stored = std::fs::read_to_string(FILE).expect("the vectors can be read");
    assert!(
        stored == fresh,
        "openapi/vectors/money.json is stale; \
         AGIO_WRITE_VECTORS=1 cargo test -p agio-calculator --test money vectors"
    );
}

/// One vector a line, so that a difference can be read.
fn file() -> String {
    let mut text = String::from("{\n\"version\": 1,\n");
    write_list(&mut text, "exchanges", &exchanges(), ",\n");
    write_list(&mut text, "limits", &limits(), ",\n");
    write_list(&mut text, "steps", &steps(), "\n}\n");
    text
}

fn write_list<T: Serialize>(text: &mut String, name: &str, vectors: &[T], end: &str) {
    let line = |vector| serde_json::to_string(vector).expect("vectors are plain values");
    let lines: Vec<String> = vectors.iter().map(line).collect();
    write!(text, "\"{name}\": [\n{}\n]{end}", lines.join(",\n")).expect("strings take all");
}

fn exchanges() -> Vec<Exchange> {
    let mut vectors = edges();
    vectors.extend(bonused());
    let mut dice = NumberGenerator::new(5);
    while vectors.len() < EXCHANGES {
        let terms = dice.terms();
        let parts = terms.parts().clone();
        let give = dice.amount(parts.give_digits, 7);
        let Ok(received) = terms.receive(give) else {
            continue;
        };
        // Keep only a few amounts too small to bring anything.
        if received.is_zero() && !dice.chance(8) {
            continue;
        }
        // Request the received amount, one digit more, or another amount.
        let wanted = match dice.below(3) {
            0 => received,
            1 => received + Decimal::new(1, parts.receive_digits),
            _ => dice.amount(parts.receive_digits, 7),
        };
        vectors.push(exchange("random", &terms, give, wanted));
    }
    vectors
}

/// One exchange computed in both directions.
#[derive(Serialize)]
struct Exchange {
    name: &'static str,
    terms: TermsText,
    #[serde(rename = "send")]
    give: String,
    receive: String,
    wanted: String,
    least: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TermsText {
    #[serde(rename = "course")]
    rate: String,
    tiers: Vec<TierText>,
    #[serde(rename = "feeFrom")]
    give_fee: String,
    #[serde(rename = "feeTo")]
    receive_fee: String,
    #[serde(rename = "digitsFrom")]
    give_digits: u32,
    #[serde(rename = "digitsTo")]
    receive_digits: u32,
    #[serde(rename = "stepFrom", skip_serializing_if = "Option::is_none")]
    give_step: Option<String>,
    #[serde(rename = "stepTo", skip_serializing_if = "Option::is_none")]
    receive_step: Option<String>,
}

#[derive(Serialize)]
struct TierText {
    min: String,
    #[serde(rename = "course")]
    rate: String,
}

#[derive(Serialize)]
struct LimitsVector {
    terms: TermsText,
    set: Sides<SetText>,
    reserve: Option<String>,
    limits: Option<Sides<RangeText>>,
}

/// Amounts typed where amounts have steps: what each becomes, and what it brings then.
#[derive(Serialize)]
struct StepsVector {
    terms: TermsText,
    limits: Sides<RangeText>,
    typed: Sides<String>,
    snapped: Sides<String>,
    /// What the snapped given amount brings.
    receive: String,
    /// The least given amount for the snapped received one.
    least: String,
}

#[derive(Serialize)]
struct Sides<T> {
    from: T,
    to: T,
}

#[derive(Serialize)]
struct SetText {
    min: Option<String>,
    max: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RangeText {
    min: String,
    min_bound: &'static str,
    max: String,
    max_bound: &'static str,
}

fn exchange(name: &'static str, terms: &Terms, give: Decimal, wanted: Decimal) -> Exchange {
    let received = terms.receive(give).expect("vectors stay in range");
    let least = terms.give_for(wanted).expect("vectors ask for amounts");
    Exchange {
        name,
        terms: terms_text(terms.parts()),
        give: text(give),
        receive: text(received),
        wanted: text(wanted),
        least: least.map(text),
    }
}

fn terms_text(parts: &TermsParts) -> TermsText {
    let tier = |tier: &Tier| TierText { min: text(tier.min_give), rate: text(tier.rate) };
    TermsText {
        rate: text(parts.rate),
        tiers: parts.tiers.iter().map(tier).collect(),
        give_fee: text(parts.give_fee),
        receive_fee: text(parts.receive_fee),
        give_digits: parts.give_digits,
        receive_digits: parts.receive_digits,
        give_step: parts.give_step.map(text),
        receive_step: parts.receive_step.map(text),
    }
}

fn text(number: Decimal) -> String {
    number.normalize().to_string()
}

fn number(text: &str) -> Decimal {
    text.parse().expect("a decimal number")
}

fn parts(rate: &str, give_digits: u32, receive_digits: u32) -> TermsParts {
    TermsParts {
        rate: number(rate),
        tiers: Vec::new(),
        give_fee: Decimal::ZERO,
        receive_fee: Decimal::ZERO,
        network_fee: None,
        give_digits,
        receive_digits,
        give_step: None,
        receive_step: None,
    }
}

/// Edge cases.
fn edges() -> Vec<Exchange> {
    let mut vectors = Vec::new();
    let mut add = |name: &'static str, parts: &TermsParts, give: &str, wanted: &str| {
        let terms = Terms::new(parts.clone()).expect("edge terms are within bounds");
        vectors.push(exchange(name, &terms, number(give), number(wanted)));
    };
    for digits in 0..=8 {
        let last = Decimal::new(1, digits).to_string();
        let all = parts("3.333333333333333", digits, digits);
        add("the last digit of each scale", &all, &last, &last);
        let into_scale = parts("0.7", 8, digits);
        add("into each scale", &into_scale, "1234.56789012", "864.19752309");
        let from_scale = parts("0.7", digits, 8);
        add("from each scale", &from_scale, "1234", "864.19752309");
    }
    add("nothing for nothing", &parts("90", 2, 2), "0", "0");
    add("the greatest amounts", &parts("1", 8, 8), "999999999999.99999999", "999999999999.99999999");
    add("past the greatest amount", &parts("0.5", 8, 8), "1", "999999999999");
    add("the greatest request on a coarse grid", &parts("1", 8, 0), "1", "999999999999.5");
    add("the greatest rate", &parts("999999999999", 8, 8), "1", "0.00000001");
    add("the smallest rate", &parts("0.000000000000000000000001", 8, 8), "999999999999", "0.00000001");
    add("an answer that would pass the range", &parts("3", 0, 0), "1", "999999999998");
    add("sixteen digits", &parts("1.000000000000001", 8, 8), "123456789012.34567891", "123456789012.34580236");
    add("a reciprocal", &parts("0.0108108108108", 2, 8), "9250", "100");
    add("exactly on a digit", &parts("0.25", 2, 2), "0.04", "0.01");
    add("just under a digit", &parts("0.25", 2, 2), "0.03", "0.02");

    let fees = |from: &str, to: &str| TermsParts { give_fee: number(from), receive_fee: number(to), ..parts("92.5", 2, 2) };
    add("both fixed fees", &fees("1", "50"), "100", "9107.5");
    add("a fee that equals the amount", &fees("1", "0"), "1", "0.01");
    add("a fee above the amount", &fees("5", "0"), "4.99", "0.01");
    add("a fee that eats the received amount", &fees("0", "50"), "0.5", "0.01");
    add("a fee that leaves the last digit", &fees("0", "92.49"), "1", "0.01");
    add("a fee finer than the shown digits", &fees("0", "0.00000001"), "1", "92.5");
    add("a fee near the range", &fees("999999999999", "0"), "1", "1");

    let tiered = |tiers: &[(&str, &str)]| TermsParts {
        tiers: tiers.iter().map(|(min, rate)| Tier { min_give: number(min), rate: number(rate) }).collect(),
        ..parts("90", 2, 2)
    };
    let better = tiered(&[("0", "90"), ("1000", "91"), ("10000", "92.5")]);
    let worse = tiered(&[("1000", "80"), ("10000", "95")]);
    for give in ["999.99", "1000", "1000.01", "9999.99", "10000"] {
        add("around a better tier", &better, give, "90000");
        add("around a worse tier", &worse, give, "85000");
    }
    for wanted in ["89999.1", "89999.11", "91000", "909999.09", "925000", "925000.01"] {
        add("requests around a better tier", &better, "1", wanted);
    }
    for wanted in ["79999", "80000", "89999.1", "90000", "799999.2", "800000", "949999"] {
        add("requests around a worse tier", &worse, "1", wanted);
    }
    let between = TermsParts { give_digits: 0, ..tiered(&[("0.2", "91"), ("0.7", "92"), ("1.5", "93")]) };
    for give in ["0", "1", "2"] {
        add("tiers finer than the sent digits", &between, give, "93");
    }
    vectors
}

/// Terms with a bonus (tier and promo code), tiers by amount and fees on both sides, priced in both directions.
fn bonused() -> Vec<Exchange> {
    let fee = |fixed: &str, percent: &str| Fee { fixed: number(fixed), percent: number(percent) };
    let tier = |min: &str, add: &str| TierRule { min_give: number(min), add_percent: number(add) };
    let there = Pricing {
        market: MarketRate::Manual(number("6441623.07")),
        spread_percent: number("3.3"),
        adjustments: Vec::new(),
        give_fee: fee("0.0001", "0.2"),
        receive_fee: fee("35.5", "0.3"),
        network_fee: None,
        bonus_percent: Decimal::ZERO,
        tiers: vec![tier("0.02", "0.15"), tier("0.1", "0.4")],
        give_digits: 8,
        receive_digits: 2,
        give_step: None,
        receive_step: None,
    };
    let back = Pricing {
        market: MarketRate::Manual(number("0.000000155239658")),
        give_fee: fee("99.99", "0.25"),
        receive_fee: fee("0.00000123", "0.1"),
        tiers: vec![tier("60000", "0.12")],
        give_digits: 2,
        receive_digits: 8,
        ..there.clone()
    };
    let sends_there = ["0.0100007", "0.01999999", "0.02", "0.0512345", "0.1", "0.49999999"];
    let sends_back = ["5000", "50000.01", "59999.99", "60000", "71234.56", "999999.99"];
    let mut vectors = Vec::new();
    for (pricing, sends) in [(there, sends_there), (back, sends_back)] {
        let max_bonus_percent = pricing.max_bonus_percent();
        // A tier alone, a tier with a promo code, and both capped at the market rate.
        for bonus in [number("0.35"), number("0.35") + number("0.4"), max_bonus_percent] {
            let priced = Pricing { bonus_percent: bonus, ..pricing.clone() }.price().expect("terms");
            for give in sends {
                let received = priced.terms.receive(number(give)).expect("vectors stay in range");
                vectors.push(exchange("bonus, promo code, tiers and fees", &priced.terms, number(give), received));
            }
        }
    }
    vectors
}

fn limits() -> Vec<LimitsVector> {
    let mut dice = NumberGenerator::new(6);
    let mut vectors = Vec::new();
    while vectors.len() < LIMITS {
        let terms = dice.terms();
        let set = dice.limits(&terms);
        let reserve = (!dice.chance(4)).then(|| dice.amount(terms.parts().receive_digits, 9));
        let effective = Limits::effective(&terms, &set, reserve).expect("generated limits are amounts");
        // Keep only a few empty ranges.
        if effective.is_none() && !dice.chance(4) {
            continue;
        }
        vectors.push(LimitsVector {
            terms: terms_text(terms.parts()),
            set: Sides { from: set_text(&set.give), to: set_text(&set.receive) },
            reserve: reserve.map(text),
            limits: effective.map(|limits| Sides { from: range_text(&limits.give), to: range_text(&limits.receive) }),
        });
    }
    vectors
}

fn steps() -> Vec<StepsVector> {
    let mut dice = NumberGenerator::new(9);
    let mut vectors = Vec::new();
    while vectors.len() < STEPS {
        let terms = dice.stepped_terms();
        let Some(limits) = Limits::effective(&terms, &dice.limits(&terms), None).expect("generated limits are amounts") else {
            continue;
        };
        let parts = terms.parts();
        let (give, receive) = (dice.amount(parts.give_digits, 9), dice.amount(parts.receive_digits, 9));
        let snapped = limits.snap(&terms, give).expect("an amount");
        let wanted = limits.snap_receive(&terms, receive).expect("an amount");
        vectors.push(StepsVector {
            receive: text(terms.receive(snapped).expect("allowed amounts are in range")),
            least: text(terms.give_for(wanted).expect("an amount").expect("an answer")),
            terms: terms_text(parts),
            limits: Sides { from: range_text(&limits.give), to: range_text(&limits.receive) },
            typed: Sides { from: text(give), to: text(receive) },
            snapped: Sides { from: text(snapped), to: text(wanted) },
        });
    }
    vectors
}

fn set_text(range: &ConfiguredRange) -> SetText {
    SetText { min: range.min.map(text), max: range.max.map(text) }
}

fn range_text(range: &Range) -> RangeText {
    RangeText {
        min: text(range.min.value),
        min_bound: range.min.bound.name(),
        max: text(range.max.value),
        max_bound: range.max.bound.name(),
    }
}
