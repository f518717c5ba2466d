//! What time does while something is verified.

use std::time::Duration;

use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::people::{CARD, Claim, Desk, asks_for, page, sends};

fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

async fn who_sends_nothing_lets_the_claim_expire(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let claim = Claim::of(&house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    assert_eq!(claim.caller.get(&page(&id)).await.ok()["expiresAt"], "2024-03-28T14:00:00Z");
    house.later(minutes(119)).await;
    assert_eq!(claim.status().await["status"], "verification");
    house.later(minutes(2)).await;
    assert_eq!(claim.status().await["status"], "expired");
    assert_eq!(claim.caller.get(&page(&id)).await.ok()["state"], "ended");
    sends(&claim.caller, &id, 1).await.refused(409, "verification_closed");
    house.books_are_clean().await;
}

async fn while_we_look_the_customers_time_does_not_run(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let claim = Claim::of(&house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    house.later(minutes(100)).await;
    let sent = sends(&claim.caller, &id, 1).await.ok();
    assert_eq!(sent["expiresAt"], json!(null));
    house.later(minutes(24 * 60)).await;
    assert_eq!(claim.status().await["status"], "verification");
    let desk = Desk::operator(&house).await;
    desk.tries(&id, "again", json!({ "reason": "cropped" })).await.ok();
    assert_eq!(claim.caller.get(&page(&id)).await.ok()["expiresAt"], "2024-03-29T15:40:00Z");
    house.later(minutes(121)).await;
    assert_eq!(claim.status().await["status"], "expired");
}

async fn the_payment_deadline_starts_with_the_answer_at_the_rate_of_that_moment(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let claim = Claim::of(&house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    let before = claim.form().await;
    sends(&claim.caller, &id, 1).await.ok();
    // The agreed terms run out, and the house takes more for itself now.
    house.later(minutes(90)).await;
    let owner = house.owner().await;
    let market = house.app.calculator.market();
    let currency = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(currency("SBERRUB"), currency("BTC")).unwrap().pair;
    let change = json!({ "revision": pair.revision, "spreadPercent": "5" });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.id), change).await.ok();
    Desk::operator(&house).await.accepts(&id).await;
    let (after, status) = (claim.form().await, claim.status().await);
    assert_eq!(status["status"], "awaiting_payment");
    assert_eq!(after["from"]["amount"], before["from"]["amount"]);
    assert_ne!(after["to"]["amount"], before["to"]["amount"], "the terms had run out");
    let hold = after["hold"].as_u64().unwrap();
    assert_eq!(status["expiresAt"], house.now().plus(minutes(hold)).to_string());
    house.books_are_clean().await;
    house.later(minutes(hold + 1)).await;
    assert_eq!(claim.status().await["status"], "expired");
    house.books_are_clean().await;
}

async fn terms_that_still_hold_are_kept(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let claim = Claim::of(&house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    let before = claim.form().await;
    sends(&claim.caller, &id, 1).await.ok();
    let owner = house.owner().await;
    let market = house.app.calculator.market();
    let currency = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(currency("SBERRUB"), currency("BTC")).unwrap().pair;
    let change = json!({ "revision": pair.revision, "spreadPercent": "5" });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.id), change).await.ok();
    Desk::operator(&house).await.accepts(&id).await;
    assert_eq!(claim.form().await["to"]["amount"], before["to"]["amount"]);
}

async fn a_customer_may_give_the_claim_up_instead(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let claim = Claim::of(&house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    sends(&claim.caller, &id, 1).await.ok();
    let desk = Desk::operator(&house).await;
    let revision = desk.sees(&id).await["revision"].clone();
    claim.caller.post_empty(&format!("/api/v1/claim/{}/cancel/", claim.id)).await.ok();
    assert_eq!(claim.caller.get(&page(&id)).await.ok()["state"], "ended");
    assert!(desk.list("sent").await.is_empty());
    desk.decides_on(&id, &revision, "accept", json!({})).await.refused(409, "verification_changed");
    assert_eq!(claim.status().await["status"], "cancelled");
    house.books_are_clean().await;
}

both_engines!(
    who_sends_nothing_lets_the_claim_expire,
    while_we_look_the_customers_time_does_not_run,
    the_payment_deadline_starts_with_the_answer_at_the_rate_of_that_moment,
    terms_that_still_hold_are_kept,
    a_customer_may_give_the_claim_up_instead,
);
