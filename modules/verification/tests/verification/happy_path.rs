//! Claims that wait for a verification.

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::json;

use crate::fixtures::{
    CARD, Claim, DOUBLE_CLICK, OTHER_CARD, Operator, claim_body, require_verification, upload_photo, verification_path,
};

async fn card_is_verified_once_and_the_claim_continues(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let claim = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    assert!(claim.caller.get(&format!("/api/v1/claim/{}/requisite/", claim.id)).await.status.is_client_error());
    assert_eq!(claim.confirm().await["status"], "verification", "confirming twice changes nothing");
    let emails = app.emails_to("ivan@example.com").await;
    let email = emails.last().unwrap();
    assert_eq!(email.kind, "verification_card");
    assert!(email.text.contains(&format!("/verify/{id}")), "{}", email.text);

    let view = claim.caller.get(&verification_path(&id)).await.ok();
    assert_eq!((&view["kind"], &view["state"], &view["photosNeeded"]), (&json!("card"), &json!("asked"), &json!(1)));
    assert_eq!((&view["cause"]["code"], &view["claim"]["id"]), (&json!("direction"), &json!(claim.id)));
    assert!(view["card"].as_str().unwrap().ends_with("0004") && view["card"] != CARD);

    let operator = Operator::new(&app).await;
    assert!(operator.list("sent").await.is_empty());
    assert_eq!(operator.list("asked").await, std::slice::from_ref(&id));
    assert_eq!(upload_photo(&claim.caller, &id, 1).await.ok()["state"], "sent");
    assert_eq!(operator.list("sent").await, std::slice::from_ref(&id));
    operator.accept(&id).await;
    let status = claim.status().await;
    assert_eq!((&status["status"], &status["verification"]), (&json!("awaiting_payment"), &json!(null)));
    claim.caller.get(&format!("/api/v1/claim/{}/requisite/", claim.id)).await.ok();
    assert_eq!(claim.caller.get(&verification_path(&id)).await.ok()["state"], "accepted");
    let kinds: Vec<_> = app.emails_to("ivan@example.com").await.into_iter().map(|mail| mail.kind).collect();
    assert!(kinds.ends_with(&["claim_awaiting_payment".into(), "verification_accepted".into()]), "{kinds:?}");

    // The same card is verified in the same browser. Another card is not, nor another browser: anybody can type the address.
    app.advance_clock(DOUBLE_CLICK);
    let here = async |card: &str| Claim::create_by(claim.caller.clone(), &app, "ivan@example.com", Some(card)).await;
    assert_eq!(here(CARD).await.confirm().await["status"], "awaiting_payment");
    here(OTHER_CARD).await.request_verification().await;
    Claim::create_as_guest(&app, "ivan@example.com", CARD).await.request_verification().await;
    Claim::create_as_guest(&app, "thief@example.com", CARD).await.request_verification().await;
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn account_card_is_verified_for_any_email(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let mut ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    ivan.sign_in().await.ok();
    let claim = Claim::create_by(ivan.caller.clone(), &app, "ivan@example.com", Some(CARD)).await;
    let id = claim.request_verification().await;
    upload_photo(&app.visitor(), &id, 1).await.ok();
    Operator::new(&app).await.accept(&id).await;
    let other = Claim::create_by(ivan.caller.clone(), &app, "work@example.com", Some(CARD)).await;
    assert_eq!(other.confirm().await["status"], "awaiting_payment");
    Claim::create_as_guest(&app, "ivan@example.com", CARD).await.request_verification().await;
    let mine = ivan.caller.get("/api/v1/users/me/verifications/").await.ok();
    assert_eq!((&mine["items"][0]["id"], &mine["items"][0]["state"]), (&json!(id), &json!("accepted")));
}

async fn card_number_is_not_stored(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let claim = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    upload_photo(&claim.caller, &id, 1).await.ok();
    Operator::new(&app).await.accept(&id).await;
    let mut tx = app.server.platform.db.read().await.unwrap();
    let digests = "SELECT card_digest, card_masked FROM verification";
    let stored = agio_core::fetch_all!(&mut tx, (String, String), digests).unwrap();
    let verified =
        agio_core::fetch_all!(&mut tx, (String, String), "SELECT card_digest, customer_digest FROM passed_verification").unwrap();
    assert_eq!((stored.len(), verified.len()), (1, 1));
    assert!(!format!("{stored:?} {verified:?}").contains(CARD));
    assert!(!format!("{verified:?}").contains("ivan"));
    assert_eq!(stored[0].0, verified[0].0);
}

async fn card_verification_requires_the_number(engine: Engine) {
    let app = TestApp::start(engine).await;
    let caller = app.visitor();
    // The demo market does not ask for the number of the card.
    caller.post("/api/v1/claim/", claim_body(&app, "ivan@example.com", None)).await.ok();
    let refused =
        caller.post("/api/v1/claim/", claim_body(&app, "ivan@example.com", Some(CARD))).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["fromRequisites.card"][0]["code"], "unknown_field");
    require_verification(&app, "card").await;
    let refused =
        caller.post("/api/v1/claim/", claim_body(&app, "ivan@example.com", None)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["fromRequisites.card"][0]["code"], "required");
    let order = claim_body(&app, "ivan@example.com", None);
    let pair = caller.get(&format!("/api/v1/calculator/pair/{}/{}/", order["fromPs"], order["toPs"])).await.ok();
    assert_eq!(pair["verification"], "card");
    let card = pair["structure"]["from"]["input"].as_array().unwrap().iter().find(|input| input["name"] == "card").unwrap();
    assert_eq!((&card["send"], &card["required"]), (&json!(true), &json!(true)));
}

async fn currency_without_cards_needs_no_card_verification(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(id("BTC"), id("SBERRUB")).unwrap().pair;
    let path = format!("/api/admin/v1/pairs/{}", pair.id);
    let refused = owner.patch(&path, json!({ "revision": pair.revision, "verification": "card" })).await;
    let refused = refused.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["verification"][0]["code"], "verification_needs_card");
    let changed = owner.patch(&path, json!({ "revision": pair.revision, "verification": "identity" })).await.ok();
    assert_eq!(changed["verification"], "identity");
}

async fn large_first_claim_is_verified(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    // 50 000 roubles are some 540 dollars.
    owner.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "1000" })).await.ok();
    let small = Claim::create_by(app.visitor(), &app, "ivan@example.com", None).await;
    assert_eq!(small.confirm().await["status"], "awaiting_payment");
    owner.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "500" })).await.ok();
    let large = Claim::create_by(app.visitor(), &app, "olga@example.com", None).await;
    let id = large.request_verification().await;
    let view = large.caller.get(&verification_path(&id)).await.ok();
    assert_eq!((&view["kind"], &view["cause"]["code"]), (&json!("identity"), &json!("first_claim")));

    // After a completed claim no verification is required.
    small.caller.post_empty(&format!("/api/v1/claim/{}/paid/", small.id)).await.ok();
    let operator = app.operator().await;
    let path = format!("/api/admin/v1/claims/{}", small.id);
    for (action, tx) in [("payment_received", "in"), ("take", ""), ("payout_sent", "out"), ("complete", "")] {
        let mut step = json!({ "action": action, "revision": operator.get(&path).await.ok()["revision"] });
        if !tx.is_empty() {
            step["txId"] = tx.into();
        }
        operator.post(&format!("{path}/transitions"), step).await.ok();
    }
    app.advance_clock(DOUBLE_CLICK);
    let next = Claim::create_by(small.caller.clone(), &app, "ivan@example.com", None).await;
    assert_eq!(next.confirm().await["status"], "awaiting_payment");
    // Anybody can type the same address.
    Claim::create_by(app.visitor(), &app, "ivan@example.com", None).await.request_verification().await;
}

async fn a_verified_card_pays_more_than_was_agreed(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let first = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = first.request_verification().await;
    upload_photo(&first.caller, &id, 1).await.ok();
    Operator::new(&app).await.accept(&id).await;
    app.advance_clock(DOUBLE_CLICK);
    let next = Claim::create_by(first.caller.clone(), &app, "ivan@example.com", Some(CARD)).await;
    assert_eq!(next.confirm().await["status"], "awaiting_payment");
    next.caller.post_empty(&format!("/api/v1/claim/{}/paid/", next.id)).await.ok();
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "500" })).await.ok();
    let (operator, path) = (app.operator().await, format!("/api/admin/v1/claims/{}", next.id));
    let revision = operator.get(&path).await.ok()["revision"].clone();
    let step = json!({ "action": "amount_mismatch", "revision": revision, "amount": "60000", "txId": "in" });
    operator.post(&format!("{path}/transitions"), step).await.ok();
    let status = next.status().await;
    assert!(status["offer"].is_object() && status["surplus"]["offer"].is_object(), "{status}");
    app.assert_ledger_is_clean().await;
}

both_engines!(
    card_is_verified_once_and_the_claim_continues,
    account_card_is_verified_for_any_email,
    card_number_is_not_stored,
    card_verification_requires_the_number,
    currency_without_cards_needs_no_card_verification,
    large_first_claim_is_verified,
    a_verified_card_pays_more_than_was_agreed,
);
