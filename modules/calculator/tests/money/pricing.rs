//! From a market rate to the terms of a pair, and back through the explanation.

use agio_calculator::model::amount::RATE_MAX_SCALE;
use agio_calculator::model::cross::RateGraph;
use agio_calculator::model::engine::{TermsError, Tier};
use agio_calculator::model::explanation::Explanation;
use agio_calculator::model::observation::SOURCE_PRIORITY;
use agio_calculator::model::pricing::{Fee, MarketRate, Pricing, PricingError, TierRule};
use agio_contracts::{Adjustment, ScheduleAdjustment};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use crate::demo_day::demo_day;
use crate::generators::NumberGenerator;

fn number(text: &str) -> Decimal {
    text.parse().expect("a decimal number")
}

fn percent(text: &str) -> Fee {
    Fee { fixed: Decimal::ZERO, percent: number(text) }
}

pub fn manual(rate: &str) -> Pricing {
    Pricing {
        market: MarketRate::Manual(number(rate)),
        spread_percent: Decimal::ZERO,
        adjustments: Vec::new(),
        give_fee: Fee::default(),
        receive_fee: Fee::default(),
        network_fee: None,
        bonus_percent: Decimal::ZERO,
        tiers: Vec::new(),
        give_digits: 8,
        receive_digits: 2,
        give_step: None,
        receive_step: None,
    }
}

fn bitcoin_for_roubles() -> Pricing {
    let graph = RateGraph::new(&demo_day(), &SOURCE_PRIORITY);
    Pricing {
        market: MarketRate::Crossed(graph.cross("BTC", "RUB").expect("a path")),
        spread_percent: number("2"),
        adjustments: Vec::new(),
        give_fee: percent("0.5"),
        tiers: vec![TierRule { min_give: number("1"), add_percent: number("0.3") }],
        ..manual("1")
    }
}

#[test]
fn spread_fee_and_tier_are_included_in_the_rate() {
    let priced = bitcoin_for_roubles().price().expect("terms");
    // 92.5919 / 0.000014374 x 0.98 x 0.995, and x 1.003, cut to twelve digits.
    assert_eq!(priced.terms.parts().rate, number("6281227.33337"));
    let tier = Tier { min_give: number("1"), rate: number("6300071.01537") };
    assert_eq!(priced.terms.parts().tiers, [tier]);
    assert_eq!(priced.terms.receive(number("0.1")), Ok(number("628122.73")));
}

#[test]
fn the_explanation_says_it_in_a_line() {
    let priced = bitcoin_for_roubles().price().expect("terms");
    assert_eq!(
        priced.explanation.to_string(),
        "1 ÷ 0.000014374 (USD/BTC, currency-api 2024-03-28) × 92.5919 (USD/RUB, cbr 2024-03-28) \
         − 2\u{a0}% − 0.5\u{a0}% = 6281227.33337"
    );
    let bonus = Pricing { bonus_percent: number("1.50"), ..manual("90.00") };
    let priced = bonus.price().expect("terms");
    assert_eq!(priced.explanation.to_string(), "90 + 1.5\u{a0}% = 91.35");
}

#[test]
fn an_explanation_is_kept_as_json_and_replays() {
    let explanation = bitcoin_for_roubles().price().expect("terms").explanation;
    let json = serde_json::to_string(&explanation).expect("plain values");
    assert!(json.contains(r#"{"kind":"spread","percent":"2"}"#), "{json}");
    let kept: Explanation = serde_json::from_str(&json).expect("what was written");
    assert_eq!(kept, explanation);
    assert!(kept.replays());

    let mut changed = kept.clone();
    changed.rate += number("0.00001");
    assert!(!changed.replays());
    let mut changed = kept.clone();
    changed.tiers[0].add_percent = number("0.4");
    assert!(!changed.replays());
    let mut changed = kept;
    changed.steps.pop();
    assert!(!changed.replays());
}

#[test]
fn the_same_asset_costs_only_spread_and_fees() {
    let graph = RateGraph::new(&demo_day(), &SOURCE_PRIORITY);
    let pricing = Pricing {
        market: MarketRate::Crossed(graph.cross("USDT", "USDT").expect("the same asset")),
        spread_percent: number("1"),
        adjustments: Vec::new(),
        ..manual("1")
    };
    let priced = pricing.price().expect("terms");
    assert_eq!(priced.terms.parts().rate, number("0.99"));
    assert_eq!(priced.explanation.to_string(), "1 − 1\u{a0}% = 0.99");
    assert!(priced.explanation.replays());
}

#[test]
fn what_can_not_be_priced_is_refused() {
    let refused = |pricing: Pricing| pricing.price().expect_err("no terms");
    assert_eq!(refused(manual("0")), PricingError::NoRate);
    assert_eq!(refused(manual("-1")), PricingError::NoRate);
    assert_eq!(refused(manual("0.0000000000000000000000000001")), PricingError::RateRange);
    assert!(matches!(refused(manual("1000000000000")), PricingError::Terms(TermsError::Rate(_))));
    let mut percents = vec![];
    for wrong in ["100", "-0.01", "1000"] {
        percents.push(Pricing { give_fee: percent(wrong), ..manual("1") });
        percents.push(Pricing { receive_fee: percent(wrong), ..manual("1") });
        percents.push(Pricing { bonus_percent: number(wrong), ..manual("1") });
    }
    for wrong in ["100", "-100", "79228162514264337593543950335"] {
        percents.push(Pricing { spread_percent: number(wrong), ..manual("1") });
        let tiers = vec![TierRule { min_give: Decimal::ONE, add_percent: number(wrong) }];
        percents.push(Pricing { tiers, ..manual("1") });
    }
    // The margin is the spread less the adjustments.
    let added = |percent: &str| Adjustment::Schedule(ScheduleAdjustment { percent: number(percent), hours: String::new() });
    let with = |spread: &str, percent: &str| Pricing {
        spread_percent: number(spread),
        adjustments: vec![added(percent)],
        ..manual("1")
    };
    percents.extend([with("60", "-40"), with("-60", "40"), with("99", "-99")]);
    for pricing in percents {
        assert_eq!(refused(pricing), PricingError::Percent);
    }
    for (spread, percent, rate) in [("60", "40", "0.8"), ("-60", "-40", "1.2"), ("2", "-3", "0.95")] {
        assert_eq!(with(spread, percent).price().expect("terms").terms.parts().rate, number(rate));
    }
    let negative_fee = Pricing { receive_fee: Fee { fixed: number("-1"), percent: Decimal::ZERO }, ..manual("1") };
    assert!(matches!(refused(negative_fee), PricingError::Terms(TermsError::Amount(_))));
}

#[test]
fn the_maximum_bonus_ends_where_the_best_tier_meets_the_market() {
    // 1 / (0.98 x 1.005), kept to two decimals of a percent.
    let tiers = vec![TierRule { min_give: number("5"), add_percent: number("0.5") }];
    let pricing = Pricing { spread_percent: number("2"), tiers, ..manual("90") };
    assert_eq!(pricing.max_bonus_percent(), number("1.53"));
    assert_eq!(
        Pricing { bonus_percent: number("9"), ..pricing }.max_bonus_percent(),
        number("1.53"),
        "a bonus that is inside does not count"
    );
    assert_eq!(manual("90").max_bonus_percent(), Decimal::ZERO);
    assert_eq!(Pricing { spread_percent: number("-1"), ..manual("90") }.max_bonus_percent(), Decimal::ZERO);
    let worse = vec![TierRule { min_give: number("5"), add_percent: number("-10") }];
    assert_eq!(Pricing { spread_percent: number("50"), tiers: worse, ..manual("90") }.max_bonus_percent(), number("100"));
}

#[test]
fn a_capped_bonus_never_pays_more_than_the_market_gives() {
    let mut dice = NumberGenerator::new(11);
    let two_decimals = |dice: &mut NumberGenerator, end| Decimal::new(i64::try_from(dice.below(end)).expect("small"), 2);
    let mut bonus_rate = 0;
    for _ in 0..20_000 {
        let rate = dice.rate(16);
        let mut pricing = Pricing {
            market: MarketRate::Manual(rate),
            spread_percent: two_decimals(&mut dice, 500),
            adjustments: Vec::new(),
            give_fee: Fee { fixed: Decimal::ZERO, percent: two_decimals(&mut dice, 100) },
            receive_fee: Fee { fixed: Decimal::ZERO, percent: two_decimals(&mut dice, 100) },
            tiers: vec![TierRule { min_give: dice.amount(2, 4), add_percent: two_decimals(&mut dice, 100) }],
            ..manual("1")
        };
        pricing.bonus_percent = pricing.max_bonus_percent().min(number("99"));
        let Ok(priced) = pricing.price() else { continue };
        let parts = priced.terms.parts();
        let best = parts.tiers.iter().map(|tier| tier.rate).fold(parts.rate, Decimal::max);
        // Tiers may exceed the market rate without a bonus; a bonus may not cause it.
        if pricing.bonus_percent > Decimal::ZERO {
            bonus_rate += 1;
            assert!(best <= rate, "{best} is above {rate}: {pricing:?}");
            assert!(priced.explanation.replays(), "{pricing:?}");
        }
    }
    assert!(bonus_rate > 10_000, "only {bonus_rate} had a bonus");
}

#[test]
fn every_price_replays_and_is_never_above_the_market() {
    let mut dice = NumberGenerator::new(7);
    let two_decimals = |dice: &mut NumberGenerator, end| Decimal::new(i64::try_from(dice.below(end)).expect("small"), 2);
    for _ in 0..20_000 {
        let rate = dice.rate(16);
        let pricing = Pricing {
            market: MarketRate::Manual(rate),
            spread_percent: two_decimals(&mut dice, 5000),
            adjustments: Vec::new(),
            give_fee: Fee { fixed: Decimal::ZERO, percent: two_decimals(&mut dice, 1000) },
            receive_fee: Fee { fixed: Decimal::ZERO, percent: two_decimals(&mut dice, 1000) },
            ..manual("1")
        };
        let Ok(priced) = pricing.price() else {
            continue;
        };
        assert!(priced.explanation.replays(), "{pricing:?}");
        let customer_rate = priced.terms.parts().rate;
        assert!(customer_rate <= rate, "{customer_rate}: {pricing:?}");

        // The reciprocal, priced the same way, never brings back more than was sent.
        let exact = Ratio::one().over(&Ratio::of(rate).expect("above zero"));
        let Some(back) = exact.round_down(16, RATE_MAX_SCALE) else {
            continue;
        };
        let Ok(back) = (Pricing { market: MarketRate::Manual(back), ..pricing }).price() else {
            continue;
        };
        let give = dice.amount(8, 3);
        let there = priced.terms;
        let Ok(received) = there.receive(give) else {
            continue;
        };
        let Ok(returned) = back.terms.receive(received) else {
            continue;
        };
        assert!(returned <= give, "{give} became {received} and then {returned}");
    }
}
