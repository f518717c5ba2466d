//! Where payouts and refunds go is in nobody's reach who has the database alone, whatever becomes of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agio_core::{execute, fetch_all};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{Call, CallError, Manifest, PluginRequest, PluginResponse};
use agio_sandbox_chain::SandboxChain;
use agio_test_app::{Engine, both_engines};
use serde_json::json;

use crate::fixtures::{REFUNDS, TestCustomer, World};
use crate::outcomes::{attempt, queues};
use crate::refunds::{path, to_be_returned};

/// An address that is nowhere in the demonstration's market.
const MINE: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

/// A driver that refuses to send at first, and names the address.
#[derive(Clone, Default)]
struct LeakingDriver(Arc<AtomicBool>);

impl Plugin for LeakingDriver {
    fn manifest(&self) -> Manifest {
        SandboxChain.manifest()
    }

    fn handle(&self, question: &PluginRequest) -> PluginResponse {
        match &question.call {
            Call::SendPayout(payout) if !self.0.load(Ordering::Relaxed) => {
                PluginResponse::Failed(CallError::permanent("unknown", format!("nobody knows {}", payout.address)))
            }
            _ => SandboxChain.handle(question),
        }
    }
}

async fn comes(world: &World) -> TestCustomer {
    let mut customer = TestCustomer::create_claim_to(world, "ETH", json!({ "address": MINE }), "0.01").await;
    customer.confirm().await;
    customer.pay(world, customer.send);
    customer
}

async fn the_database_alone_reveals_no_destination(engine: Engine) {
    let driver = LeakingDriver::default();
    let world = World::open_with_driver(engine, 7, driver.clone(), |_| {}).await;
    let customer = comes(&world).await;
    world.settle().await;
    let refused = attempt(&world, &customer).await;
    assert_eq!((&refused["state"], &refused["address"]), (&json!("never_sent"), &json!(MINE)));
    let words = refused["fault"].as_str().unwrap();
    assert!(words.contains("nobody knows 0xd8") && !words.contains(MINE), "{words}");
    world.app.assert_not_stored_in_plain_text(&[MINE, REFUNDS]).await;

    driver.0.store(true, Ordering::Relaxed);
    let retry = format!("/api/admin/v1/payments/attempts/{}/retry", refused["id"].as_str().unwrap());
    world.owner().await.post(&retry, json!({ "note": "It is known now." })).await.ok();
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    let returned = to_be_returned(&world).await;
    world.owner().await.post(&path(&returned), json!({})).await.ok();
    world.settle().await;
    assert_eq!((returned.state().await.as_str(), world.paid_out("BTC", &returned.id)), ("refunded", vec![returned.send]));
    world.app.assert_not_stored_in_plain_text(&[MINE, REFUNDS]).await;
    world.app.assert_ledger_is_clean().await;
}

async fn a_destination_in_plain_text_is_not_paid_to(engine: Engine) {
    let world = World::open(engine).await;
    let customer = comes(&world).await;
    world.mine(1).await;
    world.mine(1).await;
    queues(&world).await;
    let db = &world.app.server.platform.db;
    let rows = fetch_all!(&mut db.read().await.unwrap(), (String, String), "SELECT id, address FROM payment_attempt").unwrap();
    assert_eq!(rows.len(), 1);
    let damage = "UPDATE payment_attempt SET address = $1";
    db.write(move |tx| Box::pin(async move { execute!(tx, damage, MINE) })).await.unwrap();
    world.advance(std::time::Duration::ZERO).await;
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    world.app.assert_ledger_is_clean().await;
}

both_engines!(the_database_alone_reveals_no_destination, a_destination_in_plain_text_is_not_paid_to,);
