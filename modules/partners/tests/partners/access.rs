//! Customers ask for partner access in their accounts, and keep it.

use agio_core::identity::Role;
use agio_testkit::{Caller, Customer, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::listener::Listener;
use crate::people::{Partner, house, unique};

both_engines!(
    access_is_asked_for_and_approved,
    who_is_declined_asks_again,
    a_session_alone_makes_no_live_key,
    staff_suspend_whom_they_approved,
    self_service_can_be_switched_off,
    customers_see_what_they_were_told_and_how_keys_were_used
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
    let mut wish = key(false);
    wish["password"] = Customer::PASSWORD.into();
    wish
}

/// Anna, who asked for access.
async fn asks(house: &House, callback: &str) -> Customer {
    let anna = Customer::at(house, "anna@example.com").await;
    anna.caller.post(MINE, site(callback)).await.ok();
    anna
}

async fn decides(owner: &Caller, decision: &str, reason: Option<&str>) -> Value {
    let row = owner.get(PARTNERS).await.ok()[0].clone();
    let mut body = json!({ "decision": decision, "revision": row["revision"] });
    if let Some(reason) = reason {
        body["reason"] = reason.into();
    }
    owner.post(&format!("{PARTNERS}/{}/decision", row["id"].as_str().unwrap()), body).await.ok()
}

/// A programme with a key of the customer's own.
async fn programme(house: &House, anna: &Customer, wish: Value) -> Partner {
    let made = anna.caller.post(&format!("{MINE}keys/"), wish).await.ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Partner {
        caller: house.customer(),
        partner: String::new(),
        key: text(&made["key"]["name"]),
        key_id: text(&made["key"]["id"]),
        secret: text(&made["secret"]),
        webhook_secret: String::new(),
        now: house.now().as_seconds(),
    }
}

async fn access_is_asked_for_and_approved(engine: Engine) {
    let house = house(engine).await;
    let anna = Customer::at(&house, "anna@example.com").await;
    assert_eq!(anna.caller.get(MINE).await.ok(), json!({ "open": true, "access": null }));
    let wrong = json!({ "name": " ", "site": "shop", "email": "x", "callbackUrl": "ftp://a.example" });
    let wrong = anna.caller.post(MINE, wrong).await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"].as_object().unwrap().keys().collect::<Vec<_>>(), ["callbackUrl", "email", "name", "site"]);
    let asked = anna.caller.post(MINE, site("")).await.ok();
    assert_eq!((&asked["access"]["standing"], &asked["access"]["keys"]), (&json!("requested"), &json!([])));
    // Nobody's session is asked for the password to rehearse.
    let sandbox = programme(&house, &anna, key(true)).await;
    assert_eq!(sandbox.get("/api/partner/v1/key/").await.ok()["sandbox"], true);
    anna.caller.post(&format!("{MINE}keys/"), live_key()).await.refused(409, "partner_not_approved");

    let owner = house.owner().await;
    house
        .staff(Role::Auditor)
        .await
        .post(
            &format!("{PARTNERS}/{}/decision", owner.get(PARTNERS).await.ok()[0]["id"].as_str().unwrap()),
            json!({ "decision": "approve", "revision": 1 }),
        )
        .await
        .refused(403, "forbidden");
    let approved = decides(&owner, "approve", None).await;
    assert_eq!((&approved["standing"], &approved["customerEmail"]), (&json!("approved"), &json!("anna@example.com")));
    let letter = anna.mail(&house, "partner_approved").await;
    assert!(letter.text.contains("/account/partner"), "{}", letter.text);
    let live = programme(&house, &anna, live_key()).await;
    assert_eq!(live.get("/api/partner/v1/key/").await.ok()["sandbox"], false);
    assert!(anna.mail(&house, "partner_key_made").await.text.contains(&live.key));
    live.claim("0.015", "order-1").await;
    let seen = anna.caller.get(MINE).await.ok();
    assert_eq!(seen["access"]["turnover"][0]["claims"], 1);
    assert!(seen["access"]["turnover"][0].get("earned").is_none(), "what the house earns is not the partner's to see");
    anna.caller.post(MINE, site("")).await.refused(409, "partner_is_approved");

    let revoked = anna.caller.post_empty(&format!("{MINE}keys/{}/revoke/", live.key_id)).await.ok();
    assert!(revoked["revokedAt"].is_string());
    live.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
    // Another customer has none of this.
    let boris = Customer::at(&house, "boris@example.com").await;
    boris.caller.post_empty(&format!("{MINE}keys/{}/revoke/", sandbox.key_id)).await.refused(404, "partner_not_found");
    house.audit_is_whole().await;
}

async fn who_is_declined_asks_again(engine: Engine) {
    let house = house(engine).await;
    let anna = asks(&house, "").await;
    let owner = house.owner().await;
    let row = owner.get(PARTNERS).await.ok()[0].clone();
    let path = format!("{PARTNERS}/{}/decision", row["id"].as_str().unwrap());
    let silent = json!({ "decision": "decline", "revision": row["revision"] });
    owner.post(&path, silent).await.refused(422, "validation_failed");
    let stale = json!({ "decision": "approve", "revision": 9 });
    owner.post(&path, stale).await.refused(409, "partner_changed");
    decides(&owner, "decline", Some("The site does not open.")).await;
    owner.post(&path, json!({ "decision": "approve", "revision": 2 })).await.refused(409, "partner_decided");
    assert!(anna.mail(&house, "partner_declined").await.text.contains("The site does not open."));
    let seen = anna.caller.get(MINE).await.ok()["access"].clone();
    assert_eq!((&seen["standing"], &seen["reason"]), (&json!("declined"), &json!("The site does not open.")));
    anna.caller.post(&format!("{MINE}keys/"), live_key()).await.refused(409, "partner_not_approved");
    let again = anna.caller.post(MINE, site("https://shop.example/hook")).await.ok()["access"].clone();
    assert_eq!((&again["standing"], &again["reason"]), (&json!("requested"), &Value::Null));
    assert_eq!(owner.get(PARTNERS).await.ok().as_array().unwrap().len(), 1);
    house.audit_is_whole().await;
}

async fn a_session_alone_makes_no_live_key(engine: Engine) {
    let house = house(engine).await;
    let anna = asks(&house, "").await;
    decides(&house.owner().await, "approve", None).await;
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
    // The same call gives the same key and secret, and no second one.
    let once = unique();
    let made = anna.caller.post_once(&keys, &once, live_key()).await.ok();
    assert_eq!(anna.caller.post_once(&keys, &once, live_key()).await.ok(), made);
    let seen = anna.caller.get(MINE).await;
    assert!(!seen.text.contains(made["secret"].as_str().unwrap()));
    assert_eq!(seen.ok()["access"]["keys"].as_array().unwrap().len(), 1);
    let change = json!({ "email": "api@shop.example", "callbackUrl": "https://shop.example/x", "password": Customer::PASSWORD });
    assert_eq!(anna.caller.patch(MINE, change).await.ok()["access"]["callbackUrl"], "https://shop.example/x");
    // Who did not confirm their address asks in vain.
    let mut nina = Customer::signs_up(&house, "nina@example.com").await;
    nina.signs_in().await.ok();
    nina.caller.post(MINE, site("")).await.refused(409, "not_activated");
}

async fn staff_suspend_whom_they_approved(engine: Engine) {
    let house = house(engine).await;
    let anna = asks(&house, "").await;
    let owner = house.owner().await;
    let row = decides(&owner, "approve", None).await;
    let live = programme(&house, &anna, live_key()).await;
    let path = format!("{PARTNERS}/{}", row["id"].as_str().unwrap());
    owner.patch(&path, json!({ "revision": row["revision"], "enabled": false })).await.ok();
    live.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
    assert_eq!(anna.caller.get(MINE).await.ok()["access"]["suspended"], true);
    anna.caller.post(&format!("{MINE}keys/"), key(true)).await.refused(409, "partner_suspended");
    anna.caller.post(MINE, site("")).await.refused(409, "partner_suspended");
    // A key that may be in wrong hands is revoked all the same.
    anna.caller.post_empty(&format!("{MINE}keys/{}/revoke/", live.key_id)).await.ok();
}

async fn self_service_can_be_switched_off(engine: Engine) {
    let house = house(engine).await;
    let anna = asks(&house, "").await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "partners.selfService": "false" })).await.ok();
    let boris = Customer::at(&house, "boris@example.com").await;
    boris.caller.post(MINE, site("")).await.refused(409, "partner_self_service_off");
    assert_eq!(boris.caller.get(MINE).await.ok()["open"], false);
    // Whoever has access keeps it.
    programme(&house, &anna, key(true)).await.get("/api/partner/v1/key/").await.ok();
}

async fn customers_see_what_they_were_told_and_how_keys_were_used(engine: Engine) {
    let house = house(engine).await;
    let listener = Listener::open().await;
    let anna = asks(&house, &listener.url).await;
    let sandbox = programme(&house, &anna, key(true)).await;
    sandbox.claim("0.015", "order-1").await;
    house.later(std::time::Duration::ZERO).await;
    assert_eq!(listener.states(), ["awaiting_payment"]);
    let news = anna.caller.get(&format!("{MINE}news/?state=sent")).await.ok();
    assert_eq!((&news["items"][0]["status"], &news["items"][0]["sandbox"]), (&json!("awaiting_payment"), &json!(true)));
    anna.caller.post_empty(&format!("{MINE}news/{}/resend/", news["items"][0]["id"])).await.ok();
    house.later(std::time::Duration::ZERO).await;
    let heard = listener.heard();
    assert!(heard.len() == 2 && heard[0].event == heard[1].event);
    let boris = Customer::at(&house, "boris@example.com").await;
    boris.caller.post(MINE, site("")).await.ok();
    let foreign = format!("{MINE}news/{}/resend/", news["items"][0]["id"]);
    boris.caller.post_empty(&foreign).await.refused(404, "message_not_found");
    assert_eq!(boris.caller.get(&format!("{MINE}news/")).await.ok()["items"], json!([]));
    // A quote and a claim.
    assert_eq!(anna.caller.get(MINE).await.ok()["access"]["keys"][0]["usage"][0]["calls"], 2);
}
