//! What only Monero has: coins that are locked, transactions that pay several addresses, and a wallet apart from its node.

use agio_test_app::Engine;
use rust_decimal::Decimal;
use serde_json::json;

use super::{CUSTOMER, EXCHANGE, LOCKED_BLOCKS, Monero};
use crate::stories::on_sqlite;
use crate::test_node::TestNode;
use crate::world::{GRACE, World};

fn amount() -> Decimal {
    Monero::AMOUNT.parse().unwrap()
}

async fn a_payment_with_locked_coins_is_none_until_they_are_unlocked(engine: Engine) {
    let world = World::<Monero>::open(engine).await;
    let seller = world.seller().await;
    let before = world.state(&seller).await;
    let blocks = LOCKED_BLOCKS + 4;
    let unlock = world.node.height().await + u64::from(blocks);
    let tx = world.node.send(CUSTOMER, &[(&seller.pay_to, amount())], unlock).await;
    world.mine(blocks - 1).await;
    let listed = world.node.transfers(EXCHANGE, "in").await.into_iter().find(|entry| entry["txid"] == tx.as_str()).unwrap();
    assert_eq!((&listed["unlock_time"], &listed["locked"]), (&json!(unlock), &json!(true)));
    assert_eq!(world.state(&seller).await, before, "it has confirmations, and nobody can spend it");
    world.mine(1).await;
    assert_eq!(world.state(&seller).await, "paid");
    world.assert_chain_agrees().await;
}

/// The wallet shows a payment that is back in the pool when it is in a block again.
async fn a_payment_that_is_reorganised_and_confirmed_again_counts_once(engine: Engine) {
    let world = World::<Monero>::open(engine).await;
    let seller = world.seller().await;
    world.node.pay(&seller.pay_to, amount()).await;
    world.mine(Monero::CONFIRMATIONS - 1).await;
    assert_eq!(world.status(&seller).await["confirmations"], Monero::CONFIRMATIONS - 1);
    world.node.undo_blocks(Monero::CONFIRMATIONS - 1).await;
    world.run_jobs().await;
    let status = world.status(&seller).await;
    assert_eq!((&status["status"], status["confirmations"].as_u64().unwrap_or(0)), (&json!("payment_seen"), 0), "{status}");
    world.mine(Monero::CONFIRMATIONS).await;
    assert_eq!(world.state(&seller).await, "paid");
    world.assert_chain_agrees().await;
}

async fn one_transaction_pays_several_claims(engine: Engine) {
    let world = World::<Monero>::open(engine).await;
    let (first, second) = (world.seller().await, world.seller().await);
    let part = amount() / Decimal::TEN;
    let payments = [(&*first.pay_to, part), (&*second.pay_to, amount()), (&*first.pay_to, amount() - part)];
    world.node.send(CUSTOMER, &payments, 0).await;
    world.run_jobs().await;
    world.mine(Monero::CONFIRMATIONS).await;
    assert_eq!((world.state(&first).await.as_str(), world.state(&second).await.as_str()), ("paid", "paid"));
    world.assert_chain_agrees().await;
}

async fn a_payout_waits_until_coins_are_unlocked(engine: Engine) {
    let world = World::<Monero>::open(engine).await;
    world.node.empty_wallet().await;
    world.node.fill_wallet().await;
    world.proxy.count(Monero::SENDS);
    let first = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.state(&first).await, "payout_sent");
    let second = world.buyer().await;
    world.run_jobs().await;
    world.advance(GRACE).await;
    let waiting = world.attempts(&second).await.remove(0);
    assert!(waiting["fault"].as_str().unwrap().contains("waiting for coins"), "{waiting}");
    assert_eq!((world.state(&second).await.as_str(), world.proxy.counted()), ("processing", 1));
    world.mine(LOCKED_BLOCKS).await;
    world.advance(GRACE).await;
    world.advance(GRACE).await;
    world.mine(Monero::CONFIRMATIONS + 2).await;
    for buyer in [&first, &second] {
        assert_eq!(world.state(buyer).await, "completed", "{:?}", world.attempts(buyer).await);
        assert_eq!(world.node.received(&buyer.address).await.normalize(), buyer.receive.normalize());
    }
    assert_eq!(world.proxy.counted(), 2);
    world.assert_chain_agrees().await;
}

async fn a_wallet_of_another_network_is_refused(engine: Engine) {
    let world = World::<Monero>::open_with(engine, &[("network", "stagenet")]).await;
    world.proxy.count("\"transfer\"");
    assert_eq!(world.route().await["fault"], "other_network: the wallet is not one of the network \"stagenet\"");
    let buyer = world.buyer().await;
    world.mine(2).await;
    assert_eq!(world.attempts(&buyer).await[0]["state"], "never_sent");
}

async fn a_network_fee_above_the_limit_is_not_paid(engine: Engine) {
    let world = World::<Monero>::open_with(engine, &[("max_fee", "0.0000001")]).await;
    world.proxy.count(Monero::SENDS);
    let buyer = world.buyer().await;
    world.mine(1).await;
    let fault = world.attempts(&buyer).await[0]["fault"].as_str().unwrap().to_owned();
    assert!(fault.contains("fee_too_high"), "{fault}");
    assert_eq!((world.state(&buyer).await.as_str(), world.proxy.counted()), ("processing", 0));
}

async fn a_wallet_without_its_node_is_no_silence(engine: Engine) {
    let mut world = World::<Monero>::open(engine).await;
    let seller = world.seller().await;
    world.node.pay(&seller.pay_to, amount()).await;
    world.node.mine(Monero::CONFIRMATIONS).await;
    world.node.kill_node();
    world.run_jobs().await;
    assert_eq!(world.route().await["fault"], "no_daemon: the wallet has no connection to its node (monerod)");
}

/// A wallet server that was killed has lost what it had not saved.
async fn a_wallet_that_crashed_still_has_every_address(engine: Engine) {
    let mut world = World::<Monero>::open(engine).await;
    let (first, second) = (world.seller().await, world.seller().await);
    world.node.kill_exchange_wallet().await;
    world.node.pay(&first.pay_to, amount()).await;
    world.run_jobs().await;
    let third = world.seller().await;
    world.node.pay(&third.pay_to, amount()).await;
    world.mine(Monero::CONFIRMATIONS).await;
    assert_eq!((world.state(&first).await.as_str(), world.state(&third).await.as_str()), ("paid", "paid"));
    assert_ne!(world.state(&second).await, "paid");
    assert_eq!([&first, &second, &third].map(|one| &one.pay_to).into_iter().collect::<std::collections::HashSet<_>>().len(), 3);
    world.assert_chain_agrees().await;
}

on_sqlite!(
    a_payment_with_locked_coins_is_none_until_they_are_unlocked,
    a_payment_that_is_reorganised_and_confirmed_again_counts_once,
    one_transaction_pays_several_claims,
    a_payout_waits_until_coins_are_unlocked,
    a_wallet_of_another_network_is_refused,
    a_network_fee_above_the_limit_is_not_paid,
    a_wallet_without_its_node_is_no_silence,
    a_wallet_that_crashed_still_has_every_address,
);
