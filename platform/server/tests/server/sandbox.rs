//! Automatic payments of the demo: a customer pays with the sandbox wallet, and the claim completes automatically.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use agio_plugin_runtime::BuiltInPlugins;
use agio_sandbox_chain::{SandboxChain, Service};
use agio_server::config::{Config, ConfigSources};
use agio_server::sandbox;
use agio_test_app::{Database, Engine, TestApp, TestClient, both_engines};
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tempfile::TempDir;

const MUCH: u64 = 1_000_000_000_000;

/// The payout and refund addresses of the customer.
const TETHER: &str = "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW";
const ETHER: &str = "0x52908400098527886E0F7030069857D2E4169EE7";

struct Demo {
    app: TestApp,
    net: Option<Service>,
    folder: TempDir,
    listen: SocketAddr,
    /// The reserved address of another network.
    taken: Option<TcpListener>,
}

impl Demo {
    async fn open(engine: Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let net = Service::start_with(&folder.path().join("journal"), 7, MUCH, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let listen = net.url.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = format!("http://{}", taken.local_addr().unwrap());
        let database = Database::with_market(engine).await;
        let app = TestApp::start_with_plugins(
            database,
            |config| config.plugins.private_origins.extend([net.url.clone(), other]),
            |executor| BuiltInPlugins::new(executor).with(SandboxChain, &[("url", &net.url)]),
        )
        .await;
        sandbox::seed(&app.server, &net.url).await.unwrap();
        let demo = Self { app, net: Some(net), folder, listen, taken: Some(taken) };
        demo.advance().await;
        demo
    }

    fn net(&self) -> &Service {
        self.net.as_ref().unwrap()
    }

    /// Advances the clock by some seconds and runs the jobs.
    async fn advance(&self) {
        self.app.advance_clock(Duration::from_secs(11));
        for job in self.app.server.jobs() {
            if job.name.starts_with("payments.") {
                (job.run)().await.unwrap();
            }
        }
    }

    async fn mine_blocks(&self, blocks: u64) {
        self.net().mine(blocks);
        self.advance().await;
        self.advance().await;
    }

    /// Restarts both processes.
    async fn restarts(mut self) -> Self {
        self.net.take().unwrap().stop().await;
        self.net = Some(Service::start_with(&self.folder.path().join("journal"), 8, 0, self.listen).await.unwrap());
        self.app = self.app.another_node().await;
        sandbox::seed(&self.app.server, &self.net().url).await.unwrap();
        self
    }

    fn id(&self, code: &str) -> i64 {
        self.app.server.calculator.market().currency_named(code).unwrap().id()
    }

    /// Creates and confirms a claim of ETH for USDT.
    async fn customer(&self) -> TestCustomer {
        let (from, to) = (self.id("ETH"), self.id("USDTTRC20"));
        let mut order = json!({
            "email": "vera@example.com", "fromPs": from, "toPs": to, "fromSumma": "0.4", "toSumma": "0",
            "fromRequisites": { "refundAddress": ETHER }, "toRequisites": { "address": TETHER },
            "extras": { "termsVersion": "1", "amlConsent": true },
        });
        let caller = self.app.visitor();
        let problem = caller.post("/api/v1/claim/", order.clone()).await.refused(409, "rate_changed");
        order["toSumma"] = problem["params"]["toSumma"].clone();
        let created = caller.post("/api/v1/claim/", order.clone()).await.ok();
        let customer = TestCustomer {
            path: format!("/api/v1/claim/{}", created["id"].as_str().unwrap()),
            receives: order["toSumma"].as_str().unwrap().to_owned(),
        };
        caller.post(&format!("{}/confirm/", customer.path), json!({})).await.ok();
        customer
    }

    async fn get_claim(&self, customer: &TestCustomer, what: &str) -> Value {
        self.app.visitor().get(&format!("{}/{what}/", customer.path)).await.ok()
    }

    /// The state of a claim and the confirmations of its payment.
    async fn counted(&self, customer: &TestCustomer) -> Value {
        let status = self.get_claim(customer, "status").await;
        json!([status["status"], status["confirmations"], status["confirmationsRequired"]])
    }

    /// Pays with the wallet and returns the URL of the payment.
    async fn pay_with_wallet(&self, address: &str, amount: &str) -> String {
        let browser = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        let form = format!("address={address}&amount={amount}&locale=en");
        let sent = browser.post(format!("{}pay", self.net().url)).header("content-type", "application/x-www-form-urlencoded");
        let answer = sent.body(form).send().await.unwrap();
        assert_eq!(answer.status(), 303);
        answer.headers()["location"].to_str().unwrap().to_owned()
    }

    async fn page(&self, place: &str) -> String {
        reqwest::get(format!("{}{}", self.net().url.trim_end_matches('/'), place)).await.unwrap().text().await.unwrap()
    }

    async fn payments(&self) -> Value {
        self.app.owner().await.get("/api/admin/v1/payments").await.ok()
    }
}

struct TestCustomer {
    path: String,
    receives: String,
}

async fn a_claim_paid_with_the_sandbox_wallet_is_paid_out_automatically(engine: Engine) {
    let demo = Demo::open(engine).await;
    let customer = demo.customer().await;
    let address = demo.get_claim(&customer, "requisite").await["value"].as_str().unwrap().to_owned();
    assert!(address.starts_with("sbx1"), "{address}");
    let place = demo.pay_with_wallet(&address, "0.4").await;
    demo.mine_blocks(1).await;
    let counted = json!(["payment_seen", 1, 2]);
    assert_eq!(demo.counted(&customer).await, counted);
    let page = demo.page(&place).await;
    assert!(page.contains("Confirmations: 1"), "{page}");

    let demo = demo.restarts().await;
    demo.advance().await;
    assert_eq!(demo.counted(&customer).await, counted);
    assert_eq!(demo.page(&place).await, page);

    demo.mine_blocks(1).await;
    assert_eq!(demo.get_claim(&customer, "status").await["status"], "payout_sent");
    let demo = demo.restarts().await;
    demo.mine_blocks(2).await;
    assert_eq!(demo.get_claim(&customer, "status").await["status"], "completed");
    let left = demo.net().chain("USDTTRC20", |chain| chain.active_payouts());
    let (_, output) = &left[0];
    assert_eq!((left.len(), output.address.as_str()), (1, TETHER));
    let units: u64 = (customer.receives.parse::<rust_decimal::Decimal>().unwrap() * rust_decimal::Decimal::from(100_000_000))
        .try_into()
        .unwrap();
    assert_eq!(output.units, units);
    demo.app.assert_ledger_is_clean().await;
}

async fn seeding_again_keeps_the_changes_of_operators(engine: Engine) {
    let demo = Demo::open(engine).await;
    let eth = demo.id("ETH");
    let owner = demo.app.owner().await;
    let quiet = json!({ "revision": 1, "driver": "sandbox-chain", "enabled": false, "confirmations": 5, "dust": "0.00001" });
    owner.put(&format!("/api/admin/v1/payments/routes/{eth}"), quiet).await.ok();
    let before = demo.payments().await;
    let demo = demo.restarts().await;
    assert_eq!(demo.payments().await["routes"], before["routes"]);
    demo.app.assert_audit_chain_is_intact().await;
}

async fn the_demo_continues_without_the_network_and_pays_again_with_it(engine: Engine) {
    let mut demo = Demo::open(engine).await;
    let mut config = Config::read(&ConfigSources { profile: Some("demo"), ..ConfigSources::default() }).unwrap();
    let taken = demo.taken.take().unwrap();
    config.demo.sandbox_chain = Some(taken.local_addr().unwrap());
    config.database.url.0.clone_from(&demo.app.database().url);
    config.files.receipts = demo.folder.path().join("receipts");
    assert!(sandbox::open(&demo.app.server, &config).await.unwrap().is_none());
    let customer = demo.customer().await;
    assert_eq!(demo.get_claim(&customer, "requisite").await["value"], ETHER, "a requisite of the pool");
    assert!(notices(&demo).await.is_null());

    drop(taken);
    demo.net = sandbox::open(&demo.app.server, &config).await.unwrap();
    demo.advance().await;
    let notice = notices(&demo).await;
    assert!(notice["message"].as_str().unwrap().contains(&demo.net().url), "{notice}");
    let set = demo.payments().await;
    let eth = set["routes"].as_array().unwrap().iter().find(|route| route["currencyId"] == demo.id("ETH")).unwrap();
    assert_eq!(eth["enabled"], true, "{eth}");
    let beside = demo.app.database().folder().unwrap_or(demo.folder.path());
    assert!(beside.join("sandbox-chain.journal").is_file());
}

async fn only_one_node_serves_the_sandbox_network(engine: Engine) {
    let demo = Demo::open(engine).await;
    let mut config = Config::read(&ConfigSources { profile: Some("demo"), ..ConfigSources::default() }).unwrap();
    config.demo.sandbox_chain = Some(demo.listen);
    config.database.url.0.clone_from(&demo.app.database().url);
    config.files.receipts = demo.folder.path().join("receipts");
    let before = demo.payments().await["routes"].clone();
    let there = demo.app.another_node().await;
    assert!(sandbox::open(&there.server, &config).await.unwrap().is_none());
    assert_eq!(demo.payments().await["routes"], before);
    assert!(!notices(&demo).await.is_null());
    let customer = demo.customer().await;
    assert_ne!(demo.get_claim(&customer, "requisite").await["value"], ETHER, "an address of the network");
}

/// The customer notice for ETH payments.
async fn notices(demo: &Demo) -> Value {
    let path = format!("/api/v1/calculator/pair/{}/{}/", demo.id("ETH"), demo.id("USDTTRC20"));
    TestClient::at(&demo.app.root).get(&path).await.ok()["from"]["notify"].clone()
}

both_engines!(
    a_claim_paid_with_the_sandbox_wallet_is_paid_out_automatically,
    seeding_again_keeps_the_changes_of_operators,
    only_one_node_serves_the_sandbox_network,
    the_demo_continues_without_the_network_and_pays_again_with_it,
);
