//! Visitors, and an owner who moves reserves.

use std::time::Duration;

use agio_test_app::{ReceivedEmail, TestApp, TestClient, TestResponse};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub const WAITLIST: &str = "/api/v1/waitlist/";

pub async fn solve_captcha(caller: &TestClient) -> String {
    let check = caller.get("/api/v1/waitlist/captcha/").await.ok();
    assert_eq!(check["required"], true);
    let challenge: Challenge = serde_json::from_value(check["challenge"].clone()).unwrap();
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap())
}

/// A request to be told about BTC to SBERRUB.
pub async fn ask(caller: &TestClient, email: &str, condition: Value) -> TestResponse {
    let mut body = json!({ "email": email, "give": "BTC", "receive": "SBERRUB", "recaptcha": solve_captcha(caller).await });
    body.as_object_mut().unwrap().extend(condition.as_object().unwrap().clone());
    caller.post(WAITLIST, body).await
}

/// The id in the link of an email.
pub fn id_in(email: &ReceivedEmail) -> String {
    email.text.split("/waitlist/").nth(1).unwrap()[..36].to_owned()
}

/// A confirmed entry, by its id.
pub async fn wait_for(app: &TestApp, email: &str, condition: Value) -> String {
    let visitor = app.visitor();
    assert_eq!(ask(&visitor, email, condition).await.status, 202);
    let id = id_in(app.emails_to(email).await.last().unwrap());
    assert_eq!(visitor.post_empty(&format!("{WAITLIST}{id}/confirm/")).await.ok()["state"], "confirmed");
    id
}

/// Leaves this much in the reserve of SBERRUB.
pub async fn set_reserve(app: &TestApp, amount: &str) {
    let owner = app.owner().await;
    let reserves = owner.get("/api/admin/v1/reserves").await.ok();
    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    let id = currencies.as_array().unwrap().iter().find(|row| row["code"] == "SBERRUB").unwrap()["id"].clone();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == id).unwrap().clone();
    let decimal = |text: &str| text.parse::<rust_decimal::Decimal>().unwrap();
    let change = decimal(amount) - decimal(row["available"].as_str().unwrap());
    let reason = if change.is_sign_negative() { "withdrawal" } else { "deposit" };
    let body = json!({ "amount": change.to_string(), "reason": reason, "note": "" });
    owner.post(&format!("/api/admin/v1/reserves/{id}/movements"), body).await.ok();
}

pub async fn run_jobs(app: &TestApp) {
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
}

/// The kinds of the emails to an address.
pub async fn kinds(app: &TestApp, email: &str) -> Vec<String> {
    app.emails_to(email).await.into_iter().map(|email| email.kind).collect()
}
