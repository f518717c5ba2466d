//! Customers write reviews.

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{complete_exchange, create_claim, decide, newest, path, publish, step};

async fn only_a_completed_exchange_is_reviewed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (customer, operator) = (app.visitor(), app.operator().await);
    let claim = create_claim(&app, &customer, "0.01").await;
    let review = json!({ "rating": 5, "text": "Быстро" });
    for action in ["payment_received", "take", "payout_sent"] {
        step(&operator, &claim, action).await;
        customer.put(&path(&claim), review.clone()).await.refused(404, "review_not_open");
        customer.get(&path(&claim)).await.refused(404, "review_not_open");
    }
    step(&operator, &claim, "complete").await;
    let open = customer.get(&path(&claim)).await.ok();
    assert_eq!((&open["state"], &open["rating"]), (&json!("unwritten"), &Value::Null));
    assert_eq!(customer.put(&path(&claim), review).await.ok()["state"], "pending");
    let unknown = "0190a000-0000-7000-8000-000000000000";
    customer.put(&path(unknown), json!({ "rating": 5, "text": "x" })).await.refused(404, "review_not_open");
}

async fn a_review_changes_until_it_is_moderated(engine: Engine) {
    let app = TestApp::start(engine).await;
    let claim = complete_exchange(&app, "0.01").await;
    let (customer, owner) = (app.visitor(), app.owner().await);
    let write = async |text: &str| customer.put(&path(&claim), json!({ "rating": 4, "text": text, "name": " Анна " })).await;
    write("Быстро").await.ok();
    let first = newest(&owner, "pending").await;
    write("Быстро").await.ok();
    assert_eq!(newest(&owner, "pending").await["revision"], first["revision"], "the same review again is no change");
    let changed = write("Быстро и вежливо").await.ok();
    assert_eq!((&changed["text"], &changed["name"]), (&json!("Быстро и вежливо"), &json!("Анна")));

    decide(&owner, &first, json!({ "decision": "publish" })).await.refused(409, "review_changed");
    publish(&owner, &newest(&owner, "pending").await).await;
    write("Другое").await.refused(409, "review_moderated");
    assert_eq!(customer.get(&path(&claim)).await.ok()["text"], "Быстро и вежливо");
    let counts = owner.get(crate::fixtures::REVIEWS).await.ok()["counts"].clone();
    assert_eq!(counts, json!({ "pending": 0, "published": 1, "rejected": 0 }));
    app.assert_audit_chain_is_intact().await;
}

async fn a_review_is_not_changed_without_end(engine: Engine) {
    let app = TestApp::start(engine).await;
    let claim = complete_exchange(&app, "0.01").await;
    for number in 0..20 {
        app.visitor().put(&path(&claim), json!({ "rating": 1, "text": format!("{number}") })).await.ok();
    }
    let last = app.visitor().put(&path(&claim), json!({ "rating": 1, "text": "21" })).await;
    last.refused(429, "too_many_review_changes");
}

async fn errors_name_the_field(engine: Engine) {
    let app = TestApp::start(engine).await;
    let claim = complete_exchange(&app, "0.01").await;
    let refused = async |review: Value, field: &str, code: &str| {
        let problem = app.visitor().put(&path(&claim), review).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    refused(json!({ "rating": 6, "text": "x" }), "rating", "review_rating_invalid").await;
    refused(json!({ "rating": 5, "text": " " }), "text", "required").await;
    refused(json!({ "rating": 5, "text": "x".repeat(2_001) }), "text", "text_too_long").await;
    refused(json!({ "rating": 5, "text": "x", "name": "a\u{202e}b" }), "name", "text_not_plain").await;
    app.visitor().put(&path(&claim), json!({ "rating": 4.5, "text": "x" })).await.refused(400, "malformed_body");
}

both_engines!(
    only_a_completed_exchange_is_reviewed,
    a_review_changes_until_it_is_moderated,
    a_review_is_not_changed_without_end,
    errors_name_the_field,
);
