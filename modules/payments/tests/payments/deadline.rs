//! The end of the agreed terms, as the watch over a network keeps it.

use std::time::Duration;

use agio_testkit::{Engine, both_engines};
use serde_json::json;

use crate::world::{Customer, World};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Ether becomes so much dearer that a bitcoin brings little more than half of it.
async fn the_rate_falls(world: &World) {
    world.sets_pair("BTC", "ETH", json!({ "spreadPercent": "43" })).await;
}

async fn saying_that_one_paid_does_not_keep_the_rate(engine: Engine) {
    let world = World::open(engine).await;
    let (said, silent) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    let paid = said.does("paid", json!({})).await.ok();
    let end = said.looks("status").await["termsEnd"].clone();
    assert!(end.is_string() && paid["termsEnd"] == end);
    world.passes(HOUR).await;
    assert_eq!((said.state().await.as_str(), silent.state().await.as_str()), ("payment_claimed", "expired"));
    the_rate_falls(&world).await;
    for customer in [&said, &silent] {
        customer.pays(&world, customer.send);
    }
    world.goes_on().await;
    assert_eq!(said.state().await, "payment_claimed", "what is late is no agreed payment that is counted");
    world.settles().await;
    for customer in [&said, &silent] {
        assert_eq!(customer.state().await, "late_payment");
        assert!(world.left("ETH", &customer.id).is_empty(), "nothing is paid out at the old rate");
        let status = customer.looks("status").await;
        assert_eq!((&status["termsEnd"], &status["received"]), (&end, &json!("0.01")));
        customer.accepts().await.ok();
    }
    world.settles().await;
    for customer in [&said, &silent] {
        assert_eq!(customer.state().await, "completed");
        let left = world.left("ETH", &customer.id);
        assert!(left.len() == 1 && left[0] < customer.receive * 7 / 10, "{left:?} of {}", customer.receive);
    }
    world.house.books_are_clean().await;
    world.house.audit_is_whole().await;
}

async fn what_was_seen_in_time_keeps_the_rate_however_long_it_takes(engine: Engine) {
    let world = World::open(engine).await;
    let (said, silent) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    said.does("paid", json!({})).await.ok();
    world.passes(Duration::from_secs(28 * 60)).await;
    for customer in [&said, &silent] {
        customer.pays(&world, customer.send);
    }
    world.goes_on().await;
    the_rate_falls(&world).await;
    for _ in 0..4 {
        world.passes(HOUR).await;
    }
    assert_eq!((said.state().await.as_str(), silent.state().await.as_str()), ("payment_seen", "payment_seen"));
    world.settles().await;
    for customer in [&said, &silent] {
        assert_eq!(customer.state().await, "completed");
        assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
    }
    world.house.books_are_clean().await;
}

async fn a_late_payment_passes_by_the_tolerance_whatever_was_said(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    customer.does("paid", json!({})).await.ok();
    world.passes(HOUR).await;
    customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
    let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{}", customer.id)).await.ok();
    let steps: Vec<_> = shown["timeline"].as_array().unwrap().iter().map(|step| step["action"].as_str().unwrap()).collect();
    assert_eq!(steps[2..6], ["paid", "payment_missing", "late_payment", "accept"]);
    world.house.books_are_clean().await;
}

async fn a_part_in_time_does_not_keep_the_rate_for_the_rest(engine: Engine) {
    let world = World::open(engine).await;
    let (mismatched, seen) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    mismatched.pays(&world, mismatched.send / 100);
    world.settles().await;
    assert_eq!(mismatched.state().await, "amount_mismatch");
    seen.pays(&world, seen.send / 100);
    world.goes_on().await;
    assert_eq!(seen.state().await, "payment_seen");
    world.passes(HOUR).await;
    the_rate_falls(&world).await;
    for customer in [&mismatched, &seen] {
        customer.pays(&world, customer.send - customer.send / 100);
    }
    world.settles().await;
    for customer in [&mismatched, &seen] {
        let status = customer.looks("status").await;
        assert_eq!((&status["status"], &status["received"]), (&json!("late_payment"), &json!("0.01")));
        assert!(world.left("ETH", &customer.id).is_empty());
        customer.wants_it_back().await.ok();
    }
    world.house.books_are_clean().await;
}

async fn the_watch_dates_a_payment_and_not_staff(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    customer.does("paid", json!({})).await.ok();
    let in_time = world.house.now().plus(Duration::from_secs(60)).to_string();
    world.passes(HOUR).await;
    the_rate_falls(&world).await;
    customer.pays(&world, customer.send);
    world.goes_on().await;
    let done = world.operator_does(&customer.id, "payment_received", json!({ "paidAt": in_time })).await.ok();
    assert_eq!(done["status"], "late_payment", "what a network shows is not for staff to date");
    world.house.books_are_clean().await;
}

async fn attached_money_is_dated_by_its_network(engine: Engine) {
    let world = World::open(engine).await;
    let (early, late) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    // Both paid to an address of nobody.
    let stray = |units: u64| {
        world.bitcoin(|chain| {
            let address = chain.address(&format!("stray-{units}"));
            chain.pay(vec![agio_sandbox_chain::chain::Output { address, units }])
        })
    };
    let first = stray(early.send);
    world.goes_on().await;
    for customer in [&early, &late] {
        customer.does("paid", json!({})).await.ok();
    }
    world.passes(HOUR).await;
    the_rate_falls(&world).await;
    let second = stray(late.send);
    world.settles().await;
    for (tx, customer) in [(first, &early), (second, &late)] {
        let strays = world.sees("movements").await;
        let found = strays.as_array().unwrap().iter().find(|row| row["txId"] == json!(tx)).unwrap().clone();
        let body = json!({ "claim": customer.number });
        world.owner().await.post(&format!("/api/admin/v1/payments/movements/{}/attach", found["id"]), body).await.ok();
    }
    world.settles().await;
    assert_eq!((early.state().await.as_str(), late.state().await.as_str()), ("completed", "late_payment"));
    world.house.books_are_clean().await;
}

both_engines!(
    saying_that_one_paid_does_not_keep_the_rate,
    what_was_seen_in_time_keeps_the_rate_however_long_it_takes,
    a_late_payment_passes_by_the_tolerance_whatever_was_said,
    a_part_in_time_does_not_keep_the_rate_for_the_rest,
    the_watch_dates_a_payment_and_not_staff,
    attached_money_is_dated_by_its_network,
);
