//! What only nodes with the RPC of Bitcoin Core have: wallets that watch, private balances, raised fees, and other
//! networks.

use agio_test_app::{Engine, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::{EXCHANGE, Litecoin, decimal, text};
use crate::test_node::{ReplacementTo, TestNode};
use crate::world::{TestCustomer, World};

/// The wallet without keys.
const WATCHING: &str = "watching";

/// An extended public key of test networks.
const EXTENDED_KEY: &str =
    "tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B";

/// The block from which on private balances exist.
const PRIVATE_BALANCES: u64 = 432;

async fn amount_due(world: &World<Litecoin>) -> (TestCustomer, Decimal) {
    (world.seller().await, Litecoin::AMOUNT.parse().unwrap())
}

/// Creates the wallet without keys as the documentation says, and returns its first addresses.
async fn create_watching_wallet(node: &Litecoin) -> Value {
    let wallet = json!({ "wallet_name": WATCHING, "disable_private_keys": true, "blank": true, "load_on_startup": true });
    node.call("createwallet", wallet).await;
    let described = node.call("getdescriptorinfo", json!([format!("wpkh({EXTENDED_KEY}/0/*)")])).await;
    let key = json!([{
        "desc": described["descriptor"], "range": [0, 999], "timestamp": "now", "watchonly": true, "keypool": true, "internal": false,
    }]);
    let imported = node.call_wallet(WATCHING, "importmulti", json!([key])).await;
    assert_eq!(imported[0]["success"], true, "{imported}");
    node.call("deriveaddresses", json!([described["descriptor"], [0, 9]])).await
}

async fn a_wallet_without_keys_receives_and_another_one_pays(engine: Engine) {
    let world = World::<Litecoin>::open_with(engine, &[("wallet", WATCHING), ("payout_wallet", EXCHANGE)]).await;
    assert!(world.route().await["fault"].as_str().unwrap().starts_with("wallet_not_found"));
    let derived = create_watching_wallet(&world.node).await;
    world.run_jobs().await;
    let (seller, amount) = amount_due(&world).await;
    assert!(derived.as_array().unwrap().contains(&json!(seller.pay_to)), "{} is not among {derived}", seller.pay_to);
    world.node.pay(&seller.pay_to, amount).await;
    let buyer = world.buyer().await;
    world.mine(Litecoin::CONFIRMATIONS + 2).await;
    assert_eq!((world.state(&seller).await.as_str(), world.state(&buyer).await.as_str()), ("paid", "completed"));
    assert_eq!(world.node.received(&buyer.address).await.normalize(), buyer.receive.normalize());
    world.app.assert_ledger_is_clean().await;
}

async fn a_wallet_without_keys_refuses_payouts(engine: Engine) {
    let world = World::<Litecoin>::open_with(engine, &[("wallet", WATCHING)]).await;
    create_watching_wallet(&world.node).await;
    let buyer = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.state(&buyer).await, "payout_error");
    let attempts = world.attempts(&buyer).await;
    assert_eq!(attempts[0]["state"], "never_sent");
    assert_eq!(attempts[0]["fault"], "watch_only: the wallet for payouts has no private keys");
}

async fn a_node_of_another_network_is_refused(engine: Engine) {
    let world = World::<Litecoin>::open_with(engine, &[("network", "main")]).await;
    world.proxy.count(Litecoin::SENDS);
    let fault = world.route().await["fault"].clone();
    assert_eq!(fault, "other_network: the node is not on the network \"main\" of LTC");
    let buyer = world.buyer().await;
    world.mine(2).await;
    assert_eq!((world.state(&buyer).await.as_str(), world.proxy.counted()), ("processing", 0));
}

async fn what_the_owner_adds_is_no_payment(engine: Engine) {
    let world = World::<Litecoin>::open(engine).await;
    world.node.fill_wallet().await;
    world.mine(Litecoin::CONFIRMATIONS).await;
    assert_eq!(world.owner().await.get("/api/admin/v1/payments/movements").await.ok(), json!([]));
}

async fn a_payout_whose_fee_was_raised_is_one_payout(engine: Engine) {
    let world = World::<Litecoin>::open_with(engine, &[("fee_rate", "11")]).await;
    world.proxy.count(Litecoin::SENDS);
    let buyer = world.buyer().await;
    world.run_jobs().await;
    let before = world.attempts(&buyer).await.remove(0);
    let raised = world.node.call_wallet(EXCHANGE, "bumpfee", json!([before["txId"], { "fee_rate": 100 }])).await;
    world.mine(Litecoin::CONFIRMATIONS + 2).await;
    assert_eq!(world.state(&buyer).await, "completed");
    let after = world.attempts(&buyer).await.remove(0);
    assert_eq!((&after["txId"], &after["state"]), (&raised["txid"], &json!("confirmed")));
    assert_eq!(after["fee"].as_str().unwrap().parse::<Decimal>().unwrap(), decimal(&raised["fee"]).normalize());
    assert_eq!(world.node.received(&buyer.address).await.normalize(), buyer.receive.normalize());
    assert_eq!(world.proxy.counted(), 1);
    world.assert_chain_agrees().await;
}

async fn a_fee_that_the_node_refuses_is_for_staff(engine: Engine) {
    let world = World::<Litecoin>::open_with(engine, &[("fee_rate", "1")]).await;
    let buyer = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.state(&buyer).await, "payout_error");
    let fault = world.attempts(&buyer).await[0]["fault"].as_str().unwrap().to_owned();
    assert!(fault.starts_with("fee_rate: "), "{fault}");
}

/// The blocks above the cursor's are listed as removed, not queried.
async fn a_paid_claim_is_held_when_its_deposit_is_reorganised_away(engine: Engine) {
    let world = World::<Litecoin>::open(engine).await;
    let (seller, amount) = amount_due(&world).await;
    let tx = world.node.pay(&seller.pay_to, amount).await;
    world.mine(Litecoin::CONFIRMATIONS).await;
    assert_eq!(world.state(&seller).await, "paid");
    world.node.undo_blocks(Litecoin::CONFIRMATIONS).await;
    world.node.replace(&tx, ReplacementTo::Sender).await;
    world.mine(Litecoin::CONFIRMATIONS + 1).await;
    let status = world.status(&seller).await;
    assert_eq!((&status["status"], &status["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")), "{status}");
    world.app.assert_ledger_is_clean().await;
}

async fn a_payment_from_a_private_balance_counts_once(engine: Engine) {
    let world = World::<Litecoin>::open(engine).await;
    let node = &world.node;
    node.call("createwallet", json!({ "wallet_name": "private" })).await;
    let height = node.call("getblockcount", json!([])).await.as_u64().unwrap();
    node.mine((PRIVATE_BALANCES - 1 - height).try_into().unwrap()).await;
    let private = text(&node.call_wallet("private", "getnewaddress", json!(["", "mweb"])).await);
    node.pay(&private, Decimal::TEN).await;
    node.mine(1).await;
    let (seller, amount) = amount_due(&world).await;
    node.call_wallet("private", "sendtoaddress", json!([seller.pay_to, amount.to_string()])).await;
    world.mine(Litecoin::CONFIRMATIONS - 1).await;
    assert_eq!(world.state(&seller).await, "payment_seen");
    world.mine(1).await;
    assert_eq!(world.state(&seller).await, "paid");
    // It changes its category when it may be spent.
    world.mine(6).await;
    assert_eq!(world.state(&seller).await, "paid");
    assert_eq!(world.owner().await.get("/api/admin/v1/payments/movements").await.ok(), json!([]));
    world.app.assert_ledger_is_clean().await;
}

both_engines!(
    a_wallet_without_keys_receives_and_another_one_pays,
    a_wallet_without_keys_refuses_payouts,
    a_node_of_another_network_is_refused,
    what_the_owner_adds_is_no_payment,
    a_payout_whose_fee_was_raised_is_one_payout,
    a_fee_that_the_node_refuses_is_for_staff,
    a_paid_claim_is_held_when_its_deposit_is_reorganised_away,
    a_payment_from_a_private_balance_counts_once,
);
