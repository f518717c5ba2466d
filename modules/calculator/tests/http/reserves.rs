//! Admin API of reserves.

use agio_core::events::EventBus;
use agio_core::identity::Role;
use agio_core::{Amount, CurrencyUnit};
use agio_ledger::{Account, Ledger, TransferBatch};
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::{currency, number};

const ADMIN: &str = "/api/admin/v1";

async fn a_deposit_reaches_the_ledger_and_the_site(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, cashier) = (app.visitor(), app.staff(Role::Cashier).await);
    let bitcoin = currency(&app, "BTC").await;
    let path = format!("{ADMIN}/reserves/{bitcoin}/movements");
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
    app.assert_ledger_is_clean().await;
}

async fn a_movement_needs_a_fresh_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let cashier = app.staff_unconfirmed(Role::Cashier).await;
    let path = format!("{ADMIN}/reserves/{}/movements", currency(&app, "BTC").await);
    for (amount, reason) in [("0.5", "deposit"), ("-0.5", "withdrawal"), ("0.5", "correction")] {
        let body = json!({ "amount": amount, "reason": reason, "note": "counted again" });
        cashier.post(&path, body).await.refused(403, "fresh_second_factor_needed");
    }
    assert_eq!(cashier.get(&path).await.ok()["items"].as_array().unwrap().len(), 1, "the opening reserve alone");
}

async fn a_repeated_movement_happens_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let cashier = app.staff(Role::Cashier).await;
    let bitcoin = currency(&app, "BTC").await;
    let path = format!("{ADMIN}/reserves/{bitcoin}/movements");
    let deposit = |amount: &str| json!({ "amount": amount, "reason": "deposit", "note": "" });
    let mut posts = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (cashier, path, body) = (cashier.clone(), path.clone(), deposit("1"));
        posts.spawn(async move { cashier.post_idempotent(&path, "deposit-of-today", body).await.ok() });
    }
    for row in posts.join_all().await {
        assert_eq!(row["available"], "5.2");
    }
    cashier.post_idempotent(&path, "deposit-of-today", deposit("2")).await.refused(422, "idempotency_mismatch");
    cashier.post_idempotent(&path, "short", deposit("2")).await.refused(422, "idempotency_key_invalid");
    app.assert_ledger_is_clean().await;
}

async fn staff_see_the_ledger_before_memory_follows(engine: Engine) {
    let app = TestApp::start(engine).await;
    let cashier = app.staff(Role::Cashier).await;
    let bitcoin = currency(&app, "BTC").await;
    // A separate ledger whose posts this app's memory does not see.
    let (elsewhere, id, now) = (Ledger::new(EventBus::default()), uuid::Uuid::from_u128(1), app.now());
    let amount = Amount::of_units(100_000_000, CurrencyUnit::new(bitcoin, 8));
    let batch = TransferBatch::new(id, "deposit", id, now).with_transfer(Account::External, Account::Reserve, amount);
    let posting = app.server.platform.db.write(move |tx| {
        let (elsewhere, batch) = (elsewhere.clone(), batch.clone());
        Box::pin(async move { elsewhere.post(tx, &batch).await })
    });
    posting.await.unwrap();
    let reserves = cashier.get(&format!("{ADMIN}/reserves")).await.ok();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == bitcoin).unwrap().clone();
    assert_eq!(row["available"], "5.2");
}

async fn withdrawals_are_limited_by_the_reserve(engine: Engine) {
    let app = TestApp::start(engine).await;
    let cashier = app.staff(Role::Cashier).await;
    let bitcoin = currency(&app, "BTC").await;
    let path = format!("{ADMIN}/reserves/{bitcoin}/movements");
    let mut posts = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let (cashier, path) = (cashier.clone(), path.clone());
        let body = json!({ "amount": "-1", "reason": "withdrawal", "note": "" });
        posts.spawn(async move { cashier.post(&path, body).await.status.as_u16() });
    }
    let mut statuses = posts.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 409, 409, 409, 409, 409, 409], "4.2 can be taken out four times");
    let reserves = cashier.get(&format!("{ADMIN}/reserves")).await.ok();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == bitcoin).unwrap().clone();
    assert_eq!(number(&row["available"]).to_string(), "0.2");
    app.assert_ledger_is_clean().await;
}

async fn a_long_history_is_read_page_by_page(engine: Engine) {
    let app = TestApp::start(engine).await;
    let cashier = app.staff(Role::Cashier).await;
    let bitcoin = currency(&app, "BTC").await;
    let path = format!("{ADMIN}/reserves/{bitcoin}/movements");
    // The opening reserve is the oldest.
    app.advance_and_run_jobs(std::time::Duration::from_secs(1)).await;
    for number in 1..=60 {
        // Several movements at the same time, also across the boundary of a page.
        if number % 4 == 0 {
            app.advance_and_run_jobs(std::time::Duration::from_secs(1)).await;
        }
        cashier.post(&path, json!({ "amount": format!("0.{number:02}"), "reason": "deposit", "note": "" })).await.ok();
    }
    let first = cashier.get(&path).await.ok();
    let cursor = first["nextCursor"].as_str().expect("there is more");
    let second = cashier.get(&format!("{path}?cursor={cursor}")).await.ok();
    assert_eq!(second["nextCursor"], Value::Null);
    let amounts = [&first, &second].map(|page| page["items"].as_array().unwrap().clone()).concat();
    let batches: std::collections::BTreeSet<_> = amounts.iter().map(|movement| movement["batch"].to_string()).collect();
    assert_eq!((amounts.len(), batches.len()), (61, 61), "sixty deposits and the opening reserve, each once");
    assert_eq!((&amounts[0]["amount"], &amounts[60]["amount"]), (&json!("0.6"), &json!("4.2")));
}

both_engines!(
    a_deposit_reaches_the_ledger_and_the_site,
    a_movement_needs_a_fresh_second_factor,
    a_repeated_movement_happens_once,
    staff_see_the_ledger_before_memory_follows,
    withdrawals_are_limited_by_the_reserve,
    a_long_history_is_read_page_by_page,
);
