//! The end of the agreed terms, as the watch over a network keeps it.

use std::time::Duration;

use agio_test_app::{Engine, both_engines};
use serde_json::json;

use crate::fixtures::{TestCustomer, World};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Ether becomes so much dearer that a bitcoin brings little more than half of it.
async fn lower_rate(world: &World) {
    world.set_pair("BTC", "ETH", json!({ "spreadPercent": "43" })).await;
}

async fn saying_that_one_paid_does_not_keep_the_rate(engine: Engine) {
    let world = World::open(engine).await;
    let (said, silent) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    let paid = said.post("paid", json!({})).await.ok();
    let end = said.get("status").await["termsEnd"].clone();
    assert!(end.is_string() && paid["termsEnd"] == end);
    world.advance(HOUR).await;
    assert_eq!((said.state().await.as_str(), silent.state().await.as_str()), ("payment_claimed", "expired"));
    lower_rate(&world).await;
    for customer in [&said, &silent] {
        customer.pay(&world, customer.send);
    }
    world.run_jobs().await;
    assert_eq!(said.state().await, "payment_claimed", "what is late is no agreed payment that is counted");
    world.settle().await;
    for customer in [&said, &silent] {
        assert_eq!(customer.state().await, "late_payment");
        assert!(world.paid_out("ETH", &customer.id).is_empty(), "nothing is paid out at the old rate");
        let status = customer.get("status").await;
        assert_eq!((&status["termsEnd"], &status["received"]), (&end, &json!("0.01")));
        customer.accept().await.ok();
    }
    world.settle().await;
    for customer in [&said, &silent] {
        assert_eq!(customer.state().await, "completed");
        let left = world.paid_out("ETH", &customer.id);
        assert!(left.len() == 1 && left[0] < customer.receive * 7 / 10, "{left:?} of {}", customer.receive);
    }
    world.app.assert_ledger_is_clean().await;
    world.app.assert_audit_chain_is_intact().await;
}

async fn what_was_seen_in_time_keeps_the_rate_for_hours(engine: Engine) {
    let world = World::open(engine).await;
    let (said, silent) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    said.post("paid", json!({})).await.ok();
    world.advance(Duration::from_secs(28 * 60)).await;
    for customer in [&said, &silent] {
        customer.pay(&world, customer.send);
    }
    world.run_jobs().await;
    lower_rate(&world).await;
    for _ in 0..4 {
        world.advance(HOUR).await;
    }
    assert_eq!((said.state().await.as_str(), silent.state().await.as_str()), ("payment_seen", "payment_seen"));
    world.settle().await;
    for customer in [&said, &silent] {
        assert_eq!(customer.state().await, "completed");
        assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    }
    world.app.assert_ledger_is_clean().await;
}

/// With too low a fee a transaction waits until its sender makes it faster, which they do if the market has made the
/// agreed rate a good one.
async fn a_payment_that_its_sender_holds_back_keeps_no_rate(engine: Engine) {
    let world = World::open(engine).await;
    let mut customers = Vec::new();
    for _ in 0..2 {
        customers.push(TestCustomer::with_address(&world, "0.01").await);
    }
    for customer in &customers {
        customer.pay(&world, customer.send);
    }
    world.run_jobs().await;
    lower_rate(&world).await;
    for _ in 0..25 {
        world.advance(HOUR).await;
    }
    for customer in &customers {
        assert_eq!(customer.state().await, "payment_seen");
    }
    world.settle().await;
    let (accepts, refuses) = (&customers[0], &customers[1]);
    for customer in &customers {
        assert_eq!(customer.state().await, "late_payment");
        assert!(world.paid_out("ETH", &customer.id).is_empty(), "nothing is paid out at the old rate");
    }
    accepts.accept().await.ok();
    refuses.request_refund().await.ok();
    world.settle().await;
    let left = world.paid_out("ETH", &accepts.id);
    assert!(left.len() == 1 && left[0] < accepts.receive * 7 / 10, "{left:?} of {}", accepts.receive);
    assert!(world.paid_out("ETH", &refuses.id).is_empty());
    world.app.assert_ledger_is_clean().await;
}

async fn a_late_payment_passes_by_the_tolerance_whatever_was_said(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.post("paid", json!({})).await.ok();
    world.advance(HOUR).await;
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{}", customer.id)).await.ok();
    let steps: Vec<_> = shown["timeline"].as_array().unwrap().iter().map(|step| step["action"].as_str().unwrap()).collect();
    assert_eq!(steps[2..6], ["paid", "payment_missing", "late_payment", "accept"]);
    world.app.assert_ledger_is_clean().await;
}

async fn a_part_in_time_does_not_keep_the_rate_for_the_rest(engine: Engine) {
    let world = World::open(engine).await;
    let (mismatched, seen) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    mismatched.pay(&world, mismatched.send / 100);
    world.settle().await;
    assert_eq!(mismatched.state().await, "amount_mismatch");
    seen.pay(&world, seen.send / 100);
    world.run_jobs().await;
    assert_eq!(seen.state().await, "payment_seen");
    world.advance(HOUR).await;
    lower_rate(&world).await;
    for customer in [&mismatched, &seen] {
        customer.pay(&world, customer.send - customer.send / 100);
    }
    world.settle().await;
    for customer in [&mismatched, &seen] {
        let status = customer.get("status").await;
        assert_eq!((&status["status"], &status["received"]), (&json!("late_payment"), &json!("0.01")));
        assert!(world.paid_out("ETH", &customer.id).is_empty());
        customer.request_refund().await.ok();
    }
    world.app.assert_ledger_is_clean().await;
}

async fn the_watch_dates_a_payment_and_not_staff(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.post("paid", json!({})).await.ok();
    let in_time = world.app.now().plus(Duration::from_secs(60)).to_string();
    world.advance(HOUR).await;
    lower_rate(&world).await;
    customer.pay(&world, customer.send);
    world.run_jobs().await;
    let done = world.transition(&customer.id, "payment_received", json!({ "txId": "in", "paidAt": in_time })).await.ok();
    assert_eq!(done["status"], "late_payment", "what a network shows is not for staff to date");
    world.app.assert_ledger_is_clean().await;
}

async fn attached_money_is_dated_by_its_network(engine: Engine) {
    let world = World::open(engine).await;
    let (early, late) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    // Both paid to an address of nobody.
    let stray = |units: u64| {
        world.bitcoin(|chain| {
            let address = chain.address(&format!("stray-{units}"));
            chain.pay(vec![agio_sandbox_chain::chain::Output { address, units }])
        })
    };
    let first = stray(early.send);
    world.run_jobs().await;
    for customer in [&early, &late] {
        customer.post("paid", json!({})).await.ok();
    }
    world.advance(HOUR).await;
    lower_rate(&world).await;
    let second = stray(late.send);
    world.settle().await;
    for (tx, customer) in [(first, &early), (second, &late)] {
        let strays = world.get_payments("movements").await;
        let found = strays.as_array().unwrap().iter().find(|row| row["txId"] == json!(tx)).unwrap().clone();
        let body = json!({ "claim": customer.number });
        world.owner().await.post(&format!("/api/admin/v1/payments/movements/{}/attach", found["id"]), body).await.ok();
    }
    world.settle().await;
    assert_eq!((early.state().await.as_str(), late.state().await.as_str()), ("completed", "late_payment"));
    world.app.assert_ledger_is_clean().await;
}

both_engines!(
    saying_that_one_paid_does_not_keep_the_rate,
    what_was_seen_in_time_keeps_the_rate_for_hours,
    a_payment_that_its_sender_holds_back_keeps_no_rate,
    a_late_payment_passes_by_the_tolerance_whatever_was_said,
    a_part_in_time_does_not_keep_the_rate_for_the_rest,
    the_watch_dates_a_payment_and_not_staff,
    attached_money_is_dated_by_its_network,
);
