//! Quote signing keys.

use std::time::Duration;

use agio_calculator::market::BonusRate;
use agio_calculator::model::engine::{Terms, TermsParts};
use agio_contracts::Bonus;
use agio_core::identity::Role;
use agio_core::{Timestamp, fetch_all};
use agio_test_app::{Engine, TestApp, TestResponse, both_engines};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::{about, number};

/// Verifies a quote with the published key and format only.
async fn anyone_can_verify_a_quote(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let published = visitor.get("/.well-known/agio-quote-key.json").await.ok();
    assert_eq!(published["algorithm"], "Ed25519");
    let key: [u8; 32] = STANDARD.decode(published["publicKey"].as_str().unwrap()).unwrap().try_into().unwrap();
    let key = VerifyingKey::from_bytes(&key).unwrap();

    let pair = visitor.get(&about(&app, "pair", "BTC", "SBERRUB").await).await.ok();
    let (content, signature) = pair["quote"]["id"].as_str().unwrap().split_once('.').unwrap();
    assert_eq!(pair["quote"]["signature"], signature);
    let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
    key.verify_strict(format!("agio-quote-v1.{content}").as_bytes(), &signature).unwrap();

    let promised: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(content).unwrap()).unwrap();
    assert_eq!(promised["from"]["code"], "BTC");
    assert_eq!(promised["course"], pair["course"]);
}

const KEYS: &str = "/api/admin/v1/quote-keys";

/// Creates a BTC/SBERRUB claim with a quote.
async fn claims(app: &TestApp, quote: &str, send: &str, receive: &str) -> TestResponse {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let order = json!({
        "email": "ivan@example.com", "fromPs": id("BTC"), "toPs": id("SBERRUB"), "fromSumma": send, "toSumma": receive,
        "quoteId": quote, "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    });
    app.visitor().post("/api/v1/claim/", order).await
}

async fn a_key_is_sealed_and_replaced_and_known_until_its_quotes_end(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, owner) = (app.visitor(), app.owner().await);
    let published = async || visitor.get("/.well-known/agio-quote-key.json").await.ok();
    let pair = about(&app, "pair", "BTC", "SBERRUB").await;
    let signed_by = async || {
        let (quote, keys) = (visitor.get(&pair).await.ok()["quote"]["id"].as_str().unwrap().to_owned(), published().await);
        let (content, signature) = quote.split_once('.').unwrap();
        let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
        let fits = |key: &&Value| {
            let bytes: [u8; 32] = STANDARD.decode(key["publicKey"].as_str().unwrap()).unwrap().try_into().unwrap();
            let key = VerifyingKey::from_bytes(&bytes).unwrap();
            key.verify_strict(format!("agio-quote-v1.{content}").as_bytes(), &signature).is_ok()
        };
        let found = keys["keys"].as_array().unwrap().iter().find(fits).expect("a published key fits")["publicKey"].clone();
        (quote, found)
    };
    let first = published().await;
    assert_eq!((first["keys"].as_array().unwrap().len(), &first["keys"][0]["publicKey"]), (1, &first["publicKey"]));

    // The stored key is encrypted and bound to its identifier.
    let (vault, db) = (&app.server.platform.vault, &app.server.platform.db);
    let stored = fetch_all!(&mut db.read().await.unwrap(), (String, String), "SELECT id, sealed FROM quote_signing_key").unwrap();
    let [(id, sealed)] = &stored[..] else { panic!("{} keys", stored.len()) };
    let secret = vault.open(&format!("quote key {id}"), sealed).unwrap();
    let public = ed25519_dalek::SigningKey::from_bytes(&secret.try_into().unwrap()).verifying_key().to_bytes();
    assert_eq!(STANDARD.encode(public), first["publicKey"].as_str().unwrap());

    let (old_quote, old) = signed_by().await;
    assert_eq!(old, first["publicKey"]);
    let unconfirmed = app.staff_named("unconfirmed", Role::Owner).await;
    unconfirmed.post_empty(&format!("{KEYS}/rotate")).await.refused(403, "fresh_second_factor_needed");
    let keys = owner.post_empty(&format!("{KEYS}/rotate")).await.ok();
    assert_eq!(keys.as_array().unwrap().len(), 2);
    let again = owner.post_empty(&format!("{KEYS}/rotate")).await.ok();
    assert_eq!(again, keys, "one new key at a time");
    assert_eq!(published().await["publicKey"], old, "it is published before it signs");
    app.advance_and_run_jobs(Duration::from_secs(31)).await;
    let (_, new) = signed_by().await;
    assert_eq!((&new, &published().await["publicKey"]), (&keys[0]["publicKey"], &keys[0]["publicKey"]));
    assert_ne!(new, old);
    // Another node knows both keys, and the earlier quote is still valid.
    let other = app.another_node().await;
    assert_eq!(other.visitor().get("/.well-known/agio-quote-key.json").await.ok(), published().await);
    let shown = visitor.get(&pair).await.ok();
    let receive =
        (number(&shown["course"]) * Decimal::new(15, 3)).round_dp_with_strategy(2, rust_decimal::RoundingStrategy::ToZero);
    claims(&app, &old_quote, "0.015", &receive.to_string()).await.ok();

    app.advance_and_run_jobs(Duration::from_secs(16 * 60)).await;
    assert_eq!(published().await["keys"].as_array().unwrap().len(), 1, "the old one is known no longer");
    let refused = claims(&app, &old_quote, "0.015", &receive.to_string()).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["quoteId"][0]["code"], "quote_invalid");

    // Automatically after the configured days.
    app.advance_and_run_jobs(Duration::from_secs(31 * 24 * 60 * 60)).await;
    app.advance_and_run_jobs(Duration::from_secs(60)).await;
    assert_ne!(published().await["publicKey"], new);
    app.assert_audit_chain_is_intact().await;
}

/// A quote of BTC to SBERRUB at a multiple of its rate, for another fee and bonus, and what 0.015 BTC bring by it.
fn signed_quote(app: &TestApp, (times, fee, percent): (&str, &str, &str), issued_at: Timestamp) -> (String, String) {
    let calculator = &app.server.calculator;
    let market = calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = market.between(id("BTC"), id("SBERRUB")).unwrap();
    let plain = pair.bonus_rate(&market.rates, &Bonus::default()).unwrap();
    let mut rate = plain.rate.clone().into_owned();
    let parts = rate.terms.parts().clone();
    let rate_near_bound = (parts.rate * times.parse::<Decimal>().unwrap()).round_sf(12).unwrap().normalize();
    rate.terms =
        Terms::new(TermsParts { rate: rate_near_bound, tiers: Vec::new(), receive_fee: fee.parse().unwrap(), ..parts }).unwrap();
    let receive = rate.terms.receive("0.015".parse().unwrap()).unwrap();
    let bonus_rate = BonusRate { rate: std::borrow::Cow::Owned(rate), percent: percent.parse().unwrap(), ..plain };
    let expires_at = issued_at.plus(Duration::from_secs(60));
    (calculator.sign_quote(&market, pair, &bonus_rate, None, issued_at, expires_at).token(), receive.to_string())
}

/// A stolen key alone does not allow arbitrary rates.
async fn a_quote_far_from_the_present_rate_is_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = market.between(id("BTC"), id("SBERRUB")).unwrap();
    let signed = |times, fee, percent| signed_quote(&app, (times, fee, percent), app.now());
    for (times, fee, percent) in [("10", "0", "0"), ("1.2", "0", "0"), ("0.8", "0", "0"), ("10", "0", "90"), ("1", "20000", "0")]
    {
        let (quote, receive) = signed(times, fee, percent);
        let refused = claims(&app, &quote, "0.015", &receive).await.refused(409, "rate_changed");
        let present = pair.rate.as_ref().unwrap().terms.receive("0.015".parse().unwrap()).unwrap();
        assert_eq!(number(&refused["params"]["toSumma"]), present, "{refused}");
    }
    let (quote, receive) = signed("1.05", "0", "0");
    let claim = claims(&app, &quote, "0.015", &receive).await.ok();
    assert!(claim["id"].is_string(), "a promise holds while the rate moves within its bound");
    // The pair's limit overrides the global one.
    let owner = app.owner().await;
    let rules = json!({ "revision": 0, "rules": { "jumpPercent": "2" } });
    owner.put(&format!("/api/admin/v1/rates/pairs/{}", pair.pair.id), rules).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(10)).await;
    let (quote, receive) = signed("1.05", "0", "0");
    claims(&app, &quote, "0.015", &receive).await.refused(409, "rate_changed");
}

/// After a clock that ran ahead was set back, its quotes would hold until it has caught up.
async fn a_quote_of_a_clock_that_ran_ahead_promises_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let quoted_in = |seconds| signed_quote(&app, ("1.05", "0", "0"), app.now().plus(Duration::from_secs(seconds)));
    let (quote, receive) = quoted_in(60 * 60);
    claims(&app, &quote, "0.015", &receive).await.refused(409, "rate_changed");
    let (quote, receive) = quoted_in(5);
    let claim = claims(&app, &quote, "0.015", &receive).await.ok();
    assert!(claim["id"].is_string(), "the clocks of two nodes differ a little");
}

both_engines!(
    anyone_can_verify_a_quote,
    a_key_is_sealed_and_replaced_and_known_until_its_quotes_end,
    a_quote_far_from_the_present_rate_is_rejected,
    a_quote_of_a_clock_that_ran_ahead_promises_nothing,
);
