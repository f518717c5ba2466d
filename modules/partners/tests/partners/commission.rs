//! Partner commission and payouts.

use std::time::Duration;

use agio_claims::model::Action;
use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::fixtures::{Partner, WAY, app, operator_does};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

both_engines!(
    completed_claims_earn_commission,
    claims_of_partners_earn_no_referral_commission,
    claims_of_partners_count_for_no_discount_and_no_contest,
    no_commission_for_a_loss_or_zero_percent,
    reversed_paid_commission_becomes_debt,
    payouts_above_the_limit_need_approval,
    payouts_of_one_day_count_together
);

fn number(value: &Value) -> Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

async fn details(app: &TestApp, partner: &Partner) -> Value {
    app.owner().await.get(&format!("/api/admin/v1/partners/{}", partner.partner)).await.ok()
}

pub async fn gives(app: &TestApp, partner: &Partner, kind: &str, percent: &str) {
    let revision = details(app, partner).await["partner"]["revision"].clone();
    let change = json!({ "revision": revision, "commissionKind": kind, "commissionPercent": percent });
    app.owner().await.patch(&format!("/api/admin/v1/partners/{}", partner.partner), change).await.ok();
}

async fn complete(app: &TestApp, partner: &Partner, send: &str, reference: &str) -> String {
    let id = partner.claim(send, reference).await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("/api/partner/v1/claims/{id}/paid/")).await.ok();
    for action in WAY {
        operator_does(app, &id, action).await;
    }
    id
}

async fn pay(app: &TestApp, partner: &Partner, amount: &str) -> agio_test_app::TestResponse {
    pay_by(app, partner, amount, "tx-1").await
}

async fn pay_by(app: &TestApp, partner: &Partner, amount: &str, tx: &str) -> agio_test_app::TestResponse {
    let payout = json!({ "currency": "BTC", "amount": amount, "txId": tx });
    app.staff(Role::Cashier).await.post(&format!("/api/admin/v1/partners/{}/payouts", partner.partner), payout).await
}

async fn completed_claims_earn_commission(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    gives(&app, &partner, "amount", "0.5").await;
    complete(&app, &partner, "0.015", "order-1").await;
    let view = details(&app, &partner).await;
    let sent = number(&view["turnover"][0]["sent"]);
    let half_a_percent = (sent * Decimal::new(5, 3)).round_dp_with_strategy(8, rust_decimal::RoundingStrategy::ToZero);
    assert_eq!(view["earnings"][0]["currency"], "BTC");
    assert_eq!(
        (number(&view["earnings"][0]["earned"]), number(&view["earnings"][0]["balance"])),
        (half_a_percent, half_a_percent)
    );
    // A new commission kind applies to later claims only.
    gives(&app, &partner, "profit", "20").await;
    complete(&app, &partner, "0.016", "order-2").await;
    let statistics = partner.get("/api/partner/v1/statistics/").await.ok();
    assert_eq!((&statistics["commissionKind"], &statistics["commissionPercent"]), (&json!("profit"), &json!("20")));
    let earnings = statistics["earnings"].as_array().unwrap();
    let of = |code: &str| earnings.iter().find(|earned| earned["currency"] == code).unwrap();
    assert_eq!(number(&of("BTC")["earned"]), half_a_percent);
    let profit = number(&details(&app, &partner).await["turnover"][0]["earned"]);
    let roubles = number(&of("SBERRUB")["earned"]);
    assert!(roubles > Decimal::ZERO && roubles < profit * Decimal::new(2, 1), "{roubles} of {profit}");
    app.assert_ledger_is_clean().await;
}

/// A guest's exchange with the address that partners name in these tests, after the link of a referrer if there is one.
async fn complete_by_guest(app: &TestApp, referrer: Option<Value>) {
    let id_of = |code: &str| app.server.calculator.market().currency_named(code).unwrap().id();
    let quoted = QuoteRequest::anonymous(id_of("BTC"), id_of("SBERRUB"), "0.01".parse().unwrap());
    let mut order = json!({
        "email": "ivan@example.com", "fromPs": quoted.from, "toPs": quoted.to, "fromSumma": "0.01",
        "toSumma": app.server.calculator.agree(&quoted).unwrap().receive.to_string(),
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    if let Some(code) = referrer {
        order["refferal"] = code;
    }
    let visitor = TestCustomer::new(app, "ivan@example.com").caller;
    let id = visitor.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        visitor.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    for action in WAY {
        operator_does(app, &id, action).await;
    }
}

/// The customer was referred earlier, with an exchange on the site.
async fn claims_of_partners_earn_no_referral_commission(engine: Engine) {
    let app = app(engine).await;
    let olga = TestCustomer::registered(&app, "olga@example.com").await;
    let code = olga.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].clone();
    complete_by_guest(&app, Some(code)).await;
    let pending = async || olga.caller.get("/api/v1/users/me/refferal/").await.ok()["pending"].clone();
    let earned = pending().await;
    assert_ne!(earned, "0");

    let partner = Partner::of(&app, "").await;
    gives(&app, &partner, "amount", "0.5").await;
    complete(&app, &partner, "0.015", "order-1").await;
    assert_eq!(pending().await, earned);
    assert_eq!(details(&app, &partner).await["earnings"].as_array().unwrap().len(), 1);
    app.assert_ledger_is_clean().await;
}

async fn claims_of_partners_count_for_no_discount_and_no_contest(engine: Engine) {
    let app = app(engine).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "site.contest": true })).await.ok();
    let text = json!({ "ru": "Весенний розыгрыш", "en": "Spring draw" });
    let day = |days: u32| app.now().plus(DAY * days).to_string();
    let tether = app.server.calculator.market().currency_named("USDTTRC20").unwrap().id();
    let contest = json!({
        "title": text, "rules": text, "source": text, "startsAt": day(1), "endsAt": day(8), "publicAt": day(9),
        "volumePerTicket": null, "maxTickets": 1,
        "prizes": [{ "currencyId": tether, "amount": "100" }],
    });
    owner.post_idempotent("/api/admin/v1/contests", "contest-0001", contest).await.ok();
    app.advance_and_run_jobs(DAY).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let counted = async || {
        let discount = ivan.caller.get("/api/v1/discounts/").await.ok()["mine"].clone();
        let contest = app.visitor().get("/api/v1/contest/").await.ok()["current"].clone();
        (discount["volume"].clone(), contest["entries"].clone())
    };
    complete(&app, &Partner::of(&app, "").await, "0.015", "order-1").await;
    assert_eq!(counted().await, (json!("0"), json!(0)));
    complete_by_guest(&app, None).await;
    let (volume, entries) = counted().await;
    assert!(volume != "0" && entries == 1, "{volume}, {entries}");
}

async fn no_commission_for_a_loss_or_zero_percent(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    complete(&app, &partner, "0.015", "order-1").await;
    assert_eq!(details(&app, &partner).await["earnings"], json!([]));
    let path = format!("/api/admin/v1/partners/{}", partner.partner);
    for percent in ["-1", "100.5", "0.00001"] {
        let change = json!({ "revision": 1, "commissionPercent": percent });
        app.owner().await.patch(&path, change).await.refused(422, "validation_failed");
    }
    app.assert_ledger_is_clean().await;
}

async fn reversed_paid_commission_becomes_debt(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    gives(&app, &partner, "amount", "1").await;
    let first = complete(&app, &partner, "0.02", "order-1").await;
    let earned = number(&details(&app, &partner).await["earnings"][0]["balance"]);
    let stored = Decimal::new(1, 5);
    pay(&app, &partner, &(earned + stored).to_string()).await.refused(409, "balance_too_low");
    let paid = pay(&app, &partner, &(earned - stored).to_string()).await.ok();
    assert_eq!((number(&paid["earnings"][0]["balance"]), &paid["payouts"][0]["tx"]), (stored, &json!("tx-1")));
    let again = pay(&app, &partner, &stored.to_string()).await.refused(422, "validation_failed");
    assert_eq!(again["errors"]["txId"][0]["code"], "payout_recorded");
    let other_spelling = pay_by(&app, &partner, &stored.to_string(), "TX-1").await.refused(422, "validation_failed");
    assert_eq!(other_spelling["errors"]["txId"][0]["code"], "payout_recorded");
    assert_eq!(number(&details(&app, &partner).await["earnings"][0]["balance"]), stored);
    app.assert_ledger_is_clean().await;
    operator_does(&app, &first, Action::PayoutReturned).await;
    let view = details(&app, &partner).await;
    assert_eq!((number(&view["earnings"][0]["balance"]), number(&view["earnings"][0]["debt"])), (Decimal::ZERO, earned - stored));
    app.assert_ledger_is_clean().await;
    // Later commission is set off against the debt first.
    complete(&app, &partner, "0.02", "order-2").await;
    let view = details(&app, &partner).await;
    assert_eq!((number(&view["earnings"][0]["balance"]), number(&view["earnings"][0]["debt"])), (stored, Decimal::ZERO));
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn payouts_of_one_day_count_together(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    gives(&app, &partner, "amount", "10").await;
    complete(&app, &partner, "0.02", "order-1").await;
    // 0.001 BTC is some 70 USDT.
    let rule = json!({ "approvals.two_person": "true", "approvals.payout_limit": "100" });
    app.owner().await.put("/api/admin/v1/settings", rule).await.ok();
    assert_eq!(pay_by(&app, &partner, "0.001", "tx-1").await.status.as_u16(), 200);
    let split = pay_by(&app, &partner, "0.0009", "tx-2").await;
    assert_eq!(split.status.as_u16(), 202, "{}", split.text);
    app.advance_and_run_jobs(Duration::from_secs(25 * 3_600)).await;
    assert_eq!(pay_by(&app, &partner, "0.0008", "tx-3").await.status.as_u16(), 200);
    app.assert_ledger_is_clean().await;
}

async fn payouts_above_the_limit_need_approval(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    gives(&app, &partner, "amount", "10").await;
    complete(&app, &partner, "0.02", "order-1").await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": "true", "approvals.payout_limit": "1" })).await.ok();
    let waits = pay(&app, &partner, "0.001").await;
    assert_eq!(waits.status.as_u16(), 202, "{}", waits.text);
    let approval = waits.ok();
    assert_eq!(details(&app, &partner).await["payouts"], json!([]));
    let path = format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap());
    app.staff(Role::Cashier).await.post_empty(&path).await.refused(403, "approval_own");
    owner.post_empty(&path).await.ok();
    let view = details(&app, &partner).await;
    assert_eq!(number(&view["payouts"][0]["amount"]), Decimal::new(1, 3));
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}
