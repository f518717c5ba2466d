//! What can become of money on a network. Each story is told once and holds for every node.

use agio_test_app::Engine;
use rust_decimal::Decimal;
use serde_json::json;

use crate::test_node::{ReplacementTo, TestNode};
use crate::world::{GRACE, REAPPEARANCE, TestCustomer, World};

fn amount<N: TestNode>() -> Decimal {
    N::AMOUNT.parse().unwrap()
}

/// A payment with one confirmation less than required.
async fn with_payment<N: TestNode>(world: &World<N>) -> (TestCustomer, String) {
    let customer = world.seller().await;
    let tx = world.node.pay(&customer.pay_to, amount::<N>()).await;
    world.run_jobs().await;
    world.mine(N::CONFIRMATIONS - 1).await;
    let status = world.status(&customer).await;
    assert_eq!((&status["status"], &status["confirmations"]), (&json!("payment_seen"), &json!(N::CONFIRMATIONS - 1)));
    (customer, tx)
}

/// Nothing was paid to a customer, and the claim is on hold for a payment that disappeared.
async fn assert_held<N: TestNode>(world: &World<N>, customer: &TestCustomer) {
    let status = world.status(customer).await;
    assert_eq!((&status["status"], &status["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")), "{status}");
    let issues = world.owner().await.get("/api/admin/v1/payments/movements").await.ok();
    assert_eq!(issues[0]["issue"], "gone", "{issues}");
    assert!(world.attempts(customer).await.is_empty());
    world.assert_chain_agrees().await;
}

/// The payout arrived, once.
async fn assert_paid_out<N: TestNode>(world: &World<N>, customer: &TestCustomer) {
    assert_eq!(world.state(customer).await, "completed");
    assert_eq!(world.node.received(&customer.address).await.normalize(), customer.receive.normalize());
    world.assert_chain_agrees().await;
}

pub async fn a_deposit_is_seen_confirmed_and_paid_out<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    let customer = world.seller().await;
    let tx = world.node.pay(&customer.pay_to, amount::<N>()).await;
    world.run_jobs().await;
    let seen = world.status(&customer).await;
    assert_eq!((&seen["status"], &seen["confirmations"]), (&json!("payment_seen"), &json!(0)), "{seen}");
    assert_eq!((&seen["confirmationsRequired"], &seen["txIn"]["id"]), (&json!(N::CONFIRMATIONS), &json!(tx)), "{seen}");
    world.mine(N::CONFIRMATIONS - 1).await;
    assert_eq!(world.state(&customer).await, "payment_seen");
    world.mine(1).await;
    assert_eq!(world.state(&customer).await, "paid");
    for (action, body) in [("take", json!({})), ("payout_sent", json!({ "txId": "by hand" })), ("complete", json!({}))] {
        world.transition(&customer, action, body).await.ok();
    }
    world.mine(2).await;
    assert_eq!(world.state(&customer).await, "completed");
    world.assert_chain_agrees().await;
}

pub async fn a_payout_is_sent_once_and_its_fee_is_known<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    world.proxy.count(N::SENDS);
    let customer = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.state(&customer).await, "payout_sent");
    world.mine(N::CONFIRMATIONS + 2).await;
    assert_paid_out(&world, &customer).await;
    assert_eq!(world.proxy.counted(), 1);
    let attempts = world.attempts(&customer).await;
    assert_eq!((attempts.len(), &attempts[0]["state"]), (1, &json!("confirmed")));
    let fee: Decimal = attempts[0]["fee"].as_str().unwrap().parse().unwrap();
    assert!(fee > Decimal::ZERO && fee < amount::<N>());
}

pub async fn a_deposit_that_is_reorganised_away_pays_for_nothing<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    let (customer, tx) = with_payment(&world).await;
    world.node.undo_blocks(N::CONFIRMATIONS - 1).await;
    world.node.replace(&tx, ReplacementTo::Sender).await;
    world.mine(N::CONFIRMATIONS + 1).await;
    assert_eq!(world.state(&customer).await, "payment_seen", "it may come back");
    world.advance(REAPPEARANCE).await;
    assert_held(&world, &customer).await;
}

pub async fn a_deposit_that_is_reorganised_and_confirmed_again_counts_once<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    let (customer, _) = with_payment(&world).await;
    world.node.undo_blocks(N::CONFIRMATIONS - 1).await;
    world.run_jobs().await;
    assert_eq!(world.status(&customer).await["confirmations"], 0);
    world.mine(N::CONFIRMATIONS).await;
    assert_eq!(world.state(&customer).await, "paid");
    world.assert_chain_agrees().await;
}

pub async fn a_deposit_replaced_by_another_one_counts_once<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    let customer = world.seller().await;
    let tx = world.node.pay(&customer.pay_to, amount::<N>()).await;
    world.run_jobs().await;
    assert_eq!(world.state(&customer).await, "payment_seen");
    world.node.replace(&tx, ReplacementTo::SameAddress).await;
    world.run_jobs().await;
    world.mine(N::CONFIRMATIONS).await;
    assert_eq!(world.state(&customer).await, "paid");
    world.mine(1).await;
    world.assert_chain_agrees().await;
}

pub async fn a_deposit_that_is_spent_twice_pays_for_nothing<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    let customer = world.seller().await;
    let tx = world.node.pay(&customer.pay_to, amount::<N>()).await;
    world.run_jobs().await;
    assert_eq!(world.state(&customer).await, "payment_seen");
    world.node.replace(&tx, ReplacementTo::Sender).await;
    world.mine(N::CONFIRMATIONS + 1).await;
    world.advance(REAPPEARANCE).await;
    assert_held(&world, &customer).await;
}

pub async fn a_refund_goes_to_the_customer<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    let customer = world.seller().await;
    let half = amount::<N>() / Decimal::TWO;
    world.node.pay(&customer.pay_to, half).await;
    world.mine(N::CONFIRMATIONS).await;
    assert_eq!(world.state(&customer).await, "amount_mismatch");
    customer.post("refund", json!({ "requisites": { "address": customer.address } })).await.ok();
    let path = format!("/api/admin/v1/payments/claims/{}/refund", customer.id);
    world.owner().await.post(&path, json!({})).await.ok();
    world.mine(N::CONFIRMATIONS + 2).await;
    assert_eq!(world.state(&customer).await, "refunded");
    assert_eq!(world.node.received(&customer.address).await.normalize(), half.normalize());
    world.assert_chain_agrees().await;
}

pub async fn a_payout_whose_answer_is_lost_is_found_again<N: TestNode>(engine: Engine) {
    let mut world = World::<N>::open(engine).await;
    world.proxy.count(N::SENDS);
    world.proxy.swallow_answer(N::SENDS);
    let customer = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.attempts(&customer).await[0]["state"], "unknown");
    // The process that asked is gone, too.
    world.restart_server().await;
    world.mine(1).await;
    assert_eq!(world.attempts(&customer).await[0]["state"], "unknown", "a late request may still arrive");
    world.advance(GRACE).await;
    assert_eq!(world.state(&customer).await, "payout_sent");
    world.mine(N::CONFIRMATIONS + 2).await;
    assert_paid_out(&world, &customer).await;
    assert_eq!(world.proxy.counted(), 1);
    assert_eq!(world.attempts(&customer).await.len(), 1);
}

pub async fn a_restart_of_the_node_loses_nothing<N: TestNode>(engine: Engine) {
    let mut world = World::<N>::open(engine).await;
    let (seller, _) = with_payment(&world).await;
    let first = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.state(&first).await, "payout_sent");
    let second = world.buyer().await;
    world.node.stop().await;
    world.run_jobs().await;
    assert!(world.route().await["fault"].is_string(), "the console says that the node does not answer");
    assert_eq!(world.state(&second).await, "processing");
    world.node.start_again().await;
    world.mine(1).await;
    assert_eq!(world.state(&seller).await, "paid");
    assert!(world.route().await["fault"].is_null());
    world.advance(GRACE).await;
    world.mine(N::CONFIRMATIONS + 2).await;
    for customer in [&first, &second] {
        assert_paid_out(&world, customer).await;
    }
}

pub async fn a_restart_of_the_server_loses_nothing<N: TestNode>(engine: Engine) {
    let mut world = World::<N>::open(engine).await;
    let (seller, _) = with_payment(&world).await;
    let buyer = world.buyer().await;
    world.proxy.count(N::SENDS);
    world.restart_server().await;
    world.mine(1).await;
    assert_eq!((world.state(&seller).await.as_str(), world.state(&buyer).await.as_str()), ("paid", "payout_sent"));
    world.restart_server().await;
    world.mine(N::CONFIRMATIONS + 2).await;
    assert_paid_out(&world, &buyer).await;
    assert_eq!(world.proxy.counted(), 1);
}

pub async fn an_empty_wallet_is_for_staff_who_fill_it_and_send_again<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    world.node.empty_wallet().await;
    let customer = world.buyer().await;
    world.mine(1).await;
    assert_eq!(world.state(&customer).await, "payout_error");
    let failed = world.attempts(&customer).await.remove(0);
    assert_eq!(failed["state"], "never_sent", "{failed}");
    assert!(failed["fault"].as_str().unwrap().starts_with("not_enough_money: "), "{failed}");
    world.node.fill_wallet().await;
    world.mine(1).await;
    assert_eq!(world.state(&customer).await, "payout_error", "nobody repeats by itself what was refused");
    let path = format!("/api/admin/v1/payments/attempts/{}/retry", failed["id"].as_str().unwrap());
    world.owner().await.post(&path, json!({ "note": "the wallet is filled" })).await.ok();
    world.mine(N::CONFIRMATIONS + 2).await;
    assert_paid_out(&world, &customer).await;
}

pub async fn concurrent_customers_are_paid_once_each<N: TestNode>(engine: Engine) {
    let world = World::<N>::open(engine).await;
    world.proxy.count(N::SENDS);
    let (mut sellers, mut buyers) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        sellers.push(world.seller().await);
        buyers.push(world.buyer().await);
        world.node.pay(&sellers[sellers.len() - 1].pay_to, amount::<N>()).await;
    }
    let there = world.app.another_node().await;
    for _ in 0..N::CONFIRMATIONS + 2 {
        world.node.mine(1).await;
        world.app.advance_clock(std::time::Duration::from_secs(11));
        for name in
            ["payments.addresses", "payments.watch", "payments.screen", "payments.claims", "payments.queue", "payments.send"]
        {
            let jobs = [world.app.server.jobs(), there.server.jobs()];
            let [here, there] = jobs.each_ref().map(|jobs| jobs.iter().find(|job| job.name == name).unwrap());
            let (here, there) = tokio::join!((here.run)(), (there.run)());
            here.unwrap();
            there.unwrap();
        }
    }
    world.mine(1).await;
    for seller in &sellers {
        assert_eq!(world.state(seller).await, "paid");
    }
    for buyer in &buyers {
        assert_paid_out(&world, buyer).await;
    }
    assert_eq!(world.proxy.counted(), buyers.len());
}

/// Declares the stories of a node, on both engines.
macro_rules! stories_of {
    ($node:ty) => {
        $crate::stories::stories_of!(
            $node:
            a_deposit_is_seen_confirmed_and_paid_out,
            a_payout_is_sent_once_and_its_fee_is_known,
            a_deposit_that_is_reorganised_away_pays_for_nothing,
            a_deposit_that_is_reorganised_and_confirmed_again_counts_once,
            a_deposit_replaced_by_another_one_counts_once,
            a_deposit_that_is_spent_twice_pays_for_nothing,
            a_refund_goes_to_the_customer,
            a_payout_whose_answer_is_lost_is_found_again,
            a_restart_of_the_node_loses_nothing,
            a_restart_of_the_server_loses_nothing,
            an_empty_wallet_is_for_staff_who_fill_it_and_send_again,
            concurrent_customers_are_paid_once_each,
        );
    };
    ($node:ty: $($story:ident),* $(,)?) => {
        mod stories {
            use agio_test_app::{Engine, both_engines};

            $(async fn $story(engine: Engine) {
                $crate::stories::$story::<$node>(engine).await;
            })*

            both_engines!($($story),*);
        }
    };
    // On one engine, for drivers whose nodes are slow.
    ($node:ty, sqlite: $($story:ident),* $(,)?) => {
        mod more_stories {
            $(async fn $story(engine: agio_test_app::Engine) {
                $crate::stories::$story::<$node>(engine).await;
            })*

            $crate::stories::on_sqlite!($($story),*);
        }
    };
}

/// Declares tests on one engine.
macro_rules! on_sqlite {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$test(agio_test_app::Engine::Sqlite).await;
                }
            )*
        }
    };
}

pub(crate) use {on_sqlite, stories_of};
