//! The demonstration's automatic payments: a customer pays on the wallet's page of the sandbox network, and the claim does the rest by itself.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use agio_plugin_host::BuiltIn;
use agio_sandbox_chain::{SandboxChain, Service};
use agio_server::config::{Config, Wanted};
use agio_server::sandbox;
use agio_testkit::{Caller, Database, Engine, House, both_engines};
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tempfile::TempDir;

const MUCH: u64 = 1_000_000_000_000;

/// Where the customer wants to be paid, and where the payment would be returned to.
const TETHER: &str = "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW";
const ETHER: &str = "0x52908400098527886E0F7030069857D2E4169EE7";

/// The house, and the network with its journal.
struct Demo {
    house: House,
    net: Option<Service>,
    folder: TempDir,
    listen: SocketAddr,
    /// A place for another network, which is taken.
    taken: Option<TcpListener>,
}

impl Demo {
    async fn open(engine: Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let net = Service::start_with(&folder.path().join("journal"), 7, MUCH, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let listen = net.url.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = format!("http://{}", taken.local_addr().unwrap());
        let database = Database::furnished(engine).await;
        let house = House::open_asking(
            database,
            |config| config.plugins.private_origins.extend([net.url.clone(), other]),
            |hand| BuiltIn::new(hand).with(SandboxChain, &[("url", &net.url)]),
        )
        .await;
        sandbox::seed(&house.app, &net.url).await.unwrap();
        let demo = Self { house, net: Some(net), folder, listen, taken: Some(taken) };
        demo.goes_on().await;
        demo
    }

    fn net(&self) -> &Service {
        self.net.as_ref().unwrap()
    }

    /// Some seconds pass, and the house does what is due.
    async fn goes_on(&self) {
        self.house.wait(Duration::from_secs(11));
        for job in self.house.app.jobs() {
            if job.name.starts_with("payments.") {
                (job.run)().await.unwrap();
            }
        }
    }

    async fn mines(&self, blocks: u64) {
        self.net().mine(blocks);
        self.goes_on().await;
        self.goes_on().await;
    }

    /// Both processes end and begin again.
    async fn restarts(mut self) -> Self {
        self.net.take().unwrap().stop().await;
        self.net = Some(Service::start_with(&self.folder.path().join("journal"), 8, 0, self.listen).await.unwrap());
        self.house = self.house.another_node().await;
        sandbox::seed(&self.house.app, &self.net().url).await.unwrap();
        self
    }

    fn id(&self, code: &str) -> i64 {
        self.house.app.calculator.market().currency_named(code).unwrap().id()
    }

    /// A customer who gives ether for tether leaves a claim and confirms it.
    async fn customer(&self) -> Customer {
        let (from, to) = (self.id("ETH"), self.id("USDTTRC20"));
        let mut order = json!({
            "email": "vera@example.com", "fromPs": from, "toPs": to, "fromSumma": "0.4", "toSumma": "0",
            "fromRequisites": { "refundAddress": ETHER }, "toRequisites": { "address": TETHER },
            "extras": { "termsVersion": "1", "amlConsent": true },
        });
        let caller = self.house.customer();
        let told = caller.post("/api/v1/claim/", order.clone()).await.refused(409, "rate_changed");
        order["toSumma"] = told["params"]["toSumma"].clone();
        let made = caller.post("/api/v1/claim/", order.clone()).await.ok();
        let customer = Customer {
            path: format!("/api/v1/claim/{}", made["id"].as_str().unwrap()),
            receives: order["toSumma"].as_str().unwrap().to_owned(),
        };
        caller.post(&format!("{}/confirm/", customer.path), json!({})).await.ok();
        customer
    }

    async fn sees(&self, customer: &Customer, what: &str) -> Value {
        self.house.customer().get(&format!("{}/{what}/", customer.path)).await.ok()
    }

    /// The state of a claim, and how far its payment is confirmed.
    async fn counted(&self, customer: &Customer) -> Value {
        let status = self.sees(customer, "status").await;
        json!([status["status"], status["confirmations"], status["confirmationsRequired"]])
    }

    /// Pays on the wallet's page; gives the address of the payment's own page.
    async fn pays(&self, address: &str, amount: &str) -> String {
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
        self.house.owner().await.get("/api/admin/v1/payments").await.ok()
    }
}

struct Customer {
    path: String,
    receives: String,
}

async fn a_claim_paid_on_the_wallets_page_is_counted_and_paid_out_by_itself(engine: Engine) {
    let demo = Demo::open(engine).await;
    let customer = demo.customer().await;
    let address = demo.sees(&customer, "requisite").await["value"].as_str().unwrap().to_owned();
    assert!(address.starts_with("sbx1"), "{address}");
    let place = demo.pays(&address, "0.4").await;
    demo.mines(1).await;
    let counted = json!(["payment_seen", 1, 2]);
    assert_eq!(demo.counted(&customer).await, counted);
    let page = demo.page(&place).await;
    assert!(page.contains("Confirmations: 1"), "{page}");

    let demo = demo.restarts().await;
    demo.goes_on().await;
    assert_eq!(demo.counted(&customer).await, counted);
    assert_eq!(demo.page(&place).await, page);

    demo.mines(1).await;
    assert_eq!(demo.sees(&customer, "status").await["status"], "payout_sent");
    let demo = demo.restarts().await;
    demo.mines(2).await;
    assert_eq!(demo.sees(&customer, "status").await["status"], "completed");
    let left = demo.net().chain("USDTTRC20", |chain| chain.live_payouts());
    let (_, output) = &left[0];
    assert_eq!((left.len(), output.address.as_str()), (1, TETHER));
    let units: u64 = (customer.receives.parse::<rust_decimal::Decimal>().unwrap() * rust_decimal::Decimal::from(100_000_000))
        .try_into()
        .unwrap();
    assert_eq!(output.units, units);
    demo.house.books_are_clean().await;
}

async fn setting_up_again_leaves_what_an_operator_changed(engine: Engine) {
    let demo = Demo::open(engine).await;
    let eth = demo.id("ETH");
    let owner = demo.house.owner().await;
    let quiet = json!({ "revision": 1, "driver": "sandbox-chain", "enabled": false, "confirmations": 5, "dust": "0.00001" });
    owner.put(&format!("/api/admin/v1/payments/routes/{eth}"), quiet).await.ok();
    let before = demo.payments().await;
    let demo = demo.restarts().await;
    assert_eq!(demo.payments().await["routes"], before["routes"]);
    demo.house.audit_is_whole().await;
}

async fn without_its_network_the_demonstration_goes_on_and_with_it_it_pays_again(engine: Engine) {
    let mut demo = Demo::open(engine).await;
    let mut config = Config::read(&Wanted { profile: Some("demo"), ..Wanted::default() }).unwrap();
    let taken = demo.taken.take().unwrap();
    config.demo.sandbox_chain = Some(taken.local_addr().unwrap());
    config.database.url.0.clone_from(&demo.house.database().url);
    config.files.receipts = demo.folder.path().join("receipts");
    assert!(sandbox::open(&demo.house.app, &config).await.unwrap().is_none());
    let customer = demo.customer().await;
    assert_eq!(demo.sees(&customer, "requisite").await["value"], ETHER, "the house's own requisite");
    assert!(notices(&demo).await.is_null());

    drop(taken);
    demo.net = sandbox::open(&demo.house.app, &config).await.unwrap();
    demo.goes_on().await;
    let notice = notices(&demo).await;
    assert!(notice["message"].as_str().unwrap().contains(&demo.net().url), "{notice}");
    let set = demo.payments().await;
    let eth = set["routes"].as_array().unwrap().iter().find(|route| route["currencyId"] == demo.id("ETH")).unwrap();
    assert_eq!(eth["enabled"], true, "{eth}");
    let beside = demo.house.database().folder().unwrap_or(demo.folder.path());
    assert!(beside.join("sandbox-chain.journal").is_file());
}

async fn a_second_node_leaves_the_network_to_the_first(engine: Engine) {
    let demo = Demo::open(engine).await;
    let mut config = Config::read(&Wanted { profile: Some("demo"), ..Wanted::default() }).unwrap();
    config.demo.sandbox_chain = Some(demo.listen);
    config.database.url.0.clone_from(&demo.house.database().url);
    config.files.receipts = demo.folder.path().join("receipts");
    let before = demo.payments().await["routes"].clone();
    let there = demo.house.another_node().await;
    assert!(sandbox::open(&there.app, &config).await.unwrap().is_none());
    assert_eq!(demo.payments().await["routes"], before);
    assert!(!notices(&demo).await.is_null());
    let customer = demo.customer().await;
    assert_ne!(demo.sees(&customer, "requisite").await["value"], ETHER, "an address of the network");
}

/// What customers who give ether for tether are told of sending.
async fn notices(demo: &Demo) -> Value {
    let path = format!("/api/v1/calculator/pair/{}/{}/", demo.id("ETH"), demo.id("USDTTRC20"));
    Caller::at(&demo.house.root).get(&path).await.ok()["from"]["notify"].clone()
}

both_engines!(
    a_claim_paid_on_the_wallets_page_is_counted_and_paid_out_by_itself,
    setting_up_again_leaves_what_an_operator_changed,
    a_second_node_leaves_the_network_to_the_first,
    without_its_network_the_demonstration_goes_on_and_with_it_it_pays_again,
);
