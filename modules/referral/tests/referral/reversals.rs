//! Reversed commissions, also if already spent.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use rust_decimal::Decimal;
use serde_json::json;

use crate::fixtures::{Referrer, StaffConsole, exchange_with_code, number, pay_at_once};

/// A referrer whose balance has the commission of a completed claim, and the claim.
async fn rewarded(app: &TestApp) -> (Referrer, StaffConsole, String) {
    pay_at_once(app).await;
    let ivan = Referrer::at(app, "ivan@example.com").await;
    let staff = StaffConsole::operator(app).await;
    let claim = exchange_with_code(app, "olga@example.com", Some(&ivan.code)).await;
    staff.complete(&claim).await;
    app.advance_and_run_jobs(Duration::ZERO).await;
    (ivan, staff, claim)
}

async fn reversed_spent_commission_becomes_debt(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, first) = rewarded(&app).await;
    let earned = number(&ivan.overview().await["balance"]);
    assert!(earned > Decimal::from(20), "{earned}");
    let stored = Decimal::from(3);
    ivan.request_withdrawal(&app, &(earned - stored).to_string()).await.ok();
    staff.reverse(&first).await;
    let view = ivan.overview().await;
    assert_eq!((&view["balance"], number(&view["debt"])), (&json!("0"), earned - stored));
    app.assert_ledger_is_clean().await;

    let second = exchange_with_code(&app, "anna@example.com", Some(&ivan.code)).await;
    staff.complete(&second).await;
    assert_eq!(number(&ivan.overview().await["debt"]), earned - stored, "what is pending is not theirs yet");
    app.advance_and_run_jobs(Duration::ZERO).await;
    let view = ivan.overview().await;
    assert_eq!((number(&view["balance"]), &view["debt"]), (stored, &json!("0")));
    app.assert_ledger_is_clean().await;
    // Reversing the second restores the debt it had paid.
    staff.reverse(&second).await;
    let view = ivan.overview().await;
    assert_eq!((&view["balance"], number(&view["debt"])), (&json!("0"), earned - stored));
    app.assert_ledger_is_clean().await;
}

async fn a_refused_withdrawal_pays_the_debt_first(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, claim) = rewarded(&app).await;
    let all = ivan.overview().await["balance"].as_str().unwrap().to_owned();
    let requested = ivan.request_withdrawal(&app, &all).await.ok();
    staff.reverse(&claim).await;
    assert_eq!(ivan.overview().await["debt"], json!(all));
    staff.process(&requested["id"], "refuse", json!({ "reason": "The exchange was undone." })).await.ok();
    let view = ivan.overview().await;
    assert_eq!((&view["balance"], &view["debt"]), (&json!("0"), &json!("0")));
    app.assert_ledger_is_clean().await;
}

async fn a_debtor_is_paid_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, claim) = rewarded(&app).await;
    let all = number(&ivan.overview().await["balance"]);
    let approved = ivan.request_withdrawal(&app, "10").await.ok();
    staff.process(&approved["id"], "approve", json!({})).await.ok();
    let proposed = ivan.request_withdrawal(&app, &(all - Decimal::from(10)).to_string()).await.ok();
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": "true", "approvals.payout_limit": "1" })).await.ok();
    let approval = staff.process(&proposed["id"], "approve", json!({})).await.ok();
    staff.reverse(&claim).await;

    staff.process(&approved["id"], "pay", json!({ "txId": "tron-1" })).await.refused(409, "referral_in_debt");
    staff.process(&proposed["id"], "approve", json!({})).await.refused(409, "referral_in_debt");
    let approve = format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap());
    owner.post_empty(&approve).await.refused(409, "referral_in_debt");
    let list = staff.0.get("/api/admin/v1/referral/withdrawals").await.ok();
    for row in list["items"].as_array().unwrap() {
        assert_eq!((number(&row["debt"]), &row["actions"]), (all, &json!(["refuse"])), "{row}");
    }
    for row in [&approved, &proposed] {
        staff.process(&row["id"], "refuse", json!({ "reason": "The exchange was undone." })).await.ok();
    }
    let view = ivan.overview().await;
    assert_eq!((&view["balance"], &view["debt"]), (&json!("0"), &json!("0")));
    app.assert_ledger_is_clean().await;
}

/// Otherwise a debtor would delete the account and earn anew with the same address.
async fn a_debt_outlives_the_account(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, staff, claim) = rewarded(&app).await;
    let all = ivan.overview().await["balance"].as_str().unwrap().to_owned();
    let requested = ivan.request_withdrawal(&app, &all).await.ok();
    staff.process(&requested["id"], "approve", json!({})).await.ok();
    staff.process(&requested["id"], "pay", json!({ "txId": "tron-1" })).await.ok();
    let delete = async |ivan: &Referrer| {
        let confirmation = json!({ "password": ivan.customer.password });
        assert_eq!(ivan.customer.caller.post("/api/v1/users/me/delete/", confirmation).await.status, 204);
    };
    delete(&ivan).await;
    // What was earned is reversed later.
    staff.reverse(&claim).await;
    let kept = app.owner().await.get(&format!("/api/admin/v1/referral/referrers?q={}", ivan.code)).await.ok();
    assert!(!kept.to_string().contains("ivan@example.com"), "{kept}");

    let again = Referrer::at(&app, "ivan@example.com").await;
    assert_eq!(again.overview().await["debt"], json!(all));
    delete(&again).await;
    assert_eq!(Referrer::at(&app, "ivan@example.com").await.overview().await["debt"], json!(all));
    assert_eq!(Referrer::at(&app, "boris@example.com").await.overview().await["debt"], "0");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

both_engines!(
    reversed_spent_commission_becomes_debt,
    a_refused_withdrawal_pays_the_debt_first,
    a_debtor_is_paid_nothing,
    a_debt_outlives_the_account,
);
