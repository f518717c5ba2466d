//! The calculator over HTTP, on both engines.

#![expect(clippy::unwrap_used, reason = "an answer that is not as expected fails the test")]

mod admin;
mod approvals;
mod catalogue;
mod inputs;
mod market_creation;
mod market_tables;
mod network_fees;
mod public;
mod quote_keys;
mod reserves;
mod settings;
mod steps;
mod validation;

use agio_test_app::{TestApp, TestClient};
use serde_json::Value;

/// The identifier of a currency by its code.
async fn currency(app: &TestApp, code: &str) -> i64 {
    let directions = app.visitor().get("/api/v1/calculator/").await.ok();
    let all = directions["directions"].as_array().unwrap();
    let found = all.iter().find(|direction| direction["code"] == code).unwrap_or_else(|| panic!("there is no {code}"));
    found["id"].as_i64().unwrap()
}

/// The path of a call about a pair: `pair` or `course`.
async fn about(app: &TestApp, call: &str, from: &str, to: &str) -> String {
    format!("/api/v1/calculator/{call}/{}/{}/", currency(app, from).await, currency(app, to).await)
}

async fn listed_pair(app: &TestApp, staff: &TestClient, from: &str, to: &str) -> Value {
    let (from, to) = (currency(app, from).await, currency(app, to).await);
    let pairs = staff.get("/api/admin/v1/pairs").await.ok();
    let found = pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == from && pair["receiveId"] == to);
    found.expect("the pair is listed").clone()
}

/// Parses a number given as text.
fn number(value: &Value) -> rust_decimal::Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Reduces a reserve to this amount.
async fn leave_in_reserve(app: &TestApp, code: &str, rest: &str) {
    let owner = app.owner().await;
    let id = currency(app, code).await;
    let reserves = owner.get("/api/admin/v1/reserves").await.ok();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == id).unwrap().clone();
    let taken = rest.parse::<rust_decimal::Decimal>().unwrap() - number(&row["available"]);
    let body = serde_json::json!({ "amount": taken.to_string(), "reason": "withdrawal", "note": "" });
    owner.post(&format!("/api/admin/v1/reserves/{id}/movements"), body).await.ok();
}
