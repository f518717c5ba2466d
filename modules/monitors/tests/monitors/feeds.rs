//! What monitors fetch.

use std::time::Duration;

use agio_core::identity::Role;
use agio_testkit::{Answer, Caller, Database, Engine, House, both_engines};
use reqwest::Method;
use serde_json::{Value, json};

use crate::rules;

pub const FEED: &str = "/export/rates.xml";

fn etag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

async fn asks_again(caller: &Caller, name: &str) -> Answer {
    caller.send(caller.request(Method::GET, FEED).header("if-none-match", name)).await
}

pub fn id(house: &House, code: &str) -> i64 {
    house.app.calculator.market().currency_named(code).unwrap().id()
}

/// Sets the rate of a pair by hand, as so much of what the market says.
pub async fn sets_rate(house: &House, owner: &Caller, from: &str, to: &str, share: &str) {
    let market = house.app.calculator.market();
    let pair = market.between(id(house, from), id(house, to)).unwrap();
    let says = market.rates.fresh(&pair.from.facts.ticker, &pair.to.facts.ticker).unwrap().rate;
    let rate = (says * share.parse::<rust_decimal::Decimal>().unwrap()).round_sf(10).unwrap();
    let change = json!({
        "revision": pair.pair.revision, "source": "manual", "manualRate": rate.to_string(), "spreadPercent": "0",
        "fees": { "from": { "fixed": "0", "percent": "0" }, "to": { "fixed": "0", "percent": "0" } },
    });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair.pair.id), change).await.ok();
}

pub async fn listed(caller: &Caller, path: &str) -> Vec<(String, String)> {
    let answer = caller.get(path).await;
    assert!(answer.status.is_success(), "{}", answer.text);
    let entries = rules::read(&answer.text);
    entries.iter().map(|entry| (entry.ends().0.to_owned(), entry.ends().1.to_owned())).collect()
}

pub async fn room(owner: &Caller) -> Value {
    owner.get("/api/admin/v1/monitors").await.ok()
}

async fn the_feed_says_what_the_site_says_and_is_made_anew_only_when_something_changes(engine: Engine) {
    let house = House::open(engine).await;
    let (robot, owner) = (house.customer(), house.owner().await);
    let answer = robot.get(FEED).await;
    assert_eq!(answer.headers["content-type"], "application/xml; charset=utf-8");
    let entries = rules::read(&answer.text);
    assert!(entries.len() > 50, "the demonstration has a market: {}", entries.len());
    assert!(entries.iter().all(|entry| entry.marks().contains("manual")), "people pay here");
    for entry in entries.iter().step_by(entries.len() / 7) {
        let (from, to) = entry.ends();
        let pair = robot.get(&format!("/api/v1/calculator/pair/{}/{}/", id(&house, from), id(&house, to))).await.ok();
        let number = |value: &Value| rules::number(value.as_str().unwrap());
        let course = number(&pair["course"]);
        let (give, get) = (entry.number("in"), entry.number("out"));
        assert!(get <= course * give && get >= course * give * rules::number("0.99999999"), "{entry:?} {course}");
        assert_eq!(entry.number("frommin"), number(&pair["from"]["min"]));
        assert!(entry.number("frommax") <= number(&pair["from"]["max"]) && entry.number("amount") <= number(&pair["reserve"]));
    }
    // What is added on top of the rate is told with it.
    let market = house.app.calculator.market();
    let mut with_fees = 0;
    for entry in &entries {
        let (from, to) = entry.ends();
        let pair = market.between(id(&house, from), id(&house, to)).unwrap();
        for (name, fee) in [("fromfee", pair.pair.fee_from.fixed), ("tofee", pair.pair.fee_to.fixed)] {
            assert_eq!(entry.text(name).map(rules::number), (!fee.is_zero()).then_some(fee), "{name} of {entry:?}");
            with_fees += usize::from(!fee.is_zero());
        }
    }
    assert!(with_fees > 10, "the demonstration has fees: {with_fees}");
    let told = robot.get("/export/rates.json").await.ok();
    assert_eq!(told["rates"].as_array().unwrap().len(), entries.len());

    let name = etag(&answer);
    let again = asks_again(&robot, &name).await;
    assert_eq!((again.status.as_u16(), again.text.as_str(), etag(&again)), (304, "", name.clone()));
    let packed = robot.send(robot.request(Method::GET, FEED).header("accept-encoding", "br, gzip")).await;
    assert_eq!(packed.headers["content-encoding"], "gzip");
    assert_ne!(etag(&packed), name, "another representation has another name");
    assert_eq!(asks_again(&robot, &etag(&packed)).await.status, 304);

    let built = room(&owner).await["own"]["builtAt"].clone();
    house.later(Duration::from_secs(300)).await;
    assert_eq!(asks_again(&robot, &name).await.status, 304);
    assert_eq!(room(&owner).await["own"]["builtAt"], built, "nothing changed, nothing was made");
    sets_rate(&house, &owner, "BTC", "SBERRUB", "0.97").await;
    let changed = asks_again(&robot, &name).await;
    assert_eq!(changed.status, 200, "the very next call has the new rate");
    assert_ne!(etag(&changed), name);
    assert_ne!(room(&owner).await["own"]["builtAt"], built);

    owner.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    let paused = robot.get(FEED).await;
    assert_eq!((paused.status.as_u16(), rules::read(&paused.text).len()), (200, 0), "valid and empty: {}", paused.text);
    owner.put("/api/admin/v1/tech", json!({ "on": false, "time": null })).await.ok();
    assert_eq!(etag(&robot.get(FEED).await), etag(&changed), "the same content has the same name");
}

async fn a_bad_rate_is_kept_out_and_told(engine: Engine) {
    let house = House::open(engine).await;
    let (robot, owner) = (house.customer(), house.owner().await);
    let all = listed(&robot, FEED).await;
    let findings = room(&owner).await["findings"].clone();
    assert_eq!(findings, json!([]), "the demonstration's market is sound");
    let open = json!({ "rates.allow_arbitrage": true });
    owner.put("/api/admin/v1/settings?confirm=rates.allow_arbitrage", open).await.ok();
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());

    sets_rate(&house, &owner, "BTC", "SBERRUB", "0.6").await;
    sets_rate(&house, &owner, "BTC", "USDTTRC20", "1.09").await;
    let left = listed(&robot, FEED).await;
    let gone: Vec<_> = all.iter().filter(|ends| !left.contains(ends)).cloned().collect();
    assert_eq!(gone.len(), all.len() - left.len());
    assert!(gone.contains(&pair("BTC", "SBERRUB")) && gone.contains(&pair("BTC", "USDTTRC20")), "{gone:?}");
    let seen = room(&owner).await;
    let rule = |from: &str, to: &str| {
        let findings = seen["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["from"] == from && found["to"] == to);
        found.unwrap_or_else(|| panic!("{findings:?}"))["rule"].clone()
    };
    assert_eq!((rule("BTC", "SBERRUB"), rule("BTC", "USDTTRC20")), (json!("rate_far"), json!("arbitrage")));
    assert_eq!(seen["own"]["keptOut"], json!(gone.len()));

    house.later(Duration::from_secs(120)).await;
    let letter = house.mail_to("owner@agio.example").await.pop().unwrap();
    assert_eq!(letter.kind, "alert_monitors");
    assert!(letter.text.contains("BTC > USDTTRC20: arbitrage (times 1.08"), "{}", letter.text);
    house.later(Duration::from_secs(7_200)).await;
    let owner = house.owner().await;
    let told = house.mail_to("owner@agio.example").await;
    assert_eq!(told.iter().filter(|mail| mail.kind == "alert_monitors").count(), 1, "nobody is told twice");

    sets_rate(&house, &owner, "BTC", "SBERRUB", "0.98").await;
    sets_rate(&house, &owner, "BTC", "USDTTRC20", "0.98").await;
    assert_eq!(listed(&robot, FEED).await, all);
    assert_eq!(room(&owner).await["findings"], json!([]));
}

async fn robots_are_not_counted_and_others_are(engine: Engine) {
    let house = House::open_on(Database::make(engine).await, |config| config.server.calls_per_minute = 3).await;
    let robot = house.customer().from_address("178.32.48.31");
    for _ in 0..6 {
        assert_eq!(robot.get(FEED).await.status, 200);
    }
    let stranger = house.customer().from_address("203.0.113.9");
    for _ in 0..3 {
        assert_eq!(stranger.get(FEED).await.status, 200);
    }
    stranger.get(FEED).await.refused(429, "too_many_requests");
    // What lets a robot through is for feeds alone.
    for _ in 0..3 {
        robot.get("/api/v1/calculator/tech/").await.ok();
    }
    robot.get("/api/v1/calculator/tech/").await.refused(429, "too_many_requests");
    let owner = house.staff(Role::Owner).await.from_address("10.0.0.1");
    let settings = json!({ "monitors.robots": "2001:db8::/32, 203.0.113.0/24" });
    owner.put("/api/admin/v1/settings", settings).await.ok();
    assert_eq!(stranger.get(FEED).await.status, 200);
    let refused = owner.from_address("10.0.0.2").put("/api/admin/v1/settings", json!({ "monitors.robots": "bestchange" })).await;
    refused.refused(422, "validation_failed");
}

/// The reason a direction is stopped for, as the console shows it; nothing where it is not.
async fn stop_of(owner: &Caller, pair: i64) -> Option<Value> {
    let request = owner.request(Method::GET, "/api/admin/v1/rates/stops").header("accept-language", "en");
    let stops = owner.send(request).await.ok();
    stops.as_array().unwrap().iter().find(|stop| stop["pairId"] == pair).cloned()
}

async fn a_direction_over_which_a_round_trip_gains_is_not_sold(engine: Engine) {
    let house = House::open(engine).await;
    let (visitor, owner) = (house.customer(), house.owner().await);
    let (btc, usdt, sber) = (id(&house, "BTC"), id(&house, "USDTTRC20"), id(&house, "SBERRUB"));
    let pair = house.app.calculator.market().between(btc, usdt).unwrap().pair.id;
    let address = format!("/api/v1/calculator/pair/{btc}/{usdt}/");
    let before = visitor.get(&address).await.ok();
    assert_eq!(stop_of(&owner, pair).await, None);

    // The very next call finds it closed: nobody has to wait for a job.
    sets_rate(&house, &owner, "BTC", "USDTTRC20", "1.09").await;
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
    assert!(text.contains("BTC → USDTTRC20") && text.contains("for 1 ("), "{text}");
    let listed = owner.get("/api/admin/v1/pairs").await.ok();
    let row = listed.as_array().unwrap().iter().find(|row| row["id"] == pair).unwrap().clone();
    assert_eq!(row["state"], "stopped");
    owner.post_empty(&format!("/api/admin/v1/rates/pairs/{pair}/release")).await.refused(409, "pair_in_round_trip");
    house.later(Duration::from_secs(120)).await;
    assert_eq!(stop_of(&owner, pair).await.unwrap()["since"], stop["since"], "it stays stopped, and since the same moment");
    let letters = house.mail_to("owner@agio.example").await;
    assert!(letters.iter().any(|letter| letter.kind == "alert_rates" && letter.text.contains("BTC")), "{letters:?}");

    // It is left open by a setting alone that somebody confirmed.
    let settings = "/api/admin/v1/settings";
    let open = json!({ "rates.allow_arbitrage": true });
    owner.put(settings, open.clone()).await.refused(422, "confirmation_needed");
    owner.put(&format!("{settings}?confirm=rates.sources"), open.clone()).await.refused(422, "confirmation_needed");
    visitor.get(&address).await.refused(404, "pair_unavailable");
    let unconfirmed = house.staff_named("unconfirmed", Role::Owner).await;
    let confirmed = format!("{settings}?confirm=rates.allow_arbitrage");
    unconfirmed.put(&confirmed, open.clone()).await.refused(403, "fresh_second_factor_needed");
    owner.put(&confirmed, open).await.ok();
    visitor.get(&address).await.ok();
    assert_eq!(stop_of(&owner, pair).await, None);
    owner.put(settings, json!({ "rates.allow_arbitrage": false })).await.ok();
    visitor.get(&address).await.refused(404, "pair_unavailable");

    // It goes on by itself with the rate that ends the cause.
    sets_rate(&house, &owner, "BTC", "USDTTRC20", "0.98").await;
    visitor.get(&address).await.ok();
    assert_eq!(stop_of(&owner, pair).await, None);
}

both_engines!(
    a_direction_over_which_a_round_trip_gains_is_not_sold,
    the_feed_says_what_the_site_says_and_is_made_anew_only_when_something_changes,
    a_bad_rate_is_kept_out_and_told,
    robots_are_not_counted_and_others_are,
);
