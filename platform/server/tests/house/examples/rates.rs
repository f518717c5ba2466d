//! A live source, the rules of a pair, and a rate that went too far.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Kind, Limits, Manifest, Observation, Prices, Question, Step, Words};
use agio_plugin_host::BuiltIn;
use agio_testkit::{Database, Engine, House};
use reqwest::Method;
use serde_json::json;

use super::Recorder;

const RATES: &str = "/api/admin/v1/rates";

/// What the source says bitcoin is worth in roubles.
static PRICE: AtomicI64 = AtomicI64::new(6_441_600);

struct Exchange;

impl Plugin for Exchange {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "exchange".to_owned(),
            version: "1".to_owned(),
            kind: Kind::Rates,
            title: Words::new("Биржа", "Exchange"),
            about: Words::new("Лучшие цены стакана", "The best prices of its book"),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: Limits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let price = PRICE.load(Ordering::Relaxed);
        let observed_at = agio_core::Timestamp(question.now).to_string();
        let observation =
            Observation { base: "BTC".into(), quote: "RUB".into(), bid: price.into(), ask: (price + 900).into(), observed_at };
        Step::Done(Answer::Prices(Prices { observations: vec![observation], skipped: Vec::new() }))
    }
}

/// A source is set up, a pair gets rules, its rate goes too far and is let go on.
pub async fn be_explained(recorder: &mut Recorder) {
    let database = Database::furnished(Engine::Sqlite).await;
    let house = House::open_asking(database, |_| {}, |hand| BuiltIn::new(hand).with(Exchange, &[])).await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    let set =
        json!({ "revision": 0, "enabled": true, "everySeconds": 2, "maxAgeSeconds": 60, "priority": 1, "crossCheck": false });
    recorder.call(&owner, "setRateSource", Method::PUT, &format!("{RATES}/sources/exchange"), Some(set)).await;
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).expect("the demonstration has it").id();
    let pair = format!("{RATES}/pairs/{}", market.between(id("BTC"), id("SBERRUB")).expect("it is offered").pair.id);
    let levels = json!([{ "from": "0", "percent": "-0.5" }, { "from": "80", "percent": "0" }]);
    let rules = json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": { "target": "30000000", "levels": levels } });
    let number = market.between(id("BTC"), id("SBERRUB")).expect("it is offered").pair.id;
    recorder
        .post(&owner, "tryRateRules", &format!("{RATES}/try"), json!({ "changes": [{ "pairId": number, "rules": rules }] }))
        .await;
    recorder.call(&owner, "setRatePair", Method::PUT, &pair, Some(json!({ "revision": 0, "rules": rules }))).await;
    house.later(Duration::from_secs(5)).await;
    let claim = house.customer().post("/api/v1/claim/", super::order(&house, "0.015")).await.ok();
    let explain = format!("{RATES}/claims/{}/explain", claim["id"].as_str().expect("it has an identifier"));
    recorder.get(&owner, "explainClaimRate", &explain).await;
    recorder.get(&owner, "listRateSources", &format!("{RATES}/sources")).await;
    PRICE.store(9_000_000, Ordering::Relaxed);
    house.later(Duration::from_secs(5)).await;
    recorder.get(&owner, "listRateStops", &format!("{RATES}/stops")).await;
    recorder.get(&owner, "getRatePair", &pair).await;
    recorder.get(&owner, "getRateHistory", &format!("{pair}/history")).await;
    recorder.post_empty(&owner, "releaseRatePair", &format!("{pair}/release")).await;
}
