//! The network fee of payouts: who bears it, and what customers see of it.

use std::time::Duration;

use agio_contracts::{NetworkFee, NetworkFeePayer, PartnerOffers as _, QuotedSide};
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::{about, currency, listed_pair, number};

const ADMIN: &str = "/api/admin/v1";

/// Roubles for tethers at a rate of 0.0105 and a fixed fee of 2.
async fn set_pair(app: &TestApp, owner: &TestClient, payer: &str) {
    let pair = listed_pair(app, owner, "SBERRUB", "USDTTRC20").await;
    let fee = |fixed| json!({ "fixed": fixed, "percent": "0" });
    let change = json!({
        "revision": pair["revision"], "source": "manual", "manualRate": "0.0105", "spreadPercent": "0", "tiers": [],
        "fees": { "from": fee("0"), "to": fee("2") }, "networkFeePayer": payer,
    });
    let changed = owner.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await.ok();
    assert_eq!(changed["networkFeePayer"], payer);
    assert_eq!(changed["fees"]["to"]["fixed"], "2", "the settings keep both apart");
}

async fn set_network_fee(app: &TestApp, owner: &TestClient, code: &str, fee: &str) {
    let path = format!("{ADMIN}/currencies/{}", currency(app, code).await);
    assert_eq!(owner.patch(&path, json!({ "networkFee": fee })).await.ok()["networkFee"], fee);
}

fn fees(to: &str, network: Value) -> Value {
    json!({ "from": { "fixed": "0", "percent": "0" }, "to": { "fixed": to, "percent": "0" }, "network": network })
}

async fn the_payer_decides_what_is_received(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    let (pair, course) = (about(&app, "pair", "SBERRUB", "USDTTRC20").await, about(&app, "course", "SBERRUB", "USDTTRC20").await);
    let received = async || number(&visitor.get(&format!("{course}?fromSumma=20000")).await.ok()["toSumma"]);

    set_pair(&app, &owner, "customer").await;
    assert_eq!(visitor.get(&pair).await.ok()["fees"], fees("2", Value::Null), "payouts cost nothing");
    assert_eq!(received().await, Decimal::from(208));

    set_network_fee(&app, &owner, "SBERRUB", "7").await;
    set_network_fee(&app, &owner, "USDTTRC20", "1.25").await;
    let shown = visitor.get(&pair).await.ok();
    assert_eq!(shown["fees"], fees("3.25", json!({ "payer": "customer", "amount": "1.25" })));
    assert_eq!(received().await, Decimal::new(20_675, 2));
    for end in ["min", "max"] {
        let rate = visitor.get(&format!("{course}?fromSumma={}", shown["from"][end].as_str().unwrap())).await.ok();
        assert_eq!((&rate["toSumma"], &rate["fees"]), (&shown["to"][end], &shown["fees"]), "{end}");
    }

    set_pair(&app, &owner, "exchange").await;
    assert_eq!(visitor.get(&pair).await.ok()["fees"], fees("2", json!({ "payer": "exchange", "amount": "0" })));
    assert_eq!(received().await, Decimal::from(208));
}

async fn either_side_of_a_quote_and_its_claim_have_the_fee_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    set_network_fee(&app, &owner, "SBERRUB", "7").await;
    set_network_fee(&app, &owner, "USDTTRC20", "1.25").await;
    set_pair(&app, &owner, "customer").await;
    let (give, receive) = (currency(&app, "SBERRUB").await, currency(&app, "USDTTRC20").await);

    let (given, wanted) = (Decimal::from(20_000), Decimal::new(20_675, 2));
    for side in [QuotedSide::Give(given), QuotedSide::Receive(wanted)] {
        let quote = app.server.calculator.quote(give, receive, side, Duration::ZERO).unwrap();
        assert_eq!((quote.give, quote.receive), (given, wanted), "{side:?}");
        assert_eq!(quote.pair.fees, (Decimal::ZERO, Decimal::new(325, 2)));
        let network = NetworkFee { payer: NetworkFeePayer::Customer, amount: Decimal::new(125, 2) };
        assert_eq!(quote.pair.network_fee, Some(network));
    }

    let shown = visitor.get(&about(&app, "pair", "SBERRUB", "USDTTRC20").await).await.ok();
    // A quote keeps its terms.
    set_network_fee(&app, &owner, "USDTTRC20", "1.26").await;
    let claim = json!({
        "email": "anna@mail.example", "fromPs": give, "toPs": receive, "fromSumma": "20000", "toSumma": "206.75",
        "fromRequisites": { "holder": "IVAN PETROV" }, "toRequisites": { "address": "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW" },
        "quoteId": shown["quote"]["id"], "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let claim = visitor.post("/api/v1/claim/", claim).await.ok();
    let form = visitor.get(&format!("/api/v1/claim/{}/form/", claim["id"].as_str().unwrap())).await.ok();
    assert_eq!((&form["to"]["amount"], &form["fees"]), (&json!("206.75"), &shown["fees"]));
    app.assert_ledger_is_clean().await;
}

async fn several_pairs_get_a_payer_at_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let ids = [listed_pair(&app, &owner, "BTC", "ETH").await, listed_pair(&app, &owner, "ETH", "BTC").await];
    let ids = ids.map(|pair| pair["id"].clone());
    let change = json!({ "ids": ids, "set": { "networkFeePayer": "customer" }, "dryRun": false });
    assert_eq!(owner.post(&format!("{ADMIN}/pairs/bulk"), change).await.ok()["changed"], 2);
    assert_eq!(listed_pair(&app, &owner, "ETH", "BTC").await["networkFeePayer"], "customer");
    let wrong = json!({ "ids": ids, "set": { "networkFeePayer": "bank" }, "dryRun": true });
    owner.post(&format!("{ADMIN}/pairs/bulk"), wrong).await.refused(400, "malformed_body");
}

both_engines!(
    the_payer_decides_what_is_received,
    either_side_of_a_quote_and_its_claim_have_the_fee_once,
    several_pairs_get_a_payer_at_once,
);
