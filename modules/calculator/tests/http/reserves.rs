//! What staff do about reserves.

use agio_core::identity::Role;
use agio_core::live::Live;
use agio_ledger::{Account, Batch, Ledger};
use agio_testkit::{Engine, House, both_engines};
use serde_json::{Value, json};

use crate::{currency, number};

const DESK: &str = "/api/admin/v1";

async fn a_deposit_is_a_movement_in_the_books_and_on_the_site(engine: Engine) {
    let house = House::open(engine).await;
    let (visitor, cashier) = (house.customer(), house.staff(Role::Cashier).await);
    let bitcoin = currency(&house, "BTC").await;
    let path = format!("{DESK}/reserves/{bitcoin}/movements");
    let deposit = json!({ "amount": "0.5", "reason": "deposit", "note": "с холодного кошелька" });
    let row = cashier.post(&path, deposit).await.ok();
    assert_eq!(row["available"], "4.7");
    assert_eq!((&row["held"], &row["floor"], &row["code"]), (&json!("0"), &json!("0.5"), &json!("BTC")));

    let public = visitor.get("/api/v1/calculator/reserves/").await.ok();
    let shown = public.as_array().unwrap().iter().find(|reserve| reserve["id"] == bitcoin).unwrap().clone();
    assert_eq!(shown["amount"], "4.7");
    let movements = cashier.get(&path).await.ok();
    let noted = movements["items"].as_array().unwrap().iter().find(|movement| movement["amount"] == "0.5").unwrap().clone();
    assert_eq!((&noted["reason"], &noted["note"]), (&json!("deposit"), &json!("с холодного кошелька")));
    assert_eq!(noted["actor"], "cashier");
    assert_eq!(movements["nextCursor"], Value::Null);
    house.books_are_clean().await;
}

async fn a_repeated_movement_happens_once(engine: Engine) {
    let house = House::open(engine).await;
    let cashier = house.staff(Role::Cashier).await;
    let bitcoin = currency(&house, "BTC").await;
    let path = format!("{DESK}/reserves/{bitcoin}/movements");
    let deposit = |amount: &str| json!({ "amount": amount, "reason": "deposit", "note": "" });
    let mut posts = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (cashier, path, body) = (cashier.clone(), path.clone(), deposit("1"));
        posts.spawn(async move { cashier.post_once(&path, "deposit-of-today", body).await.ok() });
    }
    for row in posts.join_all().await {
        assert_eq!(row["available"], "5.2");
    }
    cashier.post_once(&path, "deposit-of-today", deposit("2")).await.refused(422, "idempotency_mismatch");
    cashier.post_once(&path, "short", deposit("2")).await.refused(422, "idempotency_key_invalid");
    house.books_are_clean().await;
}

async fn staff_see_the_books_before_memory_has_followed(engine: Engine) {
    let house = House::open(engine).await;
    let cashier = house.staff(Role::Cashier).await;
    let bitcoin = currency(&house, "BTC").await;
    // Books with a memory of their own: this house's hears nothing of what they post.
    let (elsewhere, id, now) = (Ledger::new(Live::default()), uuid::Uuid::from_u128(1), house.now());
    let batch = Batch::new(id, "deposit", id, now).moving(Account::External, Account::Reserve, bitcoin, 100_000_000);
    let posting = house.app.platform.db.write(move |tx| {
        let (elsewhere, batch) = (elsewhere.clone(), batch.clone());
        Box::pin(async move { elsewhere.post(tx, &batch).await })
    });
    posting.await.unwrap();
    let reserves = cashier.get(&format!("{DESK}/reserves")).await.ok();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == bitcoin).unwrap().clone();
    assert_eq!(row["available"], "5.2");
}

async fn nobody_takes_out_more_than_there_is(engine: Engine) {
    let house = House::open(engine).await;
    let cashier = house.staff(Role::Cashier).await;
    let bitcoin = currency(&house, "BTC").await;
    let path = format!("{DESK}/reserves/{bitcoin}/movements");
    let mut posts = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let (cashier, path) = (cashier.clone(), path.clone());
        let body = json!({ "amount": "-1", "reason": "withdrawal", "note": "" });
        posts.spawn(async move { cashier.post(&path, body).await.status.as_u16() });
    }
    let mut statuses = posts.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 409, 409, 409, 409, 409, 409], "4.2 can be taken out four times");
    let reserves = cashier.get(&format!("{DESK}/reserves")).await.ok();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == bitcoin).unwrap().clone();
    assert_eq!(number(&row["available"]).to_string(), "0.2");
    house.books_are_clean().await;
}

async fn a_long_history_is_read_page_by_page(engine: Engine) {
    let house = House::open(engine).await;
    let cashier = house.staff(Role::Cashier).await;
    let bitcoin = currency(&house, "BTC").await;
    let path = format!("{DESK}/reserves/{bitcoin}/movements");
    for number in 1..=60 {
        house.later(std::time::Duration::from_secs(1)).await;
        cashier.post(&path, json!({ "amount": format!("0.{number:02}"), "reason": "deposit", "note": "" })).await.ok();
    }
    let first = cashier.get(&path).await.ok();
    let cursor = first["nextCursor"].as_str().expect("there is more");
    let second = cashier.get(&format!("{path}?cursor={cursor}")).await.ok();
    assert_eq!(second["nextCursor"], Value::Null);
    let amounts = [&first, &second].map(|page| page["items"].as_array().unwrap().clone()).concat();
    assert_eq!(amounts.len(), 61, "sixty deposits and the opening reserve");
    assert_eq!((&amounts[0]["amount"], &amounts[60]["amount"]), (&json!("0.6"), &json!("4.2")));
}

both_engines!(
    a_deposit_is_a_movement_in_the_books_and_on_the_site,
    a_repeated_movement_happens_once,
    staff_see_the_books_before_memory_has_followed,
    nobody_takes_out_more_than_there_is,
    a_long_history_is_read_page_by_page,
);
