//! Customers, exchanges and staff for the tests.

use agio_contracts::ReferenceValueProvider as _;
use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, TestResponse, card_number_of};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

pub const ADMIN: &str = "/api/admin/v1/discounts";
pub const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// The app without captchas: the tests create many claims.
pub async fn open(engine: Engine) -> TestApp {
    let app = TestApp::start(engine).await;
    set(&app.owner().await, "claims.captcha", "false").await;
    app
}

pub async fn back(app: &TestApp, email: &str) -> TestClient {
    let mut customer = TestCustomer::new(app, email);
    customer.sign_in().await.ok();
    customer.caller
}

/// Parses a number given as text.
#[track_caller]
pub fn number(value: &Value) -> Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

pub fn currency(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).unwrap().id()
}

pub async fn set_tiers(owner: &TestClient, rows: &[(&str, &str)]) -> Value {
    let revision = owner.get(ADMIN).await.ok()["revision"].clone();
    let tiers: Vec<Value> = rows.iter().map(|(min, percent)| json!({ "min": min, "percent": percent })).collect();
    owner.put(&format!("{ADMIN}/tiers"), json!({ "revision": revision, "tiers": tiers })).await.ok()
}

/// Creates a promo code; `more` overrides the defaults.
pub async fn add_promo(owner: &TestClient, code: &str, percent: &str, more: Value) -> Value {
    let mut order = json!({ "code": code, "percent": percent, "perCustomer": 1 });
    order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    owner.post(&format!("{ADMIN}/promos"), order).await.ok()
}

pub async fn promo(owner: &TestClient, code: &str) -> Value {
    owner.get(&format!("{ADMIN}/promos/{code}")).await.ok()["promo"].clone()
}

pub async fn pair(app: &TestApp, caller: &TestClient, (from, to): (&str, &str), promo: &str) -> Value {
    let path = format!("/api/v1/calculator/pair/{}/{}/", currency(app, from), currency(app, to));
    let path = if promo.is_empty() { path } else { format!("{path}?promo={promo}") };
    caller.get(&path).await.ok()
}

/// Computes the receive amount by the documented formula, without the server's engine.
pub fn receive(pair: &Value, send: &str) -> Decimal {
    let send: Decimal = send.parse().unwrap();
    let tiers = pair["tiers"].as_array().unwrap();
    let tier = tiers.iter().rfind(|tier| number(&tier["min"]) <= send).unwrap();
    let net = send - number(&pair["fees"]["from"]["fixed"]);
    let exact = net * number(&tier["course"]) - number(&pair["fees"]["to"]["fixed"]);
    let digits = u32::try_from(pair["to"]["roundCalculator"].as_u64().unwrap()).unwrap();
    exact.round_dp_with_strategy(digits, RoundingStrategy::ToZero).normalize()
}

/// A claim request at the terms of a pair, without its quote.
pub fn order(pair: &Value, email: &str, send: &str) -> Value {
    let id = |side: &str| pair["structure"][side]["currency"]["id"].clone();
    let bitcoin = pair["structure"]["from"]["currency"]["code"] == "BTC";
    let card = json!({ "card": card_number_of(&email.to_lowercase()), "holder": "IVAN PETROV" });
    let (from, to) =
        if bitcoin { (json!({}), card) } else { (json!({ "holder": "IVAN PETROV" }), json!({ "address": ADDRESS })) };
    json!({
        "email": email, "fromPs": id("from"), "toPs": id("to"), "fromSumma": send,
        "toSumma": receive(pair, send).to_string(), "fromRequisites": from, "toRequisites": to,
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

pub fn quoted(pair: &Value, email: &str, send: &str) -> Value {
    let mut order = order(pair, email, send);
    order["quoteId"] = pair["quote"]["id"].clone();
    order
}

pub fn with_promo(mut order: Value, code: &str) -> Value {
    order["extras"]["promo"] = code.into();
    order
}

pub async fn claims(caller: &TestClient, order: Value) -> TestResponse {
    caller.post("/api/v1/claim/", order).await
}

pub async fn claimed(caller: &TestClient, order: Value) -> String {
    claims(caller, order).await.ok()["id"].as_str().unwrap().to_owned()
}

pub async fn form(caller: &TestClient, id: &str) -> Value {
    caller.get(&format!("/api/v1/claim/{id}/form/")).await.ok()
}

pub async fn step(caller: &TestClient, id: &str, call: &str) -> Value {
    caller.post_empty(&format!("/api/v1/claim/{id}/{call}/")).await.ok()
}

pub async fn moved(operator: &TestClient, id: &str, action: &str, answer: Value) -> Value {
    let path = format!("/api/admin/v1/claims/{id}");
    let mut step = answer;
    step["action"] = action.into();
    step["revision"] = operator.get(&path).await.ok()["revision"].clone();
    operator.post(&format!("{path}/transitions"), step).await.ok()
}

/// Completes a claim.
pub async fn completed(caller: &TestClient, operator: &TestClient, id: &str) {
    step(caller, id, "confirm").await;
    step(caller, id, "paid").await;
    for (action, answer) in [
        ("payment_received", json!({ "txId": format!("in-{id}") })),
        ("take", json!({})),
        ("payout_sent", json!({ "txId": format!("out-{id}") })),
        ("complete", json!({})),
    ] {
        moved(operator, id, action, answer).await;
    }
}

/// The reference value of an amount, as counted in the volume.
pub fn reference_value(app: &TestApp, code: &str, amount: &str) -> Decimal {
    let currency = app.server.calculator.market().currency_named(code).unwrap().clone();
    let amount = currency.facts.exact(amount.parse().unwrap()).unwrap();
    let reference_value = app.server.calculator.reference_value(amount).unwrap();
    reference_value.amount.trunc_with_scale(6).normalize()
}

pub async fn mine(caller: &TestClient) -> Value {
    caller.get("/api/v1/discounts/").await.ok()["mine"].clone()
}

pub async fn set(owner: &TestClient, name: &str, value: &str) {
    owner.put("/api/admin/v1/settings", json!({ name: value })).await.ok();
}
