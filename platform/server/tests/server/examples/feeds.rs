//! Feeds for exchange aggregators.

use agio_test_app::{TestApp, TestClient};
use reqwest::Method;
use serde_json::json;

use super::Recorder;

/// Creates, updates and deletes an aggregator.
pub async fn publish_feeds(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    owner.put("/api/admin/v1/tech", json!({ "on": false, "time": null })).await.ok();
    let id = |code: &str| app.server.calculator.market().currency_named(code).expect("the demonstration has it").id();
    let (btc, sber) = (id("BTC"), id("SBERRUB"));
    let new = json!({ "slug": "bestchange", "name": "BestChange", "codes": [{ "currencyId": sber, "code": "SBERRUB" }] });
    let created = recorder.post(owner, "createAggregator", "/api/admin/v1/aggregators", new).await;
    let path = format!("/api/admin/v1/aggregators/{}", created["id"].as_str().unwrap());
    let change = json!({ "revision": 1, "marks": ["reg"] });
    recorder.call(owner, "updateAggregator", Method::PATCH, &path, Some(change)).await;
    let visitor = app.visitor();
    recorder.get(&visitor, "getRatesJson", "/export/rates.json").await;
    recorder.get(&visitor, "getAggregatorRatesJson", "/export/bestchange/rates.json").await;
    // Two currencies with one code: the second direction is left out, and the list says why.
    let same = json!({ "revision": 2, "codes": [{ "currencyId": sber, "code": "BTC" }] });
    owner.patch(&path, same).await.ok();
    recorder.get(owner, "listAggregators", "/api/admin/v1/aggregators").await;
    recorder.get(owner, "listAggregatorDirections", &format!("/api/admin/v1/aggregators/directions?from={btc}")).await;
    let setup = json!({ "listed": true, "marks": ["reg", "otherout"] });
    let direction = format!("/api/admin/v1/aggregators/directions/{btc}/{sber}");
    recorder.call(owner, "updateAggregatorDirection", Method::PUT, &direction, Some(setup)).await;
    owner.delete(&path).await;
}
