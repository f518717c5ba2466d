//! Decisions of staff and their effects.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{CARD, Claim, DOUBLE_CLICK, Operator, claim_body, require_verification, upload_photo, verification_path};

async fn claim_with_photo(app: &TestApp, email: &str) -> (Claim, String) {
    require_verification(app, "card").await;
    let claim = Claim::create_as_guest(app, email, CARD).await;
    let id = claim.request_verification().await;
    upload_photo(&claim.caller, &id, 1).await.ok();
    (claim, id)
}

async fn other_photos_need_a_reason(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_photo(&app, "ivan@example.com").await;
    let operator = Operator::new(&app).await;
    operator.try_decision(&id, "again", json!({ "reason": "unreadable" })).await.ok();
    let view = claim.caller.get(&format!("/en{}", verification_path(&id))).await.ok();
    assert_eq!((&view["state"], &view["reason"]["code"]), (&json!("asked"), &json!("unreadable")));
    assert!(view["reason"]["text"].as_str().unwrap().contains("sharp"));
    assert_eq!(view["photos"], json!([]), "the photos of the round before are not the customer's concern");
    assert_eq!(claim.status().await["status"], "verification");
    let email = app.emails_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(email.kind, "verification_again");
    assert!(email.text.contains("не разобрать"), "{}", email.text);

    operator.try_decision(&id, "accept", json!({})).await.refused(409, "verification_closed");
    assert_eq!(upload_photo(&claim.caller, &id, 2).await.ok()["state"], "sent");
    let whole = operator.verification(&id).await;
    let rounds: Vec<_> = whole["photos"].as_array().unwrap().iter().map(|photo| photo["round"].clone()).collect();
    assert_eq!((rounds, &whole["round"]), (vec![json!(1), json!(2)], &json!(2)));
    operator.accept(&id).await;
    assert_eq!(claim.status().await["status"], "awaiting_payment");
}

async fn a_session_alone_accepts_no_photo(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_photo(&app, "ivan@example.com").await;
    let stolen = Operator(app.staff_unconfirmed(Role::Operator).await);
    stolen.try_decision(&id, "accept", json!({})).await.refused(403, "fresh_second_factor_needed");
    assert_eq!(claim.status().await["status"], "verification");
    // What lets nobody pass is decided without it.
    stolen.try_decision(&id, "again", json!({ "reason": "unreadable" })).await.ok();
}

async fn rejected_card_rejects_the_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_photo(&app, "ivan@example.com").await;
    let operator = Operator::new(&app).await;
    let message = json!({ "ru": "Карта выдана другому банку.", "en": "The card is another bank's." });
    operator.try_decision(&id, "reject", json!({ "reason": "other", "message": message })).await.ok();
    let status = claim.status().await;
    assert_eq!((&status["status"], &status["reason"]["text"]), (&json!("rejected"), &json!("Карта выдана другому банку.")));
    let view = claim.caller.get(&format!("/en{}", verification_path(&id))).await.ok();
    assert_eq!((&view["state"], &view["reason"]["text"]), (&json!("rejected"), &json!("The card is another bank's.")));
    let email = app.emails_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(email.kind, "claim_rejected");
    assert!(email.text.contains("другому банку"));
    upload_photo(&claim.caller, &id, 2).await.refused(409, "verification_closed");
    // A card that was rejected once may be shown again with another claim.
    app.advance_clock(DOUBLE_CLICK);
    Claim::create_as_guest(&app, "ivan@example.com", CARD).await.request_verification().await;
    app.assert_ledger_is_clean().await;
}

async fn a_rejection_asks_for_no_other_photo(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_photo(&app, "ivan@example.com").await;
    Operator::new(&app).await.try_decision(&id, "reject", json!({ "reason": "unreadable" })).await.ok();
    assert_eq!(claim.status().await["reason"]["text"], "На фото ничего не разобрать.");
    let view = claim.caller.get(&format!("/en{}", verification_path(&id))).await.ok();
    assert_eq!(view["reason"]["text"], "The photo is not sharp enough to read.");
}

async fn emails_name_times_in_the_zone_of_the_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    require_verification(&app, "card").await;
    let mut body = claim_body(&app, "ivan@example.com", Some(CARD));
    body["extras"]["timeZone"] = "Asia/Kolkata".into();
    let caller = app.visitor();
    let created = caller.post("/api/v1/claim/", body).await.ok();
    let claim = Claim { caller, id: created["id"].as_str().unwrap().to_owned() };
    let id = claim.request_verification().await;
    upload_photo(&claim.caller, &id, 1).await.ok();
    Operator::new(&app).await.try_decision(&id, "again", json!({ "reason": "unreadable" })).await.ok();
    for kind in ["verification_card", "verification_again"] {
        let mails = app.emails_to("ivan@example.com").await;
        let mail = mails.iter().find(|mail| mail.kind == kind).unwrap();
        assert!(mail.text.contains("(UTC+5:30)"), "{}", mail.text);
    }
}

async fn decision_needs_a_reason(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (_, id) = claim_with_photo(&app, "ivan@example.com").await;
    let operator = Operator::new(&app).await;
    let refused = async |more, field: &str, code: &str| {
        let problem = operator.try_decision(&id, "reject", more).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    refused(json!({}), "reason", "required").await;
    operator.try_decision(&id, "reject", json!({ "reason": "ugly" })).await.refused(400, "malformed_body");
    refused(json!({ "reason": "other" }), "message.ru", "required").await;
    refused(json!({ "reason": "other", "message": { "ru": "Нет", "en": " " } }), "message.en", "required").await;
    refused(json!({ "reason": "other", "message": { "ru": "Н".repeat(501), "en": "No" } }), "message.ru", "text_too_long").await;
    let reader = app.staff(agio_core::identity::Role::Auditor).await;
    Operator(reader).try_decision(&id, "accept", json!({})).await.refused(403, "forbidden");
}

async fn only_one_of_concurrent_decisions_counts(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_photo(&app, "ivan@example.com").await;
    let (one, two) = (Operator::new(&app).await, Operator(app.owner().await));
    let revision = one.verification(&id).await["revision"].clone();
    let (accepted, rejected) = tokio::join!(
        one.decide_at_revision(&id, &revision, "accept", json!({})),
        two.decide_at_revision(&id, &revision, "reject", json!({ "reason": "wrong_card" })),
    );
    let (won, lost, state) =
        if accepted.status.is_success() { (accepted, rejected, "awaiting_payment") } else { (rejected, accepted, "rejected") };
    won.ok();
    assert_eq!(lost.status, 409, "{}", lost.text);
    assert_eq!(claim.status().await["status"], state);
    app.assert_ledger_is_clean().await;
}

async fn decision_on_an_old_revision_is_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_photo(&app, "ivan@example.com").await;
    let operator = Operator::new(&app).await;
    let revision = operator.verification(&id).await["revision"].clone();
    upload_photo(&claim.caller, &id, 2).await.ok();
    operator.decide_at_revision(&id, &revision, "accept", json!({})).await.refused(409, "verification_changed");
    assert_eq!(claim.status().await["status"], "verification");
}

async fn assigned_claim_is_left_to_its_operator(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_photo(&app, "ivan@example.com").await;
    app.owner().await.post_empty(&format!("/api/admin/v1/claims/{}/lock", claim.id)).await.ok();
    let operator = Operator::new(&app).await;
    operator.try_decision(&id, "accept", json!({})).await.refused(409, "claim_locked");
    assert_eq!(operator.verification(&id).await["state"], "sent", "nothing was decided");
    // The claim itself cannot be moved past the verification.
    let seen = operator.0.get(&format!("/api/admin/v1/claims/{}", claim.id)).await.ok();
    assert_eq!((&seen["transitions"], &seen["verification"]), (&json!([]), &json!(id)));
    let step = json!({ "action": "verify_accept", "revision": seen["revision"] });
    let owner = app.owner().await;
    owner.post(&format!("/api/admin/v1/claims/{}/transitions", claim.id), step).await.refused(409, "transition_not_allowed");
    owner.post_empty(&format!("/api/admin/v1/claims/{}/unlock", claim.id)).await.ok();
    operator.accept(&id).await;
    let log = owner.get(&format!("/api/admin/v1/audit?aboutKind=verification&aboutId={id}")).await.ok();
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["verification.accept", "verification.photo", "verification.asked"]);
}

both_engines!(
    other_photos_need_a_reason,
    a_session_alone_accepts_no_photo,
    rejected_card_rejects_the_claim,
    a_rejection_asks_for_no_other_photo,
    emails_name_times_in_the_zone_of_the_claim,
    decision_needs_a_reason,
    only_one_of_concurrent_decisions_counts,
    decision_on_an_old_revision_is_rejected,
    assigned_claim_is_left_to_its_operator,
);
