//! An app with rate sources controlled by the test.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Call, CallError, CallResult, CompetitorOffer, DirectionOffers, LocalizedText, Manifest, PluginKind, PluginLimits,
    PluginRequest, PluginResponse, PriceObservation, Prices,
};
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse as Reply};
use reqwest::Method;
use serde_json::{Value, json};

/// The correct market rate in these tests.
pub const PRICE: &str = "6441600";
pub const RATES_API: &str = "/api/admin/v1/rates";

/// What a source returns for BTC/RUB.
#[derive(Clone, Debug)]
pub enum SourceBehaviour {
    Price(String, String),
    Of(String, String, String),
    /// Aggregator offers: exchanger, rate, reserve.
    Offers(Vec<(String, String, String)>),
    Refuses(String),
    /// The plugin panics.
    Panics,
}

impl SourceBehaviour {
    pub fn price(price: &str) -> Self {
        Self::Price(price.to_owned(), price.to_owned())
    }

    pub fn sides(bid: &str, ask: &str) -> Self {
        Self::Price(bid.to_owned(), ask.to_owned())
    }
}

/// A rate source controlled by the test.
#[derive(Clone)]
pub struct Source {
    name: &'static str,
    features: Vec<String>,
    says: Arc<Mutex<SourceBehaviour>>,
}

impl Source {
    pub fn new(name: &'static str) -> Self {
        Self { name, features: Vec::new(), says: Arc::new(Mutex::new(SourceBehaviour::price(PRICE))) }
    }

    pub fn aggregator(name: &'static str) -> Self {
        Self { features: vec!["positions".to_owned()], ..Self::new(name) }
    }

    pub fn checker(name: &'static str) -> Self {
        Self { features: vec!["cross_check".to_owned()], ..Self::new(name) }
    }

    pub fn says(&self, says: SourceBehaviour) {
        *self.says.lock().unwrap() = says;
    }
}

impl Plugin for Source {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: self.name.to_owned(),
            version: "1".to_owned(),
            kind: PluginKind::Rates,
            title: LocalizedText::new("Источник", "Source"),
            about: LocalizedText::default(),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: PluginLimits::default(),
            features: self.features.clone(),
        }
    }

    fn handle(&self, question: &PluginRequest) -> PluginResponse {
        let now = agio_core::Timestamp(question.now).to_string();
        let price = |bid: &str, ask: &str, observed_at: String| {
            // Text that is not a number is rejected, as in plugins that parse text.
            let (Ok(bid), Ok(ask)) = (bid.parse(), ask.parse()) else {
                return PluginResponse::Failed(CallError::temporary("unreadable", format!("{bid:?} is no price")));
            };
            let observation = PriceObservation { base: "BTC".into(), quote: "RUB".into(), bid, ask, observed_at };
            PluginResponse::Done(CallResult::Prices(Prices { observations: vec![observation], skipped: Vec::new() }))
        };
        let says = self.says.lock().unwrap().clone();
        match (says, &question.call) {
            (SourceBehaviour::Price(bid, ask), _) => price(&bid, &ask, now),
            (SourceBehaviour::Of(bid, ask, at), _) => price(&bid, &ask, at),
            (SourceBehaviour::Refuses(bitcoin_suspension), _) => {
                PluginResponse::Failed(CallError::temporary("unreachable", bitcoin_suspension))
            }
            (SourceBehaviour::Offers(offers), Call::CompetitorOffers { directions }) => {
                let offer = |(exchanger, rate, reserve): &(String, String, String)| CompetitorOffer {
                    exchanger: exchanger.clone(),
                    rate: rate.parse().unwrap(),
                    reserve: reserve.parse().unwrap(),
                };
                let of = |(from, to): &(String, String)| DirectionOffers {
                    from: from.clone(),
                    to: to.clone(),
                    offers: offers.iter().map(offer).collect(),
                };
                PluginResponse::Done(CallResult::CompetitorOffers(directions.iter().map(of).collect()))
            }
            (SourceBehaviour::Offers(_) | SourceBehaviour::Panics, _) => panic!("a source of a test was told to"),
        }
    }
}

/// An app with live rates and these sources enabled.
pub async fn open_with_sources(engine: Engine, sources: &[&Source]) -> TestApp {
    let sources: Vec<Source> = sources.iter().map(|source| (*source).clone()).collect();
    let names: Vec<_> = sources.iter().map(|source| source.name).collect();
    let asking = |executor| {
        sources.into_iter().fold(agio_plugin_runtime::BuiltInPlugins::new(executor), |plugins, source| plugins.with(source, &[]))
    };
    let app = TestApp::start_with_plugins(Database::with_market(engine).await, |_| {}, asking).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    for (place, name) in names.into_iter().enumerate() {
        configure_source(&owner, name, true, place).await;
    }
    cycle(&app).await;
    app
}

pub async fn configure_source(owner: &TestClient, name: &str, enabled: bool, priority: usize) {
    let sources = owner.get(&format!("{RATES_API}/sources")).await.ok();
    let source = sources.as_array().unwrap().iter().find(|source| source["name"] == name).unwrap().clone();
    let set = json!({
        "revision": source["revision"], "enabled": enabled, "everySeconds": 2, "maxAgeSeconds": 60, "priority": priority,
        "crossCheck": source["crossCheck"],
    });
    owner.put(&format!("{RATES_API}/sources/{name}"), set).await.ok();
}

pub async fn cycle(app: &TestApp) {
    app.advance_and_run_jobs_of("rates", Duration::from_secs(5)).await;
}

pub fn pair(app: &TestApp, from: &str, to: &str) -> i64 {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    market.between(id(from), id(to)).unwrap().pair.id
}

pub fn currency(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).unwrap().id()
}

/// The public pair response.
pub async fn show_pair(app: &TestApp, from: &str, to: &str) -> Reply {
    app.visitor().get(&format!("/en/api/v1/calculator/pair/{}/{}/", currency(app, from), currency(app, to))).await
}

/// Numbers the customers: each has its own address and e-mail, so that no captcha is required.
static CAME: AtomicU32 = AtomicU32::new(0);

/// Creates a claim that receives roubles.
pub async fn create_claim(app: &TestApp, from: &str, send: &str, quote: Option<&str>) -> Reply {
    let (from, to) = (currency(app, from), currency(app, "SBERRUB"));
    let agreed = QuoteRequest { quote: quote.map(str::to_owned), ..QuoteRequest::anonymous(from, to, send.parse().unwrap()) };
    let receive = app.server.calculator.agree(&agreed).map_or("1".to_owned(), |agreed| agreed.receive.to_string());
    let number = CAME.fetch_add(1, Ordering::Relaxed);
    let mut order = json!({
        "email": format!("ivan{number}@example.com"), "fromPs": from, "toPs": to, "fromSumma": send, "toSumma": receive, "fromRequisites": {},
        "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    });
    if let Some(quote) = quote {
        order["quoteId"] = quote.into();
    }
    let address = format!("10.7.{}.{}", number / 250, 1 + number % 250);
    app.visitor().from_address(&address).post("/api/v1/claim/", order).await
}

pub async fn list_suspensions(app: &TestApp) -> Vec<Value> {
    let owner = app.owner().await;
    let request = owner.request(Method::GET, &format!("{RATES_API}/suspensions")).header("accept-language", "en");
    owner.send(request).await.ok().as_array().unwrap().clone()
}

/// The suspension of BTC/SBERRUB, if any: cause and text.
pub async fn bitcoin_suspension(app: &TestApp) -> Option<(String, String)> {
    let pair = pair(app, "BTC", "SBERRUB");
    let suspension = list_suspensions(app).await.into_iter().find(|suspension| suspension["pairId"] == pair)?;
    let text = |name: &str| suspension[name].as_str().unwrap().to_owned();
    Some((text("cause"), text("text")))
}

pub async fn set_rules(app: &TestApp, id: i64, rules: Value) -> Value {
    let owner = app.owner().await;
    let revision = owner.get(&format!("{RATES_API}/pairs/{id}")).await.ok()["revision"].clone();
    owner.put(&format!("{RATES_API}/pairs/{id}"), json!({ "revision": revision, "rules": rules })).await.ok()
}
