//! Bounds to the last unit and second, and what two do to one claim at one moment.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_core::fetch_all;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::disputes::{accepted, mismatched};
use crate::fixtures::{ADDRESS, Operator, TestCustomer, pair, units};
use crate::lifecycle::worsen_the_rate;

async fn an_offer_that_ran_out_is_not_taken_at_its_old_rate(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = mismatched(&app, &Operator::at(&app).await, "0.008").await;
    let offer = customer.look("status").await.ok()["offer"].clone();
    let minutes = customer.look("form").await.ok()["hold"].as_u64().unwrap();
    worsen_the_rate(&app, &app.owner().await).await;
    app.advance_clock(Duration::from_secs(minutes * 60));

    let refused = customer.says("accept", accepted(&offer)).await.refused(409, "rate_changed");
    assert_eq!(customer.status().await, "amount_mismatch");
    let renewed = customer.look("status").await.ok()["offer"].clone();
    assert!(units(&renewed["toSumma"], 2) < units(&offer["toSumma"], 2), "{renewed}");
    assert_eq!((&refused["params"]["toSumma"], &refused["params"]["fromSumma"]), (&renewed["toSumma"], &renewed["fromSumma"]));
    customer.says("accept", accepted(&renewed)).await.ok();
    assert_eq!(customer.look("form").await.ok()["to"]["amount"], renewed["toSumma"]);
    app.assert_ledger_is_clean().await;
}

async fn an_offer_holds_to_its_last_second(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = mismatched(&app, &Operator::at(&app).await, "0.008").await;
    let offer = customer.look("status").await.ok()["offer"].clone();
    let minutes = customer.look("form").await.ok()["hold"].as_u64().unwrap();
    worsen_the_rate(&app, &app.owner().await).await;
    app.advance_clock(Duration::from_secs(minutes * 60 - 1));
    customer.says("accept", accepted(&offer)).await.ok();
    assert_eq!(customer.look("form").await.ok()["to"]["amount"], offer["toSumma"]);
}

async fn an_amount_is_noted_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.008").await;
    operator.does(&customer.id, "payment_seen", json!({ "txId": "another" })).await;
    for came in ["0.008", "0.0079"] {
        let refused = operator.tries(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
        let errors = refused.refused(422, "validation_failed")["errors"]["amount"].clone();
        assert!(errors.to_string().contains("amount_came_before"), "{errors}");
    }
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "0.00800001" })).await;
    app.assert_ledger_is_clean().await;
}

async fn a_received_payment_without_an_amount_means_the_agreed_one(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    for came in ["0.00999999", "0.01000001", "1"] {
        let said = json!({ "txId": "in", "amount": came });
        let refused = operator.tries(&customer.id, "payment_received", said).await;
        let errors = refused.refused(422, "validation_failed")["errors"]["amount"].clone();
        assert!(errors.to_string().contains("amount_differs"), "{came}: {errors}");
    }
    operator.does(&customer.id, "payment_received", json!({ "txId": "in", "amount": "0.01" })).await;
    app.assert_ledger_is_clean().await;
}

/// Changes the pair of bitcoin and roubles.
pub async fn changes_pair(app: &TestApp, mut change: Value) {
    let owner = app.owner().await;
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let is_ours = |pair: &&Value| pair["giveId"] == id("BTC") && pair["receiveId"] == id("SBERRUB");
    let pair = pairs.as_array().unwrap().iter().find(is_ours).unwrap();
    change["revision"] = pair["revision"].clone();
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair["id"]), change).await.ok();
}

async fn a_late_payment_of_a_floating_claim_is_asked_about(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(&app, json!({ "floating": true })).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.waits_too_long(&app).await;
    let operator = Operator::at(&app).await;
    operator.does(&customer.id, "late_payment", json!({ "amount": "0.01", "txId": "late" })).await;
    assert_eq!(customer.status().await, "late_payment", "although the rate stands where it stood");
    assert!(customer.look("status").await.ok()["offer"].is_object());
    app.assert_ledger_is_clean().await;
}

/// A claim of so much tether whose payment is to be returned.
async fn to_be_returned(app: &TestApp, operator: &Operator, send: &str) -> TestCustomer {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let asked = QuoteRequest::anonymous(id("USDTTRC20"), id("BTC"), send.parse().unwrap());
    let receive = app.server.calculator.agree(&asked).expect("the pair is open").receive.to_string();
    let order = json!({
        "email": format!("{send}@example.com"), "fromPs": asked.from, "toPs": asked.to, "fromSumma": send, "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "address": ADDRESS }, "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let caller = app.visitor();
    let made = caller.post("/api/v1/claim/", order).await.ok();
    let customer = TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() };
    customer.does("confirm").await.ok();
    operator.does(&customer.id, "payment_seen", json!({ "txId": format!("in-{send}") })).await;
    // All of it came, but in a way that nobody may keep.
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "refund", json!({ "reason": "technical" })).await;
    customer.says("refund", json!({ "requisites": { "address": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" } })).await.ok();
    customer
}

async fn what_is_worth_the_limit_leaves_by_one_word_and_a_unit_more_by_two(engine: Engine) {
    let app = TestApp::start(engine).await;
    let rule = json!({ "approvals.two_person": true, "approvals.payout_limit": 150, "approvals.refund_limit": 150 });
    app.owner().await.put("/api/admin/v1/settings", rule).await.ok();
    app.advance_clock(Duration::from_secs(1));
    let operator = Operator::at(&app).await;
    for (send, status) in [("150", 200), ("150.01", 202)] {
        let customer = to_be_returned(&app, &operator, send).await;
        let said = json!({ "txId": format!("back-{send}") });
        let answer = operator.tries(&customer.id, "refund_sent", said).await;
        assert_eq!(answer.status.as_u16(), status, "{send}: {}", answer.text);
    }
    app.assert_ledger_is_clean().await;
}

/// Every account with what it holds.
async fn accounts(app: &TestApp) -> BTreeMap<String, i64> {
    let mut tx = app.server.platform.db.read().await.unwrap();
    fetch_all!(&mut tx, (String, i64), "SELECT name, balance FROM ledger_account").unwrap().into_iter().collect()
}

/// What changed since, account by account.
async fn changes(app: &TestApp, before: &BTreeMap<String, i64>) -> BTreeMap<String, i64> {
    let now = accounts(app).await;
    let changed = now.into_iter().map(|(name, balance)| (name.clone(), balance - before.get(&name).copied().unwrap_or(0)));
    changed.filter(|(_, change)| *change != 0).collect()
}

/// A claim that is being paid out, of a direction with a fee of 0.0001 on what is sent and of 10 on what is received: the accounts before it, what
/// it pays out, and what its payment is worth, in units.
async fn in_payout(app: &TestApp, operator: &Operator) -> (TestCustomer, BTreeMap<String, i64>, i64, i64) {
    changes_pair(
        app,
        json!({ "fees": { "from": { "fixed": "0.0001", "percent": "0" }, "to": { "fixed": "10", "percent": "0" } } }),
    )
    .await;
    let before = accounts(app).await;
    let customer = TestCustomer::orders(app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({ "txId": "in" })).await;
    operator.does(&customer.id, "take", json!({})).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out" })).await;
    let claim = app.server.claims.claim(customer.id.parse().unwrap()).await.unwrap();
    assert_eq!(claim.give.amount.units(), 1_000_000);
    (customer, before, claim.receive.amount.units(), claim.terms.market_value.units())
}

/// The income in roubles besides the fees: 0.0001 of 0.01 is one percent of the value of the payment.
fn spread(worth: i64, receive: i64) -> i64 {
    worth - receive - worth / 100 - 1_000
}

async fn an_exchange_is_booked_to_the_unit(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (customer, before, receive, worth) = in_payout(&app, &operator).await;
    operator.does(&customer.id, "complete", json!({})).await;
    let (btc, rub) = (pair(&app, "BTC", "SBERRUB", "0.01").from, pair(&app, "BTC", "SBERRUB", "0.01").to);
    let spread = spread(worth, receive);
    assert!(spread > 0);
    let expected = BTreeMap::from([
        (format!("external:{btc}"), -1_000_000),
        (format!("reserve:{btc}"), 1_000_000),
        (format!("exchange:{btc}"), -10_000),
        (format!("income_fee:{btc}"), 10_000),
        (format!("external:{rub}"), receive),
        (format!("reserve:{rub}"), -receive),
        (format!("exchange:{rub}"), -1_000 - spread),
        (format!("income_fee:{rub}"), 1_000),
        (format!("income_spread:{rub}"), spread),
    ]);
    assert_eq!(changes(&app, &before).await, expected);
    app.assert_ledger_is_clean().await;
}

async fn a_part_of_an_exchange_is_booked_to_the_unit(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (customer, before, receive, worth) = in_payout(&app, &operator).await;
    // Some two sevenths, so that everything is rounded.
    let arrived = receive * 2 / 7;
    let amount = format!("{}.{:02}", arrived / 100, arrived % 100);
    operator.does(&customer.id, "payout_partial", json!({ "amount": amount })).await;
    operator.does(&customer.id, "refund", json!({ "amount": amount, "reason": "technical" })).await;
    let (btc, rub) = (pair(&app, "BTC", "SBERRUB", "0.01").from, pair(&app, "BTC", "SBERRUB", "0.01").to);
    let part = |units: i64| i64::try_from(i128::from(units) * i128::from(arrived) / i128::from(receive)).unwrap();
    let (exchanged, spread) = (part(1_000_000), part(spread(worth, receive)));
    let expected = BTreeMap::from([
        (format!("external:{btc}"), -1_000_000),
        (format!("reserve:{btc}"), exchanged),
        (format!("claim_in:{btc}"), 1_000_000 - exchanged),
        (format!("exchange:{btc}"), -part(10_000)),
        (format!("income_fee:{btc}"), part(10_000)),
        (format!("external:{rub}"), arrived),
        (format!("reserve:{rub}"), -arrived),
        (format!("exchange:{rub}"), -part(1_000) - spread),
        (format!("income_fee:{rub}"), part(1_000)),
        (format!("income_spread:{rub}"), spread),
    ]);
    assert_eq!(changes(&app, &before).await, expected);
    app.assert_ledger_is_clean().await;
}

/// A claim's time is over, and at that moment its customer confirms it: the first transaction decides, and the other reads the claim again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_was_confirmed_meanwhile_does_not_expire() {
    let app = TestApp::start(Engine::Postgres).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.confirm_minutes": "30" })).await.ok();
    let earlier = TestCustomer::orders(&app, "0.01").await;
    app.advance_clock(Duration::from_secs(1));
    let customer = TestCustomer::orders(&app, "0.01").await;
    app.advance_clock(Duration::from_secs(30 * 60 + 1));
    // Both have been found, and the earlier one is being ended.
    let held = app.database().hold_lock(&format!("SELECT 1 FROM ledger_hold WHERE about = '{}' FOR UPDATE", earlier.id)).await;
    let jobs = app.server.jobs();
    let ending = tokio::spawn(async move { (jobs.iter().find(|job| job.name == "claims.deadlines").unwrap().run)().await });
    while app.database().count_lock_waiters().await == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(customer.does("confirm").await.ok()["status"], "awaiting_payment");
    held.release().await;
    ending.await.unwrap().unwrap();
    assert_eq!((earlier.status().await.as_str(), customer.status().await.as_str()), ("expired", "awaiting_payment"));
    app.assert_ledger_is_clean().await;
}

both_engines!(
    an_offer_that_ran_out_is_not_taken_at_its_old_rate,
    an_offer_holds_to_its_last_second,
    an_exchange_is_booked_to_the_unit,
    a_part_of_an_exchange_is_booked_to_the_unit,
    an_amount_is_noted_once,
    a_received_payment_without_an_amount_means_the_agreed_one,
    a_late_payment_of_a_floating_claim_is_asked_about,
    what_is_worth_the_limit_leaves_by_one_word_and_a_unit_more_by_two,
);
