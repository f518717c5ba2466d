//! Staff publish, reject and answer reviews.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{REVIEWS, decide, newest, path, publish, written_review};

async fn a_rejected_review_tells_its_customer_why(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let review = written_review(&app, "0.01", json!({ "rating": 1, "text": "Пишите на spam.example" })).await;
    decide(&owner, &review, json!({ "decision": "reject" })).await.refused(422, "validation_failed");
    let mixed = json!({ "decision": "publish", "reason": "x" });
    decide(&owner, &review, mixed).await.refused(422, "validation_failed");
    decide(&owner, &review, json!({ "decision": "reject", "reason": "Реклама" })).await.ok();
    let shown = app.visitor().get(&path(review["claimId"].as_str().unwrap())).await.ok();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("rejected"), &json!("Реклама")));

    // The customer's words stay as they are whatever staff decide.
    let rejected = newest(&owner, "rejected").await;
    let published = publish(&owner, &rejected).await;
    assert_eq!((&published["text"], &published["reason"]), (&review["text"], &json!("")));
    let actions =
        owner.get(&format!("/api/admin/v1/audit?aboutKind=review&aboutId={}", review["id"].as_str().unwrap())).await.ok();
    let actions: Vec<_> = actions["items"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["review.published", "review.rejected", "review.written"]);
}

async fn only_a_published_review_is_answered(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let review = written_review(&app, "0.01", json!({ "rating": 3, "text": "Долго" })).await;
    let reply_path = format!("{REVIEWS}/{}/reply", review["id"].as_str().unwrap());
    let reply = |revision: &serde_json::Value, text: &str| json!({ "revision": revision, "reply": text });
    owner.put(&reply_path, reply(&review["revision"], "x")).await.refused(409, "review_not_published");
    let published = publish(&owner, &review).await;
    owner.put(&reply_path, reply(&published["revision"], &"x".repeat(1_001))).await.refused(422, "validation_failed");
    let answered = owner.put(&reply_path, reply(&published["revision"], "Спасибо, разберёмся")).await.ok();
    assert_eq!(answered["reply"], "Спасибо, разберёмся");
    owner.put(&reply_path, reply(&published["revision"], "")).await.refused(409, "review_changed");
    assert_eq!(owner.put(&reply_path, reply(&answered["revision"], "")).await.ok()["reply"], "");
    let nobody = format!("{REVIEWS}/0190a000-0000-7000-8000-000000000000");
    owner.put(&format!("{nobody}/reply"), reply(&json!(1), "x")).await.refused(404, "review_not_found");
    let decision = json!({ "revision": 1, "decision": "publish" });
    owner.post(&format!("{nobody}/decision"), decision).await.refused(404, "review_not_found");
}

/// A payout that came back undoes what the review was verified by.
async fn a_reversed_exchange_takes_its_review_away(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    let kept = publish(&owner, &written_review(&app, "0.02", json!({ "rating": 5, "text": "Остаётся" })).await).await;
    let gone = publish(&owner, &written_review(&app, "0.01", json!({ "rating": 1, "text": "Исчезает" })).await).await;
    assert_eq!(app.server.reviews.published().count(), 2);

    let claim = gone["claimId"].as_str().unwrap();
    let claim_path = format!("/api/admin/v1/claims/{claim}");
    let revision = operator.get(&claim_path).await.ok()["revision"].clone();
    let returned = json!({ "action": "payout_returned", "revision": revision, "reason": "payout_returned" });
    operator.post(&format!("{claim_path}/transitions"), returned).await.ok();

    assert_eq!(app.server.reviews.published().count(), 1, "as soon as the reversal is stored");
    let published = owner.get(&format!("{REVIEWS}?state=published")).await.ok();
    assert_eq!(published["items"].as_array().unwrap().len(), 1, "{published}");
    assert_eq!(published["items"][0]["id"], kept["id"]);
    decide(&owner, &gone, json!({ "decision": "reject", "reason": "x" })).await.refused(404, "review_not_found");
    let customer = app.visitor();
    customer.get(&path(claim)).await.refused(404, "review_not_open");
    customer.put(&path(claim), json!({ "rating": 5, "text": "Снова" })).await.refused(404, "review_not_open");
    app.assert_audit_chain_is_intact().await;
}

async fn moderation_needs_its_permission(engine: Engine) {
    let app = TestApp::start(engine).await;
    let review = written_review(&app, "0.01", json!({ "rating": 5, "text": "Быстро" })).await;
    for role in [Role::Operator, Role::Cashier, Role::Auditor] {
        let staff = app.staff(role).await;
        let problem = decide(&staff, &review, json!({ "decision": "publish" })).await.refused(403, "forbidden");
        assert!(problem.to_string().contains("reviews.moderate"), "{problem}");
        assert_eq!(newest(&staff, "pending").await["id"], review["id"]);
    }
    publish(&app.staff(Role::Editor).await, &review).await;
}

both_engines!(
    a_rejected_review_tells_its_customer_why,
    only_a_published_review_is_answered,
    a_reversed_exchange_takes_its_review_away,
    moderation_needs_its_permission,
);
