//! Feeds, and what monitors get.

use agio_testkit::{Caller, House};
use reqwest::Method;
use serde_json::json;

use super::Recorder;

/// A monitor that is added, changed and removed.
pub async fn be_listed(house: &House, owner: &Caller, recorder: &mut Recorder) {
    owner.put("/api/admin/v1/tech", json!({ "on": false, "time": null })).await.ok();
    let id = |code: &str| house.app.calculator.market().currency_named(code).expect("the demonstration has it").id();
    let (btc, sber) = (id("BTC"), id("SBERRUB"));
    let new = json!({ "slug": "bestchange", "name": "BestChange", "codes": [{ "currencyId": sber, "code": "SBERRUB" }] });
    let made = recorder.post(owner, "addMonitor", "/api/admin/v1/monitors", new).await;
    let path = format!("/api/admin/v1/monitors/{}", made["id"].as_str().unwrap());
    let change = json!({ "revision": 1, "marks": ["reg"], "city": "MSK" });
    recorder.call(owner, "changeMonitor", Method::PATCH, &path, Some(change)).await;
    let visitor = house.customer();
    recorder.get(&visitor, "exportRatesJson", "/export/rates.json").await;
    recorder.get(&visitor, "exportMonitorRatesJson", "/export/bestchange/rates.json").await;
    // Codes of two currencies that are one: the second direction is kept out, and the list says why.
    let same = json!({ "revision": 2, "codes": [{ "currencyId": sber, "code": "BTC" }] });
    owner.patch(&path, same).await.ok();
    recorder.get(owner, "listMonitors", "/api/admin/v1/monitors").await;
    recorder.get(owner, "listMonitorDirections", &format!("/api/admin/v1/monitors/directions?from={btc}")).await;
    let setup = json!({ "listed": true, "marks": ["reg", "otherout"] });
    let direction = format!("/api/admin/v1/monitors/directions/{btc}/{sber}");
    recorder.call(owner, "setMonitorDirection", Method::PUT, &direction, Some(setup)).await;
    owner.delete(&path).await;
}
