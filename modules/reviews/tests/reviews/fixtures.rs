//! A customer with a completed exchange.

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_test_app::{TestApp, TestClient};
use serde_json::{Value, json};

pub const REVIEWS: &str = "/api/admin/v1/reviews";

pub fn path(claim: &str) -> String {
    format!("/api/v1/claim/{claim}/review/")
}

/// A claim from BTC to roubles whose payment is reported.
pub async fn create_claim(app: &TestApp, customer: &TestClient, give: &str) -> String {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let request = QuoteRequest::anonymous(id("BTC"), id("SBERRUB"), give.parse().unwrap());
    let receive = app.server.calculator.agree(&request).unwrap().receive.to_string();
    let order = json!({
        "email": "ivan@example.com", "fromPs": request.from, "toPs": request.to, "fromSumma": give, "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    });
    let claim = customer.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        customer.post_empty(&format!("/api/v1/claim/{claim}/{step}/")).await.ok();
    }
    claim
}

pub async fn step(operator: &TestClient, claim: &str, action: &str) {
    let path = format!("/api/admin/v1/claims/{claim}");
    let mut step = json!({ "action": action, "revision": operator.get(&path).await.ok()["revision"] });
    if matches!(action, "payment_received" | "payout_sent") {
        step["txId"] = format!("{action}-{claim}").into();
    }
    operator.post(&format!("{path}/transitions"), step).await.ok();
}

/// A completed exchange, by its claim.
pub async fn complete_exchange(app: &TestApp, give: &str) -> String {
    let operator = app.operator().await;
    let claim = create_claim(app, &app.visitor(), give).await;
    for action in ["payment_received", "take", "payout_sent", "complete"] {
        step(&operator, &claim, action).await;
    }
    claim
}

/// A written review of a new exchange, as the console shows it.
pub async fn written_review(app: &TestApp, give: &str, review: Value) -> Value {
    let claim = complete_exchange(app, give).await;
    app.visitor().put(&path(&claim), review).await.ok();
    newest(&app.owner().await, "pending").await
}

/// The newest review in a state.
pub async fn newest(staff: &TestClient, state: &str) -> Value {
    staff.get(&format!("{REVIEWS}?state={state}")).await.ok()["items"][0].clone()
}

pub async fn decide(staff: &TestClient, review: &Value, decision: Value) -> agio_test_app::TestResponse {
    let mut body = decision;
    body["revision"] = review["revision"].clone();
    staff.post(&format!("{REVIEWS}/{}/decision", review["id"].as_str().unwrap()), body).await
}

pub async fn publish(staff: &TestClient, review: &Value) -> Value {
    decide(staff, review, json!({ "decision": "publish" })).await.ok()
}
