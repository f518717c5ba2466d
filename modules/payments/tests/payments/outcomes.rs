//! What can become of a payout.

use std::time::Duration;

use agio_core::identity::Actor;
use agio_sandbox_chain::Faults;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{TestCustomer, World};

/// A customer whose payment is certain, and whose payout is about to be requested.
pub async fn about_to_be_paid_out(world: &World) -> TestCustomer {
    let customer = TestCustomer::with_address(world, "0.01").await;
    customer.pay(world, customer.send);
    world.mine(1).await;
    world.mine(1).await;
    assert_eq!(customer.state().await, "payment_seen", "it is found out where the money comes from");
    customer
}

/// The one try of a claim that is shown.
pub async fn attempt(world: &World, customer: &TestCustomer) -> Value {
    let attempts = world.get_payments("attempts").await;
    attempts.as_array().unwrap().iter().find(|attempt| attempt["claim"] == customer.id.as_str()).unwrap().clone()
}

pub async fn runs(world: &World, job: &str) {
    runs_on(&world.app, job).await;
}

async fn runs_on(node: &TestApp, job: &str) {
    let jobs = node.server.jobs();
    let job = jobs.iter().find(|known| known.name == job).unwrap();
    (job.run)().await.unwrap();
}

/// Runs a job on two nodes at one moment.
pub async fn runs_on_both([here, there]: [&TestApp; 2], job: &str) {
    tokio::join!(runs_on(here, job), runs_on(there, job));
}

/// Everything until the driver is told to send.
pub async fn queues(world: &World) {
    for job in ["payments.watch", "payments.screen", "payments.claims", "payments.queue"] {
        runs(world, job).await;
    }
}

async fn a_lost_answer_is_settled_by_asking_and_never_by_sending_again(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    queues(&world).await;
    world.net.fail(Faults { lost: 100, ..Faults::default() });
    runs(&world, "payments.send").await;
    assert_eq!(attempt(&world, &customer).await["state"], "unknown");
    assert_eq!(customer.state().await, "processing");
    world.net.fail(Faults::default());
    let path = format!("/api/admin/v1/payments/attempts/{}/check", attempt(&world, &customer).await["id"].as_str().unwrap());
    world.owner().await.post(&path, json!({})).await.refused(409, "attempt_too_young");
    world.transition(&customer.id, "payout_sent", json!({ "txId": "by hand" })).await.refused(409, "payout_under_way");
    world.transition(&customer.id, "refund", json!({ "reason": "technical" })).await.refused(409, "payout_under_way");
    world.advance(Duration::from_secs(121)).await;
    assert_eq!(customer.state().await, "payout_sent");
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_ledger_is_clean().await;
}

async fn a_request_that_never_arrived_is_sent_under_another_key_once_that_is_certain(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    queues(&world).await;
    world.net.fail(Faults { before: 100, ..Faults::default() });
    runs(&world, "payments.send").await;
    let first = attempt(&world, &customer).await;
    assert_eq!((&first["state"], &first["txId"]), (&json!("unknown"), &json!(null)));
    world.net.fail(Faults::default());
    for _ in 0..5 {
        world.run_jobs().await;
        assert!(world.paid_out("ETH", &customer.id).is_empty(), "it is not certain yet");
    }
    world.advance(Duration::from_secs(121)).await;
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    let attempts = world.get_payments("attempts").await;
    let states: Vec<_> = attempts.as_array().unwrap().iter().map(|attempt| attempt["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["never_sent", "confirmed"]);
    assert_ne!(attempts[0]["id"], attempts[1]["id"]);
    world.app.assert_ledger_is_clean().await;
}

/// A callback asks for the outcome of a payout at once, and sends nothing.
async fn a_callback_settles_a_payout_before_its_turn(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    queues(&world).await;
    let driver = attempt(&world, &customer).await["driver"].as_str().unwrap().to_owned();
    let called = async || {
        world.app.server.payments.poll_soon(&driver);
        runs(&world, "payments.callbacks").await;
    };
    called().await;
    assert_eq!(attempt(&world, &customer).await["state"], "queued", "a callback sends nothing");
    runs(&world, "payments.send").await;
    assert_eq!(attempt(&world, &customer).await["state"], "sent");
    world.ether(|chain| chain.mine(100));
    runs(&world, "payments.send").await;
    assert_eq!(attempt(&world, &customer).await["state"], "sent", "it is asked about later");
    world.app.advance_clock(Duration::from_secs(1));
    called().await;
    assert_eq!(attempt(&world, &customer).await["state"], "confirmed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
}

async fn a_service_that_never_answers_is_asked_later(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    queues(&world).await;
    world.net.fail(Faults { stalled: 100, ..Faults::default() });
    runs(&world, "payments.send").await;
    assert_eq!(attempt(&world, &customer).await["state"], "unknown");
    world.net.fail(Faults::default());
    world.advance(Duration::from_secs(121)).await;
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
}

async fn a_crash_between_writing_down_and_asking_sends_once(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    queues(&world).await;
    let written = attempt(&world, &customer).await;
    assert_eq!(written["state"], "queued", "it is stored before the driver is called");
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    // The process dies here, and another one takes up what it left.
    let heir = world.app.another_node().await;
    for job in heir.server.jobs().iter().filter(|job| job.name.starts_with("payments.")) {
        (job.run)().await.unwrap();
    }
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
}

async fn closed_payouts_wait_until_they_are_opened(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    queues(&world).await;
    let (payments, by) = (world.app.server.payments.clone(), Actor::system("a test"));
    let unaware = world.app.another_node().await;
    payments.close_payouts(true, &by).await.unwrap();
    assert!(!unaware.server.payments.are_payouts_closed(), "it has not heard of it");
    for app in [&unaware, &world.app] {
        runs_on(app, "payments.send").await;
    }
    world.settle().await;
    assert_eq!(attempt(&world, &customer).await["state"], "queued");
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    payments.close_payouts(false, &by).await.unwrap();
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
}

async fn a_crash_while_the_driver_is_asked_leaves_a_question_that_is_settled(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    queues(&world).await;
    // The process dies before the response is stored: the call hangs, and its caller is gone.
    world.net.fail(Faults { stalled: 100, ..Faults::default() });
    let jobs = world.app.server.jobs();
    let send = jobs.iter().find(|job| job.name == "payments.send").unwrap();
    let cut = tokio::time::timeout(Duration::from_millis(700), (send.run)()).await;
    cut.unwrap_err();
    assert_eq!(attempt(&world, &customer).await["state"], "sending");
    world.net.fail(Faults::default());
    world.run_jobs().await;
    assert_eq!(attempt(&world, &customer).await["state"], "sending", "nobody sends it again");
    world.advance(Duration::from_secs(121)).await;
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_ledger_is_clean().await;
}

async fn two_nodes_send_once(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    let other = world.app.another_node().await;
    for name in ["payments.watch", "payments.screen", "payments.claims", "payments.queue", "payments.send"] {
        runs_on_both([&world.app, &other], name).await;
    }
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
}

async fn an_empty_wallet_is_for_staff_who_send_again(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    let all = world.ether(|chain| chain.balance());
    let drain = agio_sandbox_chain::chain::Output { address: "elsewhere".into(), units: all - 5_000 };
    world.ether(|chain| chain.send("drain", drain)).unwrap();
    world.run_jobs().await;
    assert_eq!(customer.state().await, "payout_error");
    let failed = attempt(&world, &customer).await;
    assert_eq!(failed["state"], "never_sent");
    assert!(failed["fault"].as_str().unwrap().starts_with("not_enough_money"));
    world.settle().await;
    assert_eq!(customer.state().await, "payout_error", "nobody tries by himself what was refused");

    let drained = world.ether(|chain| chain.payout_status("drain"));
    let agio_sandbox_chain::chain::PayoutStatus::Sent { tx_id, .. } = drained else { panic!("{drained:?}") };
    world.ether(|chain| chain.drop_transaction(&tx_id));
    let path = format!("/api/admin/v1/payments/attempts/{}/retry", failed["id"].as_str().unwrap());
    world.owner().await.post(&path, json!({ "note": "" })).await.refused(422, "validation_failed");
    world.owner().await.post(&path, json!({ "note": "the wallet is filled" })).await.ok();
    world.owner().await.post(&path, json!({ "note": "twice" })).await.refused(409, "transition_not_allowed");
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_ledger_is_clean().await;
}

async fn a_payout_the_network_dropped_waits_for_staff_to_send_it_again(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    world.run_jobs().await;
    let sent = customer.get("status").await;
    assert_eq!(sent["status"], "payout_sent");
    world.ether(|chain| chain.drop_transaction(sent["txOut"]["id"].as_str().unwrap()));
    world.run_jobs().await;
    assert_eq!(customer.state().await, "payout_error");
    world.app.assert_ledger_is_clean().await;
    let returned = attempt(&world, &customer).await;
    assert_eq!(returned["state"], "returned");
    let path = format!("/api/admin/v1/payments/attempts/{}/retry", returned["id"].as_str().unwrap());
    world.owner().await.post(&path, json!({ "note": "dropped" })).await.ok();
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_ledger_is_clean().await;
}

async fn what_is_over_a_limit_waits_for_staff(engine: Engine) {
    let world = World::open_with(engine, 7, |route| {
        (route["claimLimit"], route["dayLimit"]) = (json!("0.3"), json!("0.45"));
    })
    .await;
    let mut customers = Vec::new();
    for send in ["0.01", "0.01", "0.01", "0.03"] {
        customers.push(TestCustomer::with_address(&world, send).await);
    }
    for customer in &customers {
        customer.pay(&world, customer.send);
    }
    world.settle().await;
    let mut states = Vec::new();
    for customer in &customers {
        states.push(customer.state().await);
    }
    assert_eq!(states, ["completed", "completed", "paid", "paid"], "the daily limit allows two, and the last is too large");
    world.transition(&customers[3].id, "take", json!({})).await.ok();
    world.transition(&customers[3].id, "payout_sent", json!({ "txId": "by hand" })).await.ok();
    world.advance(Duration::from_secs(24 * 60 * 60)).await;
    world.settle().await;
    assert_eq!(customers[2].state().await, "completed", "another day");
    assert!(world.paid_out("ETH", &customers[3].id).is_empty());
}

async fn what_two_people_decide_does_not_leave_by_itself(engine: Engine) {
    let world = World::open(engine).await;
    world
        .owner()
        .await
        .put("/api/admin/v1/settings", json!({ "approvals.payout_limit": "1", "approvals.two_person": "true" }))
        .await
        .ok();
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "paid");
    assert!(world.paid_out("ETH", &customer.id).is_empty());
}

async fn what_staff_have_in_hand_does_not_leave_by_itself(engine: Engine) {
    let world = World::open_with(engine, 7, |route| route["autoPayout"] = json!(false)).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, customer.send);
    world.settle().await;
    world.owner().await.post(&format!("/api/admin/v1/claims/{}/lock", customer.id), json!({})).await.ok();
    let route = json!({
        "revision": 1, "driver": "sandbox-chain", "enabled": true, "confirmations": 3, "dust": "0.00000546", "screening": "screener",
        "autoPayout": true, "claimLimit": "5", "dayLimit": "60",
    });
    world.set_route("ETH", route).await.ok();
    world.settle().await;
    assert_eq!(customer.state().await, "paid");
    assert!(world.paid_out("ETH", &customer.id).is_empty());
}

both_engines!(
    a_callback_settles_a_payout_before_its_turn,
    a_lost_answer_is_settled_by_asking_and_never_by_sending_again,
    a_request_that_never_arrived_is_sent_under_another_key_once_that_is_certain,
    a_service_that_never_answers_is_asked_later,
    a_crash_between_writing_down_and_asking_sends_once,
    closed_payouts_wait_until_they_are_opened,
    a_crash_while_the_driver_is_asked_leaves_a_question_that_is_settled,
    two_nodes_send_once,
    an_empty_wallet_is_for_staff_who_send_again,
    a_payout_the_network_dropped_waits_for_staff_to_send_it_again,
    what_is_over_a_limit_waits_for_staff,
    what_two_people_decide_does_not_leave_by_itself,
    what_staff_have_in_hand_does_not_leave_by_itself,
);
