//! Deadlines during a verification.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{CARD, Claim, Operator, require_verification, upload_photo, verification_path};

fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

async fn claim_expires_without_photos(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let claim = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    assert_eq!(claim.caller.get(&verification_path(&id)).await.ok()["expiresAt"], "2024-03-28T14:00:00Z");
    app.advance_and_run_jobs(minutes(119)).await;
    assert_eq!(claim.status().await["status"], "verification");
    app.advance_and_run_jobs(minutes(2)).await;
    assert_eq!(claim.status().await["status"], "expired");
    assert_eq!(claim.caller.get(&verification_path(&id)).await.ok()["state"], "ended");
    upload_photo(&claim.caller, &id, 1).await.refused(409, "verification_closed");
    app.assert_ledger_is_clean().await;
}

async fn deadline_pauses_during_review(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let claim = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    app.advance_and_run_jobs(minutes(100)).await;
    let sent = upload_photo(&claim.caller, &id, 1).await.ok();
    assert_eq!(sent["expiresAt"], json!(null));
    app.advance_and_run_jobs(minutes(24 * 60)).await;
    assert_eq!(claim.status().await["status"], "verification");
    let operator = Operator::new(&app).await;
    operator.try_decision(&id, "again", json!({ "reason": "cropped" })).await.ok();
    assert_eq!(claim.caller.get(&verification_path(&id)).await.ok()["expiresAt"], "2024-03-29T15:40:00Z");
    app.advance_and_run_jobs(minutes(121)).await;
    assert_eq!(claim.status().await["status"], "expired");
}

async fn payment_deadline_and_rate_start_at_the_decision(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let claim = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    let before = claim.form().await;
    upload_photo(&claim.caller, &id, 1).await.ok();
    // The agreed terms run out, and the exchange's margin is higher now.
    app.advance_and_run_jobs(minutes(90)).await;
    let owner = app.owner().await;
    let market = app.server.calculator.market();
    let currency = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(currency("SBERRUB"), currency("BTC")).unwrap().pair;
    let change = json!({ "revision": pair.revision, "spreadPercent": "5" });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.id), change).await.ok();
    Operator::new(&app).await.accept(&id).await;
    let (after, status) = (claim.form().await, claim.status().await);
    assert_eq!(status["status"], "awaiting_payment");
    assert_eq!(after["from"]["amount"], before["from"]["amount"]);
    assert_ne!(after["to"]["amount"], before["to"]["amount"], "the terms had run out");
    let hold = after["hold"].as_u64().unwrap();
    assert_eq!(status["expiresAt"], app.now().plus(minutes(hold)).to_string());
    app.assert_ledger_is_clean().await;
    app.advance_and_run_jobs(minutes(hold + 1)).await;
    assert_eq!(claim.status().await["status"], "expired");
    app.assert_ledger_is_clean().await;
}

async fn valid_terms_are_kept(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let claim = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    let before = claim.form().await;
    upload_photo(&claim.caller, &id, 1).await.ok();
    let owner = app.owner().await;
    let market = app.server.calculator.market();
    let currency = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(currency("SBERRUB"), currency("BTC")).unwrap().pair;
    let change = json!({ "revision": pair.revision, "spreadPercent": "5" });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.id), change).await.ok();
    Operator::new(&app).await.accept(&id).await;
    assert_eq!(claim.form().await["to"]["amount"], before["to"]["amount"]);
}

async fn customer_cancels_instead(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let claim = Claim::create_as_guest(&app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    upload_photo(&claim.caller, &id, 1).await.ok();
    let operator = Operator::new(&app).await;
    let revision = operator.verification(&id).await["revision"].clone();
    claim.caller.post_empty(&format!("/api/v1/claim/{}/cancel/", claim.id)).await.ok();
    assert_eq!(claim.caller.get(&verification_path(&id)).await.ok()["state"], "ended");
    assert!(operator.list("sent").await.is_empty());
    operator.decide_at_revision(&id, &revision, "accept", json!({})).await.refused(409, "verification_changed");
    assert_eq!(claim.status().await["status"], "cancelled");
    app.assert_ledger_is_clean().await;
}

both_engines!(
    claim_expires_without_photos,
    deadline_pauses_during_review,
    payment_deadline_and_rate_start_at_the_decision,
    valid_terms_are_kept,
    customer_cancels_instead,
);
