//! The example of a payment gateway in Python, which was written from the document of the contract alone.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_plugin_payments_http::PaymentsHttp;
use agio_test_app::{Engine, both_engines};
use futures_util::FutureExt as _;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::loopback::LoopbackAddress;
use crate::stories::stories_of;
use crate::test_node::{MovedTotals, ReplacementTo, TestNode};
use crate::world::{PAYER, World};

stories_of!(super::Gateway);

const PROGRAM: &str = "python3";
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/payments-http/examples/python/gateway.py");
const SECRET: &str = "the-secret-of-the-tests";

const PLUGINS: &str = "/api/admin/v1/plugins";
const PLUGIN: &str = "/api/admin/v1/plugins/payments-http";

/// How long the process may take to start, in polls.
const POLLS: usize = 1_200;
const POLL: Duration = Duration::from_millis(50);

const PORT: u16 = 29_081;

pub struct Gateway {
    process: Option<Child>,
    folder: TempDir,
    client: reqwest::Client,
    customers: AtomicUsize,
    // Last: the address is free when the process has ended.
    address: LoopbackAddress,
}

impl Gateway {
    /// Starts the process and waits until it answers.
    async fn launch(&mut self) {
        let process = Command::new(PROGRAM)
            .args([EXAMPLE, &self.address.ip.to_string(), &PORT.to_string()])
            .arg(self.folder.path().join("gateway.db"))
            .env("GATEWAY_SECRET", SECRET)
            .env("GATEWAY_CURRENCIES", format!("{} SBERRUB", Self::CODE))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let process = process.unwrap_or_else(|error| panic!("{PROGRAM} does not start: {error}. Run .ci/need {PROGRAM}"));
        self.process = Some(process);
        for _ in 0..POLLS {
            if self.totals("").await.is_some() {
                return;
            }
            assert!(self.process.as_mut().unwrap().try_wait().unwrap().is_none(), "the gateway ended");
            tokio::time::sleep(POLL).await;
        }
        panic!("the gateway does not answer");
    }

    /// What came and left for certain; `None` if the gateway does not answer.
    async fn totals(&self, query: &str) -> Option<MovedTotals> {
        let url = format!("{}/bank/totals?confirmations={}{query}", self.url(), Self::CONFIRMATIONS);
        let answer = self.client.get(url).bearer_auth(SECRET).send().await.ok()?;
        let totals: Value = answer.error_for_status().unwrap().json().await.ok()?;
        let sum = |name: &str| totals[name].as_str().unwrap().parse::<Decimal>().unwrap().normalize();
        Some(MovedTotals { received: sum("received"), sent: sum("sent") })
    }

    /// What the bank or a customer does.
    async fn bank(&self, action: &str, body: Value) -> Value {
        let request = self.client.post(format!("{}/bank/{action}", self.url())).bearer_auth(SECRET).json(&body);
        request.send().await.unwrap().error_for_status().unwrap().json().await.unwrap()
    }

    fn end(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

async fn an_invoice_whose_answer_is_lost_is_made_once(engine: Engine) {
    const ASKS: &str = "returnUrl";
    let world = World::<Gateway>::open(engine).await;
    world.proxy.count(ASKS);
    world.proxy.swallow_answer(ASKS);
    let first = world.seller().await;
    let second = world.seller().await;
    assert_eq!(world.proxy.counted(), 3);
    assert_eq!((first.pay_to.as_str(), second.pay_to.as_str()), ("40702810900000000001", "40702810900000000002"));
    world.node.pay(&first.pay_to, Gateway::AMOUNT.parse().unwrap()).await;
    world.mine(Gateway::CONFIRMATIONS).await;
    assert_eq!((world.state(&first).await.as_str(), world.state(&second).await.as_str()), ("paid", "awaiting_payment"));
    world.assert_chain_agrees().await;
}

async fn a_claim_that_ends_needs_no_invoice(engine: Engine) {
    let mut world = World::<Gateway>::open(engine).await;
    world.node.stop().await;
    world.proxy.count("returnUrl");
    let customer = world.waiting_seller().await;
    world.run_jobs().await;
    assert_eq!(world.proxy.counted(), 1);
    assert!(world.route().await["fault"].is_string(), "the console says that the gateway does not answer");
    customer.get_details().await.refused(409, "payment_details_pending");
    customer.post("cancel", json!({})).await.ok();
    world.node.start_again().await;
    world.advance(Duration::from_secs(60)).await;
    assert_eq!(world.proxy.counted(), 1);
    customer.get_details().await.refused(409, "not_awaiting_payment");
}

/// The jobs of a moment in which no time passes: the clock stands still, so nothing else asks the gateway.
async fn run_job(world: &World<Gateway>, name: &str) {
    let jobs = world.app.server.jobs();
    (jobs.iter().find(|job| job.name == name).unwrap().run)().await.unwrap();
}

/// Whether the job has been woken since it was last asked.
async fn is_woken(world: &World<Gateway>) -> bool {
    let jobs = world.app.server.jobs();
    let wakeup = jobs.iter().find(|job| job.name == "payments.callbacks").unwrap().wakeup.clone().unwrap();
    wakeup.notified().now_or_never().is_some()
}

async fn a_callback_makes_the_server_ask_at_once(engine: Engine) {
    let (world, outside) = World::<Gateway>::open_configured(engine).await;
    outside.count("/hooks/payments-http/");
    world.proxy.count("/movements");
    let customer = world.seller().await;
    let polls = world.proxy.counted();
    assert!(!is_woken(&world).await);
    world.node.pay(&customer.pay_to, Gateway::AMOUNT.parse().unwrap()).await;
    assert_eq!(outside.counted(), 1, "the gateway calls when the payment is stored");
    assert!(is_woken(&world).await);
    run_job(&world, "payments.callbacks").await;
    run_job(&world, "payments.claims").await;
    assert_eq!(world.state(&customer).await, "payment_seen");
    assert_eq!(world.proxy.counted(), polls + 1);

    // Further callbacks in the same second wait, and are one.
    for _ in 0..3 {
        world.node.mine(1).await;
    }
    assert_eq!(outside.counted(), 4);
    run_job(&world, "payments.callbacks").await;
    assert_eq!(world.proxy.counted(), polls + 1);
    world.app.advance_clock(Duration::from_secs(1));
    run_job(&world, "payments.callbacks").await;
    run_job(&world, "payments.claims").await;
    assert_eq!(world.proxy.counted(), polls + 2);
    assert_eq!(world.state(&customer).await, "paid");
    run_job(&world, "payments.callbacks").await;
    assert_eq!(world.proxy.counted(), polls + 2);
    world.assert_chain_agrees().await;
}

async fn forged_and_repeated_callbacks_pay_nothing(engine: Engine) {
    let (world, _outside) = World::<Gateway>::open_configured(engine).await;
    let customer = world.seller().await;
    let shown = async || {
        let plugins = world.owner().await.get(PLUGINS).await.ok();
        plugins["items"].as_array().unwrap().iter().find(|plugin| plugin["name"] == "payments-http").unwrap().clone()
    };
    let plugin = shown().await;
    let url = plugin["callbackUrl"].as_str().unwrap();
    let path = url[url.find("/hooks/").unwrap()..].to_owned();
    let token = path.strip_prefix("/hooks/payments-http/").unwrap();
    assert!(token.len() >= 43, "{token}");
    world.app.assert_not_stored_in_plain_text(&[token]).await;

    // Nobody but the owner sees it, and without it nothing is asked.
    let operator = world.app.operator().await.get(PLUGINS).await.text;
    assert!(!operator.contains(token) && operator.contains("payments-http"));
    let visitor = world.app.visitor();
    for wrong in [
        format!("/hooks/payments-http/{}", "0".repeat(token.len())),
        format!("/hooks/payments-http/{}", &token[1..]),
        format!("/hooks/ethereum/{token}"),
        format!("/hooks/nobody/{token}"),
        format!("/hooks/{token}"),
    ] {
        visitor.post(&wrong, json!({})).await.refused(404, "not_found");
    }
    visitor.get(&path).await.refused(405, "method_not_allowed");
    assert!(!is_woken(&world).await);

    // Whatever it says, it is only a reason to ask.
    let paid = json!({ "invoice": "inv-1", "amount": "1000", "confirmations": 1000, "state": "paid" });
    visitor.post(&path, paid).await.ok();
    visitor.post_raw(&path, "text/plain", "paid").await.ok();
    visitor.clone().with_token("of the bank").post_empty(&path).await.ok();
    assert!(is_woken(&world).await);
    world.run_jobs().await;
    assert_eq!(world.state(&customer).await, "awaiting_payment");

    // A new address replaces the old one. A disabled plugin has none that works.
    let owner = world.owner().await;
    let renewed = owner.patch(PLUGIN, json!({ "revision": plugin["revision"], "newCallbackUrl": true })).await.ok();
    let new_url = renewed["callbackUrl"].as_str().unwrap();
    let new_path = &new_url[new_url.find("/hooks/").unwrap()..];
    visitor.post_empty(&path).await.refused(404, "not_found");
    visitor.post_empty(new_path).await.ok();
    owner.patch(PLUGIN, json!({ "revision": renewed["revision"], "enabled": false })).await.ok();
    assert_eq!(shown().await["callbackUrl"], new_url, "it stays as it is");
    visitor.post_empty(new_path).await.refused(404, "not_found");
    let telegram = json!({ "revision": 0, "newCallbackUrl": true });
    let refused = owner.patch("/api/admin/v1/plugins/telegram", telegram).await.refused(422, "validation_failed");
    assert!(refused["errors"]["newCallbackUrl"].is_array(), "{refused}");
    let log = owner.get("/api/admin/v1/audit?aboutKind=plugin").await.text;
    assert!(log.contains("newCallbackUrl") && !log.contains(token), "{log}");
    world.app.assert_audit_chain_is_intact().await;
}

async fn staff_see_the_balance_beside_the_reserve(engine: Engine) {
    let mut world = World::<Gateway>::open(engine).await;
    let balance = async |world: &World<Gateway>| {
        run_job(world, "payments.balances").await;
        world.route().await["balance"].clone()
    };
    let shown = balance(&world).await;
    assert_eq!((&shown["amount"], &shown["reserve"], &shown["isShort"]), (&json!("100"), &json!("1000"), &json!(true)));
    world.node.bank("fill", json!({ "balance": "1000.000000009" })).await;
    let shown = balance(&world).await;
    assert_eq!((&shown["amount"], &shown["isShort"], &shown["fault"]), (&json!("1000"), &json!(false), &json!(null)));

    // It decides nothing: what the account does not cover is refused by the gateway alone.
    world.node.empty_wallet().await;
    assert_eq!(balance(&world).await["isShort"], true);
    world.node.fill_wallet().await;
    let customer = world.buyer().await;
    world.run_jobs().await;
    assert_eq!(world.state(&customer).await, "payout_sent");

    world.node.stop().await;
    let shown = balance(&world).await;
    assert!(shown["amount"].is_null() && shown["fault"].is_string() && shown["isShort"] == false, "{shown}");
    world.node.start_again().await;
    world.mine(Gateway::CONFIRMATIONS).await;
    assert!(balance(&world).await["fault"].is_null());
    world.assert_chain_agrees().await;
}

async fn a_gateway_that_does_not_serve_a_currency_gets_no_route(engine: Engine) {
    let world = World::<Gateway>::open(engine).await;
    run_job(&world, "payments.capabilities").await;
    let shown = world.route().await["capabilities"].clone();
    assert_eq!((&shown["payouts"], &shown["fee"], &shown["payoutMax"]), (&json!(true), &json!(true), &json!("100000")));
    let other = world.app.server.calculator.market().currency_named("BTC").unwrap().id();
    let route = json!({ "revision": 0, "driver": "payments-http", "enabled": true, "confirmations": 3 });
    let path = format!("/api/admin/v1/payments/routes/{other}");
    let refused = world.owner().await.put(&path, route).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["enabled"][0]["code"], "driver_takes_no_payments", "{refused}");
}

async fn a_gateway_is_told_who_pays_if_the_owner_allows_it(engine: Engine) {
    for (allowed, told) in [("false", 0), ("true", 1)] {
        let world = World::<Gateway>::open_with(engine, &[("payer", allowed)]).await;
        world.take_roubles().await;
        world.proxy.count(PAYER);
        let customer = world.waiting_buyer().await;
        world.run_jobs().await;
        assert!(customer.get_details().await.ok()["value"].is_string());
        assert_eq!(world.proxy.counted(), told);
        // Where a refund goes is nobody's business.
        let seller = world.waiting_seller().await;
        world.proxy.count(&seller.address);
        world.run_jobs().await;
        assert!(seller.get_details().await.ok()["value"].is_string());
        assert_eq!(world.proxy.counted(), 0);
    }
}

both_engines!(
    an_invoice_whose_answer_is_lost_is_made_once,
    a_claim_that_ends_needs_no_invoice,
    a_callback_makes_the_server_ask_at_once,
    forged_and_repeated_callbacks_pay_nothing,
    staff_see_the_balance_beside_the_reserve,
    a_gateway_that_does_not_serve_a_currency_gets_no_route,
    a_gateway_is_told_who_pays_if_the_owner_allows_it,
);

impl TestNode for Gateway {
    type Driver = PaymentsHttp;

    /// A gateway serves any currency. This one has a rate in the demo market.
    const CODE: &'static str = "LTC";
    const AMOUNT: &'static str = "1.25";
    const ADDRESS_KIND: Option<&'static str> = Some("text");
    const SENDS: &'static str = "\"address\"";
    const CONFIRMATIONS: u32 = 3;

    async fn start() -> Self {
        let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
        let (folder, address) = (tempfile::tempdir().unwrap(), LoopbackAddress::reserve());
        let mut node = Self { process: None, folder, client, customers: AtomicUsize::default(), address };
        node.launch().await;
        node.fill_wallet().await;
        node
    }

    fn driver() -> PaymentsHttp {
        PaymentsHttp
    }

    fn url(&self) -> String {
        format!("http://{}:{PORT}", self.address.ip)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![("secret", SECRET.to_owned())]
    }

    /// Without a warning, as if the machine had lost its power.
    async fn stop(&mut self) {
        self.end();
    }

    async fn start_again(&mut self) {
        self.launch().await;
    }

    async fn pay(&self, address: &str, amount: Decimal) -> String {
        let paid = self.bank("pay", json!({ "account": address, "amount": amount.to_string() })).await;
        paid["id"].as_str().unwrap().to_owned()
    }

    async fn replace(&self, tx_id: &str, to: ReplacementTo) {
        let reversed = self.bank("reverse", json!({ "id": tx_id })).await;
        if to == ReplacementTo::SameAddress {
            self.bank("pay", reversed).await;
        }
    }

    async fn mine(&self, blocks: u32) {
        self.bank("confirm", json!({ "times": blocks })).await;
    }

    async fn undo_blocks(&self, blocks: u32) {
        self.bank("confirm", json!({ "times": -i64::from(blocks) })).await;
    }

    async fn customer_address(&self) -> String {
        format!("customer-{}", self.customers.fetch_add(1, Ordering::Relaxed))
    }

    async fn received(&self, address: &str) -> Decimal {
        self.totals(&format!("&address={address}")).await.unwrap().sent
    }

    async fn moved(&self) -> MovedTotals {
        self.totals("").await.unwrap()
    }

    async fn empty_wallet(&self) {
        self.bank("fill", json!({ "balance": "0.001" })).await;
    }

    async fn fill_wallet(&self) {
        self.bank("fill", json!({ "balance": "100" })).await;
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.end();
    }
}
