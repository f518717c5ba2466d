//! Payments that go back through their driver, by the word of staff.

use agio_core::identity::Role;
use agio_plugin_sdk::protocol::Risk;
use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{REFUNDS, TestCustomer, World};

/// A claim that an operator decided to refund. The customer gave the destination when they created it.
pub async fn to_be_returned(world: &World) -> TestCustomer {
    let customer = TestCustomer::with_address(world, "0.01").await;
    world.screener.set_risk(Some(Risk::High));
    customer.pay(world, customer.send);
    world.settle().await;
    world.transition(&customer.id, "refund", json!({ "reason": "customer_asked" })).await.ok();
    assert_eq!(customer.state().await, "refund_pending");
    customer
}

pub async fn shown(world: &World, customer: &TestCustomer) -> Value {
    world.owner().await.get(&format!("/api/admin/v1/claims/{}", customer.id)).await.ok()
}

pub fn path(customer: &TestCustomer) -> String {
    format!("/api/admin/v1/payments/claims/{}/refund", customer.id)
}

async fn the_console_shows_where_a_refund_goes_and_how_much(engine: Engine) {
    let world = World::open(engine).await;
    let customer = to_be_returned(&world).await;
    let refund = json!({ "driver": "sandbox-chain", "address": REFUNDS, "memo": null, "amount": "0.01", "underWay": false });
    assert_eq!(shown(&world, &customer).await["refund"], refund);
    world.owner().await.post(&path(&customer), json!({})).await.ok();
    assert_eq!(shown(&world, &customer).await["refund"]["underWay"], true);
    world.owner().await.post(&path(&customer), json!({})).await.refused(409, "refund_under_way");
    world.settle().await;
    let ended = shown(&world, &customer).await;
    assert_eq!((&ended["status"], &ended["refund"]), (&json!("refunded"), &json!(null)));
    let sent = world.bitcoin(|chain| chain.transaction(ended["txRefund"].as_str().unwrap()).unwrap().outputs.clone());
    assert_eq!((sent[0].address.as_str(), sent[0].units), (REFUNDS, customer.send));
    world.app.assert_ledger_is_clean().await;
}

async fn where_nothing_is_to_be_refunded_the_console_offers_nothing(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, customer.send);
    assert_eq!(shown(&world, &customer).await["refund"], json!(null), "there is nothing to return");
    world.settle().await;
    assert_eq!(shown(&world, &customer).await["refund"], json!(null));
}

async fn two_people_see_the_address_they_agree_to(engine: Engine) {
    let world = World::open(engine).await;
    let both = json!({ "approvals.refund_limit": "1", "approvals.two_person": "true" });
    world.owner().await.put("/api/admin/v1/settings", both).await.ok();
    let customer = to_be_returned(&world).await;
    let approval = world.owner().await.post(&path(&customer), json!({})).await.ok()["approval"].clone();
    assert!(approval.is_string());
    let cashier = world.app.staff(Role::Cashier).await;
    let waiting = cashier.get("/api/admin/v1/approvals").await.ok();
    let proposed = waiting["items"].as_array().unwrap().iter().find(|row| row["id"] == approval).unwrap();
    assert!(proposed["facts"].to_string().contains(REFUNDS), "{proposed}");
    assert!(proposed["facts"].to_string().contains("0.01 BTC"), "{proposed}");
    assert_eq!(shown(&world, &customer).await["consent"]["state"], "waiting");
    world.settle().await;
    assert!(world.paid_out("BTC", &customer.id).is_empty(), "nobody agreed yet");

    let approve = format!("/api/admin/v1/approvals/{}/approve", approval.as_str().unwrap());
    let cashier = world.app.staff(Role::Cashier).await;
    cashier.post_empty(&approve).await.ok();
    assert_eq!(world.owner().await.post(&path(&customer), json!({})).await.ok()["approval"], json!(null));
    world.settle().await;
    assert_eq!((customer.state().await.as_str(), world.paid_out("BTC", &customer.id)), ("refunded", vec![customer.send]));
    world.app.assert_ledger_is_clean().await;
}

both_engines!(
    the_console_shows_where_a_refund_goes_and_how_much,
    where_nothing_is_to_be_refunded_the_console_offers_nothing,
    two_people_see_the_address_they_agree_to,
);
