//! Partner access in customer accounts.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Partner, app, unique};
use crate::webhook_receiver::WebhookReceiver;

both_engines!(
    access_is_requested_and_approved,
    a_declined_customer_can_request_again,
    a_live_key_needs_the_password,
    staff_can_suspend_an_approved_partner,
    self_service_can_be_disabled,
    customers_see_webhook_deliveries_and_key_usage,
    an_account_with_access_is_not_deleted,
    a_suspension_outlives_the_account
);

const MINE: &str = "/api/v1/users/me/partner/";
const PARTNERS: &str = "/api/admin/v1/partners";

fn site(callback: &str) -> Value {
    json!({ "name": "Shop", "site": "https://shop.example", "email": "dev@shop.example", "callbackUrl": callback })
}

fn key(sandbox: bool) -> Value {
    json!({ "title": "Server", "sandbox": sandbox, "scopes": ["read", "quote", "claim"] })
}

fn live_key() -> Value {
    let mut request = key(false);
    request["password"] = TestCustomer::PASSWORD.into();
    request
}

/// A customer with an access request.
async fn request_access(app: &TestApp, callback: &str) -> TestCustomer {
    let anna = TestCustomer::registered(app, "anna@example.com").await;
    anna.caller.post(MINE, site(callback)).await.ok();
    anna
}

async fn decide(owner: &TestClient, decision: &str, reason: Option<&str>) -> Value {
    let row = owner.get(PARTNERS).await.ok()[0].clone();
    let mut body = json!({ "decision": decision, "revision": row["revision"] });
    if let Some(reason) = reason {
        body["reason"] = reason.into();
    }
    owner.post(&format!("{PARTNERS}/{}/decision", row["id"].as_str().unwrap()), body).await.ok()
}

/// A partner with a key created by the customer.
async fn partner_with_key(app: &TestApp, anna: &TestCustomer, request: Value) -> Partner {
    let created = anna.caller.post(&format!("{MINE}keys/"), request).await.ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Partner {
        caller: app.visitor(),
        partner: String::new(),
        key: text(&created["key"]["name"]),
        key_id: text(&created["key"]["id"]),
        secret: text(&created["secret"]),
        webhook_secret: String::new(),
        now: app.now().as_seconds(),
    }
}

async fn access_is_requested_and_approved(engine: Engine) {
    let app = app(engine).await;
    let anna = TestCustomer::registered(&app, "anna@example.com").await;
    assert_eq!(anna.caller.get(MINE).await.ok(), json!({ "open": true, "access": null }));
    let wrong = json!({ "name": " ", "site": "shop", "email": "x", "callbackUrl": "ftp://a.example" });
    let wrong = anna.caller.post(MINE, wrong).await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"].as_object().unwrap().keys().collect::<Vec<_>>(), ["callbackUrl", "email", "name", "site"]);
    let request = anna.caller.post(MINE, site("")).await.ok();
    assert_eq!((&request["access"]["status"], &request["access"]["keys"]), (&json!("requested"), &json!([])));
    // Sandbox keys need no password.
    let sandbox = partner_with_key(&app, &anna, key(true)).await;
    assert_eq!(sandbox.get("/api/partner/v1/key/").await.ok()["sandbox"], true);
    anna.caller.post(&format!("{MINE}keys/"), live_key()).await.refused(409, "partner_not_approved");

    let owner = app.owner().await;
    app.staff(Role::Auditor)
        .await
        .post(
            &format!("{PARTNERS}/{}/decision", owner.get(PARTNERS).await.ok()[0]["id"].as_str().unwrap()),
            json!({ "decision": "approve", "revision": 1 }),
        )
        .await
        .refused(403, "forbidden");
    let approved = decide(&owner, "approve", None).await;
    assert_eq!((&approved["status"], &approved["customerEmail"]), (&json!("approved"), &json!("anna@example.com")));
    let email = anna.newest_email(&app, "partner_approved").await;
    assert!(email.text.contains("/account/partner"), "{}", email.text);
    let live = partner_with_key(&app, &anna, live_key()).await;
    assert_eq!(live.get("/api/partner/v1/key/").await.ok()["sandbox"], false);
    assert!(anna.newest_email(&app, "partner_key_created").await.text.contains(&live.key));
    live.claim("0.015", "order-1").await;
    let view = anna.caller.get(MINE).await.ok();
    assert_eq!(view["access"]["turnover"][0]["claims"], 1);
    assert!(view["access"]["turnover"][0].get("earned").is_none(), "partners do not see our profit");
    anna.caller.post(MINE, site("")).await.refused(409, "partner_is_approved");

    let revoked = anna.caller.post_empty(&format!("{MINE}keys/{}/revoke/", live.key_id)).await.ok();
    assert!(revoked["revokedAt"].is_string());
    live.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
    // Other customers see nothing of it.
    let boris = TestCustomer::registered(&app, "boris@example.com").await;
    boris.caller.post_empty(&format!("{MINE}keys/{}/revoke/", sandbox.key_id)).await.refused(404, "partner_not_found");
    app.assert_audit_chain_is_intact().await;
}

async fn a_declined_customer_can_request_again(engine: Engine) {
    let app = app(engine).await;
    let anna = request_access(&app, "").await;
    let owner = app.owner().await;
    let row = owner.get(PARTNERS).await.ok()[0].clone();
    let path = format!("{PARTNERS}/{}/decision", row["id"].as_str().unwrap());
    let silent = json!({ "decision": "decline", "revision": row["revision"] });
    owner.post(&path, silent).await.refused(422, "validation_failed");
    let stale = json!({ "decision": "approve", "revision": 9 });
    owner.post(&path, stale).await.refused(409, "partner_changed");
    decide(&owner, "decline", Some("The site does not open.")).await;
    owner.post(&path, json!({ "decision": "approve", "revision": 2 })).await.refused(409, "partner_decided");
    assert!(anna.newest_email(&app, "partner_declined").await.text.contains("The site does not open."));
    let view = anna.caller.get(MINE).await.ok()["access"].clone();
    assert_eq!((&view["status"], &view["reason"]), (&json!("declined"), &json!("The site does not open.")));
    anna.caller.post(&format!("{MINE}keys/"), live_key()).await.refused(409, "partner_not_approved");
    let again = anna.caller.post(MINE, site("https://shop.example/hook")).await.ok()["access"].clone();
    assert_eq!((&again["status"], &again["reason"]), (&json!("requested"), &Value::Null));
    assert_eq!(owner.get(PARTNERS).await.ok().as_array().unwrap().len(), 1);
    app.assert_audit_chain_is_intact().await;
}

async fn a_live_key_needs_the_password(engine: Engine) {
    let app = app(engine).await;
    let anna = request_access(&app, "").await;
    decide(&app.owner().await, "approve", None).await;
    let keys = format!("{MINE}keys/");
    let refused = anna.caller.post(&keys, key(false)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["password"][0]["code"], "wrong_password");
    let mut guessed = live_key();
    guessed["password"] = "guessed".into();
    anna.caller.post(&keys, guessed).await.refused(422, "validation_failed");
    let change = json!({ "email": "thief@example.com", "callbackUrl": "https://thief.example/", "password": "guessed" });
    anna.caller.patch(MINE, change).await.refused(422, "validation_failed");
    anna.caller.post(&format!("{MINE}secret/"), json!({ "password": "guessed" })).await.refused(422, "validation_failed");
    assert_eq!(anna.caller.get(MINE).await.ok()["access"]["email"], "dev@shop.example");
    // A repeated request returns the same key and secret.
    let once = unique();
    let created = anna.caller.post_idempotent(&keys, &once, live_key()).await.ok();
    assert_eq!(anna.caller.post_idempotent(&keys, &once, live_key()).await.ok(), created);
    let view = anna.caller.get(MINE).await;
    assert!(!view.text.contains(created["secret"].as_str().unwrap()));
    assert_eq!(view.ok()["access"]["keys"].as_array().unwrap().len(), 1);
    let change =
        json!({ "email": "api@shop.example", "callbackUrl": "https://shop.example/x", "password": TestCustomer::PASSWORD });
    assert_eq!(anna.caller.patch(MINE, change).await.ok()["access"]["callbackUrl"], "https://shop.example/x");
    // An unconfirmed address is refused.
    let mut nina = TestCustomer::sign_up(&app, "nina@example.com").await;
    nina.sign_in().await.ok();
    nina.caller.post(MINE, site("")).await.refused(409, "not_activated");
}

async fn staff_can_suspend_an_approved_partner(engine: Engine) {
    let app = app(engine).await;
    let anna = request_access(&app, "").await;
    let owner = app.owner().await;
    let row = decide(&owner, "approve", None).await;
    let live = partner_with_key(&app, &anna, live_key()).await;
    let path = format!("{PARTNERS}/{}", row["id"].as_str().unwrap());
    owner.patch(&path, json!({ "revision": row["revision"], "enabled": false })).await.ok();
    live.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
    assert_eq!(anna.caller.get(MINE).await.ok()["access"]["suspended"], true);
    anna.caller.post(&format!("{MINE}keys/"), key(true)).await.refused(409, "partner_suspended");
    anna.caller.post(MINE, site("")).await.refused(409, "partner_suspended");
    // Keys can still be revoked.
    anna.caller.post_empty(&format!("{MINE}keys/{}/revoke/", live.key_id)).await.ok();
}

async fn self_service_can_be_disabled(engine: Engine) {
    let app = app(engine).await;
    let anna = request_access(&app, "").await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "partners.selfService": "false" })).await.ok();
    let boris = TestCustomer::registered(&app, "boris@example.com").await;
    boris.caller.post(MINE, site("")).await.refused(409, "partner_self_service_off");
    assert_eq!(boris.caller.get(MINE).await.ok()["open"], false);
    // Existing access is kept.
    partner_with_key(&app, &anna, key(true)).await.get("/api/partner/v1/key/").await.ok();
}

async fn customers_see_webhook_deliveries_and_key_usage(engine: Engine) {
    let app = app(engine).await;
    let receiver = WebhookReceiver::open().await;
    let anna = request_access(&app, &receiver.url).await;
    let sandbox = partner_with_key(&app, &anna, key(true)).await;
    sandbox.claim("0.015", "order-1").await;
    app.advance_and_run_jobs(std::time::Duration::ZERO).await;
    assert_eq!(receiver.states(), ["awaiting_payment"]);
    let deliveries = anna.caller.get(&format!("{MINE}webhook-deliveries/?state=sent")).await.ok();
    assert_eq!(
        (&deliveries["items"][0]["status"], &deliveries["items"][0]["sandbox"]),
        (&json!("awaiting_payment"), &json!(true))
    );
    anna.caller.post_empty(&format!("{MINE}webhook-deliveries/{}/resend/", deliveries["items"][0]["id"])).await.ok();
    app.advance_and_run_jobs(std::time::Duration::ZERO).await;
    let received = receiver.received();
    assert!(received.len() == 2 && received[0].event == received[1].event);
    let boris = TestCustomer::registered(&app, "boris@example.com").await;
    boris.caller.post(MINE, site("")).await.ok();
    let foreign = format!("{MINE}webhook-deliveries/{}/resend/", deliveries["items"][0]["id"]);
    boris.caller.post_empty(&foreign).await.refused(404, "message_not_found");
    assert_eq!(boris.caller.get(&format!("{MINE}webhook-deliveries/")).await.ok()["items"], json!([]));
    assert_eq!(anna.caller.get(MINE).await.ok()["access"]["keys"][0]["usage"][0]["calls"], 2);
}

async fn an_account_with_access_is_not_deleted(engine: Engine) {
    let app = app(engine).await;
    let anna = request_access(&app, "").await;
    let delete = async || anna.caller.post("/api/v1/users/me/delete/", json!({ "password": anna.password })).await;
    delete().await.refused(409, "partner_access_open");
    decide(&app.owner().await, "decline", Some("Not now")).await;
    assert_eq!(delete().await.status, 204);
    // A declined customer may ask again.
    request_access(&app, "").await;
}

async fn a_suspension_outlives_the_account(engine: Engine) {
    let app = app(engine).await;
    let anna = request_access(&app, "").await;
    let owner = app.owner().await;
    let row = decide(&owner, "approve", None).await;
    let path = format!("{PARTNERS}/{}", row["id"].as_str().unwrap());
    owner.patch(&path, json!({ "revision": row["revision"], "enabled": false })).await.ok();
    let deleted = anna.caller.post("/api/v1/users/me/delete/", json!({ "password": anna.password })).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    let kept = owner.get(&path).await.ok();
    assert!(!kept.to_string().contains("anna@example.com"), "{kept}");

    let again = TestCustomer::registered(&app, "anna@example.com").await;
    again.caller.post(MINE, site("")).await.refused(409, "partner_suspended");
    TestCustomer::registered(&app, "boris@example.com").await.caller.post(MINE, site("")).await.ok();
    // Staff may end the suspension.
    owner.patch(&path, json!({ "revision": kept["partner"]["revision"], "enabled": true })).await.ok();
    again.caller.post(MINE, site("")).await.ok();
}
