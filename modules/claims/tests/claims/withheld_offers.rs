//! Payments for claims that were rejected, or whose verification is missing, are not exchanged without the staff.

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::amounts::mismatched;
use crate::disputes::accepted;
use crate::fixtures::{ADDRESS, Operator, TestCustomer};
use crate::limits::changes_pair;
use crate::receipts::picture;

/// First claims above 500 dollars need a verification; 0.01 BTC are some 690.
async fn verifies_first_claims(app: &TestApp) {
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "500" })).await.ok();
}

/// A claim that waits for its verification, and the verification.
async fn unverified(app: &TestApp, send: &str) -> (TestCustomer, String) {
    let customer = TestCustomer::orders(app, send).await;
    let status = customer.does("confirm").await.ok();
    assert_eq!(status["status"], "verification");
    (customer, status["verification"].as_str().unwrap().to_owned())
}

async fn pays_late(operator: &Operator, customer: &TestCustomer, amount: &str) {
    let came = json!({ "amount": amount, "txId": format!("late-{}", customer.id) });
    operator.does(&customer.id, "late_payment", came).await;
}

/// The money waits, and the customer can only have it back.
async fn is_only_refunded(customer: &TestCustomer) {
    let status = customer.look("status").await.ok();
    assert_eq!((&status["status"], &status["offer"]), (&json!("late_payment"), &Value::Null), "{status}");
    assert_eq!(status["actions"], json!(["refund", "upload"]));
    let offer = json!({ "fromSumma": status["received"], "toSumma": customer.look("form").await.ok()["to"]["amount"] });
    customer.says("accept", accepted(&offer)).await.refused(409, "no_offer");
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    assert_eq!(customer.status().await, "refund_pending");
}

async fn a_rejected_verification_is_not_paid_around(engine: Engine) {
    let app = TestApp::start(engine).await;
    verifies_first_claims(&app).await;
    let (customer, verification) = unverified(&app, "0.05").await;
    let photos = format!("/api/v1/verify/{verification}/photos/");
    for shade in 1..=2 {
        customer.caller.upload(&photos, "photo.png", picture(shade)).await.ok();
    }
    let operator = Operator::at(&app).await;
    let path = format!("/api/admin/v1/verifications/{verification}");
    let revision = operator.0.get(&path).await.ok()["revision"].clone();
    let message = json!({ "ru": "Это не вы.", "en": "This is not you." });
    let decision = json!({ "decision": "reject", "revision": revision, "reason": "other", "message": message });
    operator.0.post(&format!("{path}/decision"), decision).await.ok();
    assert_eq!(customer.status().await, "rejected");
    pays_late(&operator, &customer, "0.05").await;
    is_only_refunded(&customer).await;
    app.assert_ledger_is_clean().await;
}

async fn a_cancelled_verification_is_not_paid_around(engine: Engine) {
    let app = TestApp::start(engine).await;
    verifies_first_claims(&app).await;
    let operator = Operator::at(&app).await;
    for paid in ["0.05", "0.06"] {
        let (customer, _) = unverified(&app, "0.05").await;
        customer.does("cancel").await.ok();
        pays_late(&operator, &customer, paid).await;
        is_only_refunded(&customer).await;
    }
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "0" })).await.ok();
    changes_pair(&app, json!({ "verification": "identity" })).await;
    let (customer, _) = unverified(&app, "0.01").await;
    customer.does("cancel").await.ok();
    pays_late(&operator, &customer, "0.01").await;
    is_only_refunded(&customer).await;

    // What needs no verification is exchanged by itself still.
    changes_pair(&app, json!({ "verification": "none" })).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("cancel").await.ok();
    pays_late(&operator, &customer, "0.01").await;
    assert_eq!(customer.status().await, "paid");
    app.assert_ledger_is_clean().await;
}

async fn a_claim_rejected_from_a_hold_is_not_paid_around(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (held, not_found) = (TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.02").await);
    operator.does(&held.id, "hold", json!({ "reason": "aml_check", "answerBy": "2024-03-28T23:00:00Z" })).await;
    operator.does(&held.id, "reject", json!({ "reason": "technical" })).await;
    pays_late(&operator, &held, "0.01").await;
    is_only_refunded(&held).await;

    // A payment that was not found and arrives after all may be exchanged, as its customer chooses.
    operator.does(&not_found.id, "reject", json!({ "reason": "payment_not_found" })).await;
    pays_late(&operator, &not_found, "0.02").await;
    let status = not_found.look("status").await.ok();
    assert_eq!(status["status"], "late_payment", "staff rejected it");
    assert_eq!(not_found.says("accept", accepted(&status["offer"])).await.ok()["status"], "paid");
    app.assert_ledger_is_clean().await;
}

async fn a_verification_is_for_the_amount_that_arrived(engine: Engine) {
    let app = TestApp::start(engine).await;
    verifies_first_claims(&app).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.005", "0.0125").await;
    let status = customer.look("status").await.ok();
    assert_eq!((&status["status"], &status["offer"]), (&json!("amount_mismatch"), &Value::Null));
    assert_eq!((&status["surplus"]["offer"], &status["actions"]), (&Value::Null, &json!(["refund", "upload"])));
    assert!(mismatched(&app, &operator, "0.005", "0.0051").await.look("status").await.ok()["offer"].is_object());
    app.assert_ledger_is_clean().await;
}

/// The threshold may have fallen since, or the price risen.
async fn what_needed_no_verification_then_is_exchanged_up_to_the_agreed_amount(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (less, more) = (TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.01").await);
    verifies_first_claims(&app).await;
    for (customer, came, is_offered) in [(&less, "0.009", true), (&more, "0.05", false)] {
        operator.does(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
        let status = customer.look("status").await.ok();
        assert_eq!(status["offer"].is_object(), is_offered, "{came}: {status}");
        assert!(status["surplus"]["offer"].is_null(), "{status}");
    }
    app.assert_ledger_is_clean().await;
}

both_engines!(
    a_rejected_verification_is_not_paid_around,
    a_cancelled_verification_is_not_paid_around,
    a_claim_rejected_from_a_hold_is_not_paid_around,
    a_verification_is_for_the_amount_that_arrived,
    what_needed_no_verification_then_is_exchanged_up_to_the_agreed_amount,
);
