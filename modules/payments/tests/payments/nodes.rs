//! Several nodes on one PostgreSQL, and what left compared with the books.

use std::time::Duration;

use agio_core::execute;
use agio_testkit::{Engine, both_engines};
use serde_json::{Value, json};

use crate::refunds::{path, shown, to_be_returned};
use crate::world::{Customer, World};

/// Waits until so many transactions wait for a lock, or a call that may not have to wait is over.
async fn waits(world: &World, count: i64, call: &tokio::task::JoinHandle<impl Sized>) {
    while world.house.database().waiting().await < count && !call.is_finished() {
        tokio::task::yield_now().await;
    }
}

/// A refund sent by hand is being noted at one node, and the other node lets the driver send it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_by_hand_and_one_by_the_driver_are_one_refund() {
    let world = World::open(Engine::Postgres).await;
    let customer = to_be_returned(&world).await;
    let there = world.house.another_node().await;
    let (owner, other) = (world.owner().await, there.owner().await);
    let revision = shown(&world, &customer).await["revision"].clone();

    let claim = format!("SELECT 1 FROM claim WHERE id = '{}' FOR UPDATE", customer.id);
    let held = world.house.database().hold(&claim).await;
    let noting = format!("/api/admin/v1/claims/{}/transitions", customer.id);
    let sent = json!({ "action": "refund_sent", "revision": revision, "txId": "by hand" });
    let by_hand = tokio::spawn(async move { owner.post(&noting, sent).await });
    waits(&world, 1, &by_hand).await;
    let refund = path(&customer);
    let by_driver = tokio::spawn(async move { other.post(&refund, json!({})).await });
    waits(&world, 2, &by_driver).await;
    let jobs = there.app.jobs();
    let sending = tokio::spawn(async move { (jobs.iter().find(|job| job.name == "payments.send").unwrap().run)().await });
    waits(&world, 2, &sending).await;
    held.release().await;

    let (by_hand, by_driver) = (by_hand.await.unwrap(), by_driver.await.unwrap());
    sending.await.unwrap().unwrap();
    world.settles().await;
    let left = world.left("BTC", &customer.id).len();
    assert_eq!(usize::from(by_hand.status == 200) + left, 1, "{} / {}, {left} left", by_hand.text, by_driver.text);
    by_driver.refused(409, "transition_not_allowed");
    assert_eq!(shown(&world, &customer).await["status"], "refund_sent");
    world.house.books_are_clean().await;
}

/// Two operators see one claim: one lets the driver return the payment, the other notes that they sent it.
async fn a_refund_that_is_about_to_leave_is_news_to_whoever_sends_it_by_hand(engine: Engine) {
    let world = World::open(engine).await;
    let customer = to_be_returned(&world).await;
    let before = shown(&world, &customer).await["revision"].clone();
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    let noting = format!("/api/admin/v1/claims/{}/transitions", customer.id);
    let by_hand = json!({ "action": "refund_sent", "revision": before, "txId": "by hand" });
    world.owner().await.post(&noting, by_hand).await.refused(409, "claim_changed");
    world.settles().await;
    assert_eq!((customer.state().await.as_str(), world.left("BTC", &customer.id)), ("refunded", vec![customer.send]));
    world.house.books_are_clean().await;
}

/// Half the customers pay too little and want it back. Two nodes watch, decide and send at one moment, and of two operators one lets the driver return
/// a payment while the other notes that they have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_send_a_crowd_what_is_owed_once() {
    let world = World::open(Engine::Postgres).await;
    let there = world.house.another_node().await;
    let (owner, other) = (world.owner().await, there.owner().await);
    let mut customers = Vec::new();
    for number in 0..10 {
        let customer = Customer::comes(&world, "0.01").await;
        customer.pays(&world, if number % 2 == 0 { customer.send } else { customer.send / 2 });
        customers.push((customer, 0));
    }
    let names = ["payments.watch", "payments.screen", "payments.claims", "payments.queue", "payments.send", "claims.deadlines"];
    for _ in 0..12 {
        for code in ["BTC", "ETH"] {
            world.net.chain(code, |chain| chain.mine(1));
        }
        world.house.wait(Duration::from_secs(11));
        for name in names {
            let jobs = [world.house.app.jobs(), there.app.jobs()];
            let [one, two] = jobs.each_ref().map(|jobs| jobs.iter().find(|job| job.name == name).unwrap());
            let (one, two) = tokio::join!((one.run)(), (two.run)());
            one.unwrap();
            two.unwrap();
        }
        for (customer, by_hand) in &mut customers {
            match customer.state().await.as_str() {
                "amount_mismatch" => drop(customer.wants_it_back().await.ok()),
                "refund_pending" => {
                    let claim = format!("/api/admin/v1/claims/{}", customer.id);
                    let revision = owner.get(&claim).await.ok()["revision"].clone();
                    let sent =
                        json!({ "action": "refund_sent", "revision": revision, "txId": format!("by hand {}", customer.number) });
                    let (noting, returning) = (format!("{claim}/transitions"), path(customer));
                    let (noted, returned) = tokio::join!(owner.post(&noting, sent), other.post(&returning, json!({})));
                    assert!(
                        !(noted.status.is_success() && returned.status.is_success()),
                        "both were told that it is theirs to send"
                    );
                    *by_hand += usize::from(noted.status.is_success());
                }
                _ => {}
            }
        }
    }
    let mut ends = [0; 2];
    for (customer, by_hand) in &customers {
        let (paid, returned) = (world.left("ETH", &customer.id), world.left("BTC", &customer.id));
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
    world.house.books_are_clean().await;
    world.house.audit_is_whole().await;
}

async fn run(world: &World, sql: &'static str) {
    world.house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

/// The alerts about what left that the owner got.
async fn alerts(world: &World) -> Vec<String> {
    world.house.app.alert().await.unwrap();
    let mails = world.house.mail_to("owner@agio.example").await;
    mails.into_iter().filter(|mail| mail.kind == "alert_sent").map(|mail| mail.text).collect()
}

async fn money_that_left_and_is_not_in_the_books_is_told(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
    world.house.books_are_clean().await;
    assert!(alerts(&world).await.is_empty());

    // More left than the books have.
    run(&world, "UPDATE payment_attempt SET units = units + 1").await;
    let [found] = &*world.house.app.payments.reconcile().await.unwrap() else { panic!("the difference is not found") };
    let units = i64::try_from(customer.receive).unwrap();
    assert_eq!((found.claim_number, found.sent, found.unbooked, found.booked), (customer.number, units + 1, 0, units));
    run(&world, "UPDATE payment_attempt SET units = units - 1").await;
    world.house.books_are_clean().await;

    // The driver says that it sent what the claim no longer expected.
    run(&world, "UPDATE payment_attempt SET state = 'unknown', booked_at = NULL, asked_at = 0, ask_after = 0").await;
    world.goes_on().await;
    let [found] = &*world.house.app.payments.reconcile().await.unwrap() else { panic!("the difference is not found") };
    assert_eq!((found.sent, found.unbooked, found.booked), (units, units, units));
    let [told] = alerts(&world).await.try_into().unwrap();
    assert!(told.contains(&format!("№ {}", customer.number)), "{told}");
    assert_eq!(alerts(&world).await.len(), 1, "of each they are told once");
    let attempts: Value = world.sees("attempts").await;
    assert_eq!(attempts[0]["state"], "confirmed", "{attempts}");
}

both_engines!(
    a_refund_that_is_about_to_leave_is_news_to_whoever_sends_it_by_hand,
    money_that_left_and_is_not_in_the_books_is_told,
);
