//! Which requests need a fresh second factor, and what confirms one.

use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fixtures::{PASSWORD, PERIOD, StaffMember, WRONG, app_with_required_second_factor, audit_actions};

/// How long a confirmation is fresh.
const FRESH: Duration = Duration::from_secs(5 * 60);

async fn send(staff: &StaffMember, method: &str, path: &str, body: &Value) -> agio_test_app::TestResponse {
    let method: Method = method.parse().unwrap();
    let request = staff.caller.request(method, &format!("/api/admin/v1{path}")).json(body);
    staff.caller.send(request).await
}

/// A claim that waits for its payout, and its revision.
async fn paid_claim(app: &TestApp, operator: &StaffMember) -> (String, Value) {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let request = QuoteRequest::anonymous(id("BTC"), id("SBERRUB"), "0.015".parse().unwrap());
    let receive = app.server.calculator.agree(&request).unwrap().receive.to_string();
    let order = json!({
        "email": "ivan@example.com", "fromPs": request.from, "toPs": request.to, "fromSumma": "0.015", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    });
    let customer = app.visitor();
    let claim = customer.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned();
    customer.post_empty(&format!("/api/v1/claim/{claim}/confirm/")).await.ok();
    customer.post_empty(&format!("/api/v1/claim/{claim}/paid/")).await.ok();
    let mut claim_view = operator.get(&format!("/claims/{claim}")).await.ok();
    for mut step in
        [json!({ "action": "payment_received", "txId": "4a5e1e4baab89f3a32518a88c31bc87f" }), json!({ "action": "take" })]
    {
        step["revision"] = claim_view["revision"].clone();
        claim_view = operator.post(&format!("/claims/{claim}/transitions"), step).await.ok();
    }
    (claim, claim_view["revision"].clone())
}

async fn sensitive_requests_need_a_fresh_second_factor(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    let boris = StaffMember::with_second_factor(&app, "boris@agio.example", Role::Operator).await;
    anna.sign_in(&app).await.ok();
    assert_eq!(anna.me().await.ok()["freshUntil"], Value::Null, "a sign-in is none");
    let (claim, revision) = paid_claim(&app, &anna).await;
    let pool = anna.get("/requisites").await.ok();
    let requisite = pool[0]["id"].as_str().unwrap();
    let invitation = "/invitations";
    let guarded = [
        ("POST", "/requisites".to_owned(), json!({ "currencyId": pool[0]["currencyId"], "value": "x" })),
        ("PATCH", format!("/requisites/{requisite}"), json!({ "enabled": false })),
        (
            "POST",
            format!("/claims/{claim}/transitions"),
            json!({ "action": "payout_sent", "revision": revision, "txId": "demo-out" }),
        ),
        (
            "POST",
            format!("/claims/{claim}/transitions"),
            json!({ "action": "refund", "revision": revision, "reason": "wrong_details" }),
        ),
        ("POST", format!("/claims/{claim}/transitions"), json!({ "action": "refund_sent", "revision": revision, "txId": "x" })),
        ("POST", invitation.to_owned(), json!({ "email": "vera@agio.example", "role": "editor", "language": "en" })),
        ("POST", format!("{invitation}/{}/resend", Uuid::nil()), json!({})),
        ("DELETE", format!("{invitation}/{}", Uuid::nil()), json!({})),
        ("PUT", format!("/staff/{}/role", boris.id), json!({ "role": "auditor" })),
        ("POST", format!("/staff/{}/disable", boris.id), json!({})),
        ("POST", format!("/staff/{}/enable", boris.id), json!({})),
        ("POST", format!("/staff/{}/second-factor/reset", boris.id), json!({})),
        ("POST", format!("/staff/{}/restore", boris.id), json!({})),
        ("PUT", "/settings".to_owned(), json!({ "rates.large_change_percent": 50 })),
        ("PUT", "/settings".to_owned(), json!({ "approvals.two_person": false })),
        ("PUT", "/settings".to_owned(), json!({ "rates.fixed_day": "2024-03-28" })),
        ("POST", "/me/second-factor/remove".to_owned(), json!({ "password": PASSWORD })),
        ("POST", "/me/second-factor/recovery".to_owned(), json!({ "password": PASSWORD })),
    ];
    let refusals = async |when: &str| {
        for (method, path, body) in &guarded {
            let answer = send(&anna, method, path, body).await;
            assert_eq!(answer.json()["code"], "fresh_second_factor_needed", "{when}: {method} {path}: {}", answer.text);
            assert_eq!(answer.status, 403);
        }
    };
    refusals("before").await;
    // Without the permission no code is requested.
    let mut operator = StaffMember::with_second_factor(&app, "gleb@agio.example", Role::Operator).await;
    operator.sign_in(&app).await.ok();
    for (method, path, body) in guarded.iter().filter(|(_, path, _)| path.starts_with("/staff") || path.starts_with("/requ")) {
        send(&operator, method, path, body).await.refused(403, "forbidden");
    }

    anna.confirm(&app).await;
    let me = anna.me().await.ok();
    assert!(me["freshUntil"].as_str().is_some(), "{me}");
    let paid = json!({ "action": "payout_sent", "revision": revision, "txId": "demo-out" });
    anna.post(&format!("/claims/{claim}/transitions"), paid).await.ok();
    let path = format!("/api/admin/v1/requisites/{requisite}");
    anna.caller.patch(&path, json!({ "enabled": false })).await.ok();
    app.advance_clock(FRESH - 2 * PERIOD);
    anna.caller.patch(&path, json!({ "enabled": true })).await.ok();
    app.advance_clock(PERIOD);
    refusals("after").await;
}

async fn code_confirms_one_session_once(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    let boris = StaffMember::with_second_factor(&app, "boris@agio.example", Role::Owner).await;
    anna.sign_in(&app).await.ok();
    let mut phone = anna.at_another_address(&app, "192.0.2.7");
    phone.sign_in(&app).await.ok();
    let shows = async |by: &StaffMember, shown: Value| by.post("/me/confirm", shown).await;
    let fresh = async |of: &StaffMember| of.get("/auth/me").await.ok()["freshUntil"].is_string();

    for (shown, field) in [(json!({}), "code"), (json!({ "password": PASSWORD }), "code"), (json!({ "code": " " }), "code")] {
        let refused = shows(&anna, shown).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], "otp_required", "the password alone is no second factor");
    }
    shows(&anna, json!({ "code": "000000" })).await.refused(422, "otp_invalid");
    shows(&anna, json!({ "code": boris.code(&app) })).await.refused(422, "otp_invalid");
    assert!(!fresh(&anna).await);
    let stale = anna.code(&app);
    app.advance_clock(3 * PERIOD);
    shows(&anna, json!({ "code": stale })).await.refused(422, "otp_invalid");
    let code = anna.code(&app);
    shows(&anna, json!({ "code": code })).await.ok();
    assert!(fresh(&anna).await && !fresh(&phone).await);
    shows(&phone, json!({ "code": code })).await.refused(422, "otp_invalid");
    shows(&phone, json!({ "code": anna.codes[3] })).await.ok();
    assert!(fresh(&phone).await);
    shows(&anna, json!({ "code": anna.codes[3] })).await.refused(422, "otp_invalid");

    // It survives a refresh, and other nodes and a restarted server know it.
    let refreshed = anna.caller.post_empty("/api/admin/v1/auth/refresh").await.ok();
    assert!(refreshed["user"]["freshUntil"].is_string());
    anna.caller = anna.caller.clone().with_token(refreshed["accessToken"].as_str().unwrap());
    let node = app.another_node().await;
    let switch = |caller: agio_test_app::TestClient| async move {
        let requisite = caller.get("/api/admin/v1/requisites").await.ok()[0]["id"].as_str().unwrap().to_owned();
        caller.patch(&format!("/api/admin/v1/requisites/{requisite}"), json!({ "enabled": true })).await
    };
    switch(anna.caller.clone().at_node(&node.root)).await.ok();
    app.advance_clock(FRESH);
    switch(anna.caller.clone().at_node(&node.root)).await.refused(403, "fresh_second_factor_needed");
    // Confirmed there, it is known here at once.
    let there = anna.caller.clone().at_node(&node.root);
    there.post("/api/admin/v1/me/confirm", json!({ "code": anna.code(&app) })).await.ok();
    switch(anna.caller.clone()).await.ok();

    let done = audit_actions(&app, &anna.id).await;
    for action in ["staff.confirmed", "staff.confirm_failed", "staff.recovery_code_used"] {
        assert!(done.contains(&action.to_owned()), "{action} in {done:?}");
    }
}

/// Guesses end the session that makes them, and keep its owner from nothing.
async fn wrong_confirmations_end_the_session_and_no_other(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    anna.sign_in(&app).await.ok();
    for (path, status, refusal) in [("/me/confirm", 422, "otp_invalid"), ("/me/second-factor/confirm", 409, "totp_not_begun")] {
        let mut stolen = anna.at_another_address(&app, "203.0.113.9");
        stolen.sign_in(&app).await.ok();
        for guess in 0..5 {
            stolen.post(path, json!({ "code": format!("{guess:06}") })).await.refused(status, refusal);
        }
        stolen.post(path, json!({ "code": stolen.code(&app) })).await.refused(401, "token_not_valid");
        stolen.me().await.refused(401, "token_not_valid");
        stolen.caller.post_empty("/api/admin/v1/auth/refresh").await.refused(401, "token_not_valid");
        anna.confirm(&app).await;
    }
    let ended = audit_actions(&app, &anna.id).await;
    assert_eq!(ended.iter().filter(|action| *action == "staff.session_ended_after_failures").count(), 2, "{ended:?}");
}

async fn password_confirms_without_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.staff_unconfirmed(Role::Owner).await;
    let requisite = owner.get("/api/admin/v1/requisites").await.ok()[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/admin/v1/requisites/{requisite}");
    owner.patch(&path, json!({ "enabled": false })).await.refused(403, "fresh_second_factor_needed");
    let shows = |shown: Value| owner.post("/api/admin/v1/me/confirm", shown);
    let refused = shows(json!({ "code": "000000" })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["password"][0]["code"], "required");
    let refused = shows(json!({ "password": WRONG })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["password"][0]["code"], "wrong_password");
    shows(json!({ "password": "correct horse battery" })).await.ok();
    owner.patch(&path, json!({ "enabled": false })).await.ok();
}

both_engines!(
    sensitive_requests_need_a_fresh_second_factor,
    code_confirms_one_session_once,
    wrong_confirmations_end_the_session_and_no_other,
    password_confirms_without_second_factor,
);
