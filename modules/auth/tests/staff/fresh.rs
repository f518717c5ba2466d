//! What asks for a fresh second factor, and what makes one.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Engine, House, both_engines};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::people::{Colleague, PASSWORD, PERIOD, WRONG, deeds, strict};

/// For how long a confirmation is good.
const FRESH: Duration = Duration::from_secs(5 * 60);

async fn calls_with(colleague: &Colleague, method: &str, path: &str, body: &Value) -> agio_testkit::Answer {
    let method: Method = method.parse().unwrap();
    let request = colleague.caller.request(method, &format!("/api/admin/v1{path}")).json(body);
    colleague.caller.send(request).await
}

/// A claim that waits for its payout, and its revision.
async fn paid_claim(house: &House, operator: &Colleague) -> (String, Value) {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let asked = Asked::plainly(id("BTC"), id("SBERRUB"), "0.015".parse().unwrap());
    let receive = house.app.calculator.agree(&asked).unwrap().receive.to_string();
    let order = json!({
        "email": "ivan@example.com", "fromPs": asked.from, "toPs": asked.to, "fromSumma": "0.015", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    });
    let customer = house.customer();
    let claim = customer.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned();
    customer.post_empty(&format!("/api/v1/claim/{claim}/confirm/")).await.ok();
    customer.post_empty(&format!("/api/v1/claim/{claim}/paid/")).await.ok();
    let mut seen = operator.get(&format!("/claims/{claim}")).await.ok();
    for action in ["payment_received", "take"] {
        let step = json!({ "action": action, "revision": seen["revision"], "txId": "4a5e1e4baab89f3a32518a88c31bc87f" });
        seen = operator.post(&format!("/claims/{claim}/transitions"), step).await.ok();
    }
    (claim, seen["revision"].clone())
}

async fn what_moves_money_or_people_asks_for_one(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    let boris = Colleague::comes(&house, "boris@agio.example", Role::Operator).await;
    anna.signs_in(&house).await.ok();
    assert_eq!(anna.me().await.ok()["freshUntil"], Value::Null, "a sign-in is none");
    let (claim, revision) = paid_claim(&house, &anna).await;
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
        ("PUT", "/settings".to_owned(), json!({ "approvals.four_eyes": false })),
        ("POST", "/me/second-factor/remove".to_owned(), json!({ "password": PASSWORD })),
        ("POST", "/me/second-factor/recovery".to_owned(), json!({ "password": PASSWORD })),
    ];
    let refusals = async |when: &str| {
        for (method, path, body) in &guarded {
            let answer = calls_with(&anna, method, path, body).await;
            assert_eq!(answer.json()["code"], "fresh_second_factor_needed", "{when}: {method} {path}: {}", answer.text);
            assert_eq!(answer.status, 403);
        }
    };
    refusals("before").await;
    // Who may not do it at all is told so, and not asked for a code.
    let mut operator = Colleague::comes(&house, "gleb@agio.example", Role::Operator).await;
    operator.signs_in(&house).await.ok();
    for (method, path, body) in guarded.iter().filter(|(_, path, _)| path.starts_with("/staff") || path.starts_with("/requ")) {
        calls_with(&operator, method, path, body).await.refused(403, "forbidden");
    }

    anna.confirms(&house).await;
    let me = anna.me().await.ok();
    assert!(me["freshUntil"].as_str().is_some(), "{me}");
    let paid = json!({ "action": "payout_sent", "revision": revision, "txId": "demo-out" });
    anna.post(&format!("/claims/{claim}/transitions"), paid).await.ok();
    let path = format!("/api/admin/v1/requisites/{requisite}");
    anna.caller.patch(&path, json!({ "enabled": false })).await.ok();
    house.wait(FRESH - 2 * PERIOD);
    anna.caller.patch(&path, json!({ "enabled": true })).await.ok();
    house.wait(PERIOD);
    refusals("after").await;
}

async fn a_code_confirms_once_and_this_session_alone(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    let boris = Colleague::comes(&house, "boris@agio.example", Role::Owner).await;
    anna.signs_in(&house).await.ok();
    let mut phone = anna.elsewhere(&house, "192.0.2.7");
    phone.signs_in(&house).await.ok();
    let shows = async |by: &Colleague, shown: Value| by.post("/me/confirm", shown).await;
    let fresh = async |of: &Colleague| of.get("/auth/me").await.ok()["freshUntil"].is_string();

    for (shown, field) in [(json!({}), "code"), (json!({ "password": PASSWORD }), "code"), (json!({ "code": " " }), "code")] {
        let refused = shows(&anna, shown).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], "required", "the password alone is no second factor");
    }
    shows(&anna, json!({ "code": "000000" })).await.refused(422, "otp_invalid");
    shows(&anna, json!({ "code": boris.code(&house) })).await.refused(422, "otp_invalid");
    assert!(!fresh(&anna).await);
    let stale = anna.code(&house);
    house.wait(3 * PERIOD);
    shows(&anna, json!({ "code": stale })).await.refused(422, "otp_invalid");
    let code = anna.code(&house);
    shows(&anna, json!({ "code": code })).await.ok();
    assert!(fresh(&anna).await && !fresh(&phone).await);
    shows(&phone, json!({ "code": code })).await.refused(422, "otp_invalid");
    shows(&phone, json!({ "code": anna.codes[3] })).await.ok();
    assert!(fresh(&phone).await);
    shows(&anna, json!({ "code": anna.codes[3] })).await.refused(422, "otp_invalid");

    // A refresh keeps it; other nodes know it, and so does a house that was started again.
    let refreshed = anna.caller.post_empty("/api/admin/v1/auth/refresh").await.ok();
    assert!(refreshed["user"]["freshUntil"].is_string());
    anna.caller = anna.caller.clone().with_token(refreshed["accessToken"].as_str().unwrap());
    let node = house.another_node().await;
    let switch = |caller: agio_testkit::Caller| async move {
        let requisite = caller.get("/api/admin/v1/requisites").await.ok()[0]["id"].as_str().unwrap().to_owned();
        caller.patch(&format!("/api/admin/v1/requisites/{requisite}"), json!({ "enabled": true })).await
    };
    switch(anna.caller.clone().before(&node.root)).await.ok();
    house.wait(FRESH);
    switch(anna.caller.clone().before(&node.root)).await.refused(403, "fresh_second_factor_needed");
    // Confirmed there, it is known here at once.
    let there = anna.caller.clone().before(&node.root);
    there.post("/api/admin/v1/me/confirm", json!({ "code": anna.code(&house) })).await.ok();
    switch(anna.caller.clone()).await.ok();

    let done = deeds(&house, &anna.id).await;
    for deed in ["staff.confirmed", "staff.confirm_failed", "staff.recovery_code_used"] {
        assert!(done.contains(&deed.to_owned()), "{deed} in {done:?}");
    }
}

async fn codes_are_not_guessed_by_who_took_a_session(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    anna.signs_in(&house).await.ok();
    let mut looked_at = 0;
    for guess in 0..60 {
        let answer = anna.post("/me/confirm", json!({ "code": format!("{guess:06}") })).await;
        looked_at += u32::from(answer.json()["code"] == "otp_invalid");
    }
    assert!((3..=6).contains(&looked_at), "{looked_at} codes were looked at");
    anna.post("/me/confirm", json!({ "code": anna.code(&house) })).await.refused(429, "too_many_attempts");
}

async fn without_a_second_factor_the_password_confirms(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.staff_unconfirmed(Role::Owner).await;
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
    what_moves_money_or_people_asks_for_one,
    a_code_confirms_once_and_this_session_alone,
    codes_are_not_guessed_by_who_took_a_session,
    without_a_second_factor_the_password_confirms,
);
