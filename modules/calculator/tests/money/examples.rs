//! Exchanges with manually calculated figures.

use agio_calculator::model::amount::{AmountError, RateError};
use agio_calculator::model::engine::{Terms, TermsError, TermsParts, Tier};
use agio_calculator::model::limits::{Bound, Breach, ConfiguredLimits, ConfiguredRange, Limits};
use rust_decimal::Decimal;

fn number(text: &str) -> Decimal {
    text.parse().expect("a decimal number")
}

fn simple(rate: &str, give_digits: u32, receive_digits: u32) -> TermsParts {
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

fn terms(parts: TermsParts) -> Terms {
    Terms::new(parts).expect("terms within bounds")
}

fn tier(min_give: &str, rate: &str) -> Tier {
    Tier { min_give: number(min_give), rate: number(rate) }
}

#[test]
fn a_customer_sells_bitcoin_for_roubles() {
    let terms = terms(simple("6312345.67", 8, 2));
    assert_eq!(terms.receive(number("0.5")), Ok(number("3156172.83")));
    // 3156172.83 / 6312345.67 = 0.49999999920..., so the next satoshi is needed.
    assert_eq!(terms.give_for(number("3156172.83")), Ok(Some(number("0.5"))));
    // 0.00000001 BTC is 6.3 kopecks.
    assert_eq!(terms.receive(number("0.00000001")), Ok(number("0.06")));
    assert_eq!(terms.give_for(number("0.07")), Ok(Some(number("0.00000002"))));
}

#[test]
fn fixed_fees_are_taken_before_and_after_the_rate() {
    let terms = terms(TermsParts { give_fee: number("1"), receive_fee: number("50"), ..simple("92.5", 2, 2) });
    // (100 - 1) x 92.5 - 50
    assert_eq!(terms.receive(number("100")), Ok(number("9107.5")));
    assert_eq!(terms.give_for(number("9107.5")), Ok(Some(number("100"))));
    assert_eq!(terms.receive(number("1")), Ok(Decimal::ZERO));
    assert_eq!(terms.receive(number("1.5")), Ok(Decimal::ZERO), "50 eats 46.25");
}

#[test]
fn a_better_tier_is_reached_by_the_reverse_entry() {
    let terms = terms(TermsParts { tiers: vec![tier("0", "90"), tier("1000", "91")], ..simple("90", 2, 2) });
    assert_eq!(terms.receive(number("999.99")), Ok(number("89999.1")));
    assert_eq!(terms.receive(number("1000")), Ok(number("91000")));
    // Between 89999.10 and 91000 nothing can be received: the tier's first amount is the least.
    assert_eq!(terms.give_for(number("90000")), Ok(Some(number("1000"))));
}

#[test]
fn a_worse_tier_does_not_hide_the_lesser_amount() {
    let terms = terms(TermsParts { tiers: vec![tier("100", "8")], ..simple("10", 0, 0) });
    assert_eq!(terms.receive(number("99")), Ok(number("990")));
    assert_eq!(terms.receive(number("100")), Ok(number("800")));
    assert_eq!(terms.give_for(number("900")), Ok(Some(number("90"))));
    assert_eq!(terms.give_for(number("991")), Ok(Some(number("124"))));
}

#[test]
fn sixteen_digits_on_a_large_amount_stay_exact() {
    let terms = terms(simple("1.000000000000001", 8, 8));
    // 123456789012.34567891 x 10^-15 adds 0.00012345...: twelve integer and eight decimal digits.
    assert_eq!(terms.receive(number("123456789012.34567891")), Ok(number("123456789012.34580236")));
}

#[test]
fn inexact_numbers_are_rejected() {
    let terms = terms(simple("2", 8, 8));
    let refused = [
        ("-1", AmountError::Negative),
        ("1000000000000", AmountError::TooBig),
        ("79228162514264337593543950335", AmountError::TooBig),
        ("0.000000001", AmountError::TooPrecise),
    ];
    for (amount, error) in refused {
        assert_eq!(terms.receive(number(amount)), Err(error), "send {amount}");
        assert_eq!(terms.give_for(number(amount)), Err(error), "want {amount}");
    }
    // The answer would be 10^12.
    assert_eq!(terms.receive(number("500000000000")), Err(AmountError::TooBig));
}

#[test]
fn an_unreachable_amount_has_no_result() {
    let tiny = terms(simple("0.000000000001", 2, 2));
    assert_eq!(tiny.give_for(number("0.99")), Ok(Some(number("990000000000"))));
    assert_eq!(tiny.give_for(number("1")), Ok(None));
    let tiniest = terms(simple("0.000000000000000000000001", 8, 8));
    assert_eq!(tiniest.give_for(number("999999999999")), Ok(None));
    assert_eq!(tiniest.give_for(Decimal::ZERO), Ok(Some(Decimal::ZERO)));
}

#[test]
fn terms_out_of_bounds_are_refused() {
    let rate = |text| Terms::new(simple(text, 2, 2)).expect_err("out of bounds");
    assert_eq!(rate("0"), TermsError::Rate(RateError::NotPositive));
    assert_eq!(rate("-1"), TermsError::Rate(RateError::NotPositive));
    assert_eq!(rate("1000000000000"), TermsError::Rate(RateError::TooBig));
    let too_precise = TermsError::Rate(RateError::TooPrecise);
    assert_eq!(rate("1.0000000000000001"), too_precise);
    assert_eq!(rate("0.0000000000000000000000001"), too_precise);
    assert_eq!(Terms::new(simple("1", 9, 2)), Err(TermsError::Digits));
    let unordered = TermsParts { tiers: vec![tier("5", "1"), tier("5", "2")], ..simple("1", 2, 2) };
    assert_eq!(Terms::new(unordered), Err(TermsError::TierOrder));
    let crowded = TermsParts { tiers: (0..33).map(|n| tier(&n.to_string(), "1")).collect(), ..simple("1", 2, 2) };
    assert_eq!(Terms::new(crowded), Err(TermsError::TooManyTiers));
}

#[test]
fn published_tiers_begin_at_zero() {
    let published = |tiers| TermsParts { tiers, ..simple("10", 2, 2) }.tiers_from_zero();
    assert_eq!(published(vec![]), [tier("0", "10")]);
    assert_eq!(published(vec![tier("5", "11")]), [tier("0", "10"), tier("5", "11")]);
    assert_eq!(published(vec![tier("0", "11")]), [tier("0", "11")]);
}

fn range(min: Option<&str>, max: Option<&str>) -> ConfiguredRange {
    ConfiguredRange { min: min.map(number), max: max.map(number), step: None }
}

fn limits(terms: &Terms, from: ConfiguredRange, to: ConfiguredRange, reserve: &str) -> Option<Limits> {
    Limits::effective(terms, &ConfiguredLimits { give: from, receive: to }, Some(number(reserve))).expect("limits within bounds")
}

#[test]
fn missing_limits_come_from_the_other_side_and_the_reserve() {
    let terms = terms(simple("90", 2, 2));
    let limits = limits(&terms, range(Some("10"), None), range(None, None), "100000.5").expect("there is something to exchange");
    assert_eq!(limits.give.min.value, number("10"));
    assert_eq!(limits.give.min.bound, Bound::PairMin);
    assert_eq!(limits.receive.min.value, number("900"));
    assert_eq!(limits.receive.min.bound, Bound::OtherSide);
    // 1111.11 x 90 = 99999.90, and one kopeck more would pass the reserve by 30 kopecks.
    assert_eq!(limits.give.max.value, number("1111.11"));
    assert_eq!(limits.give.max.bound, Bound::Reserve);
    assert_eq!(limits.receive.max.value, number("99999.9"));
    assert_eq!(limits.receive.max.bound, Bound::Reserve);
}

#[test]
fn the_tighter_of_two_limits_holds_and_is_named() {
    let terms = terms(simple("90", 2, 2));
    let limits = limits(&terms, range(Some("10"), Some("500")), range(Some("5000"), Some("1000000")), "100000")
        .expect("there is something to exchange");
    // 5000 / 90 = 55.555..., up to 55.56.
    assert_eq!(limits.give.min.value, number("55.56"));
    assert_eq!(limits.give.min.bound, Bound::OtherSide);
    assert_eq!(limits.receive.min.value, number("5000"));
    assert_eq!(limits.receive.min.bound, Bound::PairMin);
    assert_eq!(limits.give.max.value, number("500"));
    assert_eq!(limits.give.max.bound, Bound::PairMax);
    assert_eq!(limits.receive.max.value, number("45000"));
    assert_eq!(limits.receive.max.bound, Bound::OtherSide);

    assert_eq!(limits.give.check(number("55.56")), Ok(()));
    assert_eq!(limits.give.check(number("55.55")), Err(Breach::BelowMin(limits.give.min)));
    assert_eq!(limits.receive.check(number("45000.01")), Err(Breach::AboveMax(limits.receive.max)));
    assert_eq!(limits.give.clamp(number("1")), number("55.56"));
    assert_eq!(limits.give.clamp(number("600")), number("500"));
}

#[test]
fn a_reserve_below_the_minimum_leaves_nothing() {
    let terms = terms(simple("90", 2, 2));
    let open = range(None, None);
    assert_eq!(limits(&terms, range(Some("10"), None), open, "899.99"), None);
    assert!(limits(&terms, range(Some("10"), None), open, "900").is_some());
    assert_eq!(limits(&terms, open, open, "0"), None);
    assert_eq!(limits(&terms, open, open, "-3"), None);
}

#[test]
fn without_any_limit_the_least_amount_still_brings_something() {
    let terms = terms(simple("0.0004", 2, 2));
    let limits = Limits::effective(&terms, &ConfiguredLimits::default(), None)
        .expect("limits within bounds")
        .expect("there is something to exchange");
    assert_eq!(limits.give.min.value, number("25"));
    assert_eq!(limits.give.min.bound, Bound::Engine);
    assert_eq!(limits.receive.min.value, number("0.01"));
    assert_eq!(limits.give.max.value, number("999999999999.99"));
    assert_eq!(limits.give.max.bound, Bound::Engine);
}

#[test]
fn a_falling_tier_leaves_the_longest_run() {
    let terms = terms(TermsParts { tiers: vec![tier("100", "8")], ..simple("10", 0, 0) });
    // 85..99 bring 850..990; 100..106 bring too little; 107..125 bring 856..1000.
    let limits =
        limits(&terms, range(None, None), range(Some("850"), Some("1000")), "1000000").expect("there is something to exchange");
    assert_eq!(limits.give.min.value, number("107"));
    assert_eq!(limits.give.max.value, number("125"));
    assert_eq!(limits.receive.min.value, number("856"));
    assert_eq!(limits.receive.max.value, number("1000"));
}
