//! Several nodes on one PostgreSQL, and what left compared with the books.

use std::time::Duration;

use agio_core::execute;
use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{TestCustomer, World};
use crate::outcomes::runs_on_both;
use crate::refunds::{path, shown, to_be_returned};

/// Waits until so many transactions wait for a lock, or a call that may not have to wait is over.
async fn waits(world: &World, count: i64, call: &tokio::task::JoinHandle<impl Sized>) {
    while world.app.database().count_lock_waiters().await < count && !call.is_finished() {
        tokio::task::yield_now().await;
    }
}

/// A refund sent by hand is being noted at one node, and the other node lets the driver send it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_by_hand_and_one_by_the_driver_are_one_refund() {
    let world = World::open(Engine::Postgres).await;
    let customer = to_be_returned(&world).await;
    let there = world.app.another_node().await;
    let (owner, other) = (world.owner().await, there.owner().await);
    let revision = shown(&world, &customer).await["revision"].clone();

    let claim = format!("SELECT 1 FROM claim WHERE id = '{}' FOR UPDATE", customer.id);
    let held = world.app.database().hold_lock(&claim).await;
    let noting = format!("/api/admin/v1/claims/{}/transitions", customer.id);
    let sent = json!({ "action": "refund_sent", "revision": revision, "txId": "by hand" });
    let by_hand = tokio::spawn(async move { owner.post(&noting, sent).await });
    waits(&world, 1, &by_hand).await;
    let refund = path(&customer);
    let by_driver = tokio::spawn(async move { other.post(&refund, json!({})).await });
    waits(&world, 2, &by_driver).await;
    let jobs = there.server.jobs();
    let sending = tokio::spawn(async move { (jobs.iter().find(|job| job.name == "payments.send").unwrap().run)().await });
    waits(&world, 2, &sending).await;
    held.release().await;

    let (by_hand, by_driver) = (by_hand.await.unwrap(), by_driver.await.unwrap());
    sending.await.unwrap().unwrap();
    world.settle().await;
    let left = world.paid_out("BTC", &customer.id).len();
    assert_eq!(usize::from(by_hand.status == 200) + left, 1, "{} / {}, {left} left", by_hand.text, by_driver.text);
    by_driver.refused(409, "transition_not_allowed");
    assert_eq!(shown(&world, &customer).await["status"], "refund_sent");
    world.app.assert_ledger_is_clean().await;
}

/// Two operators see one claim: one lets the driver return the payment, the other notes that they sent it.
async fn a_refund_that_is_about_to_leave_refuses_a_manual_one(engine: Engine) {
    let world = World::open(engine).await;
    let customer = to_be_returned(&world).await;
    let before = shown(&world, &customer).await["revision"].clone();
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    let noting = format!("/api/admin/v1/claims/{}/transitions", customer.id);
    let by_hand = json!({ "action": "refund_sent", "revision": before, "txId": "by hand" });
    world.owner().await.post(&noting, by_hand).await.refused(409, "claim_changed");
    world.settle().await;
    assert_eq!((customer.state().await.as_str(), world.paid_out("BTC", &customer.id)), ("refunded", vec![customer.send]));
    world.app.assert_ledger_is_clean().await;
}

/// Half the customers pay too little and want it back. Two nodes watch, decide and send at one moment, and of two operators one lets the driver return
/// a payment while the other notes that they have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_send_many_payouts_once() {
    let world = World::open(Engine::Postgres).await;
    let there = world.app.another_node().await;
    let (owner, other) = (world.owner().await, there.owner().await);
    let mut customers = Vec::new();
    for number in 0..10 {
        let customer = TestCustomer::with_address(&world, "0.01").await;
        customer.pay(&world, if number % 2 == 0 { customer.send } else { customer.send / 2 });
        customers.push((customer, 0));
    }
    let names = ["payments.watch", "payments.screen", "payments.claims", "payments.queue", "payments.send", "claims.deadlines"];
    for _ in 0..12 {
        for code in ["BTC", "ETH"] {
            world.net.chain(code, |chain| chain.mine(1));
        }
        world.app.advance_clock(Duration::from_secs(11));
        for name in names {
            runs_on_both([&world.app, &there], name).await;
        }
        for (customer, by_hand) in &mut customers {
            match customer.state().await.as_str() {
                "amount_mismatch" => drop(customer.request_refund().await.ok()),
                "refund_pending" => {
                    let claim = format!("/api/admin/v1/claims/{}", customer.id);
                    let revision = owner.get(&claim).await.ok()["revision"].clone();
                    let sent =
                        json!({ "action": "refund_sent", "revision": revision, "txId": format!("by hand {}", customer.number) });
                    let (noting, returning) = (format!("{claim}/transitions"), path(customer));
                    let (noted, returned) = tokio::join!(owner.post(&noting, sent), other.post(&returning, json!({})));
                    assert!(!(noted.status.is_success() && returned.status.is_success()), "both nodes took the attempt");
                    *by_hand += usize::from(noted.status.is_success());
                }
                _ => {}
            }
        }
    }
    let mut ends = [0; 2];
    for (customer, by_hand) in &customers {
        let (paid, returned) = (world.paid_out("ETH", &customer.id), world.paid_out("BTC", &customer.id));
        match customer.state().await.as_str() {
            "completed" => {
                assert_eq!((paid.as_slice(), returned.len() + by_hand), ([customer.receive].as_slice(), 0));
                ends[0] += 1;
            }
            state @ ("refunded" | "refund_sent") => {
                assert_eq!((paid.len(), returned.len() + by_hand), (0, 1), "{state}");
                ends[1] += 1;
            }
            state => panic!("{} is {state}", customer.number),
        }
    }
    assert_eq!(ends, [5, 5]);
    world.app.assert_ledger_is_clean().await;
    world.app.assert_audit_chain_is_intact().await;
}

async fn run(world: &World, sql: &'static str) {
    world.app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

/// The alerts about what left that the owner got.
async fn alerts(world: &World) -> Vec<String> {
    world.app.server.send_staff_alerts().await.unwrap();
    let mails = world.app.emails_to("owner@agio.example").await;
    mails.into_iter().filter(|mail| mail.kind == "alert_sent").map(|mail| mail.text).collect()
}

async fn money_that_left_and_is_not_in_the_books_is_told(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    world.app.assert_ledger_is_clean().await;
    assert!(alerts(&world).await.is_empty());

    // More left than the books have.
    run(&world, "UPDATE payment_attempt SET units = units + 1").await;
    let [found] = &*world.app.server.payments.reconcile().await.unwrap() else { panic!("the difference is not found") };
    let units = i64::try_from(customer.receive).unwrap();
    assert_eq!((found.claim_number, found.sent, found.unbooked, found.booked), (customer.number, units + 1, 0, units));
    run(&world, "UPDATE payment_attempt SET units = units - 1").await;
    world.app.assert_ledger_is_clean().await;

    // The driver reports that it sent what the claim no longer expected.
    run(&world, "UPDATE payment_attempt SET state = 'unknown', booked_at = NULL, requested_at = 0, next_call_at = 0").await;
    world.run_jobs().await;
    let [found] = &*world.app.server.payments.reconcile().await.unwrap() else { panic!("the difference is not found") };
    assert_eq!((found.sent, found.unbooked, found.booked), (units, units, units));
    let [alert] = alerts(&world).await.try_into().unwrap();
    assert!(alert.contains(&format!("№ {}", customer.number)), "{alert}");
    assert_eq!(alerts(&world).await.len(), 1, "each difference is reported once");
    let attempts: Value = world.get_payments("attempts").await;
    assert_eq!(attempts[0]["state"], "confirmed", "{attempts}");
}

both_engines!(a_refund_that_is_about_to_leave_refuses_a_manual_one, money_that_left_and_is_not_in_the_books_is_told,);
