//! Public feeds.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse, both_engines};
use reqwest::Method;
use serde_json::{Value, json};

use crate::rules;

pub const FEED: &str = "/export/rates.xml";

fn etag(answer: &TestResponse) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

async fn fetch_again(caller: &TestClient, name: &str) -> TestResponse {
    caller.send(caller.request(Method::GET, FEED).header("if-none-match", name)).await
}

pub fn id(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).unwrap().id()
}

/// Sets the rate of a pair as a multiple of the market rate.
pub async fn sets_rate(app: &TestApp, owner: &TestClient, from: &str, to: &str, share: &str) {
    let market = app.server.calculator.market();
    let pair = market.between(id(app, from), id(app, to)).unwrap();
    let says = market.rates.fresh(&pair.give.facts.ticker, &pair.receive.facts.ticker).unwrap().rate;
    let rate = (says * share.parse::<rust_decimal::Decimal>().unwrap()).round_sf(10).unwrap();
    let change = json!({
        "revision": pair.pair.revision, "source": "manual", "manualRate": rate.to_string(), "spreadPercent": "0",
        "fees": { "from": { "fixed": "0", "percent": "0" }, "to": { "fixed": "0", "percent": "0" } },
    });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.pair.id), change).await.ok();
}

pub async fn listed(caller: &TestClient, path: &str) -> Vec<(String, String)> {
    let answer = caller.get(path).await;
    assert!(answer.status.is_success(), "{}", answer.text);
    let entries = rules::read(&answer.text);
    entries.iter().map(|entry| (entry.ends().0.to_owned(), entry.ends().1.to_owned())).collect()
}

pub async fn aggregator_list(owner: &TestClient) -> Value {
    owner.get("/api/admin/v1/aggregators").await.ok()
}

async fn the_feed_has_the_rates_of_the_site_and_is_rebuilt_only_on_changes(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (robot, owner) = (app.visitor(), app.owner().await);
    let answer = robot.get(FEED).await;
    assert_eq!(answer.headers["content-type"], "application/xml; charset=utf-8");
    let entries = rules::read(&answer.text);
    assert!(entries.len() > 50, "the demonstration has a market: {}", entries.len());
    assert!(entries.iter().all(|entry| entry.marks().contains("manual")), "people pay here");
    for entry in entries.iter().step_by(entries.len() / 7) {
        let (from, to) = entry.ends();
        let pair = robot.get(&format!("/api/v1/calculator/pair/{}/{}/", id(&app, from), id(&app, to))).await.ok();
        let number = |value: &Value| rules::number(value.as_str().unwrap());
        let site_rate = number(&pair["course"]);
        let (give, get) = (entry.number("in"), entry.number("out"));
        assert!(get <= site_rate * give && get >= site_rate * give * rules::number("0.99999999"), "{entry:?} {site_rate}");
        assert_eq!(entry.number("frommin"), number(&pair["from"]["min"]));
        assert!(entry.number("frommax") <= number(&pair["from"]["max"]) && entry.number("amount") <= number(&pair["reserve"]));
    }
    // Fixed fees are part of the feed.
    let market = app.server.calculator.market();
    let mut with_fees = 0;
    for entry in &entries {
        let (from, to) = entry.ends();
        let pair = market.between(id(&app, from), id(&app, to)).unwrap();
        for (name, fee) in [("fromfee", pair.pair.give_fee.fixed), ("tofee", pair.pair.receive_fee.fixed)] {
            assert_eq!(entry.text(name).map(rules::number), (!fee.is_zero()).then_some(fee), "{name} of {entry:?}");
            with_fees += usize::from(!fee.is_zero());
        }
    }
    assert!(with_fees > 10, "the demonstration has fees: {with_fees}");
    let shown = robot.get("/export/rates.json").await.ok();
    assert_eq!(shown["rates"].as_array().unwrap().len(), entries.len());

    let name = etag(&answer);
    let again = fetch_again(&robot, &name).await;
    assert_eq!((again.status.as_u16(), again.text.as_str(), etag(&again)), (304, "", name.clone()));
    let packed = robot.send(robot.request(Method::GET, FEED).header("accept-encoding", "br, gzip")).await;
    assert_eq!(packed.headers["content-encoding"], "gzip");
    assert_ne!(etag(&packed), name, "another representation has another name");
    assert_eq!(fetch_again(&robot, &etag(&packed)).await.status, 304);

    let built = aggregator_list(&owner).await["own"]["builtAt"].clone();
    app.advance_and_run_jobs(Duration::from_secs(300)).await;
    assert_eq!(fetch_again(&robot, &name).await.status, 304);
    assert_eq!(aggregator_list(&owner).await["own"]["builtAt"], built, "not rebuilt without a change");
    sets_rate(&app, &owner, "BTC", "SBERRUB", "0.97").await;
    let changed = fetch_again(&robot, &name).await;
    assert_eq!(changed.status, 200, "the very next call has the new rate");
    assert_ne!(etag(&changed), name);
    assert_ne!(aggregator_list(&owner).await["own"]["builtAt"], built);

    owner.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    let paused = robot.get(FEED).await;
    assert_eq!((paused.status.as_u16(), rules::read(&paused.text).len()), (200, 0), "valid and empty: {}", paused.text);
    owner.put("/api/admin/v1/tech", json!({ "on": false, "time": null })).await.ok();
    assert_eq!(etag(&robot.get(FEED).await), etag(&changed), "the same content has the same name");
}

async fn a_bad_rate_is_excluded_and_reported(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (robot, owner) = (app.visitor(), app.owner().await);
    let all = listed(&robot, FEED).await;
    let findings = aggregator_list(&owner).await["findings"].clone();
    assert_eq!(findings, json!([]), "the demonstration's market is sound");
    let open = json!({ "rates.allow_arbitrage": true });
    owner.put("/api/admin/v1/settings?confirm=rates.allow_arbitrage", open).await.ok();
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());

    sets_rate(&app, &owner, "BTC", "SBERRUB", "0.6").await;
    sets_rate(&app, &owner, "BTC", "USDTTRC20", "1.09").await;
    let left = listed(&robot, FEED).await;
    let gone: Vec<_> = all.iter().filter(|ends| !left.contains(ends)).cloned().collect();
    assert_eq!(gone.len(), all.len() - left.len());
    assert!(gone.contains(&pair("BTC", "SBERRUB")) && gone.contains(&pair("BTC", "USDTTRC20")), "{gone:?}");
    let view = aggregator_list(&owner).await;
    let rule = |from: &str, to: &str| {
        let findings = view["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["from"] == from && found["to"] == to);
        found.unwrap_or_else(|| panic!("{findings:?}"))["rule"].clone()
    };
    assert_eq!((rule("BTC", "SBERRUB"), rule("BTC", "USDTTRC20")), (json!("rate_far"), json!("arbitrage")));
    assert_eq!(view["own"]["keptOut"], json!(gone.len()));

    app.advance_and_run_jobs(Duration::from_secs(120)).await;
    let email = app.emails_to("owner@agio.example").await.pop().unwrap();
    assert_eq!(email.kind, "alert_aggregators");
    assert!(email.text.contains("BTC > USDTTRC20: arbitrage (times 1.08"), "{}", email.text);
    app.advance_and_run_jobs(Duration::from_secs(7_200)).await;
    let owner = app.owner().await;
    let shown = app.emails_to("owner@agio.example").await;
    assert_eq!(shown.iter().filter(|mail| mail.kind == "alert_aggregators").count(), 1, "nobody is notified twice");

    sets_rate(&app, &owner, "BTC", "SBERRUB", "0.98").await;
    sets_rate(&app, &owner, "BTC", "USDTTRC20", "0.98").await;
    assert_eq!(listed(&robot, FEED).await, all);
    assert_eq!(aggregator_list(&owner).await["findings"], json!([]));
}

async fn crawlers_are_not_rate_limited(engine: Engine) {
    let app = TestApp::start_with(Database::empty(engine).await, |config| config.server.calls_per_minute = 3).await;
    let robot = app.visitor().from_address("178.32.48.31");
    for _ in 0..6 {
        assert_eq!(robot.get(FEED).await.status, 200);
    }
    let other_visitor = app.visitor().from_address("203.0.113.9");
    for _ in 0..3 {
        assert_eq!(other_visitor.get(FEED).await.status, 200);
    }
    other_visitor.get(FEED).await.refused(429, "too_many_requests");
    // The exemption is for feeds only.
    for _ in 0..3 {
        robot.get("/api/v1/calculator/tech/").await.ok();
    }
    robot.get("/api/v1/calculator/tech/").await.refused(429, "too_many_requests");
    let owner = app.staff(Role::Owner).await.from_address("10.0.0.1");
    let settings = json!({ "aggregators.robots": "2001:db8::/32, 203.0.113.0/24" });
    owner.put("/api/admin/v1/settings", settings).await.ok();
    assert_eq!(other_visitor.get(FEED).await.status, 200);
    let refused =
        owner.from_address("10.0.0.2").put("/api/admin/v1/settings", json!({ "aggregators.robots": "bestchange" })).await;
    refused.refused(422, "validation_failed");
}

/// The suspension reason of a direction, if any.
async fn stop_of(owner: &TestClient, pair: i64) -> Option<Value> {
    let request = owner.request(Method::GET, "/api/admin/v1/rates/suspensions").header("accept-language", "en");
    let stops = owner.send(request).await.ok();
    stops.as_array().unwrap().iter().find(|stop| stop["pairId"] == pair).cloned()
}

async fn a_direction_of_a_profitable_round_trip_is_excluded(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, owner) = (app.visitor(), app.owner().await);
    let (btc, usdt, sber) = (id(&app, "BTC"), id(&app, "USDTTRC20"), id(&app, "SBERRUB"));
    let pair = app.server.calculator.market().between(btc, usdt).unwrap().pair.id;
    let address = format!("/api/v1/calculator/pair/{btc}/{usdt}/");
    let before = visitor.get(&address).await.ok();
    assert_eq!(stop_of(&owner, pair).await, None);

    // The next request already sees the suspension.
    sets_rate(&app, &owner, "BTC", "USDTTRC20", "1.09").await;
    visitor.get(&address).await.refused(404, "pair_unavailable");
    visitor.get(&format!("/api/v1/calculator/course/{btc}/{usdt}/")).await.refused(404, "pair_unavailable");
    visitor.get(&format!("/api/v1/calculator/pair/{btc}/{sber}/")).await.ok();
    visitor.get(&format!("/api/v1/calculator/pair/{usdt}/{btc}/")).await.ok();
    let order = json!({
        "email": "ivan@example.com", "fromPs": btc, "toPs": usdt, "fromSumma": before["from"]["min"], "toSumma": "1",
        "quoteId": before["quote"]["id"], "fromRequisites": {}, "toRequisites": { "address": "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" },
        "extras": { "termsVersion": "1", "amlConsent": true, "ownFunds": true },
    });
    visitor.post("/api/v1/claim/", order).await.refused(404, "pair_unavailable");

    let stop = stop_of(&owner, pair).await.unwrap();
    assert_eq!(stop["cause"], "arbitrage");
    let text = stop["text"].as_str().unwrap();
    assert!(text.contains("BTC → USDTTRC20") && text.contains("turns 1 into"), "{text}");
    let listed = owner.get("/api/admin/v1/pairs").await.ok();
    let row = listed.as_array().unwrap().iter().find(|row| row["id"] == pair).unwrap().clone();
    assert_eq!(row["state"], "stopped");
    owner.post_empty(&format!("/api/admin/v1/rates/pairs/{pair}/resume")).await.refused(409, "pair_in_round_trip");
    app.advance_and_run_jobs(Duration::from_secs(120)).await;
    assert_eq!(stop_of(&owner, pair).await.unwrap()["since"], stop["since"], "it stays stopped, and since the same moment");
    let emails = app.emails_to("owner@agio.example").await;
    assert!(emails.iter().any(|email| email.kind == "alert_rates" && email.text.contains("BTC")), "{emails:?}");

    // Only a confirmed setting keeps it open.
    let settings = "/api/admin/v1/settings";
    let open = json!({ "rates.allow_arbitrage": true });
    owner.put(settings, open.clone()).await.refused(422, "confirmation_needed");
    owner.put(&format!("{settings}?confirm=rates.sources"), open.clone()).await.refused(422, "confirmation_needed");
    visitor.get(&address).await.refused(404, "pair_unavailable");
    let unconfirmed = app.staff_named("unconfirmed", Role::Owner).await;
    let confirmed = format!("{settings}?confirm=rates.allow_arbitrage");
    unconfirmed.put(&confirmed, open.clone()).await.refused(403, "fresh_second_factor_needed");
    owner.put(&confirmed, open).await.ok();
    visitor.get(&address).await.ok();
    assert_eq!(stop_of(&owner, pair).await, None);
    owner.put(settings, json!({ "rates.allow_arbitrage": false })).await.ok();
    visitor.get(&address).await.refused(404, "pair_unavailable");

    // It resumes once the rate is corrected.
    sets_rate(&app, &owner, "BTC", "USDTTRC20", "0.98").await;
    visitor.get(&address).await.ok();
    assert_eq!(stop_of(&owner, pair).await, None);
}

/// A direction with cash has one entry for each city, with the rate and limits of the direction.
async fn cash_is_listed_by_city(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (robot, owner) = (app.visitor(), app.owner().await);
    let cities = async || {
        let entries = rules::read(&robot.get(FEED).await.text);
        let cash = entries.iter().filter(|entry| entry.ends() == ("BTC", "CASHUSD"));
        cash.map(|entry| (entry.text("city").unwrap().to_owned(), entry.number("out"))).collect::<Vec<_>>()
    };
    let listed = cities().await;
    assert_eq!(listed.iter().map(|(city, _)| city.as_str()).collect::<Vec<_>>(), ["MSK", "DUBAI"]);
    assert_eq!(listed[0].1, listed[1].1);
    let pair = app.server.calculator.market().between(id(&app, "BTC"), id(&app, "CASHUSD")).unwrap().pair.clone();
    let limit = async |revision: i64, cities: Value| {
        let change = json!({ "revision": revision, "cities": cities });
        owner.patch(&format!("/api/admin/v1/pairs/{}", pair.id), change).await.ok();
    };
    limit(pair.revision, json!(["DUBAI"])).await;
    assert_eq!(cities().await.iter().map(|(city, _)| city.as_str()).collect::<Vec<_>>(), ["DUBAI"]);
    // The direction is not offered where its cash is not.
    let spb = json!({ "code": "SPB", "name": { "ru": "Санкт-Петербург", "en": "Saint Petersburg" } });
    owner.patch(&format!("/api/admin/v1/currencies/{}", id(&app, "CASHUSD")), json!({ "cities": [spb] })).await.ok();
    assert_eq!(cities().await, []);
    limit(pair.revision + 1, json!([])).await;
    assert_eq!(cities().await.iter().map(|(city, _)| city.as_str()).collect::<Vec<_>>(), ["SPB"]);
}

both_engines!(
    cash_is_listed_by_city,
    a_direction_of_a_profitable_round_trip_is_excluded,
    the_feed_has_the_rates_of_the_site_and_is_rebuilt_only_on_changes,
    a_bad_rate_is_excluded_and_reported,
    crawlers_are_not_rate_limited,
);
