//! Money that comes after its claim had ended.

use std::time::Duration;

use agio_plugin_sdk::protocol::Risk;
use agio_test_app::{Engine, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::fixtures::{TestCustomer, World};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// A server that asks every late customer, however little the rate moved.
async fn world_that_asks(engine: Engine) -> World {
    let world = World::open(engine).await;
    world.owner().await.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_bps": "0" })).await.ok();
    world
}

/// A customer whose claim ran out before they paid.
async fn pay_late(world: &World) -> TestCustomer {
    let customer = TestCustomer::with_address(world, "0.01").await;
    world.advance(HOUR).await;
    assert_eq!(customer.state().await, "expired");
    customer
}

/// Makes the course of the pair this part of what it is, by the spread.
async fn set_rate(world: &World, part: &str) {
    set_rate_to(world, "ETH", part).await;
}

async fn set_rate_to(world: &World, to: &str, part: &str) {
    let pair = world.pair("BTC", to).await;
    let hundred = Decimal::ONE_HUNDRED;
    let spread: Decimal = pair["spreadPercent"].as_str().unwrap().parse().unwrap();
    let spread = (hundred - (hundred - spread) * part.parse::<Decimal>().unwrap()).normalize().to_string();
    world.set_pair("BTC", to, json!({ "spreadPercent": spread })).await;
}

/// The kinds of emails to a customer.
async fn emails(world: &World, customer: &TestCustomer) -> Vec<String> {
    let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{}", customer.id)).await.ok();
    let mails = world.app.emails_to(shown["email"].as_str().unwrap()).await;
    mails.into_iter().map(|mail| mail.kind).collect()
}

async fn a_late_payment_goes_on_by_itself_while_the_rate_barely_moved(engine: Engine) {
    for part in ["1", "0.9801", "1.0199"] {
        let world = World::open(engine).await;
        let customer = pay_late(&world).await;
        set_rate(&world, part).await;
        customer.pay(&world, customer.send);
        world.run_jobs().await;
        assert_eq!(customer.state().await, "expired", "it is not certain yet");
        world.settle().await;
        assert_eq!(customer.state().await, "completed", "the course became {part} of what it was");
        assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive], "at the terms that were agreed on");
        let emails = emails(&world, &customer).await;
        assert!(
            emails.contains(&"claim_completed".to_owned()) && !emails.contains(&"claim_late_payment".to_owned()),
            "{emails:?}"
        );
        let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{}", customer.id)).await.ok();
        let accepted = shown["timeline"].as_array().unwrap().iter().find(|step| step["action"] == "accept").unwrap();
        assert_eq!((&accepted["actor"]["kind"], &accepted["from"]), (&json!("system"), &json!("late_payment")));
        world.app.assert_ledger_is_clean().await;
        world.app.assert_audit_chain_is_intact().await;
    }
}

/// Claims that were never paid are no rates to choose from later.
async fn a_payment_that_is_hours_late_gets_no_old_rate(engine: Engine) {
    let world = World::open(engine).await;
    let (expired, cancelled) =
        (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    cancelled.post("cancel", json!({})).await.ok();
    // The terms end after half an hour.
    world.advance(3 * HOUR).await;
    set_rate(&world, "0.9801").await;
    for customer in [&expired, &cancelled] {
        customer.pay(&world, customer.send);
    }
    world.settle().await;
    for customer in [&expired, &cancelled] {
        assert_eq!(customer.state().await, "late_payment");
        assert!(world.paid_out("ETH", &customer.id).is_empty());
    }
    world.app.assert_ledger_is_clean().await;
}

async fn at_the_bound_and_beyond_the_customer_is_asked(engine: Engine) {
    for part in ["0.98", "0.9799", "1.0201"] {
        let world = World::open(engine).await;
        let customer = pay_late(&world).await;
        set_rate(&world, part).await;
        customer.pay(&world, customer.send);
        world.settle().await;
        assert_eq!(customer.state().await, "late_payment", "the course became {part} of what it was");
        assert!(emails(&world, &customer).await.contains(&"claim_late_payment".to_owned()));
        assert!(world.paid_out("ETH", &customer.id).is_empty());
        customer.accept().await.ok();
        world.settle().await;
        assert_eq!(customer.state().await, "completed");
        assert_ne!(world.paid_out("ETH", &customer.id), [customer.receive], "at the terms they agreed to");
        world.app.assert_ledger_is_clean().await;
    }
}

async fn the_bound_is_the_default(engine: Engine) {
    let world = world_that_asks(engine).await;
    let customer = pay_late(&world).await;
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "late_payment", "nobody goes on unasked at a bound of nothing");
    world.owner().await.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_bps": "500" })).await.ok();
    let other = pay_late(&world).await;
    set_rate(&world, "0.9501").await;
    other.pay(&world, other.send);
    world.settle().await;
    assert_eq!(other.state().await, "completed");
    world.app.assert_ledger_is_clean().await;
}

async fn each_direction_has_a_bound_of_its_own(engine: Engine) {
    let world = World::open(engine).await;
    world.set_pair("BTC", "ETH", late("1")).await;
    world.set_pair("BTC", "SBERRUB", late("5")).await;
    let (strict, lenient) =
        (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address_for_roubles(&world, "0.01").await);
    world.advance(HOUR).await;
    for (customer, to) in [(&strict, "ETH"), (&lenient, "SBERRUB")] {
        assert_eq!(customer.state().await, "expired");
        set_rate_to(&world, to, "0.97").await;
        customer.pay(&world, customer.send);
    }
    world.settle().await;
    assert_eq!((strict.state().await.as_str(), lenient.state().await.as_str()), ("late_payment", "paid"));
    let agreed = lenient.get("form").await["to"]["amount"].clone();
    let agreed = (agreed.as_str().unwrap().parse::<Decimal>().unwrap() * Decimal::ONE_HUNDRED).to_string();
    assert_eq!(agreed.parse::<Decimal>().unwrap(), Decimal::from(lenient.receive), "at the terms that were agreed on");
    world.app.assert_ledger_is_clean().await;
}

async fn a_direction_without_a_bound_has_the_default(engine: Engine) {
    let world = World::open(engine).await;
    world.set_pair("BTC", "ETH", late("0")).await;
    let customer = pay_late(&world).await;
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "late_payment", "at a bound of nothing everybody is asked");
    let none = json!({ "tolerance": { "latePercent": null, "amountFixed": null, "amountPercent": null } });
    world.set_pair("BTC", "ETH", none).await;
    let customer = pay_late(&world).await;
    set_rate(&world, "0.9801").await;
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
}

async fn the_bound_is_that_of_the_terms_that_were_agreed_on(engine: Engine) {
    let world = World::open(engine).await;
    world.set_pair("BTC", "ETH", late("5")).await;
    let before = pay_late(&world).await;
    world.set_pair("BTC", "ETH", late("0.5")).await;
    let after = pay_late(&world).await;
    set_rate(&world, "0.97").await;
    before.pay(&world, before.send);
    after.pay(&world, after.send);
    world.settle().await;
    assert_eq!((before.state().await.as_str(), after.state().await.as_str()), ("completed", "late_payment"));
    assert_eq!(world.paid_out("ETH", &before.id), [before.receive]);
    world.app.assert_ledger_is_clean().await;
}

/// A bound of so many percent for late payments.
fn late(percent: &str) -> Value {
    json!({ "tolerance": { "latePercent": percent, "amountFixed": null, "amountPercent": null } })
}

async fn another_amount_or_doubtful_money_never_goes_on_by_itself(engine: Engine) {
    let world = World::open(engine).await;
    let (less, more, doubtful) = (pay_late(&world).await, pay_late(&world).await, pay_late(&world).await);
    less.pay(&world, less.send - 1);
    more.pay(&world, more.send + 1);
    let tx = doubtful.pay(&world, doubtful.send);
    world.screener.set_risk_of(&tx, Risk::High);
    world.settle().await;
    assert_eq!((less.state().await.as_str(), more.state().await.as_str()), ("late_payment", "late_payment"));
    let held = doubtful.get("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("aml_check")));
    world.app.assert_ledger_is_clean().await;
}

async fn a_pair_that_stands_still_lets_nothing_go_on(engine: Engine) {
    let world = World::open(engine).await;
    let customer = pay_late(&world).await;
    world.set_pair("BTC", "ETH", json!({ "enabled": false })).await;
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "late_payment");
    world.app.assert_ledger_is_clean().await;
}

async fn money_after_the_deadline_is_a_late_payment(engine: Engine) {
    let world = world_that_asks(engine).await;
    let (late, returned) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    world.advance(Duration::from_secs(60 * 60)).await;
    assert_eq!(late.state().await, "expired");
    late.pay(&world, late.send);
    returned.pay(&world, returned.send);
    world.run_jobs().await;
    assert_eq!(late.state().await, "expired", "it is not certain yet");
    world.settle().await;
    assert_eq!((late.state().await.as_str(), returned.state().await.as_str()), ("late_payment", "late_payment"));
    late.accept().await.ok();
    returned.request_refund().await.ok();
    world.settle().await;
    assert_eq!((late.state().await.as_str(), returned.state().await.as_str()), ("completed", "refund_pending"));
    let path = format!("/api/admin/v1/payments/claims/{}/refund", returned.id);
    assert_eq!(world.owner().await.post(&path, json!({})).await.ok()["approval"], json!(null));
    world.settle().await;
    assert_eq!(returned.state().await, "refunded");
    assert_eq!(world.paid_out("BTC", &returned.id), [returned.send]);
    world.owner().await.post(&path, json!({})).await.refused(409, "transition_not_allowed");
    world.app.assert_ledger_is_clean().await;
}

async fn a_cancelled_claim_is_opened_by_money(engine: Engine) {
    let world = world_that_asks(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.post("cancel", json!({})).await.ok();
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "late_payment");
    world.app.assert_ledger_is_clean().await;
}

both_engines!(
    a_late_payment_goes_on_by_itself_while_the_rate_barely_moved,
    a_payment_that_is_hours_late_gets_no_old_rate,
    at_the_bound_and_beyond_the_customer_is_asked,
    the_bound_is_the_default,
    each_direction_has_a_bound_of_its_own,
    a_direction_without_a_bound_has_the_default,
    the_bound_is_that_of_the_terms_that_were_agreed_on,
    another_amount_or_doubtful_money_never_goes_on_by_itself,
    a_pair_that_stands_still_lets_nothing_go_on,
    money_after_the_deadline_is_a_late_payment,
    a_cancelled_claim_is_opened_by_money,
);
