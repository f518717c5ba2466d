//! A house with sources that say what a test has them say.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_core::needs::{Asked, Quotes as _};
use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Answer, Call, Kind, Limits, Manifest, Observation, Offer, Position, Prices, Question, Refusal, Step, Words,
};
use agio_testkit::{Answer as Reply, Caller, Database, Engine, House};
use reqwest::Method;
use serde_json::{Value, json};

/// What the pairs of these tests are worth when nothing is wrong.
pub const PRICE: &str = "6441600";
pub const RATES: &str = "/api/admin/v1/rates";

/// What a source says of bitcoin in roubles.
#[derive(Clone, Debug)]
pub enum Says {
    /// This bid and ask, now.
    Price(String, String),
    /// The same, of another moment.
    Of(String, String, String),
    /// These offers on a monitor: who, course, reserve.
    Offers(Vec<(String, String, String)>),
    /// That it cannot say.
    Refuses(String),
    /// Nothing any more: it panics.
    Panics,
}

impl Says {
    pub fn price(price: &str) -> Self {
        Self::Price(price.to_owned(), price.to_owned())
    }

    pub fn sides(bid: &str, ask: &str) -> Self {
        Self::Price(bid.to_owned(), ask.to_owned())
    }
}

/// A source in the hands of a test.
#[derive(Clone)]
pub struct Source {
    name: &'static str,
    features: Vec<String>,
    says: Arc<Mutex<Says>>,
}

impl Source {
    pub fn new(name: &'static str) -> Self {
        Self { name, features: Vec::new(), says: Arc::new(Mutex::new(Says::price(PRICE))) }
    }

    /// A source that reads a monitor.
    pub fn monitor(name: &'static str) -> Self {
        Self { features: vec!["positions".to_owned()], ..Self::new(name) }
    }

    /// A source that is never priced with.
    pub fn checker(name: &'static str) -> Self {
        Self { features: vec!["cross_check".to_owned()], ..Self::new(name) }
    }

    pub fn says(&self, says: Says) {
        *self.says.lock().unwrap() = says;
    }
}

impl Plugin for Source {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: self.name.to_owned(),
            version: "1".to_owned(),
            kind: Kind::Rates,
            title: Words::new("Источник", "Source"),
            about: Words::default(),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: Limits::default(),
            features: self.features.clone(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let now = agio_core::Timestamp(question.now).to_string();
        let price = |bid: &str, ask: &str, observed_at: String| {
            // What is no number at all is refused by whoever reads it, as the plugins that read text do.
            let (Ok(bid), Ok(ask)) = (bid.parse(), ask.parse()) else {
                return Step::Refused(Refusal::later("unreadable", format!("{bid:?} is no price")));
            };
            let observation = Observation { base: "BTC".into(), quote: "RUB".into(), bid, ask, observed_at };
            Step::Done(Answer::Prices(Prices { observations: vec![observation], skipped: Vec::new() }))
        };
        let says = self.says.lock().unwrap().clone();
        match (says, &question.call) {
            (Says::Price(bid, ask), _) => price(&bid, &ask, now),
            (Says::Of(bid, ask, at), _) => price(&bid, &ask, at),
            (Says::Refuses(why), _) => Step::Refused(Refusal::later("unreachable", why)),
            (Says::Offers(offers), Call::Positions { directions }) => {
                let offer = |(exchanger, course, reserve): &(String, String, String)| Offer {
                    exchanger: exchanger.clone(),
                    course: course.parse().unwrap(),
                    reserve: reserve.parse().unwrap(),
                };
                let of = |(from, to): &(String, String)| Position {
                    from: from.clone(),
                    to: to.clone(),
                    offers: offers.iter().map(offer).collect(),
                };
                Step::Done(Answer::Positions(directions.iter().map(of).collect()))
            }
            (Says::Offers(_) | Says::Panics, _) => panic!("a source of a test was told to"),
        }
    }
}

/// A house whose rates are of the present, with these sources switched on.
pub async fn live(engine: Engine, sources: &[&Source]) -> House {
    let sources: Vec<Source> = sources.iter().map(|source| (*source).clone()).collect();
    let names: Vec<_> = sources.iter().map(|source| source.name).collect();
    let asking = |hand| sources.into_iter().fold(agio_plugin_host::BuiltIn::new(hand), |shelf, source| shelf.with(source, &[]));
    let house = House::open_asking(Database::furnished(engine).await, |_| {}, asking).await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    for (place, name) in names.into_iter().enumerate() {
        switches(&owner, name, true, place).await;
    }
    cycle(&house).await;
    house
}

pub async fn switches(owner: &Caller, name: &str, enabled: bool, priority: usize) {
    let seen = owner.get(&format!("{RATES}/sources")).await.ok();
    let source = seen.as_array().unwrap().iter().find(|source| source["name"] == name).unwrap().clone();
    let set = json!({
        "revision": source["revision"], "enabled": enabled, "everySeconds": 2, "maxAgeSeconds": 60, "priority": priority,
        "crossCheck": source["crossCheck"],
    });
    owner.put(&format!("{RATES}/sources/{name}"), set).await.ok();
}

/// The time of one cycle passes.
pub async fn cycle(house: &House) {
    house.later(Duration::from_secs(5)).await;
}

pub fn pair(house: &House, from: &str, to: &str) -> i64 {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    market.between(id(from), id(to)).unwrap().pair.id
}

pub fn currency(house: &House, code: &str) -> i64 {
    house.app.calculator.market().currency_named(code).unwrap().id()
}

/// What a customer is shown of a pair.
pub async fn shown(house: &House, from: &str, to: &str) -> Reply {
    house.customer().get(&format!("/en/api/v1/calculator/pair/{}/{}/", currency(house, from), currency(house, to))).await
}

/// How many customers came: each has an address and an e-mail of their own, so that nobody is asked whether they are a person.
static CAME: AtomicU32 = AtomicU32::new(0);

/// A customer tries to make a claim that receives roubles.
pub async fn claims(house: &House, from: &str, send: &str, quote: Option<&str>) -> Reply {
    let (from, to) = (currency(house, from), currency(house, "SBERRUB"));
    let agreed = Asked { quote: quote.map(str::to_owned), ..Asked::plainly(from, to, send.parse().unwrap()) };
    let receive = house.app.calculator.agree(&agreed).map_or("1".to_owned(), |agreed| agreed.receive.to_string());
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
    house.customer().from_address(&address).post("/api/v1/claim/", order).await
}

/// The stops, as the console shows them.
pub async fn stops(house: &House) -> Vec<Value> {
    let owner = house.owner().await;
    let request = owner.request(Method::GET, &format!("{RATES}/stops")).header("accept-language", "en");
    owner.send(request).await.ok().as_array().unwrap().clone()
}

/// Why the pair of bitcoin and roubles is stopped; nothing while it is not.
pub async fn why(house: &House) -> Option<(String, String)> {
    let pair = pair(house, "BTC", "SBERRUB");
    let stop = stops(house).await.into_iter().find(|stop| stop["pairId"] == pair)?;
    let text = |name: &str| stop[name].as_str().unwrap().to_owned();
    Some((text("cause"), text("text")))
}

/// Sets the rules of a pair.
pub async fn sets(house: &House, id: i64, rules: Value) -> Value {
    let owner = house.owner().await;
    let revision = owner.get(&format!("{RATES}/pairs/{id}")).await.ok()["revision"].clone();
    owner.put(&format!("{RATES}/pairs/{id}"), json!({ "revision": revision, "rules": rules })).await.ok()
}
