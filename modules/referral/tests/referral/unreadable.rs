//! Unreadable stored data is an error.

use agio_core::execute;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{Referrer, StaffConsole, exchange_with_code};
use crate::withdrawals::referrer_with_balance;

async fn damage(app: &TestApp, sql: &'static str) {
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

async fn a_withdrawal_with_unreadable_details_is_not_paid(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, _) = referrer_with_balance(&app).await;
    let requested = ivan.request_withdrawal(&app, "10").await.ok();
    staff.process(&requested["id"], "approve", json!({})).await.ok();
    // Lost payout details: the withdrawal cannot be shown either.
    damage(&app, "UPDATE referral_withdrawal SET requisites = '?'").await;
    let one = format!("/api/admin/v1/referral/withdrawals/{}", requested["id"].as_str().unwrap());
    staff.0.get(&one).await.refused(409, "referral_withdrawal_unreadable");
    app.assert_ledger_is_clean().await;
}

async fn a_commission_with_an_unreadable_percentage_is_not_valued(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "referral.currency": "NOSUCH" })).await.ok();
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", Some(&ivan.code)).await).await;
    let open = staff.open_commissions().await;
    owner.put("/api/admin/v1/settings", json!({ "referral.currency": "usdttrc20" })).await.ok();
    damage(&app, "UPDATE referral_commission SET percent = '?'").await;
    staff.decide(&open[0], json!({ "decision": "approve" })).await.refused(500, "internal");
    // Nothing changed: with the percentage restored it can be valued.
    damage(&app, "UPDATE referral_commission SET percent = '20'").await;
    assert_eq!(staff.open_commissions().await[0]["status"], "unpriced");
    let decided = staff.decide(&open[0], json!({ "decision": "approve" })).await.ok();
    assert_eq!(ivan.overview().await["pending"], decided["amount"]);
    app.assert_ledger_is_clean().await;
}

both_engines!(a_withdrawal_with_unreadable_details_is_not_paid, a_commission_with_an_unreadable_percentage_is_not_valued);
