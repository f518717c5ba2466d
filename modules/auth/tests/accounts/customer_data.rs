//! Data export, deletion of the account, and what follows an account to another address.

use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines, card_number_of};
use serde_json::{Value, json};

use crate::fixtures::{WRONG, at_another_address, audit_actions, try_sign_in};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Makes a claim for 0.01 BTC and reports it as paid.
async fn make_claim(app: &TestApp, caller: &TestClient, email: &str) -> String {
    let id_of = |code: &str| app.server.calculator.market().currency_named(code).unwrap().id();
    let (from, to) = (id_of("BTC"), id_of("SBERRUB"));
    let receive = app.server.calculator.agree(&QuoteRequest::anonymous(from, to, "0.01".parse().unwrap())).unwrap().receive;
    let order = json!({
        "email": email, "fromPs": from, "toPs": to, "fromSumma": "0.01", "toSumma": receive.to_string(),
        "fromRequisites": {}, "toRequisites": { "card": card_number_of(email), "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let id = caller.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        caller.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    id
}

async fn complete(app: &TestApp, claim: &str) {
    let operator = app.operator().await;
    let path = format!("/api/admin/v1/claims/{claim}");
    for (action, tx) in [("payment_received", "in"), ("take", ""), ("payout_sent", "out"), ("complete", "")] {
        let mut input = json!({ "action": action, "revision": operator.get(&path).await.ok()["revision"] });
        if !tx.is_empty() {
            input["txId"] = format!("{tx}-{claim}").into();
        }
        operator.post(&format!("{path}/transitions"), input).await.ok();
    }
}

/// Writes a review of a completed exchange.
async fn review(app: &TestApp, claim: &str, text: &str) {
    app.visitor().put(&format!("/api/v1/claim/{claim}/review/"), json!({ "rating": 5, "text": text })).await.ok();
}

/// The newest review in a state, as staff see it.
async fn newest_review(app: &TestApp, state: &str) -> Value {
    app.owner().await.get(&format!("/api/admin/v1/reviews?state={state}")).await.ok()["items"][0].clone()
}

async fn listed_claims(customer: &TestCustomer) -> i64 {
    customer.caller.get("/api/v1/users/me/claims/").await.ok()["total"].as_i64().unwrap()
}

async fn export_has_everything_about_its_owner_alone(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let olga = TestCustomer::registered(&app, "olga@example.com").await;
    make_claim(&app, &olga.caller, "olga@example.com").await;
    let own = make_claim(&app, &ivan.caller, "ivan@example.com").await;
    complete(&app, &own).await;
    review(&app, &own, "Быстро и вежливо").await;
    // Somebody typed his address: he sees the claim, and not where it is paid out to.
    let others = make_claim(&app, &app.visitor().from_address("198.51.100.3"), "ivan@example.com").await;
    let export = |password: &str| {
        let (caller, body) = (ivan.caller.clone(), json!({ "password": password }));
        async move { caller.post("/api/v1/users/me/export/", body).await }
    };
    export(WRONG).await.refused(422, "validation_failed");
    let data = export(&ivan.password).await.ok()["data"].clone();

    assert_eq!(data["account"]["email"], "ivan@example.com");
    assert_eq!(data["sessions"][0]["address"].as_str().map(|address| address.starts_with("10.")), Some(true));
    let claims = data["claims"].as_array().unwrap();
    let claim = |id: &str| claims.iter().find(|claim| claim["id"] == id).unwrap();
    let card = card_number_of("ivan@example.com");
    let paid_to =
        |id: &str| claim(id)["paidOutTo"].as_array().unwrap().iter().map(|one| one["value"].clone()).collect::<Vec<_>>();
    assert_eq!(claims.len(), 2, "{data}");
    assert!(paid_to(&own).contains(&json!(card)), "{data}");
    assert!(!paid_to(&others).contains(&json!(card)), "{data}");
    let history: Vec<_> = claim(&own)["history"].as_array().unwrap().iter().map(|event| event["to"].clone()).collect();
    assert!(history.contains(&json!("completed")), "{history:?}");
    assert_eq!(claim(&own)["transactions"]["payout"], format!("out-{own}"));
    assert_eq!((&claim(&own)["review"]["text"], &claim(&own)["review"]["rating"]), (&json!("Быстро и вежливо"), &json!(5)));
    assert_eq!(claim(&others)["review"], Value::Null);
    assert_eq!(data["exchangedVolume"][0]["exchanges"], 1);
    assert!(data["emails"].as_array().unwrap().iter().any(|email| email["kind"] == "account_activation"), "{data}");
    for part in ["actions", "savedRequisites", "verifications", "promoCodes", "contestEntries", "messages", "waitlist"] {
        assert!(data[part].is_array(), "{part}: {data}");
    }
    assert!(!data.to_string().contains("olga@"), "{data}");
    assert!(!data.to_string().contains("argon2"), "{data}");

    for _ in 0..2 {
        export(&ivan.password).await.ok();
    }
    export(&ivan.password).await.refused(429, "too_many_attempts");
    let id = ivan.me().await.ok()["id"].as_str().unwrap().to_owned();
    assert_eq!(audit_actions(&app, &id).await.iter().filter(|action| *action == "customer.exported").count(), 3);
}

async fn unconfirmed_account_exports_and_erases_its_own_alone(engine: Engine) {
    let app = TestApp::start(engine).await;
    let victim = app.visitor().from_address("198.51.100.4");
    let claim = make_claim(&app, &victim, "ivan@example.com").await;
    complete(&app, &claim).await;
    let mut squatter = TestCustomer::sign_up(&app, "ivan@example.com").await;
    squatter.sign_in().await.ok();
    let confirmation = json!({ "password": squatter.password });
    let data = squatter.caller.post("/api/v1/users/me/export/", confirmation.clone()).await.ok()["data"].clone();
    assert_eq!((&data["claims"], &data["emails"]), (&json!([]), &json!([])));
    assert_eq!(squatter.caller.post("/api/v1/users/me/delete/", confirmation).await.status, 204);
    assert_eq!(email_of(&app, &claim).await, "ivan@example.com");
}

/// The address of a claim, as staff see it.
async fn email_of(app: &TestApp, claim: &str) -> Value {
    app.operator().await.get(&format!("/api/admin/v1/claims/{claim}")).await.ok()["email"].clone()
}

async fn deleted_account_leaves_the_records_of_its_exchanges(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let id = ivan.me().await.ok()["id"].as_str().unwrap().to_owned();
    let mut phone = at_another_address(&app, &ivan, "192.0.2.7");
    phone.sign_in().await.ok();
    let guest = make_claim(&app, &app.visitor().from_address("198.51.100.5"), "ivan@example.com").await;
    let own = make_claim(&app, &ivan.caller, "ivan@example.com").await;
    let btc = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let saved = json!({ "currencyId": btc, "values": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    ivan.caller.post("/api/v1/users/me/requisites/", saved).await.ok();
    let delete = |password: &str| {
        let (caller, body) = (ivan.caller.clone(), json!({ "password": password }));
        async move { caller.post("/api/v1/users/me/delete/", body).await }
    };
    delete(WRONG).await.refused(422, "validation_failed");
    complete(&app, &guest).await;
    let open = delete(&ivan.password).await.refused(409, "claims_open");
    assert!(open["detail"].as_str().unwrap().contains(open["params"]["number"].as_str().unwrap()), "{open}");
    complete(&app, &own).await;
    review(&app, &guest, "Вежливо").await;
    let published = newest_review(&app, "pending").await;
    let path = format!("/api/admin/v1/reviews/{}/decision", published["id"].as_str().unwrap());
    let decision = json!({ "decision": "publish", "revision": published["revision"] });
    app.owner().await.post(&path, decision).await.ok();
    review(&app, &own, "Быстро").await;
    let deleted = delete(&ivan.password).await;
    assert_eq!(deleted.status, 204);
    assert_eq!(crate::fixtures::cookies(&deleted).iter().filter(|cookie| cookie.contains("Max-Age=0")).count(), 3);

    ivan.me().await.refused(401, "token_not_valid");
    phone.refresh().await.refused(401, "token_not_valid");
    ivan.sign_in().await.refused(401, "wrong_credentials");
    let farewell = ivan.newest_email(&app, "account_deleted").await;
    assert!(farewell.text.contains("10."), "{}", farewell.text);
    assert_eq!(audit_actions(&app, &id).await.last().unwrap(), "customer.deleted");
    for claim in [&own, &guest] {
        assert_eq!(email_of(&app, claim).await, format!("{id}@deleted.invalid"));
        let kept = app.operator().await.get(&format!("/api/admin/v1/claims/{claim}")).await.ok();
        assert_eq!(kept["status"], "completed");
    }
    assert_eq!(newest_review(&app, "pending").await, Value::Null);
    assert_eq!(newest_review(&app, "published").await["text"], "Вежливо", "a published review stays");
    let mut tx = app.server.platform.db.read().await.unwrap();
    for kept in [
        "SELECT COUNT(*) FROM customer_requisite",
        "SELECT COUNT(*) FROM known_device WHERE digest LIKE 'device%' AND account_id NOT IN (SELECT id FROM staff)",
        "SELECT COUNT(*) FROM account_session WHERE customer_id IS NOT NULL AND (address <> '' OR agent <> '' OR ended_at IS NULL)",
        "SELECT COUNT(*) FROM claim WHERE email LIKE '%example.com'",
        "SELECT COUNT(*) FROM discount_exchange WHERE email LIKE '%example.com' OR identity LIKE '%example.com'",
        "SELECT COUNT(*) FROM discount_volume WHERE email LIKE '%example.com' OR identity LIKE '%example.com'",
    ] {
        assert_eq!(agio_core::fetch_one!(&mut tx, (i64,), kept).unwrap().0, 0, "{kept}");
    }
    drop(tx);
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;

    // The address is free, for an account without anything of the former one.
    app.advance_clock(HOUR);
    let again = TestCustomer::registered(&app, "ivan@example.com").await;
    assert_ne!(again.me().await.ok()["id"], id.as_str());
    assert_eq!(listed_claims(&again).await, 0);
    try_sign_in(&app.visitor(), &format!("{id}@deleted.invalid"), &again.password).await.refused(401, "wrong_credentials");
}

async fn a_guests_open_claim_does_not_keep_the_account(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let guest = make_claim(&app, &app.visitor().from_address("198.51.100.5"), "ivan@example.com").await;
    let delete = json!({ "password": ivan.password });
    assert_eq!(ivan.caller.post("/api/v1/users/me/delete/", delete).await.status, 204);
    // The claim goes on and writes to its customer.
    assert_eq!(email_of(&app, &guest).await, "ivan@example.com");
    complete(&app, &guest).await;
}

async fn exchanges_follow_the_account_to_its_new_address(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let guest = make_claim(&app, &app.visitor().from_address("198.51.100.6"), "ivan@example.com").await;
    complete(&app, &guest).await;
    let own = make_claim(&app, &ivan.caller, "ivan@example.com").await;
    let volume = ivan.caller.get("/api/v1/discounts/").await.ok();
    let change = json!({ "email": "ivan@example.org", "password": ivan.password });
    ivan.caller.post("/api/v1/users/me/email/", change).await.ok();
    let token = TestCustomer::new(&app, "ivan@example.org").token(&app, "email_change").await;
    ivan.caller.post(&format!("/api/v1/users/me/email/{token}/"), json!({})).await.ok();
    assert_eq!(listed_claims(&ivan).await, 2);
    assert_eq!(ivan.caller.get("/api/v1/discounts/").await.ok(), volume, "guest exchanges count as before");
    complete(&app, &own).await;
    let told = app.emails_to("ivan@example.org").await;
    assert!(told.iter().any(|email| email.html.contains(&own)), "the open claim writes to the new address");
    // The next owner of the former address finds nothing of him.
    let next = TestCustomer::registered(&app, "ivan@example.com").await;
    assert_eq!(listed_claims(&next).await, 0);
    let none = next.caller.get("/api/v1/discounts/").await.ok();
    assert_eq!(none["mine"]["volume"], "0", "{none}");
    assert_ne!(volume["mine"]["volume"], "0", "{volume}");
}

both_engines!(
    export_has_everything_about_its_owner_alone,
    unconfirmed_account_exports_and_erases_its_own_alone,
    deleted_account_leaves_the_records_of_its_exchanges,
    a_guests_open_claim_does_not_keep_the_account,
    exchanges_follow_the_account_to_its_new_address,
);
