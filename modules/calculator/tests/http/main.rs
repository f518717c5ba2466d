//! The calculator over HTTP, on both engines.

#![expect(clippy::unwrap_used, reason = "an answer that is not as expected fails the test")]

mod consent;
mod desk;
mod keys;
mod public;
mod refusals;
mod reserves;
mod settings;

use agio_testkit::{Caller, House};
use serde_json::Value;

/// The identifier of a currency by its code.
async fn currency(house: &House, code: &str) -> i64 {
    let directions = house.customer().get("/api/v1/calculator/").await.ok();
    let all = directions["directions"].as_array().unwrap();
    let found = all.iter().find(|direction| direction["code"] == code).unwrap_or_else(|| panic!("there is no {code}"));
    found["id"].as_i64().unwrap()
}

/// The address of a call about a pair of codes: `pair`, `course`.
async fn about(house: &House, call: &str, from: &str, to: &str) -> String {
    format!("/api/v1/calculator/{call}/{}/{}/", currency(house, from).await, currency(house, to).await)
}

/// A pair as the console lists it.
async fn listed_pair(house: &House, staff: &Caller, from: &str, to: &str) -> Value {
    let (from, to) = (currency(house, from).await, currency(house, to).await);
    let pairs = staff.get("/api/admin/v1/pairs").await.ok();
    let found = pairs.as_array().unwrap().iter().find(|pair| pair["fromId"] == from && pair["toId"] == to);
    found.expect("the pair is listed").clone()
}

/// A number that an answer carries as text.
fn number(value: &Value) -> rust_decimal::Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Takes everything out of a reserve but this much.
async fn leave_in_reserve(house: &House, code: &str, rest: &str) {
    let owner = house.owner().await;
    let id = currency(house, code).await;
    let reserves = owner.get("/api/admin/v1/reserves").await.ok();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == id).unwrap().clone();
    let taken = rest.parse::<rust_decimal::Decimal>().unwrap() - number(&row["available"]);
    let body = serde_json::json!({ "amount": taken.to_string(), "reason": "withdrawal", "note": "" });
    owner.post(&format!("/api/admin/v1/reserves/{id}/movements"), body).await.ok();
}
