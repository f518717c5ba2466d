//! Bounds to the last unit and second, and what two do to one claim at one moment.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::fetch_all;
use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{ADDRESS, Customer, Operator, pair, units};
use crate::trouble::{accepted, mismatched};
use crate::way::worsen_the_rate;

async fn an_offer_that_ran_out_is_not_taken_at_its_old_rate(engine: Engine) {
    let house = House::open(engine).await;
    let customer = mismatched(&house, &Operator::at(&house).await, "0.008").await;
    let offer = customer.look("status").await.ok()["offer"].clone();
    let minutes = customer.look("form").await.ok()["hold"].as_u64().unwrap();
    worsen_the_rate(&house, &house.owner().await).await;
    house.wait(Duration::from_secs(minutes * 60));

    let refused = customer.says("accept", accepted(&offer)).await.refused(409, "rate_changed");
    assert_eq!(customer.status().await, "amount_mismatch");
    let renewed = customer.look("status").await.ok()["offer"].clone();
    assert!(units(&renewed["toSumma"], 2) < units(&offer["toSumma"], 2), "{renewed}");
    assert_eq!((&refused["params"]["toSumma"], &refused["params"]["fromSumma"]), (&renewed["toSumma"], &renewed["fromSumma"]));
    customer.says("accept", accepted(&renewed)).await.ok();
    assert_eq!(customer.look("form").await.ok()["to"]["amount"], renewed["toSumma"]);
    house.books_are_clean().await;
}

async fn an_offer_holds_to_its_last_second(engine: Engine) {
    let house = House::open(engine).await;
    let customer = mismatched(&house, &Operator::at(&house).await, "0.008").await;
    let offer = customer.look("status").await.ok()["offer"].clone();
    let minutes = customer.look("form").await.ok()["hold"].as_u64().unwrap();
    worsen_the_rate(&house, &house.owner().await).await;
    house.wait(Duration::from_secs(minutes * 60 - 1));
    customer.says("accept", accepted(&offer)).await.ok();
    assert_eq!(customer.look("form").await.ok()["to"]["amount"], offer["toSumma"]);
}

async fn an_amount_is_noted_once(engine: Engine) {
    let house = House::open(engine).await;
    let operator = Operator::at(&house).await;
    let customer = mismatched(&house, &operator, "0.008").await;
    operator.does(&customer.id, "payment_seen", json!({ "txId": "another" })).await;
    for came in ["0.008", "0.0079"] {
        let refused = operator.tries(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
        let errors = refused.refused(422, "validation_failed")["errors"]["amount"].clone();
        assert!(errors.to_string().contains("amount_came_before"), "{errors}");
    }
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "0.00800001" })).await;
    house.books_are_clean().await;
}

async fn whoever_says_that_the_payment_is_here_means_the_agreed_amount(engine: Engine) {
    let house = House::open(engine).await;
    let operator = Operator::at(&house).await;
    let customer = Customer::orders(&house, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    for came in ["0.00999999", "0.01000001", "1"] {
        let said = json!({ "txId": "in", "amount": came });
        let refused = operator.tries(&customer.id, "payment_received", said).await;
        let errors = refused.refused(422, "validation_failed")["errors"]["amount"].clone();
        assert!(errors.to_string().contains("amount_differs"), "{came}: {errors}");
    }
    operator.does(&customer.id, "payment_received", json!({ "txId": "in", "amount": "0.01" })).await;
    house.books_are_clean().await;
}

/// Changes the pair of bitcoin and roubles.
pub async fn changes_pair(house: &House, mut change: Value) {
    let owner = house.owner().await;
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let is_ours = |pair: &&Value| pair["fromId"] == id("BTC") && pair["toId"] == id("SBERRUB");
    let pair = pairs.as_array().unwrap().iter().find(is_ours).unwrap();
    change["revision"] = pair["revision"].clone();
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair["id"]), change).await.ok();
}

async fn a_late_payment_of_a_floating_claim_is_asked_about(engine: Engine) {
    let house = House::open(engine).await;
    changes_pair(&house, json!({ "floating": true })).await;
    let customer = Customer::orders(&house, "0.01").await;
    customer.does("confirm").await.ok();
    customer.waits_too_long(&house).await;
    let operator = Operator::at(&house).await;
    operator.does(&customer.id, "late_payment", json!({ "amount": "0.01", "txId": "late" })).await;
    assert_eq!(customer.status().await, "late_payment", "although the rate stands where it stood");
    assert!(customer.look("status").await.ok()["offer"].is_object());
    house.books_are_clean().await;
}

/// A claim of so much tether whose payment is to be returned.
async fn to_be_returned(house: &House, operator: &Operator, send: &str) -> Customer {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let asked = Asked::plainly(id("USDTTRC20"), id("BTC"), send.parse().unwrap());
    let receive = house.app.calculator.agree(&asked).expect("the pair is open").receive.to_string();
    let order = json!({
        "email": format!("{send}@example.com"), "fromPs": asked.from, "toPs": asked.to, "fromSumma": send, "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "address": ADDRESS }, "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let caller = house.customer();
    let made = caller.post("/api/v1/claim/", order).await.ok();
    let customer = Customer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() };
    customer.does("confirm").await.ok();
    operator.does(&customer.id, "payment_seen", json!({ "txId": format!("in-{send}") })).await;
    // All of it came, but in a way that nobody may keep.
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "refund", json!({ "reason": "technical" })).await;
    customer.says("refund", json!({ "requisites": { "address": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" } })).await.ok();
    customer
}

async fn what_is_worth_the_limit_leaves_by_one_word_and_a_unit_more_by_two(engine: Engine) {
    let house = House::open(engine).await;
    let rule = json!({ "approvals.four_eyes": true, "approvals.payout_limit": 150, "approvals.refund_limit": 150 });
    house.owner().await.put("/api/admin/v1/settings", rule).await.ok();
    house.wait(Duration::from_secs(1));
    let operator = Operator::at(&house).await;
    for (send, status) in [("150", 200), ("150.01", 202)] {
        let customer = to_be_returned(&house, &operator, send).await;
        let said = json!({ "txId": format!("back-{send}") });
        let answer = operator.tries(&customer.id, "refund_sent", said).await;
        assert_eq!(answer.status.as_u16(), status, "{send}: {}", answer.text);
    }
    house.books_are_clean().await;
}

/// Every account with what it holds.
async fn accounts(house: &House) -> BTreeMap<String, i64> {
    let mut tx = house.app.platform.db.read().await.unwrap();
    fetch_all!(&mut tx, (String, i64), "SELECT name, balance FROM ledger_account").unwrap().into_iter().collect()
}

/// What changed since, account by account.
async fn changes(house: &House, before: &BTreeMap<String, i64>) -> BTreeMap<String, i64> {
    let now = accounts(house).await;
    let changed = now.into_iter().map(|(name, balance)| (name.clone(), balance - before.get(&name).copied().unwrap_or(0)));
    changed.filter(|(_, change)| *change != 0).collect()
}

/// A claim that is being paid out, of a direction with a fee of 0.0001 on what is sent and of 10 on what is received: the accounts before it, what
/// it pays out, and what its payment is worth, in units.
async fn in_payout(house: &House, operator: &Operator) -> (Customer, BTreeMap<String, i64>, i64, i64) {
    changes_pair(
        house,
        json!({ "fees": { "from": { "fixed": "0.0001", "percent": "0" }, "to": { "fixed": "10", "percent": "0" } } }),
    )
    .await;
    let before = accounts(house).await;
    let customer = Customer::orders(house, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({ "txId": "in" })).await;
    operator.does(&customer.id, "take", json!({})).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out" })).await;
    let claim = house.app.claims.claim(customer.id.parse().unwrap()).await.unwrap();
    assert_eq!(claim.send_units, 1_000_000);
    (customer, before, claim.receive_units, claim.worth_units)
}

/// What the house earns by all of it in roubles beside the fees: 0.0001 of 0.01 is a hundredth of what the payment is worth.
fn spread(worth: i64, receive: i64) -> i64 {
    worth - receive - worth / 100 - 1_000
}

async fn an_exchange_is_booked_to_the_unit(engine: Engine) {
    let house = House::open(engine).await;
    let operator = Operator::at(&house).await;
    let (customer, before, receive, worth) = in_payout(&house, &operator).await;
    operator.does(&customer.id, "complete", json!({})).await;
    let (btc, rub) = (pair(&house, "BTC", "SBERRUB", "0.01").from, pair(&house, "BTC", "SBERRUB", "0.01").to);
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
    assert_eq!(changes(&house, &before).await, expected);
    house.books_are_clean().await;
}

async fn a_part_of_an_exchange_is_booked_to_the_unit(engine: Engine) {
    let house = House::open(engine).await;
    let operator = Operator::at(&house).await;
    let (customer, before, receive, worth) = in_payout(&house, &operator).await;
    // Some two sevenths, so that everything is rounded.
    let arrived = receive * 2 / 7;
    let amount = format!("{}.{:02}", arrived / 100, arrived % 100);
    operator.does(&customer.id, "payout_partial", json!({ "amount": amount })).await;
    operator.does(&customer.id, "refund", json!({ "amount": amount, "reason": "technical" })).await;
    let (btc, rub) = (pair(&house, "BTC", "SBERRUB", "0.01").from, pair(&house, "BTC", "SBERRUB", "0.01").to);
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
    assert_eq!(changes(&house, &before).await, expected);
    house.books_are_clean().await;
}

/// A claim's time is over, and at that moment its customer confirms it: whoever comes first decides, and the other looks again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_was_confirmed_meanwhile_does_not_expire() {
    let house = House::open(Engine::Postgres).await;
    house.owner().await.put("/api/admin/v1/settings", json!({ "claims.confirm_minutes": "30" })).await.ok();
    let customer = Customer::orders(&house, "0.01").await;
    house.wait(Duration::from_secs(30 * 60 + 1));
    let held = house.database().hold(&format!("SELECT 1 FROM claim WHERE id = '{}' FOR UPDATE", customer.id)).await;
    let waits = async |count: i64| {
        while house.database().waiting().await < count {
            tokio::task::yield_now().await;
        }
    };
    let (caller, path) = (customer.caller.clone(), customer.path("confirm"));
    let confirming = tokio::spawn(async move { caller.post_empty(&path).await });
    waits(1).await;
    let jobs = house.app.jobs();
    let ending = tokio::spawn(async move { (jobs.iter().find(|job| job.name == "claims.deadlines").unwrap().run)().await });
    waits(2).await;
    held.release().await;
    assert_eq!(confirming.await.unwrap().ok()["status"], "awaiting_payment");
    ending.await.unwrap().unwrap();
    assert_eq!(customer.status().await, "awaiting_payment");
    house.books_are_clean().await;
}

both_engines!(
    an_offer_that_ran_out_is_not_taken_at_its_old_rate,
    an_offer_holds_to_its_last_second,
    an_exchange_is_booked_to_the_unit,
    a_part_of_an_exchange_is_booked_to_the_unit,
    an_amount_is_noted_once,
    whoever_says_that_the_payment_is_here_means_the_agreed_amount,
    a_late_payment_of_a_floating_claim_is_asked_about,
    what_is_worth_the_limit_leaves_by_one_word_and_a_unit_more_by_two,
);
