//! What is stored of earnings and cannot be read is not guessed.

use agio_core::execute;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::people::{Desk, Referrer, comes};
use crate::withdrawing::rich;

async fn damage(house: &House, sql: &'static str) {
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

async fn a_withdrawal_to_what_cannot_be_read_is_not_paid(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, desk, _) = rich(&house).await;
    let asked = ivan.asks_for(&house, "10").await.ok();
    desk.steps(&asked["id"], "approve", json!({})).await.ok();
    // As if the way there had been lost: staff cannot even look at it as if it led nowhere.
    damage(&house, "UPDATE referral_withdrawal SET requisites = '?'").await;
    let one = format!("/api/admin/v1/referral/withdrawals/{}", asked["id"].as_str().unwrap());
    desk.0.get(&one).await.refused(409, "referral_withdrawal_unreadable");
    house.books_are_clean().await;
}

async fn an_accrual_of_a_percent_that_cannot_be_read_is_not_priced(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "referral.currency": "NOSUCH" })).await.ok();
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    desk.completes(&comes(&house, "olga@example.com", Some(&ivan.code)).await).await;
    let open = desk.open_accruals().await;
    owner.put("/api/admin/v1/settings", json!({ "referral.currency": "usdttrc20" })).await.ok();
    damage(&house, "UPDATE referral_accrual SET percent = '?'").await;
    desk.decides(&open[0], json!({ "decision": "approve" })).await.refused(500, "internal");
    // Nothing was decided: with the percent back it is worth what it was.
    damage(&house, "UPDATE referral_accrual SET percent = '20'").await;
    assert_eq!(desk.open_accruals().await[0]["status"], "unpriced");
    let decided = desk.decides(&open[0], json!({ "decision": "approve" })).await.ok();
    assert_eq!(ivan.sees().await["pending"], decided["amount"]);
    house.books_are_clean().await;
}

both_engines!(a_withdrawal_to_what_cannot_be_read_is_not_paid, an_accrual_of_a_percent_that_cannot_be_read_is_not_priced);
