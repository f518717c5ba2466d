//! What came beyond the agreed amount goes back through the driver, once and after the exchange.

use std::time::Duration;

use agio_plugin_sdk::protocol::Risk;
use agio_sandbox_chain::Faults;
use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{REFUNDS, TestCustomer, World};
use crate::outcomes::{runs, runs_on_both};
use crate::refunds::{path, shown};

/// A customer who paid more than agreed, by so many units.
async fn pays_more(world: &World, surplus: u64) -> TestCustomer {
    let customer = TestCustomer::with_address(world, "0.01").await;
    customer.pay(world, customer.send + surplus);
    customer
}

async fn choice(customer: &TestCustomer) -> Value {
    let offer = customer.get("status").await["surplus"]["offer"].clone();
    json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"], "requisites": { "address": REFUNDS } })
}

/// The same, who chose to have the rest back once all of it had arrived.
async fn overpaid(world: &World, surplus: u64) -> TestCustomer {
    let customer = pays_more(world, surplus).await;
    world.settle().await;
    assert_eq!(customer.state().await, "amount_mismatch");
    customer.post("surplus", choice(&customer).await).await.ok();
    customer
}

/// Mines until the exchange is done; nothing is sent back meanwhile.
async fn exchanged(world: &World, customer: &TestCustomer) {
    set_bitcoin_route(world, json!({ "autoPayout": false })).await;
    world.settle().await;
    assert_eq!(customer.state().await, "refund_pending");
}

/// Sets the route of bitcoin anew, with changes.
async fn set_bitcoin_route(world: &World, change: Value) {
    let routes = world.get_payments("").await;
    let ours = routes["routes"].as_array().unwrap().iter().find(|route| route["currencyId"] == world.id("BTC")).unwrap();
    let mut route = json!({
        "revision": ours["revision"], "driver": "sandbox-chain", "enabled": true, "confirmations": 2, "dust": "0.00000546",
        "screening": "screener", "autoPayout": true, "claimLimit": "5", "dayLimit": "60",
    });
    route.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    world.set_route("BTC", route).await.ok();
}

async fn the_driver_returns_a_surplus_once_the_exchange_is_done(engine: Engine) {
    let world = World::open(engine).await;
    let customer = overpaid(&world, 250_000).await;
    assert!(world.paid_out("BTC", &customer.id).is_empty(), "the exchange comes first");
    // The server stops here, and another one takes up what it left.
    let restarted = world.app.another_node().await;
    for _ in 0..10 {
        for code in ["BTC", "ETH"] {
            world.net.chain(code, |chain| chain.mine(1));
        }
        world.app.advance_clock(Duration::from_secs(11));
        for job in restarted.server.jobs().iter().filter(|job| job.name.starts_with("payments.")) {
            (job.run)().await.unwrap();
        }
    }
    let done = customer.get("status").await;
    assert_eq!((&done["status"], &done["refund"]["amount"]), (&json!("completed"), &json!("0.0025")));
    let payouts = (world.paid_out("ETH", &customer.id), world.paid_out("BTC", &customer.id));
    assert_eq!(payouts, (vec![customer.receive], vec![250_000]));
    let sent = world.bitcoin(|chain| chain.transaction(done["refund"]["tx"]["id"].as_str().unwrap()).unwrap().outputs.clone());
    assert_eq!(sent[0].address, REFUNDS);
    world.settle().await;
    assert_eq!(world.paid_out("BTC", &customer.id), [250_000]);
    world.app.assert_ledger_is_clean().await;
    world.app.assert_audit_chain_is_intact().await;
}

async fn nothing_is_chosen_before_the_payment_is_certain_and_clean(engine: Engine) {
    let world = World::open(engine).await;
    let customer = pays_more(&world, 250_000).await;
    let early = json!({ "fromSumma": "0.01", "toSumma": "1", "requisites": { "address": REFUNDS } });
    for _ in 0..2 {
        world.run_jobs().await;
        assert_eq!(customer.state().await, "payment_seen");
        customer.post("surplus", early.clone()).await.refused(409, "transition_not_allowed");
    }
    world.screener.set_risk(Some(Risk::High));
    world.settle().await;
    assert_eq!(customer.state().await, "on_hold");
    customer.post("surplus", early).await.refused(409, "transition_not_allowed");
    world.transition(&customer.id, "refund", json!({ "reason": "customer_asked" })).await.ok();
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    world.settle().await;
    let all = customer.send + 250_000;
    assert_eq!((customer.state().await.as_str(), world.paid_out("BTC", &customer.id)), ("refunded", vec![all]));
    world.app.assert_ledger_is_clean().await;
}

async fn a_surplus_above_the_limits_waits_for_staff(engine: Engine) {
    let world = World::open(engine).await;
    set_bitcoin_route(&world, json!({ "claimLimit": "0.002" })).await;
    let customer = overpaid(&world, 250_000).await;
    world.settle().await;
    assert_eq!(customer.state().await, "refund_pending");
    assert!(world.paid_out("BTC", &customer.id).is_empty());
    assert_eq!(shown(&world, &customer).await["refund"]["amount"], "0.0025");
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    world.settle().await;
    assert_eq!((customer.state().await.as_str(), world.paid_out("BTC", &customer.id)), ("completed", vec![250_000]));
    world.app.assert_ledger_is_clean().await;
}

async fn a_surplus_above_the_refund_limit_waits_for_a_second_person(engine: Engine) {
    let world = World::open(engine).await;
    let customer = overpaid(&world, 250_000).await;
    // The surplus is worth some 170 dollars, and the payout some 690.
    let rule = json!({ "approvals.two_person": true, "approvals.payout_limit": 1_000_000, "approvals.refund_limit": 100 });
    world.owner().await.put("/api/admin/v1/settings", rule).await.ok();
    world.settle().await;
    assert_eq!(customer.state().await, "refund_pending");
    assert!(world.paid_out("BTC", &customer.id).is_empty());
}

/// What one person typed would otherwise be sent.
async fn a_surplus_that_no_driver_has_seen_waits_for_staff(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.post("paid", json!({})).await.ok();
    let typed = json!({ "amount": "0.0125", "txId": "typed" });
    world.transition(&customer.id, "amount_mismatch", typed).await.ok();
    customer.post("surplus", choice(&customer).await).await.ok();
    world.settle().await;
    assert_eq!(customer.state().await, "refund_pending", "the agreed amount is paid out");
    assert!(world.paid_out("BTC", &customer.id).is_empty());
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    world.settle().await;
    assert_eq!((customer.state().await.as_str(), world.paid_out("BTC", &customer.id)), ("completed", vec![250_000]));
    world.app.assert_ledger_is_clean().await;
}

async fn dust_is_not_sent_back(engine: Engine) {
    let world = World::open(engine).await;
    world.owner().await.put("/api/admin/v1/settings", json!({ "claims.surplus_min": "0" })).await.ok();
    let (less, enough) = (pays_more(&world, 545).await, pays_more(&world, 546).await);
    world.settle().await;
    let surplus = async |customer: &TestCustomer| customer.get("status").await["surplus"].clone();
    assert_eq!((&surplus(&less).await["tooSmall"], &surplus(&less).await["offer"]), (&json!(true), &Value::Null));
    assert_eq!(surplus(&enough).await["tooSmall"], false);
}

async fn what_staff_send_by_hand_the_driver_does_not_send(engine: Engine) {
    let world = World::open(engine).await;
    let customer = overpaid(&world, 250_000).await;
    exchanged(&world, &customer).await;
    set_bitcoin_route(&world, json!({})).await;
    runs(&world, "payments.queue").await;
    world.owner().await.post(&path(&customer), json!({})).await.refused(409, "refund_under_way");
    world.transition(&customer.id, "refund_sent", json!({ "txId": "by hand" })).await.ok();
    world.settle().await;
    world.transition(&customer.id, "refund_bounced", json!({ "reason": "refund_returned" })).await.ok();
    world.settle().await;
    assert!(world.paid_out("BTC", &customer.id).is_empty(), "staff find out why it came back");
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    world.settle().await;
    assert_eq!((customer.state().await.as_str(), world.paid_out("BTC", &customer.id)), ("completed", vec![250_000]));
    world.app.assert_ledger_is_clean().await;
}

async fn what_did_not_leave_is_left_to_staff(engine: Engine) {
    let world = World::open(engine).await;
    let customer = overpaid(&world, 250_000).await;
    exchanged(&world, &customer).await;
    set_bitcoin_route(&world, json!({})).await;
    runs(&world, "payments.queue").await;
    world.net.fail(Faults { before: 100, ..Faults::default() });
    runs(&world, "payments.send").await;
    world.transition(&customer.id, "refund_sent", json!({ "txId": "by hand" })).await.refused(409, "payout_under_way");
    world.net.fail(Faults::default());
    world.advance(Duration::from_secs(121)).await;
    world.settle().await;
    assert_eq!(customer.state().await, "refund_pending", "it certainly did not leave, and staff find out why");
    assert!(world.paid_out("BTC", &customer.id).is_empty());
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    world.settle().await;
    assert_eq!((customer.state().await.as_str(), world.paid_out("BTC", &customer.id)), ("completed", vec![250_000]));
    world.app.assert_ledger_is_clean().await;
}

/// Staff complete the exchange before the network is certain of the payout.
async fn a_payout_that_is_certain_only_while_the_surplus_leaves_disturbs_nothing(engine: Engine) {
    let world = World::open(engine).await;
    let customer = overpaid(&world, 250_000).await;
    world.run_jobs().await;
    assert_eq!(customer.state().await, "payout_sent");
    world.transition(&customer.id, "complete", json!({})).await.ok();
    world.run_jobs().await;
    assert_eq!(customer.state().await, "refund_sent");
    for _ in 0..5 {
        world.ether(|chain| chain.mine(1));
        world.run_jobs().await;
    }
    let states = async || {
        let attempts = world.get_payments("attempts").await;
        let state_of = |kind: &str| attempts.as_array().unwrap().iter().find(|one| one["kind"] == kind).unwrap()["state"].clone();
        (state_of("payout"), state_of("refund"))
    };
    assert_eq!(states().await, (json!("confirmed"), json!("sent")));
    world.settle().await;
    assert_eq!(states().await, (json!("confirmed"), json!("confirmed")));
    assert_eq!(customer.state().await, "completed");
    world.app.assert_ledger_is_clean().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_return_many_surpluses_once() {
    let world = World::open(Engine::Postgres).await;
    let there = world.app.another_node().await;
    let mut customers = Vec::new();
    for _ in 0..6 {
        customers.push(pays_more(&world, 250_000).await);
    }
    world.settle().await;
    for customer in &customers {
        customer.post("surplus", choice(customer).await).await.ok();
    }
    let names = ["payments.watch", "payments.claims", "payments.queue", "payments.send"];
    for _ in 0..12 {
        for code in ["BTC", "ETH"] {
            world.net.chain(code, |chain| chain.mine(1));
        }
        world.app.advance_clock(Duration::from_secs(11));
        for name in names {
            runs_on_both([&world.app, &there], name).await;
        }
    }
    for customer in &customers {
        assert_eq!(customer.state().await, "completed");
        let payouts = (world.paid_out("ETH", &customer.id), world.paid_out("BTC", &customer.id));
        assert_eq!(payouts, (vec![customer.receive], vec![250_000]));
    }
    world.app.assert_ledger_is_clean().await;
}

both_engines!(
    the_driver_returns_a_surplus_once_the_exchange_is_done,
    nothing_is_chosen_before_the_payment_is_certain_and_clean,
    a_surplus_above_the_limits_waits_for_staff,
    a_surplus_above_the_refund_limit_waits_for_a_second_person,
    a_surplus_that_no_driver_has_seen_waits_for_staff,
    dust_is_not_sent_back,
    what_staff_send_by_hand_the_driver_does_not_send,
    what_did_not_leave_is_left_to_staff,
    a_payout_that_is_certain_only_while_the_surplus_leaves_disturbs_nothing,
);
