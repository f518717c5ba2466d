//! Payout details of withdrawals are encrypted.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Referrer, StaffConsole, exchange_with_code, order, pay_at_once};

const PATH: &str = "/api/v1/users/me/refferal/withdrawal/";

/// An address that is not in the demo data.
const MINE: &str = "TAycsVCX5Ng1kNwqrciXyTpyx3aw4rdHbR";

/// A withdrawal that needs approval.
async fn requested_withdrawal(app: &TestApp) -> (Referrer, StaffConsole, Value) {
    pay_at_once(app).await;
    let ivan = Referrer::at(app, "ivan@example.com").await;
    let staff = StaffConsole::operator(app).await;
    staff.complete(&exchange_with_code(app, "olga@example.com", Some(&ivan.code)).await).await;
    app.advance_and_run_jobs(Duration::ZERO).await;
    let rule = json!({ "approvals.two_person": "true", "approvals.payout_limit": "5" });
    app.owner().await.put("/api/admin/v1/settings", rule).await.ok();
    let mut order = order(app, "12");
    order["requisites"]["address"] = MINE.into();
    let requested = ivan.customer.caller.post_idempotent(PATH, "one-and-only", order).await.ok();
    (ivan, staff, requested)
}

async fn payout_details_are_stored_encrypted(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (_, staff, requested) = requested_withdrawal(&app).await;
    let approval = staff.process(&requested["id"], "approve", json!({})).await.ok();
    assert!(approval["facts"].to_string().contains(MINE), "{approval}");
    app.assert_not_stored_in_plain_text(&[MINE]).await;
    let approve = format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap());
    app.owner().await.post_empty(&approve).await.ok();
    staff.process(&requested["id"], "pay", json!({ "txId": "tron-1" })).await.ok();
    assert_eq!(staff.withdrawal(&requested["id"]).await["requisites"][0]["value"], MINE);
    app.assert_not_stored_in_plain_text(&[MINE]).await;
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

both_engines!(payout_details_are_stored_encrypted,);
