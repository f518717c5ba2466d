//! The language of rate formulas.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use agio_contracts::{ExclusionReason, SuspensionCause};
use agio_core::Timestamp;
use agio_rates::model::formula::evaluation::FormulaResult;
use agio_rates::model::formula::prices::{FormulaPrices, SourceQuote};
use agio_rates::model::formula::{
    Expression, Formula, FormulaFault, FormulaOperator, Function, Node, PriceSide, Reference, ReferenceAssets, Unit,
};
use agio_rates::model::pair_rate_state::RateLimits;
use num_bigint::BigInt;
use proptest::prelude::*;
use rust_decimal::Decimal;

const LIMITS: RateLimits =
    RateLimits { sources: 1, jump_percent: Decimal::TEN, window: Duration::from_secs(3_600), resume_after: 3 };

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn quote(bid: &str, ask: &str) -> SourceQuote {
    SourceQuote { bid: number(bid), ask: number(ask), observed_at: Timestamp(7), fault: None, good_until: None }
}

fn prices() -> FormulaPrices {
    let pair = |base: &str, quote: &str| (base.to_owned(), quote.to_owned());
    let binance = BTreeMap::from([(pair("BTC", "USDT"), quote("69000", "69100")), (pair("USDT", "RUB"), quote("91", "92"))]);
    let stale = SourceQuote { fault: Some(ExclusionReason::Stale), ..quote("92.5", "92.5") };
    let cbr = BTreeMap::from([(pair("USD", "RUB"), quote("92.5", "92.5")), (pair("EUR", "RUB"), stale)]);
    FormulaPrices {
        assets: ["BTC", "USDT", "USD", "RUB", "EUR", "B", "TCUSDT"].map(str::to_owned).into(),
        sources: BTreeMap::from([
            ("binance".to_owned(), binance),
            ("cbr".to_owned(), cbr),
            ("currency-api".to_owned(), BTreeMap::new()),
        ]),
        market: BTreeMap::new(),
    }
}

fn evaluate(formula: &str, give: &str, receive: &str) -> Result<FormulaResult, FormulaFault> {
    Formula::parse(formula)?.evaluate((give, receive), &prices(), &HashMap::new(), LIMITS)
}

#[track_caller]
fn rate(formula: &str, give: &str, receive: &str) -> String {
    evaluate(formula, give, receive).unwrap().price.unwrap().rate.to_string()
}

#[track_caller]
fn refused(formula: &str, give: &str, receive: &str) -> (usize, &'static str) {
    let fault = evaluate(formula, give, receive).unwrap_err();
    (fault.at, fault.code)
}

#[test]
fn prices_are_calculated_with_exactly_and_rounded_once() {
    assert_eq!(rate("mid(binance:BTCUSDT)", "BTC", "USDT"), "69050");
    assert_eq!(rate("bid(binance:BTC/USDT) * 99.6%", "BTC", "USDT"), "68724");
    assert_eq!(rate("ask(binance:btcusdt) / 1.5", "BTC", "USDT"), "46066.66666666666");
    assert_eq!(rate("binance:BTCUSDT * binance:USDTRUB", "BTC", "RUB"), "6318075");
    assert_eq!(rate("1/cbr:USDRUB", "RUB", "USD"), "0.01081081081081081");
    assert_eq!(rate("1 / cbr:USD/RUB * 3 * cbr:USD/RUB / 3", "RUB", "RUB"), "1");
    assert_eq!(rate("min(binance:USDTRUB, 1 / (1 / bid(binance:USDTRUB)))", "USDT", "RUB"), "91");
    assert_eq!(
        rate("max(bid(binance:USDTRUB) - 2 * (binance:USDTRUB - bid(binance:USDTRUB)), ask(binance:USDTRUB))", "USDT", "RUB"),
        "92"
    );
    assert_eq!(rate("cbr:USD/RUB/cbr:USD/RUB", "RUB", "RUB"), "1", "a slash before another source divides");
    assert_eq!(rate("mid(cbr:USD/RUB)-cbr:USDRUB+cbr:USDRUB", "USD", "RUB"), "92.5");
    assert_eq!(rate("1 - 0.4% + 0", "USDT", "USDT"), "0.996");
}

#[test]
fn mistakes_are_refused_where_they_are() {
    for (formula, at, code) in [
        ("", 0, "formula_incomplete"),
        ("mid(", 4, "formula_incomplete"),
        ("mid(2)", 4, "formula_unexpected"),
        ("cbr:USDRUB * 1,004", 14, "formula_unexpected"),
        ("cbr:USDRUB ** 2", 12, "formula_unexpected"),
        ("-cbr:USDRUB", 0, "formula_unexpected"),
        ("cbr:USDRUB × 2", 11, "formula_unexpected"),
        ("cbr:USDRUB * avg(1)", 13, "formula_name_unknown"),
        ("1 * mexc:USDRUB", 4, "formula_source_unknown"),
        ("cbr:USDXYZ", 0, "formula_asset_unknown"),
        ("cbr:USD/XYZ", 0, "formula_asset_unknown"),
        ("cbr:BTCUSDT", 0, "formula_reference_ambiguous"),
        ("cbr:RUBUSD", 0, "formula_inverse"),
        ("cbr:USDRUB + 1%", 11, "formula_number_added"),
        ("cbr:USDRUB - binance:USDTRUB", 11, "formula_units_differ"),
        ("min(cbr:USDRUB, 92)", 16, "formula_number_added"),
        ("1 / cbr:USDRUB", 2, "formula_unit_wrong"),
        ("92.5", 0, "formula_unit_wrong"),
        ("12345678901234567890123456789", 0, "too_many_digits"),
    ] {
        assert_eq!(refused(formula, "USD", "RUB"), (at, code), "{formula}");
    }
    let wrong = evaluate("cbr:USDRUB * cbr:USDRUB / binance:BTCUSDT", "USD", "RUB").unwrap_err();
    assert_eq!(wrong.params, [("unit", "BTC*RUB^2/USD^2*USDT".to_owned()), ("expected", "RUB/USD".to_owned())]);
    assert_eq!(refused(&"(".repeat(400), "USD", "RUB").1, "formula_too_deep");
    assert_eq!(refused(&"min(".repeat(100), "USD", "RUB").1, "formula_too_deep");
    assert_eq!(refused(&"1*".repeat(300), "USD", "RUB").1, "text_too_long");
}

#[test]
fn a_price_that_cannot_be_used_gives_no_rate() {
    let cause = |formula: &str, give: &str| {
        let fault = evaluate(formula, give, "RUB").unwrap().price.unwrap_err();
        (fault.cause, fault.asset_pair)
    };
    assert_eq!(cause("cbr:EURRUB", "EUR"), (SuspensionCause::Stale, "cbr:EUR/RUB".to_owned()));
    assert_eq!(cause("currency-api:EURRUB", "EUR"), (SuspensionCause::Unusable, "currency-api:EUR/RUB".to_owned()));
    assert_eq!(cause("max(cbr:USDRUB, market:USDRUB)", "USD"), (SuspensionCause::Unusable, "market:USD/RUB".to_owned()));
    for formula in [
        "cbr:USDRUB / 0",
        "cbr:USDRUB * (1 - 2)",
        "cbr:USDRUB * (1 - 1)",
        "cbr:USDRUB / (cbr:USDRUB - cbr:USDRUB) * cbr:USDRUB",
        "cbr:USDRUB / 9999999999999999999999999999",
    ] {
        assert_eq!(cause(formula, "USD"), (SuspensionCause::Formula, String::new()), "{formula}");
    }
}

#[test]
fn the_examples_of_the_guide_work() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rate-formulas.md")).unwrap();
    let rows: Vec<Vec<&str>> =
        guide.lines().filter(|line| line.contains(" → ")).map(|line| line.split('|').map(str::trim).collect()).collect();
    assert!(rows.len() >= 5, "{rows:?}");
    for row in rows {
        let (give, receive) = row[1].split_once(" → ").unwrap();
        assert_eq!(rate(row[2].trim_matches('`'), give, receive), row[3], "{}", row[2]);
    }
}

fn reference() -> impl Strategy<Value = Reference> {
    let source = prop_oneof![Just("binance"), Just("cbr"), Just("currency-api"), Just("market"), Just("a_1")];
    let asset = || prop_oneof![Just("BTC"), Just("USDT"), Just("RUB"), Just("1INCH"), Just("X1")];
    let assets = prop_oneof![
        asset().prop_map(|asset| ReferenceAssets::Joined(asset.to_owned())),
        (asset(), asset()).prop_map(|(base, quote)| ReferenceAssets::Separate(base.to_owned(), quote.to_owned())),
    ];
    (source, assets).prop_map(|(source, assets)| Reference { source: source.to_owned(), assets })
}

/// Any formula over these operands.
fn formula(operand: BoxedStrategy<Node>) -> impl Strategy<Value = Formula> {
    let leaf = operand.prop_map(|node| Expression { at: 0, node });
    let root = leaf.prop_recursive(6, 48, 4, |inner| {
        let operator = prop_oneof![
            Just(FormulaOperator::Add),
            Just(FormulaOperator::Subtract),
            Just(FormulaOperator::Multiply),
            Just(FormulaOperator::Divide)
        ];
        let binary = (operator, inner.clone(), inner.clone())
            .prop_map(|(operator, left, right)| Node::Binary(operator, Box::new([left, right])));
        let function = prop_oneof![Just(Function::Min), Just(Function::Max)];
        let call =
            (function, prop::collection::vec(inner, 1..4)).prop_map(|(function, arguments)| Node::Call(function, arguments));
        prop_oneof![3 => binary, 1 => call].prop_map(|node| Expression { at: 0, node })
    });
    root.prop_map(|root| Formula { root })
}

fn numbers() -> BoxedStrategy<Node> {
    let number = (0_i64..100_000, 0_u32..5).prop_map(|(digits, scale)| Decimal::new(digits, scale));
    (number, any::<bool>())
        .prop_map(|(number, percent)| if percent { Node::Percent(number) } else { Node::Number(number) })
        .boxed()
}

fn operands() -> BoxedStrategy<Node> {
    let side = prop_oneof![Just(PriceSide::Bid), Just(PriceSide::Ask), Just(PriceSide::Mid)];
    let price = (side, reference()).prop_map(|(side, reference)| Node::Price(side, reference));
    prop_oneof![numbers(), price].boxed()
}

/// A fraction, for comparison.
fn fraction(part: &Expression) -> Option<(BigInt, BigInt)> {
    let of = |number: &Decimal, more: u32| Some((BigInt::from(number.mantissa()), BigInt::from(10).pow(number.scale() + more)));
    let value = match &part.node {
        Node::Number(number) => of(number, 0),
        Node::Percent(number) => of(number, 2),
        Node::Price(..) => None,
        Node::Call(function, arguments) => {
            let values: Option<Vec<_>> = arguments.iter().map(fraction).collect();
            let values = values?.into_iter();
            let compare = |(a, b): &(BigInt, BigInt), (c, d): &(BigInt, BigInt)| (a * d).cmp(&(c * b));
            match function {
                Function::Min => values.min_by(compare),
                Function::Max => values.max_by(compare),
            }
        }
        Node::Binary(operator, sides) => {
            let ((a, b), (c, d)) = (fraction(&sides[0])?, fraction(&sides[1])?);
            Some(match operator {
                FormulaOperator::Add => (a * &d + c * &b, b * d),
                FormulaOperator::Subtract => (a * &d - c * &b, b * d),
                FormulaOperator::Multiply => (a * c, b * d),
                FormulaOperator::Divide if c == BigInt::ZERO => return None,
                FormulaOperator::Divide => (a * d, b * c),
            })
        }
    };
    value.filter(|(above, _)| *above >= BigInt::ZERO)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(formula in formula(operands())) {
        let text = formula.to_string();
        if text.len() <= 500 {
            match Formula::parse(&text) {
                Ok(read) => prop_assert_eq!(read, formula, "{}", text),
                Err(fault) => prop_assert_eq!(fault.code, "formula_too_deep", "{}", text),
            }
        }
    }

    #[test]
    fn no_text_is_too_odd(
        text in "\\PC{0,60}",
        odd in "[-+*/().,:%0-9a-z_ A-Z]{0,80}",
        like in "(mid|min|cbr:USDRUB|1\\.5%|[-+*/(),:/ ]){0,20}",
    ) {
        for text in [text, odd, like] {
            if let Err(fault) = Formula::parse(&text).and_then(|formula| formula.check(&prices(), &Unit::per("RUB", "USD"))) {
                prop_assert!(fault.at <= text.chars().count());
            }
            let _ = evaluate(&text, "USD", "RUB");
        }
    }
}

#[test]
fn values_equal_those_of_fractions() {
    let (rates, none) = (Cell::new(0), Cell::new(0));
    let config = ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() };
    proptest!(config, |(formula in formula(numbers()))| {
        let found = formula.evaluate(("USDT", "USDT"), &prices(), &HashMap::new(), LIMITS).unwrap().price;
        match (fraction(&formula.root), found) {
            (Some((above, below)), Ok(price)) => {
                rates.set(rates.get() + 1);
                // Cut to sixteen digits: it is below, and one more in the last digit is above.
                let (mantissa, scale) = (BigInt::from(price.rate.mantissa()), price.rate.scale());
                let left = &mantissa * &below;
                let right = above * BigInt::from(10).pow(scale);
                prop_assert!(left <= right, "{} = {}", formula, price.rate);
                let last = below * BigInt::from(10).pow(mantissa.to_string().len().saturating_sub(16).try_into().unwrap());
                let missing = 16_usize.saturating_sub(mantissa.to_string().len());
                let step = BigInt::from(10).pow(missing.min(24 - scale as usize).try_into().unwrap());
                prop_assert!((right - left) * step < last, "{} = {}", formula, price.rate);
            }
            (Some((above, _)), Err(_)) if above > BigInt::ZERO => {
                // Out of the range of rates.
                none.set(none.get() + 1);
            }
            (_, Err(fault)) => {
                none.set(none.get() + 1);
                prop_assert_eq!(fault.cause, SuspensionCause::Formula);
            }
            (None, Ok(price)) => prop_assert!(false, "{} = {}", formula, price.rate),
        }
    });
    assert!(rates.get() > 100 && none.get() > 100, "{} {}", rates.get(), none.get());
}
