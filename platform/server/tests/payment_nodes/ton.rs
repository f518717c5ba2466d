//! The fake network of the TON driver's own tests behind HTTP, with toncoin and with jettons as USDT. No test network runs
//! on one machine, and its blocks are final, so stories of what is replaced or undone have no counterpart here.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use agio_core::Timestamp;
use agio_plugin_sdk::harness::Harness;
use agio_plugin_ton::Ton as Driver;
use agio_test_app::{Engine, both_engines};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::stories::stories_of;
use crate::test_node::{MovedTotals, ReplacementTo, TestNode};
use crate::world::{GRACE, TestCustomer, World};

#[expect(dead_code, reason = "the driver's own tests use the rest")]
#[path = "../../../../plugins/ton/tests/hostile_node/network.rs"]
mod network;

use network::{FakeNetwork, USDT, address, address_of, comment};

const KEY: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

const COINS: bool = false;
const JETTONS: bool = true;

/// The exchange's wallet.
fn wallet() -> String {
    Harness::new(Driver).set("secret", KEY).addresses("TON", &["any"]).remove(0)
}

pub struct TonNode<const JETTON: bool> {
    network: Arc<Mutex<FakeNetwork>>,
    address: SocketAddr,
    serving: JoinHandle<()>,
    customers: AtomicUsize,
    received: Mutex<Decimal>,
}

impl<const JETTON: bool> TonNode<JETTON> {
    const DECIMALS: u32 = if JETTON { 6 } else { 9 };

    fn units(amount: Decimal) -> u128 {
        (amount * Decimal::from(10_u64.pow(Self::DECIMALS))).to_u128().unwrap()
    }

    fn amount(units: u128) -> Decimal {
        Decimal::from_i128_with_scale(i128::try_from(units).unwrap(), Self::DECIMALS).normalize()
    }

    /// Pays to the exchange's wallet, with a comment or without.
    fn pay_with(&self, memo: Option<&str>, amount: Decimal) -> String {
        let mut network = self.network.lock().unwrap();
        let (to, units, text) = (address(&wallet()), Self::units(amount), memo.map(comment));
        *self.received.lock().unwrap() += amount;
        if JETTON {
            network.pay_jettons(&address(USDT), "customer", &to, units, text)
        } else {
            network.pay("customer", &to, units, text.unwrap_or_default())
        }
    }

    fn fill(&self, coins: u128, jettons: u128) {
        let mut network = self.network.lock().unwrap();
        network.fill(&address(&wallet()), coins);
        network.fill_jettons(&address(USDT), &address(&wallet()), jettons);
    }

    fn balance(&self, owner: &str) -> Decimal {
        let (network, owner) = (self.network.lock().unwrap(), address(owner));
        Self::amount(if JETTON { network.jettons(&address(USDT), &owner) } else { network.balance(&owner) })
    }

    fn customer(number: usize) -> String {
        address_of(&format!("customer {number}")).display_base64_url(false).to_string()
    }

    fn serve(listener: TcpListener, network: Arc<Mutex<FakeNetwork>>) -> JoinHandle<()> {
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let network = network.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let network = network.clone();
                    async move {
                        let body = request.into_body().collect().await?.to_bytes();
                        let call: Value = serde_json::from_slice(&body).unwrap();
                        let (status, answer) = network.lock().unwrap().answer(&call);
                        let answer = Full::new(Bytes::from(answer.to_string()));
                        Ok::<_, hyper::Error>(Response::builder().status(status).body(answer).unwrap())
                    }
                });
                tokio::spawn(http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(stream), service));
            }
        })
    }
}

impl<const JETTON: bool> Drop for TonNode<JETTON> {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl<const JETTON: bool> TestNode for TonNode<JETTON> {
    type Driver = Driver;

    const CODE: &'static str = if JETTON { "USDTTON" } else { "TON" };
    const AMOUNT: &'static str = if JETTON { "80.5" } else { "12.75" };
    const ADDRESS_KIND: Option<&'static str> = None;
    const SENDS: &'static str = "sendBoc";
    const CONFIRMATIONS: u32 = 3;

    async fn start() -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let (network, address) = (Arc::new(Mutex::new(FakeNetwork::new(0))), listener.local_addr().unwrap());
        let serving = Self::serve(listener, network.clone());
        let node = Self { network, address, serving, customers: AtomicUsize::default(), received: Mutex::default() };
        node.fill_wallet().await;
        node
    }

    fn driver() -> Driver {
        Driver
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![("secret", KEY.to_owned())]
    }

    async fn stop(&mut self) {
        self.serving.abort();
    }

    async fn start_again(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.serving = Self::serve(listener, self.network.clone());
    }

    async fn follow_clock(&self, now: Timestamp) {
        let mut network = self.network.lock().unwrap();
        network.time = network.time.max(u32::try_from(now.0 / 1_000_000).unwrap());
    }

    async fn pay(&self, pay_to: &str, amount: Decimal) -> String {
        self.pay_with(pay_to.split_once(' ').map(|(_, memo)| memo), amount)
    }

    async fn replace(&self, _: &str, _: ReplacementTo) {
        panic!("transactions are final");
    }

    async fn mine(&self, blocks: u32) {
        self.network.lock().unwrap().mine(blocks.into());
    }

    async fn undo_blocks(&self, _: u32) {
        panic!("blocks are final");
    }

    async fn customer_address(&self) -> String {
        Self::customer(self.customers.fetch_add(1, Ordering::Relaxed))
    }

    async fn received(&self, address: &str) -> Decimal {
        self.balance(address)
    }

    async fn moved(&self) -> MovedTotals {
        let sent =
            (0..self.customers.load(Ordering::Relaxed)).map(|number| self.balance(&Self::customer(number))).sum::<Decimal>();
        MovedTotals { received: self.received.lock().unwrap().normalize(), sent: sent.normalize() }
    }

    async fn empty_wallet(&self) {
        self.fill(1_000_000_000, 1);
    }

    async fn fill_wallet(&self) {
        self.fill(1_000_000_000_000, 1_000_000_000);
    }
}

/// Sends what is due and waits until the driver is asked what became of it.
async fn settle<const JETTON: bool>(world: &World<TonNode<JETTON>>) {
    world.run_jobs().await;
    world.mine(1).await;
    world.advance(GRACE).await;
    world.mine(TonNode::<JETTON>::CONFIRMATIONS + 2).await;
}

async fn assert_paid_out<const JETTON: bool>(world: &World<TonNode<JETTON>>, customer: &TestCustomer) {
    assert_eq!(world.state(customer).await, "completed");
    assert_eq!(world.node.received(&customer.address).await, customer.receive.normalize());
}

async fn payments_are_told_apart_by_their_comments<const JETTON: bool>(engine: Engine) {
    let world = World::<TonNode<JETTON>>::open(engine).await;
    let amount: Decimal = TonNode::<JETTON>::AMOUNT.parse().unwrap();
    let (first, second, third) = (world.seller().await, world.seller().await, world.seller().await);
    assert_eq!(first.pay_to.split(' ').next(), Some(wallet().as_str()));
    let tx = world.node.pay(&first.pay_to, amount).await;
    world.run_jobs().await;
    let seen = world.status(&first).await;
    assert_eq!((&seen["status"], &seen["confirmations"], &seen["txIn"]["id"]), (&json!("payment_seen"), &json!(1), &json!(tx)));
    world.mine(TonNode::<JETTON>::CONFIRMATIONS - 1).await;
    assert_eq!((world.state(&first).await.as_str(), world.state(&second).await.as_str()), ("paid", "awaiting_payment"));

    // Jettons of somebody else's, with the right comment.
    let memo = second.pay_to.split_once(' ').unwrap().1;
    world.node.network.lock().unwrap().pay_jettons(
        &address_of("USDT"),
        "thief",
        &address(&wallet()),
        80_500_000,
        Some(comment(memo)),
    );
    // Without a comment, and with one that nobody has: staff see both, and assign them.
    world.node.pay_with(None, amount);
    world.node.pay_with(Some("000000000000"), amount);
    world.mine(TonNode::<JETTON>::CONFIRMATIONS).await;
    assert_eq!(
        (world.state(&second).await.as_str(), world.state(&third).await.as_str()),
        ("awaiting_payment", "awaiting_payment")
    );
    let owner = world.owner().await;
    let listed = owner.get("/api/admin/v1/payments/movements").await.ok();
    let [one, other] = &listed.as_array().unwrap()[..] else { panic!("{listed}") };
    for (movement, customer) in [(one, &second), (other, &third)] {
        assert_eq!(movement["issue"], "unclaimed", "{listed}");
        let path = format!("/api/admin/v1/payments/movements/{}/attach", movement["id"]);
        owner.post(&path, json!({ "claim": customer.number })).await.ok();
    }
    world.run_jobs().await;
    assert_eq!((world.state(&second).await.as_str(), world.state(&third).await.as_str()), ("paid", "paid"));
    world.assert_chain_agrees().await;
}

async fn a_payout_arrives_once<const JETTON: bool>(engine: Engine) {
    let world = World::<TonNode<JETTON>>::open(engine).await;
    let messages = || {
        let mut sent = world.node.network.lock().unwrap().sent.clone();
        sent.sort();
        sent.dedup();
        sent.len()
    };
    let (first, second) = (world.buyer().await, world.buyer().await);
    world.run_jobs().await;
    // The wallet sends one after the other.
    assert_eq!(messages(), 1);
    for _ in 0..2 {
        settle(&world).await;
    }
    assert_paid_out(&world, &first).await;
    assert_paid_out(&world, &second).await;
    assert_eq!(messages(), 2);
    let attempts = world.attempts(&first).await;
    assert_eq!((attempts.len(), &attempts[0]["state"], attempts[0]["fee"].is_string()), (1, &json!("confirmed"), !JETTON));
    world.assert_chain_agrees().await;
}

async fn a_refund_goes_to_the_customer<const JETTON: bool>(engine: Engine) {
    let world = World::<TonNode<JETTON>>::open(engine).await;
    let customer = world.seller().await;
    let half = TonNode::<JETTON>::AMOUNT.parse::<Decimal>().unwrap() / Decimal::TWO;
    world.node.pay(&customer.pay_to, half).await;
    world.mine(TonNode::<JETTON>::CONFIRMATIONS).await;
    assert_eq!(world.state(&customer).await, "amount_mismatch");
    customer.post("refund", json!({ "requisites": { "address": customer.address } })).await.ok();
    let path = format!("/api/admin/v1/payments/claims/{}/refund", customer.id);
    world.owner().await.post(&path, json!({})).await.ok();
    settle(&world).await;
    assert_eq!(world.state(&customer).await, "refunded");
    assert_eq!(world.node.received(&customer.address).await, half.normalize());
    world.assert_chain_agrees().await;
}

async fn restarts_lose_nothing_and_pay_nothing_twice<const JETTON: bool>(engine: Engine) {
    let mut world = World::<TonNode<JETTON>>::open(engine).await;
    world.proxy.count("sendBoc");
    let (seller, buyer) = (world.seller().await, world.buyer().await);
    world.run_jobs().await;
    assert_eq!(world.attempts(&buyer).await[0]["state"], "unknown");
    world.restart_server().await;
    world.node.stop().await;
    world.advance(GRACE).await;
    assert!(world.route().await["fault"].is_string(), "the console says that the node does not answer");
    assert_eq!(world.state(&buyer).await, "processing");
    world.node.start_again().await;
    world.node.mine(1).await;
    world.node.pay(&seller.pay_to, TonNode::<JETTON>::AMOUNT.parse().unwrap()).await;
    world.restart_server().await;
    settle(&world).await;
    assert_eq!(world.state(&seller).await, "paid");
    assert_paid_out(&world, &buyer).await;
    assert_eq!(world.proxy.counted(), 1);
    world.assert_chain_agrees().await;
}

async fn an_empty_wallet_is_for_staff_who_fill_it<const JETTON: bool>(engine: Engine) {
    let world = World::<TonNode<JETTON>>::open(engine).await;
    world.node.empty_wallet().await;
    let customer = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.state(&customer).await, "payout_error");
    let failed = world.attempts(&customer).await.remove(0);
    assert!(failed["fault"].as_str().unwrap().starts_with("not_enough_money: "), "{failed}");
    world.node.fill_wallet().await;
    let path = format!("/api/admin/v1/payments/attempts/{}/retry", failed["id"].as_str().unwrap());
    world.owner().await.post(&path, json!({ "note": "the wallet is filled" })).await.ok();
    settle(&world).await;
    assert_paid_out(&world, &customer).await;
    world.assert_chain_agrees().await;
}

/// Declares the tests with toncoin and with jettons, on both engines.
macro_rules! both_currencies {
    ($($test:ident),* $(,)?) => {
        mod coins {
            $(async fn $test(engine: super::Engine) { super::$test::<{ super::COINS }>(engine).await; })*
            super::both_engines!($($test),*);
        }
        mod jettons {
            $(async fn $test(engine: super::Engine) { super::$test::<{ super::JETTONS }>(engine).await; })*
            super::both_engines!($($test),*);
        }
    };
}

both_currencies!(
    payments_are_told_apart_by_their_comments,
    a_payout_arrives_once,
    a_refund_goes_to_the_customer,
    restarts_lose_nothing_and_pay_nothing_twice,
    an_empty_wallet_is_for_staff_who_fill_it,
);

stories_of!(super::TonNode<{ super::COINS }>: a_payout_whose_answer_is_lost_is_found_again);
