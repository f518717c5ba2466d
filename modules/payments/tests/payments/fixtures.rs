//! A server with two watched currencies, their networks, and customers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_core::Timestamp;
use agio_plugin_runtime::BuiltInPlugins;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Call, CallError, CallResult, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse, Risk,
    ScreeningResult,
};
use agio_sandbox_chain::chain::{Chain, Output};
use agio_sandbox_chain::{SandboxChain, Service};
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse as Reply};
use serde_json::{Value, json};

/// The payout address of customers.
pub const ETHER: &str = "0x52908400098527886E0F7030069857D2E4169EE7";
/// The payout card of customers who receive roubles.
const CARD: &str = "2200000000000004";
/// The refund address of customers.
pub const REFUNDS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// Required confirmations.
pub const BTC_CERTAIN: u64 = 2;
pub const ETH_CERTAIN: u64 = 3;

const SESSION: Duration = Duration::from_secs(240);

/// A screening service with configurable results.
#[derive(Clone)]
pub struct Screener(Arc<Mutex<ScreenerState>>);

struct ScreenerState {
    default: Option<Risk>,
    of_tx: BTreeMap<String, Risk>,
}

impl Screener {
    /// The risk of all payments; `None` means that the service is down.
    pub fn set_risk(&self, risk: Option<Risk>) {
        self.0.lock().unwrap().default = risk;
    }

    pub fn set_risk_of(&self, tx_id: &str, risk: Risk) {
        self.0.lock().unwrap().of_tx.insert(tx_id.to_owned(), risk);
    }
}

impl Plugin for Screener {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "screener".into(),
            version: "1".into(),
            kind: PluginKind::Screening,
            title: LocalizedText::default(),
            about: LocalizedText::default(),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: PluginLimits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        let Call::Screen(screening) = &request.call else { return PluginResponse::Failed(CallError::permanent("not_mine", "")) };
        let state = self.0.lock().unwrap();
        match state.of_tx.get(&screening.tx_id).copied().or(state.default) {
            Some(risk) => {
                let signals = if risk == Risk::High { vec!["mixer 80 %".to_owned()] } else { Vec::new() };
                PluginResponse::Done(CallResult::Screening(ScreeningResult { risk, score: None, signals, report: None }))
            }
            None => PluginResponse::Failed(CallError::temporary("unreachable", "the service is down")),
        }
    }
}

pub struct World {
    pub app: TestApp,
    pub net: Service,
    pub screener: Screener,
    /// The owner and when they signed in.
    signed_in: tokio::sync::Mutex<Option<(Timestamp, TestClient)>>,
}

impl World {
    pub async fn open(engine: Engine) -> Self {
        Self::open_with(engine, 7, |_| {}).await
    }

    /// With a seed of the networks, and routes changed before they are set.
    pub async fn open_with(engine: Engine, seed: u64, change: impl Fn(&mut Value)) -> Self {
        Self::open_with_driver(engine, seed, SandboxChain, change).await
    }

    /// With another driver.
    pub async fn open_with_driver(engine: Engine, seed: u64, driver: impl Plugin, change: impl Fn(&mut Value)) -> Self {
        let net = Service::start(seed, 1_000_000_000_000, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let screener = Screener(Arc::new(Mutex::new(ScreenerState { default: Some(Risk::Low), of_tx: BTreeMap::new() })));
        let (url, screening) = (net.url.clone(), screener.clone());
        let plugins = |executor| BuiltInPlugins::new(executor).with(driver, &[("url", &url)]).with(screening, &[]);
        let app = TestApp::start_with_plugins(Database::with_market(engine).await, |_| {}, plugins).await;
        let settings = json!({
            "claims.captcha": "false", "claims.unpaid_per_email": "0", "claims.unpaid_per_address": "0",
            "payments.addresses_ahead": "60",
        });
        let world = Self { app, net, screener, signed_in: tokio::sync::Mutex::default() };
        world.owner().await.put("/api/admin/v1/settings", settings).await.ok();
        for (code, confirmations) in [("BTC", BTC_CERTAIN), ("ETH", ETH_CERTAIN)] {
            let mut route = json!({
                "revision": 0, "driver": "sandbox-chain", "enabled": true, "confirmations": confirmations, "dust": "0.00000546",
                "screening": "screener", "autoPayout": true, "claimLimit": "5", "dayLimit": "60",
            });
            change(&mut route);
            world.set_route(code, route).await.ok();
        }
        world.run_jobs().await;
        world
    }

    /// The owner with a fresh session: most tests last longer than one.
    pub async fn owner(&self) -> TestClient {
        let now = self.app.now();
        let mut signed_in = self.signed_in.lock().await;
        match signed_in.as_ref().filter(|(since, _)| since.plus(SESSION) > now) {
            Some((_, owner)) => owner.clone(),
            None => {
                let owner = self.app.owner().await;
                *signed_in = Some((now, owner.clone()));
                owner
            }
        }
    }

    pub async fn set_route(&self, code: &str, route: Value) -> Reply {
        self.owner().await.put(&format!("/api/admin/v1/payments/routes/{}", self.id(code)), route).await
    }

    /// A pair as the console lists it.
    pub async fn pair(&self, from: &str, to: &str) -> Value {
        let (from, to) = (self.id(from), self.id(to));
        let pairs = self.owner().await.get("/api/admin/v1/pairs").await.ok();
        pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == from && pair["receiveId"] == to).unwrap().clone()
    }

    /// Changes a pair as it is now.
    pub async fn set_pair(&self, from: &str, to: &str, mut change: Value) {
        let pair = self.pair(from, to).await;
        change["revision"] = pair["revision"].clone();
        self.owner().await.patch(&format!("/api/admin/v1/pairs/{}", pair["id"]), change).await.ok();
    }

    pub fn id(&self, code: &str) -> i64 {
        self.app.server.calculator.market().currency_named(code).unwrap().id()
    }

    /// Advances the clock by some seconds and runs the jobs.
    pub async fn run_jobs(&self) {
        self.advance(Duration::from_secs(11)).await;
    }

    pub async fn advance(&self, time: Duration) {
        self.app.advance_clock(time);
        for job in self.app.server.jobs() {
            if job.name.starts_with("payments.") || job.name == "claims.deadlines" {
                (job.run)().await.unwrap_or_else(|error| panic!("the job {} fails: {error}", job.name));
            }
        }
    }

    /// Mines blocks on both networks and runs the jobs.
    pub async fn mine(&self, blocks: u64) {
        for code in ["BTC", "ETH"] {
            self.net.chain(code, |chain| chain.mine(blocks));
        }
        self.run_jobs().await;
    }

    /// Mines enough blocks for everything that is under way.
    pub async fn settle(&self) {
        for _ in 0..10 {
            self.mine(1).await;
        }
    }

    pub fn bitcoin<T>(&self, act: impl FnOnce(&mut Chain) -> T) -> T {
        self.net.chain("BTC", act)
    }

    pub fn ether<T>(&self, act: impl FnOnce(&mut Chain) -> T) -> T {
        self.net.chain("ETH", act)
    }

    /// The payouts of a claim that are on a network, in units.
    pub fn paid_out(&self, code: &str, claim: &str) -> Vec<u64> {
        let payouts = self.net.chain(code, |chain| chain.active_payouts());
        payouts.into_iter().filter(|(key, _)| key.starts_with(claim)).map(|(_, output)| output.units).collect()
    }

    pub async fn get_payments(&self, path: &str) -> Value {
        self.owner().await.get(&format!("/api/admin/v1/payments/{path}")).await.ok()
    }

    /// A transition by the owner on the current revision.
    pub async fn transition(&self, claim: &str, action: &str, body: Value) -> Reply {
        Self::transition_by(&self.owner().await, claim, action, body).await
    }

    /// A transition by staff on the current revision.
    pub async fn transition_by(staff: &TestClient, claim: &str, action: &str, body: Value) -> Reply {
        let path = format!("/api/admin/v1/claims/{claim}");
        let mut step = body;
        step["revision"] = staff.get(&path).await.ok()["revision"].clone();
        step["action"] = action.into();
        staff.post(&format!("{path}/transitions"), step).await
    }
}

/// A customer who exchanges bitcoin for ether.
pub struct TestCustomer {
    pub caller: TestClient,
    pub id: String,
    pub number: i64,
    pub address: String,
    /// The agreed amounts, in units.
    pub send: u64,
    pub receive: u64,
}

impl TestCustomer {
    /// Creates and confirms a claim.
    pub async fn with_address(world: &World, send: &str) -> Self {
        let mut customer = Self::create_claim(world, send).await;
        customer.confirm().await;
        customer
    }

    pub async fn create_claim(world: &World, send: &str) -> Self {
        Self::create_claim_to(world, "ETH", json!({ "address": ETHER }), send).await
    }

    /// Creates and confirms a claim for roubles, which staff pay out.
    pub async fn with_address_for_roubles(world: &World, send: &str) -> Self {
        let mut customer = Self::create_claim_to(world, "SBERRUB", json!({ "card": CARD, "holder": "IVAN PETROV" }), send).await;
        customer.confirm().await;
        customer
    }

    pub async fn create_claim_to(world: &World, receive: &str, requisites: Value, send: &str) -> Self {
        let request = QuoteRequest::anonymous(world.id("BTC"), world.id(receive), send.parse().unwrap());
        let agreed = world.app.server.calculator.agree(&request).expect("the pair is open");
        // The same request within some seconds is the same claim: customers have different addresses.
        static KNOWN: AtomicUsize = AtomicUsize::new(0);
        let email = format!("customer{}@example.com", KNOWN.fetch_add(1, Ordering::Relaxed));
        let body = json!({
            "email": email, "fromPs": request.from, "toPs": request.to, "fromSumma": send, "toSumma": agreed.receive.to_string(),
            "fromRequisites": { "refundAddress": REFUNDS }, "toRequisites": requisites,
            "extras": { "termsVersion": "1", "amlConsent": true },
        });
        let caller = world.app.visitor();
        let created = caller.post("/api/v1/claim/", body).await.ok();
        Self {
            caller,
            id: created["id"].as_str().unwrap().into(),
            number: created["publicId"].as_i64().unwrap(),
            address: String::new(),
            send: agreed.give.units().try_into().unwrap(),
            receive: agreed.receive.units().try_into().unwrap(),
        }
    }

    pub async fn confirm(&mut self) {
        self.post("confirm", json!({})).await.ok();
        self.address = self.get("requisite").await["value"].as_str().unwrap().into();
    }

    pub async fn post(&self, call: &str, body: Value) -> Reply {
        self.caller.post(&format!("/api/v1/claim/{}/{call}/", self.id), body).await
    }

    pub async fn get(&self, call: &str) -> Value {
        self.caller.get(&format!("/api/v1/claim/{}/{call}/", self.id)).await.ok()
    }

    pub async fn state(&self) -> String {
        self.get("status").await["status"].as_str().unwrap().to_owned()
    }

    pub fn pay(&self, world: &World, units: u64) -> String {
        let address = self.address.clone();
        world.bitcoin(|chain| chain.pay(vec![Output { address, units }]))
    }

    pub async fn accept(&self) -> Reply {
        let offer = self.get("status").await["offer"].clone();
        self.post("accept", json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] })).await
    }

    pub async fn request_refund(&self) -> Reply {
        self.post("refund", json!({ "requisites": { "address": REFUNDS } })).await
    }

    /// Accepts the new terms, or requests a refund if `refuse` is set or there are no terms.
    pub async fn choose(&self, refuse: bool) {
        if refuse || !self.accept().await.status.is_success() {
            self.request_refund().await;
        }
    }
}
