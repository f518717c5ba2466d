//! Where payouts and refunds go is in nobody's reach who has the database alone, whatever becomes of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agio_core::{execute, fetch_all};
use agio_plugin::Plugin;
use agio_plugin::protocol::{Call, Manifest, Question, Refusal, Step};
use agio_sandbox_chain::SandboxChain;
use agio_testkit::{Engine, both_engines};
use serde_json::json;

use crate::outcomes::{attempt, queues};
use crate::refunds::{path, to_be_returned};
use crate::world::{Customer, REFUNDS, World};

/// An address that is nowhere in the demonstration's market.
const MINE: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

/// A driver that refuses to send at first, and names the address.
#[derive(Clone, Default)]
struct Talkative(Arc<AtomicBool>);

impl Plugin for Talkative {
    fn manifest(&self) -> Manifest {
        SandboxChain.manifest()
    }

    fn handle(&self, question: &Question) -> Step {
        match &question.call {
            Call::Send(payout) if !self.0.load(Ordering::Relaxed) => {
                Step::Refused(Refusal::never("unknown", format!("nobody knows {}", payout.address)))
            }
            _ => SandboxChain.handle(question),
        }
    }
}

async fn comes(world: &World) -> Customer {
    let mut customer = Customer::orders_in(world, "ETH", json!({ "address": MINE }), "0.01").await;
    customer.confirms().await;
    customer.pays(world, customer.send);
    customer
}

async fn whoever_has_the_database_alone_learns_no_destination(engine: Engine) {
    let driver = Talkative::default();
    let world = World::open_driven(engine, 7, driver.clone(), |_| {}).await;
    let customer = comes(&world).await;
    world.settles().await;
    let refused = attempt(&world, &customer).await;
    assert_eq!((&refused["state"], &refused["address"]), (&json!("never_sent"), &json!(MINE)));
    let words = refused["fault"].as_str().unwrap();
    assert!(words.contains("nobody knows 0xd8") && !words.contains(MINE), "{words}");
    world.house.tells_nobody(&[MINE, REFUNDS]).await;

    driver.0.store(true, Ordering::Relaxed);
    let retry = format!("/api/admin/v1/payments/attempts/{}/retry", refused["id"].as_str().unwrap());
    world.owner().await.post(&retry, json!({ "note": "It is known now." })).await.ok();
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
    let returned = to_be_returned(&world).await;
    world.owner().await.post(&path(&returned), json!({})).await.ok();
    world.settles().await;
    assert_eq!((returned.state().await.as_str(), world.left("BTC", &returned.id)), ("refunded", vec![returned.send]));
    world.house.tells_nobody(&[MINE, REFUNDS]).await;
    world.house.books_are_clean().await;
}

async fn tries_that_former_versions_wrote_down_are_sealed_and_leave(engine: Engine) {
    let world = World::open(engine).await;
    let customer = comes(&world).await;
    world.mines(1).await;
    world.mines(1).await;
    queues(&world).await;
    let db = &world.house.app.platform.db;
    let rows = fetch_all!(&mut db.read().await.unwrap(), (String, String), "SELECT id, address FROM payment_attempt").unwrap();
    assert_eq!(rows.len(), 1);
    for sql in ["UPDATE payment_attempt SET address = $1", "INSERT INTO open_rows (name) SELECT 'payment_attempt' WHERE $1 <> ''"]
    {
        db.write(move |tx| Box::pin(async move { execute!(tx, sql, MINE) })).await.unwrap();
    }
    // What stands in the open is not paid to.
    world.passes(std::time::Duration::ZERO).await;
    assert!(world.left("ETH", &customer.id).is_empty());

    let next = world.house.another_node().await;
    next.tells_nobody(&[MINE]).await;
    assert_eq!(attempt(&world, &customer).await["address"], MINE);
    world.settles().await;
    assert_eq!((customer.state().await.as_str(), world.left("ETH", &customer.id)), ("completed", vec![customer.receive]));
    world.house.books_are_clean().await;
}

both_engines!(whoever_has_the_database_alone_learns_no_destination, tries_that_former_versions_wrote_down_are_sealed_and_leave,);
