//! Requisites customers keep in their accounts.

use agio_core::fetch_all;
use agio_test_app::{Engine, TestApp, TestCustomer as Member, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, CARD, order};

const REQUISITES: &str = "/api/v1/users/me/requisites/";

async fn member(app: &TestApp, email: &str) -> Member {
    Member::registered(app, email).await
}

fn currency(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).unwrap().id()
}

fn list(answer: &Value) -> &Vec<Value> {
    answer["items"].as_array().unwrap()
}

async fn what_a_claim_keeps_is_offered_masked_and_opened_one_by_one(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = member(&app, "ivan@example.com").await;
    let mut first = order(&app, "0.01", "ivan@example.com");
    ivan.caller.post("/api/v1/claim/", first.clone()).await.ok();
    assert!(list(&ivan.caller.get(REQUISITES).await.ok()).is_empty(), "nothing is saved without a request");
    first["fromSumma"] = "0.01".into();
    first["extras"]["keepRequisites"] = true.into();
    ivan.caller.post("/api/v1/claim/", first.clone()).await.ok();
    // Keeping the same once more changes nothing.
    ivan.caller.post_idempotent("/api/v1/claim/", "another-claim", first).await.ok();

    let sber = currency(&app, "SBERRUB");
    let kept = ivan.caller.get(REQUISITES).await.ok();
    assert_eq!(list(&kept).len(), 1, "{kept}");
    let kept = &list(&kept)[0];
    assert_eq!((&kept["currencyId"], &kept["code"]), (&json!(sber), &json!("SBERRUB")));
    let masked = kept["fields"][0]["value"].as_str().unwrap();
    assert!(masked.ends_with("0004") && masked != CARD, "{masked}");
    let id = kept["id"].as_str().unwrap();
    let open = ivan.caller.get(&format!("{REQUISITES}{id}/")).await.ok();
    assert_eq!((&open["fields"][0]["name"], &open["fields"][0]["value"]), (&json!("card"), &json!(CARD)));
    assert!(list(&ivan.caller.get(&format!("{REQUISITES}?currency_id=1")).await.ok()).is_empty());

    let rows = "SELECT sealed, masked, digest FROM customer_requisite";
    let rows = fetch_all!(&mut app.server.platform.db.read().await.unwrap(), (String, String, String), rows).unwrap();
    assert!(!format!("{rows:?}").contains(CARD), "the database alone does not tell the card");
}

async fn requisites_are_their_owners_alone(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = member(&app, "ivan@example.com").await;
    let olga = member(&app, "olga@example.com").await;
    let new = json!({ "currencyId": currency(&app, "BTC"), "values": { "address": format!(" {ADDRESS} ") } });
    let kept = ivan.caller.post(REQUISITES, new.clone()).await.ok();
    assert_eq!(ivan.caller.post(REQUISITES, new.clone()).await.ok()["id"], kept["id"], "the same ones are kept once");
    let path = format!("{REQUISITES}{}/", kept["id"].as_str().unwrap());
    olga.caller.get(&path).await.refused(404, "saved_requisites_not_found");
    olga.caller.delete(&path).await.refused(404, "saved_requisites_not_found");
    app.visitor().get(REQUISITES).await.refused(401, "token_not_valid");
    app.visitor().post(REQUISITES, new).await.refused(401, "token_not_valid");
    assert!(list(&olga.caller.get(REQUISITES).await.ok()).is_empty());

    assert_eq!(ivan.caller.delete(&path).await.status, 204);
    ivan.caller.delete(&path).await.refused(404, "saved_requisites_not_found");
    assert!(list(&ivan.caller.get(REQUISITES).await.ok()).is_empty());
    let log = app.owner().await.get("/api/admin/v1/audit?action=customer.requisites_forgotten").await.ok();
    assert!(!log.to_string().contains(ADDRESS) && list(&log).len() == 1, "{log}");
}

async fn only_sound_requisites_are_kept(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = member(&app, "ivan@example.com").await;
    let refused = async |currency: Value, values: Value, field: &str, code: &str| {
        let answer = ivan.caller.post(REQUISITES, json!({ "currencyId": currency, "values": values })).await;
        let problem = answer.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    let sber = json!(currency(&app, "SBERRUB"));
    refused(sber.clone(), json!({ "card": "2200000000000005" }), "values.card", "card_checksum").await;
    refused(sber.clone(), json!({ "iban": "DE89370400440532013000" }), "values.iban", "unknown_field").await;
    refused(sber, json!({ "card": " " }), "values", "required").await;
    refused(json!(999), json!({ "card": CARD }), "currencyId", "currency_unknown").await;
}

/// An account with somebody else's address saves no payment details that they could find later.
async fn an_account_keeps_nothing_before_its_address_is_confirmed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = Member::sign_up(&app, "ivan@example.com").await;
    ivan.sign_in().await.ok();
    let new = json!({ "currencyId": currency(&app, "BTC"), "values": { "address": ADDRESS } });
    ivan.caller.post(REQUISITES, new.clone()).await.refused(409, "not_activated");
    let mut claim = order(&app, "0.01", "ivan@example.com");
    claim["extras"]["keepRequisites"] = true.into();
    ivan.caller.post("/api/v1/claim/", claim.clone()).await.ok();
    assert!(list(&ivan.caller.get(REQUISITES).await.ok()).is_empty(), "the claim is made and nothing is kept");

    ivan.activate(&app).await;
    ivan.caller.post(REQUISITES, new).await.ok();
    ivan.caller.post_idempotent("/api/v1/claim/", "another-claim", claim).await.ok();
    assert_eq!(list(&ivan.caller.get(REQUISITES).await.ok()).len(), 2);
}

both_engines!(
    an_account_keeps_nothing_before_its_address_is_confirmed,
    what_a_claim_keeps_is_offered_masked_and_opened_one_by_one,
    requisites_are_their_owners_alone,
    only_sound_requisites_are_kept,
);
