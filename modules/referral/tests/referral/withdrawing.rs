//! Asking to be paid, and being paid.

use std::time::Duration;

use agio_testkit::{Customer as Member, Engine, House, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::people::{Desk, Referrer, TRON, comes, id_of, number, order, pays_at_once};

const PATH: &str = "/api/v1/users/me/refferal/withdrawal/";

/// Somebody whose balance is what one exchange gave.
pub async fn rich(house: &House) -> (Referrer, Desk, String) {
    pays_at_once(house).await;
    let ivan = Referrer::at(house, "ivan@example.com").await;
    let desk = Desk::operator(house).await;
    desk.completes(&comes(house, "olga@example.com", Some(&ivan.code)).await).await;
    house.later(Duration::ZERO).await;
    let balance = ivan.sees().await["balance"].as_str().unwrap().to_owned();
    (ivan, desk, balance)
}

async fn of_a_thousand_withdrawals_of_everything_one_is_taken(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, _, balance) = rich(&house).await;
    let mut all = JoinSet::new();
    for number in 0..1_000 {
        let (caller, order) = (ivan.member.caller.clone(), order(&house, &balance));
        all.spawn(async move {
            loop {
                // Where so many wait that the house takes no more, they ask once more, as they are told.
                let answer = caller.post_once(PATH, &format!("withdrawal-{number}"), order.clone()).await;
                if answer.status.as_u16() != 503 {
                    return answer;
                }
                answer.refused(503, "overloaded");
            }
        });
    }
    let mut taken = 0;
    while let Some(answer) = all.join_next().await {
        let answer = answer.unwrap();
        if answer.status.as_u16() == 201 {
            taken += 1;
        } else {
            answer.refused(409, "balance_too_low");
        }
    }
    assert_eq!(taken, 1);
    assert_eq!(ivan.sees().await["balance"], "0");
    let mine = ivan.member.caller.get(PATH).await.ok();
    assert_eq!(
        (&mine["total"], &mine["items"][0]["amount"], &mine["items"][0]["status"]),
        (&json!(1), &json!(balance), &json!("requested"))
    );
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

async fn a_withdrawal_is_approved_and_paid_out_of_the_reserve(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, desk, balance) = rich(&house).await;
    let reserve = || async {
        house.app.ledger.reserves().load(&house.app.platform.db).await.unwrap();
        house.app.ledger.reserves().available(id_of(&house, "USDTTRC20")).units
    };
    let before = reserve().await;
    // The same key makes one withdrawal, however often it is sent.
    let asked = ivan.member.caller.post_once(PATH, "one-and-only", order(&house, "10")).await.ok();
    assert_eq!(ivan.member.caller.post_once(PATH, "one-and-only", order(&house, "10")).await.ok(), asked);
    ivan.member.caller.post_once(PATH, "one-and-only", order(&house, "11")).await.refused(422, "idempotency_mismatch");
    assert_eq!(number(&ivan.sees().await["balance"]), balance.parse::<Decimal>().unwrap() - Decimal::from(10));
    assert!(!asked["to"].as_str().unwrap().contains(TRON), "{asked}");

    let seen = desk.withdrawal(&asked["id"]).await;
    assert_eq!((&seen["requisites"][0]["value"], &seen["actions"]), (&json!(TRON), &json!(["approve", "refuse"])));
    desk.steps(&asked["id"], "pay", json!({ "txId": "too-soon" })).await.refused(409, "referral_withdrawal_closed");
    desk.steps(&asked["id"], "approve", json!({})).await.ok();
    assert_eq!(reserve().await, before, "nothing has left yet");
    desk.steps(&asked["id"], "pay", json!({})).await.refused(422, "validation_failed");
    let paid = desk.steps(&asked["id"], "pay", json!({ "txId": "tron-1" })).await.ok();
    assert_eq!((&paid["status"], &paid["actions"]), (&json!("paid"), &json!([])));
    assert_eq!(before - reserve().await, 10 * 10_i64.pow(scale(&house)));
    desk.steps(&asked["id"], "refuse", json!({ "reason": "too late" })).await.refused(409, "referral_withdrawal_closed");
    let kinds: Vec<_> = house.mail_to("ivan@example.com").await.into_iter().map(|mail| mail.kind).collect();
    assert!(kinds.ends_with(&["referral_withdrawal_requested".into(), "referral_withdrawal_paid".into()]), "{kinds:?}");
    assert_eq!(ivan.member.caller.get(PATH).await.ok()["items"][0]["tx"], "tron-1");
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

fn scale(house: &House) -> u32 {
    house.app.calculator.market().currency_named("USDTTRC20").unwrap().facts.scale
}

async fn what_is_refused_returns_to_the_balance(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, desk, balance) = rich(&house).await;
    let asked = ivan.asks_for(&house, "12.5").await.ok();
    desk.steps(&asked["id"], "refuse", json!({ "reason": "  " })).await.refused(422, "validation_failed");
    desk.steps(&asked["id"], "refuse", json!({ "reason": "The address is not yours." })).await.ok();
    assert_eq!(ivan.sees().await["balance"], json!(balance));
    let mail = ivan.member.mail(&house, "referral_withdrawal_refused").await;
    assert!(mail.text.contains("The address is not yours."), "{}", mail.text);
    let stale = json!({ "action": "approve", "revision": 1 });
    let path = format!("/api/admin/v1/referral/withdrawals/{}/steps", asked["id"].as_str().unwrap());
    desk.0.post(&path, stale).await.refused(409, "referral_changed");
    house.books_are_clean().await;
}

async fn a_withdrawal_that_cannot_be_is_refused_with_the_reason(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, _, balance) = rich(&house).await;
    let tries = |order: Value| ivan.member.caller.post(PATH, order);
    let with = |field: &str, value: Value| {
        let mut order = order(&house, "10");
        order[field] = value;
        order
    };
    let reason = |problem: Value, field: &str| problem["errors"][field][0].clone();
    let least = reason(tries(with("amount", json!("9.99"))).await.refused(422, "validation_failed"), "amount");
    assert_eq!((&least["code"], &least["params"]["min"]), (&json!("amount_below_min"), &json!("10")));
    for (amount, code) in [
        ("-1", "not_an_amount"),
        ("0", "not_an_amount"),
        ("10.000000001", "too_many_digits"),
        ("99999999999999999999", "amount_too_large"),
    ] {
        let problem = tries(with("amount", json!(amount))).await.refused(422, "validation_failed");
        assert_eq!(reason(problem, "amount")["code"], code, "{amount}");
    }
    let problem = tries(with("currencyId", json!(id_of(&house, "BTC")))).await.refused(422, "validation_failed");
    assert_eq!(reason(problem, "currencyId")["code"], "referral_currency");
    let wrong = json!({ "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" });
    let problem = tries(with("requisites", wrong)).await.refused(422, "validation_failed");
    assert_eq!(reason(problem, "requisites.address")["code"], "wrong_network");
    tries(with("requisites", json!({}))).await.refused(422, "validation_failed");
    tries(with("comment", json!("hello"))).await.refused(400, "malformed_body");
    tries(with("amount", json!("1000000"))).await.refused(409, "balance_too_low");
    house.customer().post(PATH, order(&house, "10")).await.refused(401, "token_not_valid");
    assert_eq!(ivan.sees().await["balance"], json!(balance));

    let mut unconfirmed = Member::signs_up(&house, "new@example.com").await;
    unconfirmed.signs_in().await.ok();
    unconfirmed.caller.post(PATH, order(&house, "10")).await.refused(409, "not_activated");
    house.books_are_clean().await;
}

async fn above_the_limit_a_colleague_agrees_first(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, desk, _) = rich(&house).await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.four_eyes": "true", "approvals.payout_limit": "11" })).await.ok();
    let (small, large) = (ivan.asks_for(&house, "10").await.ok(), ivan.asks_for(&house, "12").await.ok());
    assert_eq!(desk.steps(&small["id"], "approve", json!({})).await.ok()["status"], "approved");
    let proposed = desk.steps(&large["id"], "approve", json!({})).await;
    assert_eq!(proposed.status.as_u16(), 202);
    let proposal = proposed.json();
    assert_eq!(proposal["kind"], "referral_withdrawal");
    assert_eq!(desk.withdrawal(&large["id"]).await["status"], "requested");
    desk.steps(&large["id"], "approve", json!({})).await.refused(409, "approval_waits");
    let approve = format!("/api/admin/v1/approvals/{}/approve", proposal["id"].as_str().unwrap());
    desk.0.post_empty(&approve).await.refused(403, "approval_own");
    owner.post_empty(&approve).await.ok();
    let seen = desk.withdrawal(&large["id"]).await;
    assert_eq!((&seen["status"], &seen["approvedBy"]), (&json!("approved"), &json!("operator")));
    desk.steps(&large["id"], "pay", json!({ "txId": "tron-2" })).await.ok();
    house.books_are_clean().await;
}

async fn paying_asks_for_a_fresh_second_factor(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, desk, _) = rich(&house).await;
    let asked = ivan.asks_for(&house, "10").await.ok();
    let left_open = Desk(house.staff_unconfirmed(agio_core::identity::Role::Operator).await);
    left_open.steps(&asked["id"], "approve", json!({})).await.refused(403, "fresh_second_factor_needed");
    let editor = Desk(house.staff(agio_core::identity::Role::Editor).await);
    editor.steps(&asked["id"], "approve", json!({})).await.refused(403, "forbidden");
    desk.steps(&asked["id"], "approve", json!({})).await.ok();
}

both_engines!(
    of_a_thousand_withdrawals_of_everything_one_is_taken,
    a_withdrawal_is_approved_and_paid_out_of_the_reserve,
    what_is_refused_returns_to_the_balance,
    a_withdrawal_that_cannot_be_is_refused_with_the_reason,
    above_the_limit_a_colleague_agrees_first,
    paying_asks_for_a_fresh_second_factor,
);
