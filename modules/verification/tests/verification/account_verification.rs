//! Identity verification of accounts.

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Claim, Operator, claim_body, require_verification, upload_photo, verification_path};

async fn signed_in_customer(app: &TestApp, email: &str) -> TestCustomer {
    let mut customer = TestCustomer::sign_up(app, email).await;
    customer.sign_in().await.ok();
    customer
}

async fn request(operator: &Operator, email: &str) -> Value {
    operator.0.post("/api/admin/v1/verifications", json!({ "email": email })).await.ok()
}

async fn account_verification_is_private(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, olga) = (signed_in_customer(&app, "ivan@example.com").await, signed_in_customer(&app, "olga@example.com").await);
    let operator = Operator::new(&app).await;
    let verification = request(&operator, "Ivan@Example.com").await;
    let id = verification["id"].as_str().unwrap();
    let email = app.emails_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(email.kind, "verification_identity_account");
    for other in [&app.visitor(), &olga.caller] {
        other.get(&verification_path(id)).await.refused(404, "verification_not_found");
        upload_photo(other, id, 1).await.refused(404, "verification_not_found");
    }
    let view = ivan.caller.get(&verification_path(id)).await.ok();
    assert_eq!((&view["kind"], &view["photosNeeded"], &view["claim"]), (&json!("identity"), &json!(2), &json!(null)));
    assert_eq!(upload_photo(&ivan.caller, id, 1).await.ok()["state"], "asked", "the document alone is not enough");
    assert_eq!(upload_photo(&ivan.caller, id, 2).await.ok()["state"], "sent");
    assert_eq!(olga.caller.get("/api/v1/users/me/verifications/").await.ok()["items"], json!([]));

    let path = "/api/admin/v1/verifications";
    operator.0.post(path, json!({ "email": "ivan@example.com" })).await.refused(409, "verification_open");
    operator.0.post(path, json!({ "email": "nobody@example.com" })).await.refused(422, "validation_failed");
    operator.accept(id).await;
    assert_eq!(app.emails_to("ivan@example.com").await.pop().unwrap().kind, "verification_accepted");
    operator.0.post(path, json!({ "email": "ivan@example.com" })).await.refused(409, "already_verified");
}

async fn verified_identity_is_not_requested_again(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "identity").await;
    let ivan = signed_in_customer(&app, "ivan@example.com").await;
    let operator = Operator::new(&app).await;
    let first = Claim::create_by(ivan.caller.clone(), &app, "ivan@example.com", None).await;
    let id = first.request_verification().await;
    for shade in [1, 2] {
        upload_photo(&ivan.caller, &id, shade).await.ok();
    }
    operator.accept(&id).await;
    assert_eq!(first.status().await["status"], "awaiting_payment");
    let second = Claim::create_by(ivan.caller.clone(), &app, "ivan@example.com", None).await;
    assert_eq!(second.confirm().await["status"], "awaiting_payment");
    // Anybody can type an e-mail address, so it identifies nobody.
    Claim::create_by(app.visitor(), &app, "ivan@example.com", None).await.request_verification().await;
}

async fn verified_customer_is_limited_by_the_reserve_only(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, olga) = (signed_in_customer(&app, "ivan@example.com").await, signed_in_customer(&app, "olga@example.com").await);
    let operator = Operator::new(&app).await;
    let id = request(&operator, "ivan@example.com").await["id"].as_str().unwrap().to_owned();
    for shade in [1, 2] {
        upload_photo(&ivan.caller, &id, shade).await.ok();
    }
    operator.accept(&id).await;
    let owner = app.owner().await;
    // One percent of the rest is less than any claim.
    owner.put("/api/admin/v1/settings", json!({ "claims.unproven_share_percent": "1" })).await.ok();
    let bitcoin = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let spare = app.server.ledger.reserves().available(bitcoin).units - 10_000_000;
    let out = json!({ "amount": format!("-{}.{:08}", spare / 100_000_000, spare % 100_000_000), "reason": "withdrawal", "note": "cold" });
    owner.post(&format!("/api/admin/v1/reserves/{bitcoin}/movements"), out).await.ok();
    let body = claim_body(&app, "ivan@example.com", None);
    olga.caller.post("/api/v1/claim/", body.clone()).await.refused(409, "reserve_share_full");
    app.visitor().post("/api/v1/claim/", body.clone()).await.refused(409, "reserve_share_full");
    ivan.caller.post("/api/v1/claim/", body).await.ok();
}

async fn rejected_identity_is_emailed_and_can_be_requested_again(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = signed_in_customer(&app, "ivan@example.com").await;
    let operator = Operator::new(&app).await;
    let id = request(&operator, "ivan@example.com").await["id"].as_str().unwrap().to_owned();
    for shade in [1, 2] {
        upload_photo(&ivan.caller, &id, shade).await.ok();
    }
    operator.try_decision(&id, "reject", json!({ "reason": "expired_document" })).await.ok();
    let email = app.emails_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(email.kind, "verification_rejected");
    assert!(email.text.contains("истёк"), "{}", email.text);
    request(&operator, "ivan@example.com").await;
}

async fn queue_is_paged_oldest_first(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::new(&app).await;
    let mut ids = Vec::new();
    for number in 0..3 {
        let email = format!("customer{number}@example.com");
        signed_in_customer(&app, &email).await;
        app.advance_clock(std::time::Duration::from_secs(60));
        ids.push(request(&operator, &email).await["id"].as_str().unwrap().to_owned());
    }
    let first = operator.0.get("/api/admin/v1/verifications?tab=asked&size=2").await.ok();
    assert_eq!((&first["items"][0]["id"], &first["asked"], &first["sent"]), (&json!(ids[0]), &json!(3), &json!(0)));
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = operator.0.get(&format!("/api/admin/v1/verifications?tab=asked&size=2&cursor={cursor}")).await.ok();
    assert_eq!((&second["items"][0]["id"], &second["nextCursor"]), (&json!(ids[2]), &json!(null)));
    for wrong in ["tab=all", "size=0", "cursor=last"] {
        operator.0.get(&format!("/api/admin/v1/verifications?{wrong}")).await.refused(400, "malformed_parameter");
    }
    app.visitor().get("/api/admin/v1/verifications").await.refused(401, "token_not_valid");
}

both_engines!(
    account_verification_is_private,
    verified_identity_is_not_requested_again,
    verified_customer_is_limited_by_the_reserve_only,
    rejected_identity_is_emailed_and_can_be_requested_again,
    queue_is_paged_oldest_first,
);
