//! A house with two watched currencies, the networks they live on, and people.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_core::Timestamp;
use agio_core::needs::{Asked, Quotes as _};
use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Call, Kind, Limits, Manifest, Question, Refusal, Risk, Step, Verdict, Words};
use agio_plugin_host::BuiltIn;
use agio_sandbox_chain::chain::{Chain, Output};
use agio_sandbox_chain::{SandboxChain, Service};
use agio_testkit::{Answer as Reply, Caller, Database, Engine, House};
use serde_json::{Value, json};

/// Where customers are paid.
pub const ETHER: &str = "0x52908400098527886E0F7030069857D2E4169EE7";
/// The card of those who want roubles.
const CARD: &str = "2200000000000004";
/// Where they want refunds.
pub const REFUNDS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// Confirmations that are waited for on either network.
pub const BTC_CERTAIN: u64 = 2;
pub const ETH_CERTAIN: u64 = 3;

/// For how long the owner stays signed in.
const SESSION: Duration = Duration::from_secs(240);

/// A service that judges where money comes from, as a test tells it to.
#[derive(Clone)]
pub struct Screener(Arc<Mutex<Mood>>);

struct Mood {
    usual: Option<Risk>,
    of_tx: BTreeMap<String, Risk>,
}

impl Screener {
    /// What it says of everything; nothing makes it be down.
    pub fn says(&self, risk: Option<Risk>) {
        self.0.lock().unwrap().usual = risk;
    }

    /// What it says of one transaction.
    pub fn says_of(&self, tx_id: &str, risk: Risk) {
        self.0.lock().unwrap().of_tx.insert(tx_id.to_owned(), risk);
    }
}

impl Plugin for Screener {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "screener".into(),
            version: "1".into(),
            kind: Kind::Screening,
            title: Words::default(),
            about: Words::default(),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: Limits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let Call::Screen(asked) = &question.call else { return Step::Refused(Refusal::never("not_mine", "")) };
        let mood = self.0.lock().unwrap();
        match mood.of_tx.get(&asked.tx_id).copied().or(mood.usual) {
            Some(risk) => {
                let signals = if risk == Risk::High { vec!["mixer 80 %".to_owned()] } else { Vec::new() };
                Step::Done(Answer::Verdict(Verdict { risk, score: None, signals, report: None }))
            }
            None => Step::Refused(Refusal::later("unreachable", "the service is down")),
        }
    }
}

/// All of it.
pub struct World {
    pub house: House,
    pub net: Service,
    pub screener: Screener,
    /// The owner at the console, and when they signed in.
    signed_in: tokio::sync::Mutex<Option<(Timestamp, Caller)>>,
}

impl World {
    pub async fn open(engine: Engine) -> Self {
        Self::open_with(engine, 7, |_| {}).await
    }

    /// With a seed of the networks, and routes changed before they are set.
    pub async fn open_with(engine: Engine, seed: u64, change: impl Fn(&mut Value)) -> Self {
        Self::open_driven(engine, seed, SandboxChain, change).await
    }

    /// With a driver that stands in for the network's own.
    pub async fn open_driven(engine: Engine, seed: u64, driver: impl Plugin, change: impl Fn(&mut Value)) -> Self {
        let net = Service::start(seed, 1_000_000_000_000, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let screener = Screener(Arc::new(Mutex::new(Mood { usual: Some(Risk::Low), of_tx: BTreeMap::new() })));
        let (url, judge) = (net.url.clone(), screener.clone());
        let plugins = |hand| BuiltIn::new(hand).with(driver, &[("url", &url)]).with(judge, &[]);
        let house = House::open_asking(Database::furnished(engine).await, |_| {}, plugins).await;
        let plain = json!({
            "claims.captcha": "false", "claims.unpaid_per_email": "0", "claims.unpaid_per_address": "0",
            "payments.addresses_ahead": "60",
        });
        let world = Self { house, net, screener, signed_in: tokio::sync::Mutex::default() };
        world.owner().await.put("/api/admin/v1/settings", plain).await.ok();
        for (code, confirmations) in [("BTC", BTC_CERTAIN), ("ETH", ETH_CERTAIN)] {
            let mut route = json!({
                "revision": 0, "driver": "sandbox-chain", "enabled": true, "confirmations": confirmations, "dust": "0.00000546",
                "screening": "screener", "autoPayout": true, "claimLimit": "5", "dayLimit": "60",
            });
            change(&mut route);
            world.sets_route(code, route).await.ok();
        }
        world.goes_on().await;
        world
    }

    /// The owner, signed in a short while ago: a session does not outlast most of what happens here.
    pub async fn owner(&self) -> Caller {
        let now = self.house.now();
        let mut signed_in = self.signed_in.lock().await;
        match signed_in.as_ref().filter(|(since, _)| since.plus(SESSION) > now) {
            Some((_, owner)) => owner.clone(),
            None => {
                let owner = self.house.owner().await;
                *signed_in = Some((now, owner.clone()));
                owner
            }
        }
    }

    pub async fn sets_route(&self, code: &str, route: Value) -> Reply {
        self.owner().await.put(&format!("/api/admin/v1/payments/routes/{}", self.id(code)), route).await
    }

    /// A pair as the console lists it.
    pub async fn pair(&self, from: &str, to: &str) -> Value {
        let (from, to) = (self.id(from), self.id(to));
        let pairs = self.owner().await.get("/api/admin/v1/pairs").await.ok();
        pairs.as_array().unwrap().iter().find(|pair| pair["fromId"] == from && pair["toId"] == to).unwrap().clone()
    }

    /// Changes a pair as it is now.
    pub async fn sets_pair(&self, from: &str, to: &str, mut change: Value) {
        let pair = self.pair(from, to).await;
        change["revision"] = pair["revision"].clone();
        self.owner().await.patch(&format!("/api/admin/v1/pairs/{}", pair["id"]), change).await.ok();
    }

    pub fn id(&self, code: &str) -> i64 {
        self.house.app.calculator.market().currency_named(code).unwrap().id()
    }

    /// Some seconds pass, and the house does what is due.
    pub async fn goes_on(&self) {
        self.passes(Duration::from_secs(11)).await;
    }

    pub async fn passes(&self, time: Duration) {
        self.house.wait(time);
        for job in self.house.app.jobs() {
            if job.name.starts_with("payments.") || job.name == "claims.deadlines" {
                (job.run)().await.unwrap_or_else(|error| panic!("the job {} fails: {error}", job.name));
            }
        }
    }

    /// Blocks are found on both networks, and the house notices.
    pub async fn mines(&self, blocks: u64) {
        for code in ["BTC", "ETH"] {
            self.net.chain(code, |chain| chain.mine(blocks));
        }
        self.goes_on().await;
    }

    /// Blocks are found until nothing that is under way needs more of them.
    pub async fn settles(&self) {
        for _ in 0..10 {
            self.mines(1).await;
        }
    }

    pub fn bitcoin<T>(&self, act: impl FnOnce(&mut Chain) -> T) -> T {
        self.net.chain("BTC", act)
    }

    pub fn ether<T>(&self, act: impl FnOnce(&mut Chain) -> T) -> T {
        self.net.chain("ETH", act)
    }

    /// What left for a claim on a network and is still there, in units.
    pub fn left(&self, code: &str, claim: &str) -> Vec<u64> {
        let payouts = self.net.chain(code, |chain| chain.live_payouts());
        payouts.into_iter().filter(|(key, _)| key.starts_with(claim)).map(|(_, output)| output.units).collect()
    }

    pub async fn sees(&self, path: &str) -> Value {
        self.owner().await.get(&format!("/api/admin/v1/payments/{path}")).await.ok()
    }

    /// An operator's step on what they see now.
    pub async fn operator_does(&self, claim: &str, action: &str, said: Value) -> Reply {
        let path = format!("/api/admin/v1/claims/{claim}");
        let mut step = said;
        step["revision"] = self.owner().await.get(&path).await.ok()["revision"].clone();
        step["action"] = action.into();
        self.owner().await.post(&format!("{path}/transitions"), step).await
    }
}

/// A customer who exchanges bitcoin for ether.
pub struct Customer {
    pub caller: Caller,
    pub id: String,
    pub number: i64,
    pub address: String,
    /// What is to come, and what is to be paid out, in units.
    pub send: u64,
    pub receive: u64,
}

impl Customer {
    /// Orders and confirms, and is told where to pay.
    pub async fn comes(world: &World, send: &str) -> Self {
        let mut customer = Self::orders(world, send).await;
        customer.confirms().await;
        customer
    }

    pub async fn orders(world: &World, send: &str) -> Self {
        Self::orders_in(world, "ETH", json!({ "address": ETHER }), send).await
    }

    /// Orders roubles, which staff pay out, and confirms.
    pub async fn comes_for_roubles(world: &World, send: &str) -> Self {
        let mut customer = Self::orders_in(world, "SBERRUB", json!({ "card": CARD, "holder": "IVAN PETROV" }), send).await;
        customer.confirms().await;
        customer
    }

    pub async fn orders_in(world: &World, receive: &str, requisites: Value, send: &str) -> Self {
        let asked = Asked::plainly(world.id("BTC"), world.id(receive), send.parse().unwrap());
        let agreed = world.house.app.calculator.agree(&asked).expect("the pair is open");
        // The same request within some seconds is the same claim: people differ by their addresses.
        static KNOWN: AtomicUsize = AtomicUsize::new(0);
        let email = format!("customer{}@example.com", KNOWN.fetch_add(1, Ordering::Relaxed));
        let order = json!({
            "email": email, "fromPs": asked.from, "toPs": asked.to, "fromSumma": send, "toSumma": agreed.receive.to_string(),
            "fromRequisites": { "refundAddress": REFUNDS }, "toRequisites": requisites,
            "extras": { "termsVersion": "1", "amlConsent": true },
        });
        let caller = world.house.customer();
        let made = caller.post("/api/v1/claim/", order).await.ok();
        Self {
            caller,
            id: made["id"].as_str().unwrap().into(),
            number: made["publicId"].as_i64().unwrap(),
            address: String::new(),
            send: agreed.send.units().try_into().unwrap(),
            receive: agreed.receive.units().try_into().unwrap(),
        }
    }

    pub async fn confirms(&mut self) {
        self.does("confirm", json!({})).await.ok();
        self.address = self.looks("requisite").await["value"].as_str().unwrap().into();
    }

    pub async fn does(&self, call: &str, body: Value) -> Reply {
        self.caller.post(&format!("/api/v1/claim/{}/{call}/", self.id), body).await
    }

    pub async fn looks(&self, call: &str) -> Value {
        self.caller.get(&format!("/api/v1/claim/{}/{call}/", self.id)).await.ok()
    }

    pub async fn state(&self) -> String {
        self.looks("status").await["status"].as_str().unwrap().to_owned()
    }

    /// Pays so many units in one transaction.
    pub fn pays(&self, world: &World, units: u64) -> String {
        let address = self.address.clone();
        world.bitcoin(|chain| chain.pay(vec![Output { address, units }]))
    }

    /// Agrees to the new terms.
    pub async fn accepts(&self) -> Reply {
        let offer = self.looks("status").await["offer"].clone();
        self.does("accept", json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] })).await
    }

    /// Wants the payment back.
    pub async fn wants_it_back(&self) -> Reply {
        self.does("refund", json!({ "requisites": { "address": REFUNDS } })).await
    }

    /// Takes the new terms, or the money back: by will, or because there are no terms.
    pub async fn chooses(&self, refuse: bool) {
        if refuse || !self.accepts().await.status.is_success() {
            self.wants_it_back().await;
        }
    }
}
