//! Stored terms, rates and payment details that cannot be read stop the claim; nothing is paid or booked by a guess.

use std::time::Duration;

use agio_core::execute;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{Operator, TestCustomer, order};

const MINUTE: Duration = Duration::from_secs(60);

/// Damages what is stored with the claims.
async fn damage(app: &TestApp, sql: &'static str) {
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

/// What of a claim that is being paid out is damaged: for each, the steps that would book or pay by it refuse.
const DAMAGES: [&str; 7] = [
    "UPDATE claim_terms SET terms = '{}'",
    "UPDATE claim_terms SET terms = REPLACE(terms, '\"fixed\":\"0', '\"fixed\":\"?')",
    "UPDATE claim_terms SET terms = SUBSTR(terms, 2)",
    "UPDATE claim SET rate = ''",
    "UPDATE claim SET bonus = 'much'",
    "UPDATE claim SET receive_requisites = '{}'",
    "UPDATE claim SET give_requisites = ''",
];

async fn a_payout_does_not_leave_by_what_cannot_be_read(engine: Engine) {
    for sql in DAMAGES {
        let app = TestApp::start(engine).await;
        let operator = Operator::at(&app).await;
        let customer = TestCustomer::orders(&app, "0.01").await;
        customer.does("confirm").await.ok();
        customer.does("paid").await.ok();
        operator.does(&customer.id, "payment_received", json!({})).await;
        operator.does(&customer.id, "take", json!({})).await;
        damage(&app, sql).await;
        let entries = operator.sees(&customer.id).await["ledger"].as_array().unwrap().len();
        operator.tries(&customer.id, "payout_sent", json!({ "txId": "out" })).await.refused(409, "claim_unreadable");
        let seen = operator.sees(&customer.id).await;
        assert_eq!((&seen["status"], seen["ledger"].as_array().unwrap().len()), (&json!("processing"), entries), "{sql}");
        assert!(!seen["unreadable"].as_array().unwrap().is_empty(), "{sql}: {seen}");

        app.advance_and_run_jobs(MINUTE).await;
        let operator = Operator::at(&app).await;
        let status = customer.look("status").await.ok();
        let reason = &status["reason"]["code"];
        assert_eq!((&status["status"], reason), (&json!("on_hold"), &json!("data_unreadable")), "{sql}");
        operator.tries(&customer.id, "refund", json!({ "reason": "technical" })).await.refused(409, "claim_unreadable");
        operator.tries(&customer.id, "release_hold", json!({ "note": "go on" })).await.refused(409, "claim_unreadable");
        assert_eq!(operator.sees(&customer.id).await["ledger"].as_array().unwrap().len(), entries, "{sql}");
        assert_eq!(app.server.claims.unreadable(), [customer.number]);
        app.assert_ledger_is_clean().await;
    }
}

async fn a_payment_is_not_booked_by_terms_that_cannot_be_read(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let waits = TestCustomer::orders(&app, "0.02").await;
    damage(&app, "UPDATE claim_terms SET terms = '[]'").await;
    operator.tries(&customer.id, "payment_received", json!({})).await.refused(409, "claim_unreadable");
    waits.look("form").await.refused(409, "claim_unreadable");
    assert!(operator.sees(&customer.id).await["fees"].is_null());
    app.advance_and_run_jobs(MINUTE).await;
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!((customer.status().await.as_str(), waits.status().await.as_str()), ("on_hold", "created"));
    let mails = app.emails_to("owner@agio.example").await;
    let alert = mails.iter().find(|mail| mail.kind == "alert_claims").expect("owners are told");
    for number in [customer.number, waits.number] {
        assert!(alert.text.contains(&format!("№ {number}")), "{}", alert.text);
    }
    // Time goes on for what holds no money, and the reserve is free again.
    app.advance_and_run_jobs(40 * MINUTE).await;
    assert_eq!(waits.status().await, "expired");
    drop(owner);
    app.assert_ledger_is_clean().await;
}

async fn an_offer_that_cannot_be_read_is_not_accepted(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = crate::amounts::mismatched(&app, &operator, "0.01", "0.008").await;
    let offer = customer.look("status").await.ok()["offer"].clone();
    damage(&app, "UPDATE claim SET offer = '{}' WHERE offer IS NOT NULL").await;
    let accepted = json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] });
    customer.says("accept", accepted).await.refused(409, "claim_unreadable");
    customer.look("status").await.refused(409, "claim_unreadable");
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(customer.status().await, "on_hold");
}

async fn a_claim_beside_a_damaged_one_goes_its_way(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let damaged = TestCustomer::orders(&app, "0.01").await;
    damage(&app, "UPDATE claim SET rate = ''").await;
    let sound = app.visitor().post("/api/v1/claim/", order(&app, "0.02", "sound@example.com")).await.ok();
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(app.server.claims.unreadable(), [damaged.number]);
    let operator = Operator(operator.0);
    assert_eq!(operator.sees(sound["id"].as_str().unwrap()).await["unreadable"], json!([]));
    let listed = operator.0.get("/api/admin/v1/claims").await.ok();
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
}

both_engines!(
    a_payout_does_not_leave_by_what_cannot_be_read,
    a_payment_is_not_booked_by_terms_that_cannot_be_read,
    an_offer_that_cannot_be_read_is_not_accepted,
    a_claim_beside_a_damaged_one_goes_its_way,
);
