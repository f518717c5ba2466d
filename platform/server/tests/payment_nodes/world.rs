//! A whole server with a driver and a real node, and its customers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_core::{Timestamp, fetch_one};
use agio_plugin_runtime::BuiltInPlugins;
use agio_plugin_sdk::Plugin as _;
use agio_plugin_sdk::protocol::INVOICES;
use agio_server::config::Config;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::proxy::Proxy;
use crate::test_node::{MovedTotals, TestNode};

/// The currency on the other side of each claim. Staff pay it out and confirm it.
const ROUBLES: &str = "SBERRUB";
const CARD: &str = "2200000000000004";

/// Who pays the roubles.
pub const PAYER: &str = "IVAN PETROV";

/// What customers pay who buy the coin.
const ROUBLES_PAID: &str = "9000";

/// The driver is queried for a payout with an unknown outcome after this time.
pub const GRACE: Duration = Duration::from_secs(121);

/// A payment that disappeared holds its claim after this time.
pub const REAPPEARANCE: Duration = Duration::from_secs(601);

const SESSION: Duration = Duration::from_secs(240);

/// What came from outside for claims, and what left for them and did not come back.
const LEDGER_SUMS: &str = "SELECT
    CAST(COALESCE(SUM(CASE WHEN debit = $1 AND credit = $2 THEN amount ELSE 0 END), 0) AS BIGINT),
    CAST(COALESCE(SUM(CASE WHEN debit = $3 AND credit = $1 THEN amount WHEN debit = $1 AND credit = $3 THEN -amount ELSE 0 END), 0)
        AS BIGINT)
    FROM ledger_transfer";

pub struct World<N> {
    pub app: TestApp,
    pub node: N,
    pub proxy: Proxy,
    coin: i64,
    roubles: i64,
    /// The owner and when they signed in.
    signed_in: tokio::sync::Mutex<Option<(Timestamp, TestClient)>>,
}

impl<N: TestNode> World<N> {
    pub async fn open(engine: Engine) -> Self {
        Self::open_with(engine, &[]).await
    }

    /// With other settings of the driver.
    pub async fn open_with(engine: Engine, set: &[(&str, &str)]) -> Self {
        let node = N::start().await;
        let proxy = Proxy::start(node.url()).await;
        let own = node.settings();
        let mut settings: Vec<_> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
        settings.push(("url", &proxy.url));
        settings.extend(set);
        let plugins = |executor| BuiltInPlugins::new(executor).with(N::driver(), &settings);
        let app = TestApp::start_with_plugins(Database::with_market(engine).await, |_| {}, plugins).await;
        Self::with_route(node, proxy, app).await
    }

    /// With a driver that the owner configures in the console. Also returns the way to the server from outside.
    pub async fn open_configured(engine: Engine) -> (Self, Proxy) {
        let node = N::start().await;
        let proxy = Proxy::start(node.url()).await;
        let (listener, public_url) = Proxy::reserve().await;
        let configure = |config: &mut Config| {
            config.server.public_url.clone_from(&public_url);
            config.plugins.private_origins.push(proxy.url.clone());
        };
        let app = TestApp::start_with_configured_plugins(Database::with_market(engine).await, configure).await;
        let mut settings: BTreeMap<_, _> = node.settings().into_iter().collect();
        settings.insert("url", proxy.url.clone());
        let path = format!("/api/admin/v1/plugins/{}", N::driver().manifest().name);
        app.owner().await.patch(&path, json!({ "revision": 0, "enabled": true, "settings": settings })).await.ok();
        let outside = Proxy::start_at(listener, public_url, app.root.clone());
        (Self::with_route(node, proxy, app).await, outside)
    }

    async fn with_route(node: N, proxy: Proxy, app: TestApp) -> Self {
        let roubles = currency(&app, ROUBLES);
        let mut world = Self { app, node, proxy, coin: 0, roubles, signed_in: tokio::sync::Mutex::default() };
        world.coin = world.currency_of_the_network().await;
        let settings = json!({
            "claims.captcha": "false", "claims.unpaid_per_email": "0", "claims.unpaid_per_address": "0",
            "payments.addresses_ahead": "3",
        });
        world.owner().await.put("/api/admin/v1/settings", settings).await.ok();
        world.open_route(world.coin).await;
        world.run_jobs().await;
        world
    }

    async fn open_route(&self, currency: i64) {
        let route = json!({
            "revision": 0, "driver": N::driver().manifest().name, "enabled": true, "confirmations": N::CONFIRMATIONS,
            "dust": "0", "autoPayout": true, "claimLimit": "100", "dayLimit": "1000",
        });
        self.owner().await.put(&format!("/api/admin/v1/payments/routes/{currency}"), route).await.ok();
    }

    /// Customers pay roubles through the driver, too.
    pub async fn take_roubles(&self) {
        self.open_route(self.roubles).await;
    }

    /// The currency in the market. If its validator refuses the addresses of test networks, one that takes any text
    /// replaces it.
    async fn currency_of_the_network(&self) -> i64 {
        let listed = currency(&self.app, N::CODE);
        let Some(kind) = N::ADDRESS_KIND else { return listed };
        let owner = self.owner().await;
        let path = "/api/admin/v1/currencies";
        owner.patch(&format!("{path}/{listed}"), json!({ "code": format!("{}MAIN", N::CODE) })).await.ok();
        let input = |name: &str, send: bool| {
            let label = json!({ "ru": "Адрес", "en": "Address" });
            json!({ "name": name, "kind": kind, "label": label, "required": !send, "send": send, "receive": !send })
        };
        let text = |text: &str| json!({ "ru": text, "en": text });
        let new = json!({
            "code": N::CODE, "ticker": N::CODE, "kind": "crypto", "icon": N::CODE.to_lowercase(), "scale": 8, "roundCalculator": 8,
            "name": text(N::CODE), "network": text(N::CODE), "send": true, "receive": true,
            "inputs": [input("address", false), input("refundAddress", true)],
        });
        let created = owner.post(path, new).await.ok()["id"].as_i64().unwrap();
        let deposit = json!({ "amount": "1000", "reason": "deposit", "note": "" });
        owner.post(&format!("/api/admin/v1/reserves/{created}/movements"), deposit).await.ok();
        for (give, receive) in [(created, self.roubles), (self.roubles, created)] {
            let set = json!({ "spreadPercent": "2", "enabled": true, "hold": 30 });
            let pairs = json!({ "giveIds": [give], "receiveIds": [receive], "set": set, "dryRun": false });
            owner.post("/api/admin/v1/pairs", pairs).await.ok();
        }
        created
    }

    /// The owner with a fresh session.
    pub async fn owner(&self) -> TestClient {
        let now = self.app.now();
        let mut signed_in = self.signed_in.lock().await;
        match signed_in.as_ref().filter(|(since, _)| since.plus(SESSION) > now) {
            Some((_, owner)) => owner.clone().at_node(&self.app.root),
            None => {
                let owner = self.app.owner().await;
                *signed_in = Some((now, owner.clone()));
                owner
            }
        }
    }

    /// Advances the clock by some seconds and runs the jobs.
    pub async fn run_jobs(&self) {
        self.advance(Duration::from_secs(11)).await;
    }

    pub async fn advance(&self, time: Duration) {
        self.app.advance_clock(time);
        self.node.follow_clock(self.app.now()).await;
        for job in self.app.server.jobs() {
            if job.name.starts_with("payments.") || job.name == "claims.deadlines" {
                (job.run)().await.unwrap_or_else(|error| panic!("the job {} fails: {error}", job.name));
            }
        }
    }

    /// Mines blocks one by one and runs the jobs after each.
    pub async fn mine(&self, blocks: u32) {
        for _ in 0..blocks {
            self.node.mine(1).await;
            self.run_jobs().await;
        }
        self.run_jobs().await;
    }

    /// Another process of the server takes over.
    pub async fn restart_server(&mut self) {
        self.app = self.app.another_node().await;
    }

    /// A customer who sells [`TestNode::AMOUNT`] and knows where to pay.
    pub async fn seller(&self) -> TestCustomer {
        let mut customer = self.waiting_seller().await;
        if N::driver().manifest().features.iter().any(|feature| feature == INVOICES) {
            // The driver is asked for an invoice afterwards, and asked again if its answer is lost.
            customer.get_details().await.refused(409, "payment_details_pending");
            self.run_jobs().await;
            if !customer.get_details().await.status.is_success() {
                self.run_jobs().await;
            }
        }
        let details = customer.get_details().await.ok();
        let parts = [&details["value"], &details["memo"]].into_iter().filter_map(Value::as_str);
        customer.pay_to = parts.collect::<Vec<_>>().join(" ");
        customer
    }

    /// A customer who has confirmed the claim and has not asked yet where to pay.
    pub async fn waiting_seller(&self) -> TestCustomer {
        let refund = self.node.customer_address().await;
        let card = json!({ "card": CARD, "holder": "IVAN PETROV" });
        let mut customer =
            self.create_claim((self.coin, self.roubles), N::AMOUNT, json!({ "refundAddress": refund }), card).await;
        customer.post("confirm", json!({})).await.ok();
        customer.address = refund;
        customer
    }

    /// A customer who buys the coin. Staff have confirmed the roubles, so the payout is due.
    pub async fn buyer(&self) -> TestCustomer {
        let customer = self.waiting_buyer().await;
        customer.post("paid", json!({})).await.ok();
        self.transition(&customer, "payment_received", json!({ "txId": format!("in-{}", customer.number) })).await.ok();
        customer
    }

    /// A customer who has confirmed to buy the coin.
    pub async fn waiting_buyer(&self) -> TestCustomer {
        let address = self.node.customer_address().await;
        let payer = json!({ "holder": PAYER });
        let mut customer = self.create_claim((self.roubles, self.coin), ROUBLES_PAID, payer, json!({ "address": address })).await;
        customer.post("confirm", json!({})).await.ok();
        customer.address = address;
        customer
    }

    async fn create_claim(&self, (give, receive): (i64, i64), send: &str, payer: Value, payee: Value) -> TestCustomer {
        let request = QuoteRequest::anonymous(give, receive, send.parse().unwrap());
        let agreed = self.app.server.calculator.agree(&request).expect("the pair is open");
        static KNOWN: AtomicUsize = AtomicUsize::new(0);
        let email = format!("customer{}@example.com", KNOWN.fetch_add(1, Ordering::Relaxed));
        let body = json!({
            "email": email, "fromPs": give, "toPs": receive, "fromSumma": send, "toSumma": agreed.receive.to_string(),
            "fromRequisites": payer, "toRequisites": payee, "extras": { "termsVersion": "1", "amlConsent": true },
        });
        let caller = self.app.visitor();
        let created = caller.post("/api/v1/claim/", body).await.ok();
        TestCustomer {
            caller,
            id: created["id"].as_str().unwrap().to_owned(),
            number: created["publicId"].as_i64().unwrap(),
            receive: agreed.receive.value(),
            pay_to: String::new(),
            address: String::new(),
        }
    }

    /// A transition by the owner on the current revision.
    pub async fn transition(&self, customer: &TestCustomer, action: &str, body: Value) -> TestResponse {
        let path = format!("/api/admin/v1/claims/{}", customer.id);
        let owner = self.owner().await;
        let mut step = body;
        step["revision"] = owner.get(&path).await.ok()["revision"].clone();
        step["action"] = action.into();
        owner.post(&format!("{path}/transitions"), step).await
    }

    pub async fn status(&self, customer: &TestCustomer) -> Value {
        customer.caller.clone().at_node(&self.app.root).get(&customer.path("status")).await.ok()
    }

    pub async fn state(&self, customer: &TestCustomer) -> String {
        self.status(customer).await["status"].as_str().unwrap().to_owned()
    }

    /// The attempts to pay a customer, the unsettled and the failed ones first.
    pub async fn attempts(&self, customer: &TestCustomer) -> Vec<Value> {
        let attempts = self.owner().await.get("/api/admin/v1/payments/attempts").await.ok();
        attempts.as_array().unwrap().iter().filter(|attempt| attempt["claim"] == customer.id.as_str()).cloned().collect()
    }

    /// The route of the coin, with the last fault of its driver.
    pub async fn route(&self) -> Value {
        let payments = self.owner().await.get("/api/admin/v1/payments").await.ok();
        payments["routes"].as_array().unwrap().iter().find(|route| route["currencyId"] == self.coin).unwrap().clone()
    }

    /// Asserts that the driver answers, that the ledger and the node agree on what was received and sent, that the
    /// ledger adds up, and that nobody changed the audit log. What is on its way must have its confirmations.
    pub async fn assert_chain_agrees(&self) {
        assert!(self.route().await["fault"].is_null());
        let account = |name: &str| format!("{name}:{}", self.coin);
        let (outside, came, left) = (account("external"), account("claim_in"), account("claim_out"));
        let mut tx = self.app.server.platform.db.read().await.unwrap();
        let (received, sent) = fetch_one!(&mut tx, (i64, i64), LEDGER_SUMS, outside, came, left).unwrap();
        drop(tx);
        let facts = self.app.server.calculator.market().currency(self.coin).unwrap().facts.clone();
        let value = |units: i64| facts.amount(units).value().normalize();
        let booked = MovedTotals { received: value(received), sent: value(sent) };
        assert_eq!(booked, self.node.moved().await, "the ledger, and the node");
        self.app.assert_ledger_is_clean().await;
        self.app.assert_audit_chain_is_intact().await;
    }
}

fn currency(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).unwrap_or_else(|| panic!("the market has {code}")).id()
}

pub struct TestCustomer {
    pub caller: TestClient,
    pub id: String,
    pub number: i64,
    /// What the customer receives, as agreed.
    pub receive: Decimal,
    /// Where a seller pays: the address, and the memo if there is one.
    pub pay_to: String,
    /// The customer's own address, for the payout or a refund.
    pub address: String,
}

impl TestCustomer {
    fn path(&self, call: &str) -> String {
        format!("/api/v1/claim/{}/{call}/", self.id)
    }

    pub async fn post(&self, call: &str, body: Value) -> TestResponse {
        self.caller.post(&self.path(call), body).await
    }

    pub async fn get_details(&self) -> TestResponse {
        self.caller.get(&self.path("requisite")).await
    }
}
