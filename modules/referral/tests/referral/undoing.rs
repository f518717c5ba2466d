//! What was earned is taken back when the exchange is undone, also when it is spent.

use std::time::Duration;

use agio_testkit::{Engine, House, both_engines};
use rust_decimal::Decimal;
use serde_json::json;

use crate::people::{Desk, Referrer, comes, number, pays_at_once};

async fn what_is_spent_becomes_a_debt_and_is_set_off(engine: Engine) {
    let house = House::open(engine).await;
    pays_at_once(&house).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let first = comes(&house, "olga@example.com", Some(&ivan.code)).await;
    desk.completes(&first).await;
    house.later(Duration::ZERO).await;
    let earned = number(&ivan.sees().await["balance"]);
    assert!(earned > Decimal::from(20), "{earned}");
    let kept = Decimal::from(3);
    ivan.asks_for(&house, &(earned - kept).to_string()).await.ok();
    desk.undoes(&first).await;
    let seen = ivan.sees().await;
    assert_eq!((&seen["balance"], number(&seen["debt"])), (&json!("0"), earned - kept));
    house.books_are_clean().await;

    let second = comes(&house, "anna@example.com", Some(&ivan.code)).await;
    desk.completes(&second).await;
    assert_eq!(number(&ivan.sees().await["debt"]), earned - kept, "what is pending is not theirs yet");
    house.later(Duration::ZERO).await;
    let seen = ivan.sees().await;
    assert_eq!((number(&seen["balance"]), &seen["debt"]), (kept, &json!("0")));
    house.books_are_clean().await;
    // Taking the second back as well leaves what it gave for the debt owed again.
    desk.undoes(&second).await;
    let seen = ivan.sees().await;
    assert_eq!((&seen["balance"], number(&seen["debt"])), (&json!("0"), earned - kept));
    house.books_are_clean().await;
}

async fn a_refused_withdrawal_pays_the_debt_first(engine: Engine) {
    let house = House::open(engine).await;
    pays_at_once(&house).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let claim = comes(&house, "olga@example.com", Some(&ivan.code)).await;
    desk.completes(&claim).await;
    house.later(Duration::ZERO).await;
    let all = ivan.sees().await["balance"].as_str().unwrap().to_owned();
    let asked = ivan.asks_for(&house, &all).await.ok();
    desk.undoes(&claim).await;
    assert_eq!(ivan.sees().await["debt"], json!(all));
    desk.steps(&asked["id"], "refuse", json!({ "reason": "The exchange was undone." })).await.ok();
    let seen = ivan.sees().await;
    assert_eq!((&seen["balance"], &seen["debt"]), (&json!("0"), &json!("0")));
    house.books_are_clean().await;
}

both_engines!(what_is_spent_becomes_a_debt_and_is_set_off, a_refused_withdrawal_pays_the_debt_first);
