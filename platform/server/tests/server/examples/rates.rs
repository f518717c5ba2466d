//! A rate source, the rules of a pair, and a suspension.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use agio_plugin_runtime::BuiltInPlugins;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    CallResult, LocalizedText, Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse, PriceObservation, Prices,
};
use agio_test_app::{Database, Engine, TestApp};
use reqwest::Method;
use serde_json::json;

use super::Recorder;

const RATES: &str = "/api/admin/v1/rates";

/// The source's rate of BTC in roubles.
static PRICE: AtomicI64 = AtomicI64::new(0);

const FIRST_PRICE: i64 = 6_441_600;

struct Exchange;

impl Plugin for Exchange {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "exchange".to_owned(),
            version: "1".to_owned(),
            kind: PluginKind::Rates,
            title: LocalizedText::new("Биржа", "Exchange"),
            about: LocalizedText::new("Лучшие цены стакана", "The best prices of its book"),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: PluginLimits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &PluginRequest) -> PluginResponse {
        let price = PRICE.load(Ordering::Relaxed);
        let observed_at = agio_core::Timestamp(question.now).to_string();
        let observation = PriceObservation {
            base: "BTC".into(),
            quote: "RUB".into(),
            bid: price.into(),
            ask: (price + 900).into(),
            observed_at,
        };
        PluginResponse::Done(CallResult::Prices(Prices { observations: vec![observation], skipped: Vec::new() }))
    }
}

/// Enables a source, sets the rules of a pair, suspends and resumes it.
pub async fn explain_rates(recorder: &mut Recorder) {
    PRICE.store(FIRST_PRICE, Ordering::Relaxed);
    let database = Database::with_market(Engine::Sqlite).await;
    let app = TestApp::start_with_plugins(database, |_| {}, |executor| BuiltInPlugins::new(executor).with(Exchange, &[])).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    let set =
        json!({ "revision": 0, "enabled": true, "everySeconds": 2, "maxAgeSeconds": 60, "priority": 1, "crossCheck": false });
    recorder.call(&owner, "updateRateSource", Method::PUT, &format!("{RATES}/sources/exchange"), Some(set)).await;
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).expect("the demonstration has it").id();
    let pair = format!("{RATES}/pairs/{}", market.between(id("BTC"), id("SBERRUB")).expect("it is offered").pair.id);
    let levels = json!([{ "from": "0", "percent": "-0.5" }, { "from": "80", "percent": "0" }]);
    let rules = json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": { "target": "30000000", "levels": levels } });
    let number = market.between(id("BTC"), id("SBERRUB")).expect("it is offered").pair.id;
    recorder
        .post(
            &owner,
            "dryRunRateRules",
            &format!("{RATES}/dry-run"),
            json!({ "changes": [{ "pairId": number, "rules": rules }] }),
        )
        .await;
    let formula = json!({ "formula": "mid(exchange:BTCRUB) * (1 - 0.5%)", "bounds": { "floor": "1", "ceiling": "4" } });
    recorder.post(&owner, "previewPairRateRules", &format!("{pair}/preview"), json!({ "rules": formula })).await;
    recorder.call(&owner, "updatePairRateRules", Method::PUT, &pair, Some(json!({ "revision": 0, "rules": rules }))).await;
    let bounds = json!({ "bounds": { "floor": "1.5", "ceiling": "4" } });
    let update = json!({ "ids": [number], "fields": ["bounds"], "rules": bounds, "dryRun": true });
    recorder.post(&owner, "updatePairsRateRules", &format!("{RATES}/pairs/bulk"), update).await;
    app.advance_and_run_jobs(Duration::from_secs(5)).await;
    let claim = app.visitor().post("/api/v1/claim/", super::order(&app, "0.015")).await.ok();
    let explain = format!("{RATES}/claims/{}/explain", claim["id"].as_str().expect("it has an identifier"));
    recorder.get(&owner, "explainClaimRate", &explain).await;
    recorder.get(&owner, "listRateSources", &format!("{RATES}/sources")).await;
    PRICE.store(9_000_000, Ordering::Relaxed);
    app.advance_and_run_jobs(Duration::from_secs(5)).await;
    recorder.get(&owner, "listPairSuspensions", &format!("{RATES}/suspensions")).await;
    recorder.get(&owner, "getPairRateDetails", &pair).await;
    recorder.get(&owner, "getRateHistory", &format!("{pair}/history")).await;
    recorder.post_empty(&owner, "resumePair", &format!("{pair}/resume")).await;
}
