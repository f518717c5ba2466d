//! What partners earn by their claims, and how they are paid.

use agio_claims::model::Action;
use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::people::{Partner, WAY, house, operator_does};

both_engines!(
    a_partner_earns_by_what_is_completed,
    a_loss_earns_nothing_and_no_percent_neither,
    what_was_paid_becomes_a_debt_when_it_is_undone,
    above_the_limit_two_people_pay
);

fn number(value: &Value) -> Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

async fn whole(house: &House, partner: &Partner) -> Value {
    house.owner().await.get(&format!("/api/admin/v1/partners/{}", partner.partner)).await.ok()
}

pub async fn gives(house: &House, partner: &Partner, kind: &str, percent: &str) {
    let revision = whole(house, partner).await["partner"]["revision"].clone();
    let change = json!({ "revision": revision, "commissionKind": kind, "commissionPercent": percent });
    house.owner().await.patch(&format!("/api/admin/v1/partners/{}", partner.partner), change).await.ok();
}

async fn completes(house: &House, partner: &Partner, send: &str, reference: &str) -> String {
    let id = partner.claim(send, reference).await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("/api/partner/v1/claims/{id}/paid/")).await.ok();
    for action in WAY {
        operator_does(house, &id, action).await;
    }
    id
}

async fn pays(house: &House, partner: &Partner, amount: &str) -> agio_testkit::Answer {
    let payout = json!({ "currency": "BTC", "amount": amount, "txId": "tx-1" });
    house.staff(Role::Cashier).await.post(&format!("/api/admin/v1/partners/{}/payouts", partner.partner), payout).await
}

async fn a_partner_earns_by_what_is_completed(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    gives(&house, &partner, "amount", "0.5").await;
    completes(&house, &partner, "0.015", "order-1").await;
    let seen = whole(&house, &partner).await;
    let sent = number(&seen["turnover"][0]["sent"]);
    let half_a_percent = (sent * Decimal::new(5, 3)).round_dp_with_strategy(8, rust_decimal::RoundingStrategy::ToZero);
    assert_eq!(seen["earnings"][0]["currency"], "BTC");
    assert_eq!(
        (number(&seen["earnings"][0]["earned"]), number(&seen["earnings"][0]["balance"])),
        (half_a_percent, half_a_percent)
    );
    // From now on of the profit, which is in the currency received; what was earned stays as it is.
    gives(&house, &partner, "profit", "20").await;
    completes(&house, &partner, "0.016", "order-2").await;
    let statistics = partner.get("/api/partner/v1/statistics/").await.ok();
    assert_eq!((&statistics["commissionKind"], &statistics["commissionPercent"]), (&json!("profit"), &json!("20")));
    let earnings = statistics["earnings"].as_array().unwrap();
    let of = |code: &str| earnings.iter().find(|earned| earned["currency"] == code).unwrap();
    assert_eq!(number(&of("BTC")["earned"]), half_a_percent);
    let profit = number(&whole(&house, &partner).await["turnover"][0]["earned"]);
    let roubles = number(&of("SBERRUB")["earned"]);
    assert!(roubles > Decimal::ZERO && roubles < profit * Decimal::new(2, 1), "{roubles} of {profit}");
    house.books_are_clean().await;
}

async fn a_loss_earns_nothing_and_no_percent_neither(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    completes(&house, &partner, "0.015", "order-1").await;
    assert_eq!(whole(&house, &partner).await["earnings"], json!([]));
    let path = format!("/api/admin/v1/partners/{}", partner.partner);
    for percent in ["-1", "100.5", "0.00001"] {
        let change = json!({ "revision": 1, "commissionPercent": percent });
        house.owner().await.patch(&path, change).await.refused(422, "validation_failed");
    }
    house.books_are_clean().await;
}

async fn what_was_paid_becomes_a_debt_when_it_is_undone(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    gives(&house, &partner, "amount", "1").await;
    let first = completes(&house, &partner, "0.02", "order-1").await;
    let earned = number(&whole(&house, &partner).await["earnings"][0]["balance"]);
    let kept = Decimal::new(1, 5);
    pays(&house, &partner, &(earned + kept).to_string()).await.refused(409, "balance_too_low");
    let paid = pays(&house, &partner, &(earned - kept).to_string()).await.ok();
    assert_eq!((number(&paid["earnings"][0]["balance"]), &paid["payouts"][0]["tx"]), (kept, &json!("tx-1")));
    house.books_are_clean().await;
    operator_does(&house, &first, Action::PayoutReturned).await;
    let seen = whole(&house, &partner).await;
    assert_eq!((number(&seen["earnings"][0]["balance"]), number(&seen["earnings"][0]["debt"])), (Decimal::ZERO, earned - kept));
    house.books_are_clean().await;
    // What is earned next pays the debt first.
    completes(&house, &partner, "0.02", "order-2").await;
    let seen = whole(&house, &partner).await;
    assert_eq!((number(&seen["earnings"][0]["balance"]), number(&seen["earnings"][0]["debt"])), (kept, Decimal::ZERO));
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

async fn above_the_limit_two_people_pay(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    gives(&house, &partner, "amount", "10").await;
    completes(&house, &partner, "0.02", "order-1").await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.four_eyes": "true", "approvals.payout_limit": "1" })).await.ok();
    let waits = pays(&house, &partner, "0.001").await;
    assert_eq!(waits.status.as_u16(), 202, "{}", waits.text);
    let proposal = waits.ok();
    assert_eq!(whole(&house, &partner).await["payouts"], json!([]));
    let path = format!("/api/admin/v1/approvals/{}/approve", proposal["id"].as_str().unwrap());
    house.staff(Role::Cashier).await.post_empty(&path).await.refused(403, "approval_own");
    owner.post_empty(&path).await.ok();
    let seen = whole(&house, &partner).await;
    assert_eq!(number(&seen["payouts"][0]["amount"]), Decimal::new(1, 3));
    house.books_are_clean().await;
    house.audit_is_whole().await;
}
