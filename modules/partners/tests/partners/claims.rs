//! Quotes and claims.

use std::time::Duration;

use agio_claims::model::Action;
use agio_test_app::{Engine, both_engines};
use serde_json::json;

use crate::fixtures::{Partner, WAY, app, operator_does, unique};

both_engines!(
    a_claim_from_quote_to_completion,
    claim_creation_is_idempotent,
    errors_name_the_fields,
    partners_see_only_their_own_claims,
    partners_are_limited_only_by_the_reserve,
    unpaid_claims_count_for_each_partner,
    an_arbitrage_direction_is_not_quoted
);

const QUOTES: &str = "/api/partner/v1/quotes/";
const CLAIMS: &str = "/api/partner/v1/claims/";

async fn a_claim_from_quote_to_completion(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let currencies = partner.get("/en/api/partner/v1/currencies/").await.ok();
    let sber = currencies.as_array().unwrap().iter().find(|currency| currency["code"] == "SBERRUB").unwrap();
    assert!(sber["receiveInputs"].as_array().unwrap().iter().any(|input| input["name"] == "card"));
    let pairs = partner.get("/api/partner/v1/pairs/?from=BTC&to=SBERRUB").await.ok();
    assert_eq!(pairs.as_array().unwrap().len(), 1);

    // By the amount received.
    let request = json!({ "from": "btc", "to": "sberrub", "toSumma": "100000" });
    let reverse = partner.post(QUOTES, &request).await.ok();
    let direct = partner.post(QUOTES, &json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": reverse["fromSumma"] })).await.ok();
    assert_eq!(direct["toSumma"], reverse["toSumma"]);
    let type_of = reverse["rateType"].as_str().unwrap();
    let other = if type_of == "fixed" { "floating" } else { "fixed" };
    let mut wrong = request.clone();
    wrong["rateType"] = other.into();
    partner.post(QUOTES, &wrong).await.refused(422, "validation_failed");

    let claim = partner.claim("0.015", "order-1").await;
    let path = format!("{CLAIMS}{}/", claim["id"].as_str().unwrap());
    assert_eq!(
        (&claim["status"], &claim["state"], &claim["isFinal"]),
        (&json!("waiting"), &json!("awaiting_payment"), &json!(false))
    );
    assert!(claim["payment"]["uri"].as_str().unwrap().starts_with("bitcoin:"));
    assert_eq!(claim["actions"], json!(["paid", "cancel"]));
    let admin_path = format!("/api/admin/v1/claims/{}", claim["id"].as_str().unwrap());
    let shown = app.operator().await.get(&admin_path).await.ok();
    assert_eq!((&shown["partnerId"], &shown["partnerReference"]), (&json!(partner.partner), &json!("order-1")));
    let paid = partner.post_empty(&format!("{path}paid/")).await.ok();
    assert_eq!((&paid["status"], &paid["state"]), (&json!("confirming"), &json!("payment_claimed")));
    partner.post_empty(&format!("{path}paid/")).await.ok();
    partner.post_empty(&format!("{path}cancel/")).await.refused(409, "transition_not_allowed");
    for action in WAY {
        operator_does(&app, claim["id"].as_str().unwrap(), action).await;
    }
    let done = partner.get(&path).await.ok();
    assert_eq!((&done["status"], &done["isFinal"]), (&json!("finished"), &json!(true)));
    assert!(done["txOut"]["id"].is_string() && done["payment"].is_null());
    let whole = app.owner().await.get(&format!("/api/admin/v1/partners/{}", partner.partner)).await.ok();
    assert_eq!(whole["turnover"][0]["completed"], 1);
    assert_eq!(whole["turnover"][0]["sent"], "0.015");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn partners_are_limited_only_by_the_reserve(engine: Engine) {
    let app = app(engine).await;
    let (partner, owner) = (Partner::of(&app, "").await, app.owner().await);
    owner.put("/api/admin/v1/settings", json!({ "claims.unproven_share_percent": "1" })).await.ok();
    let roubles = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let spare = app.server.ledger.reserves().available(roubles).units / 100 - 300_000;
    let out = json!({ "amount": format!("-{spare}"), "reason": "withdrawal", "note": "to a cold place" });
    owner.post(&format!("/api/admin/v1/reserves/{roubles}/movements"), out).await.ok();
    assert_eq!(partner.claim("0.015", "order-1").await["state"], "awaiting_payment");
}

/// All requests of a partner come from its servers, so limits count per partner, not per address.
async fn unpaid_claims_count_for_each_partner(engine: Engine) {
    let app = app(engine).await;
    let (one, other) = (Partner::of(&app, "").await, Partner::of(&app, "").await);
    let set = json!({ "claims.unpaid_per_partner": "1", "claims.unpaid_per_address": "1" });
    app.owner().await.put("/api/admin/v1/settings", set).await.ok();
    one.claim("0.015", "order-1").await;
    let order = one.order("0.016", "order-2").await;
    one.post_idempotent("/api/partner/v1/claims/", &unique(), &order).await.refused(409, "too_many_open_claims");
    other.claim("0.015", "order-1").await;
}

async fn claim_creation_is_idempotent(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let order = partner.order("0.015", "order-1").await;
    let key = unique();
    let parallel = (0..8).map(|_| {
        let (partner, order, key) = (partner.clone(), order.clone(), key.clone());
        tokio::spawn(async move { partner.post_idempotent(CLAIMS, &key, &order).await.ok()["id"].clone() })
    });
    let mut ids = Vec::new();
    for call in parallel.collect::<Vec<_>>() {
        ids.push(call.await.unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    // A repeated request returns the current claim, even after the quote has expired.
    app.advance_clock(Duration::from_secs(120));
    let mut later = partner.clone();
    later.sync_clock(&app);
    assert_eq!(later.post_idempotent(CLAIMS, &key, &order).await.ok()["id"], ids[0]);
    let mut other = order.clone();
    other["email"] = "petr@example.com".into();
    later.post_idempotent(CLAIMS, &key, &other).await.refused(422, "idempotency_mismatch");
    later.post_idempotent(CLAIMS, &unique(), &order).await.refused(409, "reference_taken");
    later.post(CLAIMS, &order).await.refused(422, "idempotency_key_needed");
    assert_eq!(later.get(&format!("{CLAIMS}?reference=order-1")).await.ok()["items"][0]["id"], ids[0]);
    assert_eq!(later.get(CLAIMS).await.ok()["total"], 1);
    // The same idempotency key of another partner is independent.
    let other_partner = Partner::of(&app, "").await;
    let theirs = other_partner.order("0.016", "order-1").await;
    assert_ne!(other_partner.post_idempotent(CLAIMS, &key, &theirs).await.ok()["id"], ids[0]);
    app.assert_ledger_is_clean().await;
}

async fn errors_name_the_fields(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let refused =
        async |request: serde_json::Value, status: u16, code: &str| partner.post(QUOTES, &request).await.refused(status, code);
    refused(json!({ "from": "NOPE", "to": "SBERRUB", "fromSumma": "1" }), 404, "currency_unknown").await;
    refused(json!({ "from": "BTC", "to": "BTC", "fromSumma": "1" }), 404, "pair_unavailable").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB" }), 422, "validation_failed").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "1", "toSumma": "1" }), 422, "validation_failed").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.00000001" }), 422, "amount_below_min").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "-1" }), 422, "amount_below_min").await;
    let min = refused(json!({ "from": "BTC", "to": "SBERRUB", "toSumma": "0.01" }), 422, "amount_below_min").await;
    assert!(min["errors"]["toSumma"][0]["params"]["min"].is_string());
    refused(json!({ "from": "BTC", "to": "SBERRUB", "toSumma": "99999999999" }), 422, "amount_above_max").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "1", "more": 1 }), 400, "malformed_body").await;
    let order = partner.order("0.015", "order-1").await;
    let wrong = async |field: &str, value: serde_json::Value, status: u16, code: &str| {
        let mut order = order.clone();
        order[field] = value;
        partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(status, code)
    };
    wrong("callbackUrl", json!("file:///etc/passwd"), 422, "validation_failed").await;
    wrong("reference", json!("имя"), 422, "validation_failed").await;
    wrong("reference", json!("x".repeat(65)), 422, "validation_failed").await;
    wrong("email", json!("nobody"), 422, "validation_failed").await;
    wrong("toRequisites", json!({ "card": "1" }), 422, "validation_failed").await;
    wrong("toSumma", json!("1"), 409, "rate_changed").await;
    wrong("quoteId", json!("forged"), 422, "validation_failed").await;
    partner.get(&format!("{CLAIMS}?page=0")).await.refused(400, "malformed_parameter");
    partner.get(&format!("{CLAIMS}?size=101")).await.refused(400, "malformed_parameter");
    partner.get(&format!("{CLAIMS}?updated_since=yesterday")).await.refused(400, "malformed_parameter");
    assert_eq!(partner.get(CLAIMS).await.ok()["total"], 0);
    assert_eq!(partner.claim("0.015", "order-1").await["reference"], "order-1", "a refused order leaves nothing behind");
}

async fn partners_see_only_their_own_claims(engine: Engine) {
    let app = app(engine).await;
    let (one, other) = (Partner::of(&app, "").await, Partner::of(&app, "").await);
    let claim = one.claim("0.015", "order-1").await;
    let path = format!("{CLAIMS}{}/", claim["id"].as_str().unwrap());
    other.get(&path).await.refused(404, "claim_not_found");
    other.post_empty(&format!("{path}cancel/")).await.refused(404, "claim_not_found");
    assert_eq!(other.get(CLAIMS).await.ok()["total"], 0);
    // References are unique per partner.
    other.claim("0.015", "order-1").await;
    one.post_empty(&format!("{path}cancel/")).await.ok();
    app.advance_clock(Duration::from_secs(5));
    let since = app.now().to_string();
    let mut later = one.clone();
    later.sync_clock(&app);
    let second = later.claim("0.016", "order-2").await;
    let changed = later.get(&format!("{CLAIMS}?updated_since={since}&size=5")).await.ok();
    assert_eq!((changed["total"].as_i64(), &changed["items"][0]["id"]), (Some(1), &second["id"]));
    // A different amount arrived: one offer is accepted.
    let id = second["id"].as_str().unwrap();
    later.post_empty(&format!("{CLAIMS}{id}/paid/")).await.ok();
    operator_does(&app, id, Action::Hold).await;
    let held = later.get(&format!("/en{CLAIMS}{id}/")).await.ok();
    assert_eq!((&held["status"], held["reason"]["code"].is_string()), (&json!("hold"), true));
    let state = later.post(&format!("{CLAIMS}{id}/accept/"), &json!({ "fromSumma": "1", "toSumma": "1" })).await;
    state.refused(409, "transition_not_allowed");
    let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    later.post(&format!("{CLAIMS}{id}/refund/"), &back).await.refused(409, "transition_not_allowed");
}

async fn an_arbitrage_direction_is_not_quoted(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let order = partner.order("0.015", "order-1").await;
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(id("BTC"), id("SBERRUB")).unwrap().pair;
    let rate = json!({ "revision": pair.revision, "source": "manual", "manualRate": "9000000" });
    app.owner().await.patch(&format!("/api/admin/v1/pairs/{}", pair.id), rate).await.ok();

    let request = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.015" });
    partner.post(QUOTES, &request).await.refused(404, "pair_unavailable");
    assert_eq!(partner.get("/api/partner/v1/pairs/?from=BTC&to=SBERRUB").await.ok(), json!([]));
    partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(404, "pair_unavailable");
}
