//! Checks of the ledger and of the audit log go on from checkpoints: what came after is checked at the start, and what was
//! before by a full check.

use std::time::Duration;

use agio_core::fetch_one;
use agio_ledger::LedgerCheck;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::audit_tampering::run;

const FIRST: &str = "(SELECT MIN(id) FROM ledger_transfer)";
const LAST: &str = "(SELECT MAX(id) FROM ledger_transfer)";

/// An app with transfers and audit entries before the checkpoints, which nothing protects from being changed.
async fn checked_app(engine: Engine) -> TestApp {
    let app = TestApp::start(engine).await;
    let on = if engine == Engine::Sqlite { "" } else { " ON ledger_transfer" };
    run(&app, format!("DROP TRIGGER ledger_transfer_is_never_changed{on}")).await.unwrap();
    let on = if engine == Engine::Sqlite { "" } else { " ON audit" };
    run(&app, format!("DROP TRIGGER audit_is_never_changed{on}")).await.unwrap();
    deposit(&app).await;
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let (position, last): (i64, i64) = fetch_one!(
        &mut app.server.platform.db.read().await.unwrap(),
        (i64, i64),
        "SELECT position, (SELECT MAX(id) FROM ledger_transfer) FROM ledger_checkpoint"
    )
    .unwrap();
    assert!(position > 0 && position == last, "{position} of {last}");
    app
}

async fn deposit(app: &TestApp) {
    let currency = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let movement = json!({ "amount": "100", "reason": "deposit", "note": "a test" });
    app.owner().await.post(&format!("/api/admin/v1/reserves/{currency}/movements"), movement).await.ok();
}

async fn change_transfer(app: &TestApp, which: &str, by: &str) {
    assert_eq!(run(app, format!("UPDATE ledger_transfer SET amount = amount {by} WHERE id = {which}")).await.unwrap(), 1);
}

/// What a server finds that starts now.
async fn differences_at_start(app: &TestApp) -> Vec<String> {
    app.another_node().await.server.ledger.last_check().differences.iter().map(ToString::to_string).collect()
}

async fn a_transfer_changed_after_the_checkpoint_is_found_at_the_start(engine: Engine) {
    let app = checked_app(engine).await;
    assert!(differences_at_start(&app).await.is_empty());
    deposit(&app).await;
    assert!(differences_at_start(&app).await.is_empty());
    change_transfer(&app, LAST, "+ 1").await;
    let found = differences_at_start(&app).await;
    assert!(found.len() == 2 && found[0].starts_with("a balance is the sum of its entries"), "{found:?}");
    // The checkpoint does not move over it.
    app.advance_and_run_jobs(Duration::from_secs(301)).await;
    assert_eq!(differences_at_start(&app).await, found);
    change_transfer(&app, LAST, "- 1").await;
    assert!(differences_at_start(&app).await.is_empty());
    app.assert_ledger_is_clean().await;
}

async fn a_balance_is_compared_with_all_entries_at_each_start(engine: Engine) {
    let app = checked_app(engine).await;
    run(&app, "UPDATE ledger_account SET balance = balance + 1 WHERE name LIKE 'income_fee:%'".to_owned()).await.unwrap();
    assert!(!differences_at_start(&app).await.is_empty());
}

async fn a_transfer_changed_before_the_checkpoint_is_found_by_the_full_check(engine: Engine) {
    let app = checked_app(engine).await;
    change_transfer(&app, FIRST, "+ 1").await;
    assert!(differences_at_start(&app).await.is_empty(), "it was checked before");
    // A day later all of it is checked.
    app.advance_and_run_jobs(Duration::from_secs(25 * 60 * 60)).await;
    let found = app.server.check_ledger().await.unwrap().differences;
    assert!(found.iter().any(|difference| difference.rule == "entries stay as they were checked"), "{found:?}");
    assert_paused_by(&app, "ledger").await;
    // Every node knows, whatever it has checked itself.
    assert_eq!(
        differences_at_start(&app).await,
        ["the last full check has found no differences: agio ledger check is 2, must be 0"]
    );
    app.advance_and_run_jobs(Duration::from_secs(301)).await;
    assert_paused_by(&app, "ledger").await;

    change_transfer(&app, FIRST, "- 1").await;
    app.advance_and_run_jobs(Duration::from_secs(60 * 60)).await;
    assert!(differences_at_start(&app).await.is_empty());
    assert_eq!(app.visitor().get("/health/claims").await.status, 200);
}

async fn no_claim_is_accepted_before_the_first_check(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.server.ledger.record_check(LedgerCheck::default());
    assert_paused_by(&app, "checked").await;
    assert_eq!(app.visitor().get("/health/ready").await.status, 200);
    assert_eq!(app.visitor().get("/api/v1/calculator/tech/").await.ok()["claimsPaused"], true);
    let refused = app.visitor().post("/api/v1/claim/", order(&app)).await;
    assert_eq!(refused.headers["retry-after"], "1");
    refused.refused(503, "ledger_unchecked");
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    assert_eq!(app.visitor().get("/health/claims").await.status, 200);
}

/// No claims are accepted, for this reason alone.
async fn assert_paused_by(app: &TestApp, check: &str) {
    let answer = app.visitor().get("/health/claims").await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    let checks = answer.json()["checks"].clone();
    let failed: Vec<_> = checks.as_object().unwrap().iter().filter(|(_, good)| **good == false).map(|(name, _)| name).collect();
    assert_eq!(failed, [check]);
}

fn order(app: &TestApp) -> Value {
    let id = |code: &str| app.server.calculator.market().currency_named(code).unwrap().id();
    json!({
        "email": "anna@example.com", "fromPs": id("BTC"), "toPs": id("SBERRUB"), "fromSumma": "0.01", "toSumma": "1",
        "fromRequisites": {}, "toRequisites": {},
    })
}

async fn audit_entries_are_verified_from_the_checkpoint(engine: Engine) {
    let app = checked_app(engine).await;
    let faults = async || {
        app.server.verify_new_audit_entries().await.unwrap();
        app.server.last_audit_verification().unwrap().found.faults.clone()
    };
    let entries = app.server.verify_audit_chain().await.unwrap().entries;
    assert!(entries > 0);
    app.server.verify_new_audit_entries().await.unwrap();
    assert_eq!(app.server.last_audit_verification().unwrap().found.entries, 0, "all of it was verified");

    // Before the checkpoint.
    let first = "chain = (SELECT MIN(chain) FROM audit) AND number = 1";
    run(&app, format!("UPDATE audit SET actor_name = actor_name || '!' WHERE {first}")).await.unwrap();
    assert!(faults().await.is_empty());
    assert_eq!(app.server.verify_audit_chain().await.unwrap().faults.len(), 1);
    run(&app, format!("UPDATE audit SET actor_name = SUBSTR(actor_name, 1, LENGTH(actor_name) - 1) WHERE {first}"))
        .await
        .unwrap();
    assert!(app.server.verify_audit_chain().await.unwrap().faults.is_empty());

    // After it.
    deposit(&app).await;
    let changed = run(
        &app,
        "UPDATE audit SET actor_name = 'nobody' WHERE action LIKE 'reserve%' AND NOT EXISTS
        (SELECT 1 FROM audit_checkpoint c WHERE c.chain = audit.chain AND c.number >= audit.number)"
            .to_owned(),
    )
    .await
    .unwrap();
    assert!(changed > 0);
    assert_eq!(faults().await.len() as u64, changed);
}

/// Somebody who writes a chain again from its first entry makes one that fits in itself.
async fn a_rewritten_audit_chain_is_noticed(engine: Engine) {
    let app = checked_app(engine).await;
    app.assert_audit_chain_is_intact().await;
    run(&app, "UPDATE audit_checkpoint SET digest = 'another' WHERE number > 0".to_owned()).await.unwrap();
    let faults = app.server.verify_audit_chain().await.unwrap().faults;
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.ends_with("it is not what was verified before")), "{faults:?}");
}

both_engines!(
    a_transfer_changed_after_the_checkpoint_is_found_at_the_start,
    a_balance_is_compared_with_all_entries_at_each_start,
    a_transfer_changed_before_the_checkpoint_is_found_by_the_full_check,
    no_claim_is_accepted_before_the_first_check,
    audit_entries_are_verified_from_the_checkpoint,
    a_rewritten_audit_chain_is_noticed,
);
