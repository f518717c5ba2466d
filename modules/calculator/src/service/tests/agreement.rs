use ed25519_dalek::SigningKey;

use super::*;
use crate::market::PairChange;
use crate::model::quote::QuoteCurrency;

fn code(outcome: Result<AgreedQuote, Error>) -> &'static str {
    outcome.expect_err("refused").code()
}

#[test]
fn a_customer_gets_what_the_calculator_shows() {
    let market = market();
    let pair = between(&market, "BTC", "SBERRUB");
    let agreed = agreed(pair, &request(pair, "0.015", Some("94498.62")), None, PLENTY).unwrap();
    assert_eq!(agreed.give.units(), 1_500_000);
    assert_eq!(agreed.receive.to_string(), "94498.62");
    assert_eq!(agreed.market_value.to_string(), "96624.35", "worth is before the spread");
    assert_eq!(agreed.hold_minutes, 30);
    assert!(!agreed.floating);
}

#[test]
fn a_changed_rate_is_reported_before_the_claim() {
    let market = market();
    let pair = between(&market, "BTC", "SBERRUB");
    let a_kopeck_off = request(pair, "0.015", Some("94498.63"));
    assert_eq!(agreed(pair, &a_kopeck_off, None, PLENTY).unwrap().receive.to_string(), "94498.62");

    let refused = agreed(pair, &request(pair, "0.015", Some("94498.64")), None, PLENTY).unwrap_err();
    assert_eq!((refused.kind().status(), refused.code()), (409, "rate_changed"));
    assert_eq!(refused.params()["toSumma"], "94498.62");
    assert_eq!(refused.params()["fromSumma"], "0.015");
    assert_eq!(refused.params()["course"], "6299908.04229");
}

#[test]
fn a_bigger_amount_gets_its_tier() {
    let market = market();
    let pair = between(&market, "BTC", "SBERRUB");
    let small = agreed(pair, &request(pair, "0.09999999", None), None, PLENTY).unwrap();
    let big = agreed(pair, &request(pair, "0.1", None), None, PLENTY).unwrap();
    assert!(big.rate > small.rate);
}

#[test]
fn amounts_out_of_bounds_are_refused_with_the_bound() {
    let market = market();
    let pair = between(&market, "BTC", "SBERRUB");
    let little = agreed(pair, &request(pair, "0.00049999", None), None, PLENTY).unwrap_err();
    assert_eq!(little.code(), "amount_below_min");
    assert_eq!((little.params()["min"].as_str(), little.params()["currency"].as_str()), ("0.0005", "BTC"));
    assert_eq!(little.fields()[0].field, "fromSumma");

    let much = agreed(pair, &request(pair, "0.6", None), None, PLENTY).unwrap_err();
    assert_eq!((much.code(), much.params()["bound"].as_str()), ("amount_above_max", "other_side"));

    let more_than_we_have = agreed(pair, &request(pair, "0.015", None), None, 9_000_000).unwrap_err();
    assert_eq!((more_than_we_have.code(), more_than_we_have.params()["bound"].as_str()), ("amount_above_max", "reserve"));
    let max = more_than_we_have.params()["max"].clone();
    assert!(agreed(pair, &request(pair, &max, None), None, 9_000_000).is_ok(), "the maximum itself is allowed");
    for nothing in ["0", "-1", "-0.015"] {
        assert_eq!(code(agreed(pair, &request(pair, nothing, None), None, PLENTY)), "amount_below_min");
    }
    assert_eq!(code(agreed(pair, &request(pair, "79228162514264337593543950335", None), None, PLENTY)), "amount_above_max");
}

#[test]
fn digits_nobody_can_send_are_refused_not_rounded() {
    let market = market();
    let pair = between(&market, "USDTTRC20", "SBERRUB");
    let refused = agreed(pair, &request(pair, "100.001", None), None, PLENTY).unwrap_err();
    assert_eq!((refused.code(), refused.fields()[0].code), ("validation_failed", "too_many_digits"));
    assert!(agreed(pair, &request(pair, "100.010", None), None, PLENTY).is_ok(), "zeros at the end are no digits");
}

#[test]
fn a_quote_holds_while_the_market_moves() {
    let market = market();
    let pair = between(&market, "BTC", "SBERRUB");
    let quote = Quote {
        from: QuoteCurrency { id: pair.pair.give_id, code: "BTC".into() },
        to: QuoteCurrency { id: pair.pair.receive_id, code: "SBERRUB".into() },
        terms: pair.rate.as_ref().unwrap().terms.clone(),
        bonus_percent: Decimal::ZERO,
        issued_at: 0,
        expires_at: 60_000_000,
        rates_version: 1,
        explanation: Some(pair.rate.as_ref().unwrap().explanation.public_view()),
        bonus_for: None,
    };
    let key = SigningKey::from_bytes(&[7; 32]);
    let quote = Quote::verify(&quote.sign(&key).token(), &key.verifying_key(), 59_999_999).unwrap();

    let change = PairChange { spread_percent: Some(number("5")), ..PairChange::default() };
    let dearer = MarketPair::price(
        pair.pair.changed(change, &pair.give, &pair.receive).unwrap(),
        &pair.give,
        &pair.receive,
        &market.rates,
        None,
    );
    let shown = request(&dearer, "0.015", Some("94498.62"));
    assert_eq!(code(agreed(&dearer, &shown, None, PLENTY)), "rate_changed");
    let stored = agreed(&dearer, &shown, Some(&quote), PLENTY).unwrap();
    assert_eq!(stored.receive.to_string(), "94498.62");
    let stored: serde_json::Value = serde_json::from_str(&stored.terms).unwrap();
    let steps: crate::model::explanation::Explanation = serde_json::from_value(stored["steps"].clone()).unwrap();
    assert_eq!(steps.recomputed(), Some(quote.terms.parts().rate), "the claim keeps how the promised rate was made, not today's");
}

#[test]
fn a_disabled_pair_rejects_quotes_too() {
    let market = market();
    let pair = between(&market, "DOGE", "SBPRUB");
    assert_eq!(code(agreed(pair, &request(pair, "1000", None), None, PLENTY)), "pair_unavailable");
}

#[test]
fn claim_terms_explain_the_rate() {
    let market = market();
    let pair = between(&market, "TRX", "SBPRUB");
    let agreed = agreed(pair, &request(pair, "1000", None), None, PLENTY).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&agreed.terms).unwrap();
    assert_eq!(stored["fees"]["receive"], serde_json::json!({ "fixed": "30", "percent": "0.3" }));
    assert_eq!(stored["ratesOf"], "2024-03-28");
    assert!(stored["explanation"]["ru"].as_str().unwrap().contains("Банк России"), "{stored}");
    let steps: crate::model::explanation::Explanation = serde_json::from_value(stored["steps"].clone()).unwrap();
    assert!(steps.replays());
}
