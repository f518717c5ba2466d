//! Bonuses and money: the page and the server agree, and never exceed the market rate.

use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::fixtures::{
    add_promo, back, claimed, claims, completed, currency, form, number, open, order, pair, promo, quoted, receive, set,
    set_tiers, with_promo,
};

const EMAIL: &str = "ivan@example.com";

async fn price(app: &TestApp, owner: &TestClient, (from, to): (&str, &str), mut change: Value) {
    let market = app.server.calculator.market();
    let pair = market.between(currency(app, from), currency(app, to)).unwrap();
    change["revision"] = pair.pair.revision.into();
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.pair.id), change).await.ok();
}

/// A customer beyond the first tier.
async fn ivan(app: &TestApp, owner: &TestClient, percent: &str) -> TestClient {
    set_tiers(owner, &[("100", percent)]).await;
    let ivan = TestCustomer::registered(app, EMAIL).await.caller;
    let plain = pair(app, &ivan, ("BTC", "SBERRUB"), "").await;
    let id = claimed(&ivan, order(&plain, EMAIL, "0.01")).await;
    completed(&ivan, &app.operator().await, &id).await;
    ivan
}

/// The market value of an amount in the other currency.
fn market_value_of(app: &TestApp, (from, to): (&str, &str), send: &str) -> Decimal {
    let market = app.server.calculator.market();
    let pair = market.between(currency(app, from), currency(app, to)).unwrap();
    pair.market_value(send.parse().unwrap()).unwrap().value()
}

async fn page_and_server_agree_to_the_digit(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    let ivan = ivan(&app, &owner, "0.35").await;
    add_promo(&owner, "SPRING", "0.4", json!({ "perCustomer": 10 })).await;
    let there = ("BTC", "SBERRUB");
    let back = ("SBERRUB", "BTC");
    let fees = json!({ "from": { "fixed": "0.0001", "percent": "0.2" }, "to": { "fixed": "35.5", "percent": "0.3" } });
    let tiers = json!([{ "min": "0.02", "addPercent": "0.15" }, { "min": "0.1", "addPercent": "0.4" }]);
    price(&app, &owner, there, json!({ "spreadPercent": "3.3", "fees": fees, "tiers": tiers })).await;
    let fees = json!({ "from": { "fixed": "99.99", "percent": "0.25" }, "to": { "fixed": "0.00000123", "percent": "0.1" } });
    let tiers = json!([{ "min": "60000", "addPercent": "0.12" }]);
    price(&app, &owner, back, json!({ "spreadPercent": "3.1", "fees": fees, "tiers": tiers })).await;

    for (ends, sends) in [(there, ["0.0100007", "0.02", "0.0512345"]), (back, ["50000.01", "60000", "71234.56"])] {
        let shown = pair(&app, &ivan, ends, "SPRING").await;
        assert_eq!((&shown["bonus"], &shown["bonusCut"]), (&json!("0.75"), &Value::Null), "{shown}");
        for (place, send) in sends.into_iter().enumerate() {
            let ask = if place % 2 == 0 { quoted(&shown, EMAIL, send) } else { order(&shown, EMAIL, send) };
            let created = form(&ivan, &claimed(&ivan, with_promo(ask, "SPRING")).await).await;
            let (got, computed) = (number(&created["to"]["amount"]), receive(&shown, send));
            assert_eq!(got, computed, "{ends:?} {send}");
            assert!(got <= market_value_of(&app, ends, send), "{ends:?} {send}");
            assert_eq!((&created["bonus"], &created["promo"]), (&json!("0.75"), &json!("SPRING")));
        }
        // One digit more is rejected.
        let mut greedy = with_promo(quoted(&shown, EMAIL, sends[0]), "SPRING");
        let digits = u32::try_from(shown["to"]["roundCalculator"].as_u64().unwrap()).unwrap();
        greedy["toSumma"] = (receive(&shown, sends[0]) + Decimal::new(2, digits)).to_string().into();
        claims(&ivan, greedy).await.refused(409, "rate_changed");
    }
    app.assert_ledger_is_clean().await;
}

async fn a_bonus_is_capped_at_the_market_unless_allowed(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    let ivan = ivan(&app, &owner, "1.5").await;
    add_promo(&owner, "SPRING", "2", json!({ "perCustomer": 10 })).await;
    let ends = ("BTC", "SBERRUB");
    price(&app, &owner, ends, json!({ "spreadPercent": "2", "tiers": [{ "min": "0.05", "addPercent": "0.5" }] })).await;
    let shown = pair(&app, &ivan, ends, "SPRING").await;
    // 1 / (0.98 x 1.005), kept to two decimals of a percent.
    assert_eq!(
        (&shown["bonus"], &shown["bonusCut"]["bound"], &shown["bonusCut"]["asked"]),
        (&json!("1.53"), &json!("market"), &json!("3.5"))
    );
    for send in ["0.02", "0.05", "0.1"] {
        assert!(receive(&shown, send) <= market_value_of(&app, ends, send), "{send}");
    }
    let created = form(&ivan, &claimed(&ivan, with_promo(quoted(&shown, EMAIL, "0.06"), "SPRING")).await).await;
    assert_eq!(number(&created["to"]["amount"]), receive(&shown, "0.06"));
    assert_eq!(promo(&owner, "SPRING").await["uses"], 1, "it added 0.03 percent");

    // Where the tier alone reaches the cap, the code adds nothing and is not redeemed.
    price(&app, &owner, ends, json!({ "spreadPercent": "1" })).await;
    let tight = pair(&app, &ivan, ends, "SPRING").await;
    assert_eq!(
        (&tight["bonus"], &tight["promo"]["ok"], &tight["promo"]["reason"]),
        (&json!("0.5"), &json!(false), &json!("promo_adds_nothing"))
    );
    let created = form(&ivan, &claimed(&ivan, with_promo(quoted(&tight, EMAIL, "0.07"), "SPRING")).await).await;
    assert_eq!(
        (&created["promo"], &created["bonus"], number(&created["to"]["amount"])),
        (&Value::Null, &json!("0.5"), receive(&tight, "0.07"))
    );
    assert_eq!(promo(&owner, "SPRING").await["uses"], 1);

    set(&owner, "discounts.above_market", "true").await;
    let open = pair(&app, &ivan, ends, "SPRING").await;
    assert_eq!((&open["bonus"], &open["bonusCut"]), (&json!("3.5"), &Value::Null));
    assert!(receive(&open, "0.05") > market_value_of(&app, ends, "0.05"));
    set(&owner, "discounts.most_percent", "3").await;
    let capped = pair(&app, &ivan, ends, "SPRING").await;
    assert_eq!((&capped["bonus"], &capped["bonusCut"]["bound"]), (&json!("3"), &json!("most")));
    set(&owner, "discounts.most_percent", "0").await;
    assert_eq!(pair(&app, &ivan, ends, "SPRING").await["bonus"], "0", "bonuses are off");
}

async fn an_expired_claim_is_offered_new_terms_with_its_bonus(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    let ivan = ivan(&app, &owner, "0.5").await;
    let ends = ("BTC", "SBERRUB");
    let shown = pair(&app, &ivan, ends, "").await;
    let id = claimed(&ivan, quoted(&shown, EMAIL, "0.02")).await;
    set(&owner, "claims.confirm_minutes", "600").await;
    let patient = claimed(&ivan, quoted(&shown, EMAIL, "0.03")).await;
    // The tiers are removed: new quotes get nothing, claims keep their half percent.
    set_tiers(&owner, &[]).await;
    price(&app, &owner, ends, json!({ "spreadPercent": "3" })).await;
    let plain = pair(&app, &ivan, ends, "").await;
    assert_eq!(plain["bonus"], "0");
    assert_eq!(number(&form(&ivan, &id).await["to"]["amount"]), receive(&shown, "0.02"));
    app.advance_clock(std::time::Duration::from_secs(31 * 60));
    let ivan = back(&app, EMAIL).await;
    let path = format!("/api/v1/claim/{patient}/confirm/");
    let rate_shown = ivan.post_empty(&path).await.refused(409, "rate_changed");
    assert!(number(&rate_shown["params"]["toSumma"]) > receive(&plain, "0.03"), "{rate_shown}");
    ivan.post_empty(&path).await.ok();
    let renewed = form(&ivan, &patient).await;
    assert_eq!((&renewed["bonus"], &renewed["to"]["amount"]), (&json!("0.5"), &rate_shown["params"]["toSumma"]));
}

both_engines!(
    page_and_server_agree_to_the_digit,
    a_bonus_is_capped_at_the_market_unless_allowed,
    an_expired_claim_is_offered_new_terms_with_its_bonus,
);
