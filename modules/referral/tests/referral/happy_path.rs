//! A visit, an exchange and the referrer's commission.

use std::time::Duration;

use agio_contracts::ReferenceValueProvider as _;
use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use rust_decimal::Decimal;
use serde_json::json;

use crate::fixtures::{HELD, Referrer, StaffConsole, exchange_with_code, number, orders};

/// 20% of our profit, in the balance currency.
async fn fifth_of_profit(app: &TestApp, claim: &str) -> Decimal {
    let claim = app.server.claims.claim(claim.parse().unwrap()).await.unwrap();
    let earned = claim.terms.market_value.minus(claim.receive.amount).unwrap();
    let worth = app.server.calculator.reference_value(earned).unwrap();
    assert_eq!(worth.ticker, "USDT", "the balance is kept in the base currency");
    let scale = app.server.calculator.market().currency_named("USDTTRC20").unwrap().facts.scale;
    (worth.amount * Decimal::new(2, 1)).trunc_with_scale(scale)
}

async fn a_referred_guest_earns_commission_for_the_referrer(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let fresh = ivan.overview().await;
    assert_eq!((&fresh["percent"], &fresh["balance"], &fresh["currency"]), (&json!("20"), &json!("0"), &json!("USDTTRC20")));
    assert!(fresh["link"].as_str().unwrap().ends_with(&format!("/?rid={}", ivan.code)));
    assert_eq!(ivan.overview().await["code"], fresh["code"], "a code stays");

    let staff = StaffConsole::operator(&app).await;
    let olga = TestCustomer::new(&app, "olga@example.com");
    let visit = olga.caller.post("/api/v1/referral/visits/", json!({ "code": ivan.code })).await.ok();
    assert_eq!(visit["days"], 180);
    let first = orders(&app, &olga.caller, "olga@example.com", Some(&ivan.code.to_lowercase())).await;
    assert_eq!(ivan.overview().await["pending"], "0", "nothing is earned before the claim is completed");
    staff.complete(&first).await;
    let earned = fifth_of_profit(&app, &first).await;
    let view = ivan.overview().await;
    assert!(earned > Decimal::ZERO);
    assert_eq!((number(&view["pending"]), &view["balance"], &view["claims"]), (earned, &json!("0"), &json!(1)));
    app.assert_ledger_is_clean().await;

    // A later sign-up with the same address changes nothing.
    let olga = TestCustomer::registered(&app, "olga@example.com").await;
    let second = orders(&app, &olga.caller, "olga@example.com", None).await;
    staff.complete(&second).await;
    let both = earned + fifth_of_profit(&app, &second).await;
    let view = ivan.overview().await;
    assert_eq!((&view["visits"], &view["registrations"], &view["claims"]), (&json!(1), &json!(1), &json!(2)));
    assert_eq!((number(&view["pending"]), number(&view["earned"])), (both, both));
    assert!(number(&view["volume"]) > Decimal::from(1_000), "{view}");

    app.advance_and_run_jobs(HELD).await;
    let view = ivan.overview().await;
    assert_eq!((number(&view["balance"]), &view["pending"]), (both, &json!("0")));
    let staff = StaffConsole::operator(&app).await;
    staff.reverse(&first).await;
    let view = ivan.overview().await;
    assert_eq!((number(&view["balance"]), &view["claims"], &view["debt"]), (both - earned, &json!(1), &json!("0")));
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn a_commission_is_credited_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    let claim = exchange_with_code(&app, "olga@example.com", Some(&ivan.code)).await;
    staff.complete(&claim).await;
    let pending = number(&ivan.overview().await["pending"]);
    // The unlock job is idempotent.
    for _ in 0..3 {
        app.advance_and_run_jobs(HELD).await;
    }
    assert_eq!(number(&ivan.overview().await["balance"]), pending);
    let staff = StaffConsole::operator(&app).await;
    staff.reverse(&claim).await;
    let view = ivan.overview().await;
    assert_eq!(
        (&view["balance"], &view["pending"], &view["volume"], &view["earned"]),
        (&json!("0"), &json!("0"), &json!("0"), &json!("0"))
    );
    app.assert_ledger_is_clean().await;
}

async fn a_commission_without_a_currency_needs_a_review(engine: Engine) {
    let app = TestApp::start(engine).await;
    let settings = |code: &str| json!({ "referral.currency": code });
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", settings("NOSUCH")).await.ok();
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    assert_eq!(ivan.overview().await["currency"], "");
    let staff = StaffConsole::operator(&app).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", Some(&ivan.code)).await).await;
    let open = staff.open_commissions().await;
    assert_eq!((&open[0]["status"], &open[0]["reason"]["code"]), (&json!("unpriced"), &json!("no_currency")));
    staff.decide(&open[0], json!({ "decision": "approve" })).await.refused(409, "referral_no_worth");
    owner.put("/api/admin/v1/settings", settings("usdttrc20")).await.ok();
    let decided = staff.decide(&open[0], json!({ "decision": "approve" })).await.ok();
    assert_eq!((&decided["status"], &decided["currency"]), (&json!("held"), &json!("USDTTRC20")));
    assert_eq!(ivan.overview().await["pending"], decided["amount"]);
    staff.decide(&open[0], json!({ "decision": "approve" })).await.refused(409, "referral_commission_closed");
    // The balance keeps its currency.
    owner.put("/api/admin/v1/settings", settings("BTC")).await.ok();
    assert_eq!(ivan.overview().await["currency"], "USDTTRC20");
    app.assert_ledger_is_clean().await;
}

async fn a_commission_is_held_until_its_period_ends(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let hours = app.owner().await.get("/api/admin/v1/referral/plans").await.ok()[0]["holdHours"].as_u64().unwrap();
    assert!(hours > 0, "the plan holds shares for a time");
    let staff = StaffConsole::operator(&app).await;
    let claim = orders(&app, &app.visitor(), "olga@example.com", Some(&ivan.code)).await;
    staff.complete(&claim).await;
    let earned = fifth_of_profit(&app, &claim).await;
    app.advance_and_run_jobs(Duration::from_secs(hours * 3_600 - 1)).await;
    let view = ivan.overview().await;
    assert_eq!((number(&view["pending"]), &view["balance"]), (earned, &json!("0")));
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let view = ivan.overview().await;
    assert_eq!((&view["pending"], number(&view["balance"])), (&json!("0"), earned));
    app.assert_ledger_is_clean().await;
}

both_engines!(
    a_commission_is_held_until_its_period_ends,
    a_referred_guest_earns_commission_for_the_referrer,
    a_commission_is_credited_once,
    a_commission_without_a_currency_needs_a_review,
);
