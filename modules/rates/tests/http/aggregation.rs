//! Aggregation of several sources.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{
    RATES_API, Source, SourceBehaviour, bitcoin_suspension, configure_source, create_claim, currency, cycle, list_suspensions,
    open_with_sources, pair, set_rules, show_pair,
};

async fn two_of_three_sources_agree_and_set_the_worse_price(engine: Engine) {
    let (one, other, mad) = (Source::new("binance"), Source::new("kraken"), Source::new("wild"));
    one.says(SourceBehaviour::sides("6440000", "6441000"));
    other.says(SourceBehaviour::sides("6435000", "6445000"));
    mad.says(SourceBehaviour::price("64400000"));
    let app = open_with_sources(engine, &[&one, &other, &mad]).await;
    assert_eq!(bitcoin_suspension(&app).await, None);
    // 2.2 % spread: selling bitcoin gets the lower bid, buying it pays the higher ask.
    let sells = show_pair(&app, "BTC", "SBERRUB").await.ok();
    assert_eq!(sells["course"], "6293430");
    assert!(sells["explanation"].as_str().unwrap().contains("6,435,000"), "{sells}");
    let market = |from: &str, to: &str| {
        let market = app.server.calculator.market();
        market.pair(pair(&app, from, to)).unwrap().rate.as_ref().unwrap().explanation.to_string()
    };
    assert!(market("BTC", "SBERRUB").contains("6435000 (BTC/RUB, kraken"), "{}", market("BTC", "SBERRUB"));
    assert!(market("SBERRUB", "BTC").contains("6445000 (BTC/RUB, kraken"), "{}", market("SBERRUB", "BTC"));

    // The third source fails like the first: no majority of two is left.
    other.says(SourceBehaviour::price("5000000"));
    cycle(&app).await;
    let (cause, text) = bitcoin_suspension(&app).await.unwrap();
    assert_eq!(cause, "apart");
    for name in ["binance", "kraken", "wild"] {
        assert!(text.contains(name), "{text}");
    }
    create_claim(&app, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
}

async fn a_pair_needs_its_number_of_sources_and_cross_checks_count(engine: Engine) {
    let (one, checker) = (Source::new("kraken"), Source::checker("gecko"));
    let app = open_with_sources(engine, &[&one, &checker]).await;
    set_rules(&app, pair(&app, "BTC", "SBERRUB"), json!({ "sources": 2 })).await;
    cycle(&app).await;
    assert_eq!(bitcoin_suspension(&app).await, None);
    let sources = app.owner().await.get(&format!("{RATES_API}/sources")).await.ok();
    assert_eq!(
        (&sources[1]["name"], &sources[1]["crossCheck"], &sources[1]["live"]),
        (&json!("gecko"), &json!(true), &json!(true))
    );

    configure_source(&app.owner().await, "gecko", false, 9).await;
    cycle(&app).await;
    let (cause, text) = bitcoin_suspension(&app).await.unwrap();
    assert_eq!((cause.as_str(), text.as_str()), ("too_few", "Too few sources agree on BTC/RUB: 1, 2 required."));
    // One source is enough for the other pair.
    let beside = pair(&app, "BTC", "TCSBRUB");
    assert!(list_suspensions(&app).await.iter().all(|suspension| suspension["pairId"] != beside));

    // A cross-check source alone gives no price.
    configure_source(&app.owner().await, "gecko", true, 9).await;
    configure_source(&app.owner().await, "kraken", false, 1).await;
    cycle(&app).await;
    assert_eq!(bitcoin_suspension(&app).await.unwrap().0, "too_few");
}

async fn an_imported_price_is_named_when_more_sources_are_needed(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let ether = pair(&app, "ETH", "SBERRUB");
    set_rules(&app, ether, json!({ "sources": 2 })).await;
    cycle(&app).await;
    let list_suspensions = list_suspensions(&app).await;
    let suspension = list_suspensions.iter().find(|suspension| suspension["pairId"] == ether).unwrap();
    assert_eq!(suspension["text"], "Too few sources agree on ETH/USD: 1, 2 required.");
}

async fn disabling_all_sources_clears_the_decisions(engine: Engine) {
    let courses = |app: &TestApp| -> Vec<_> {
        let market = app.server.calculator.market();
        market.pairs.iter().map(|pair| (pair.pair.id, pair.rate.as_ref().map(|rate| rate.explanation.clone()))).collect()
    };
    let plain = TestApp::start(engine).await;
    let before = courses(&plain);
    cycle(&plain).await;
    assert_eq!(courses(&plain), before);

    let source = Source::new("kraken");
    source.says(SourceBehaviour::price("9999999"));
    let app = open_with_sources(engine, &[&source]).await;
    assert_ne!(courses(&app), before);
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "2024-03-28" })).await.ok();
    cycle(&app).await;
    assert_eq!(courses(&app), before, "a fixed day is a fixed day");
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    cycle(&app).await;
    source.says(SourceBehaviour::price("1"));
    cycle(&app).await;
    assert!(!list_suspensions(&app).await.is_empty());
    configure_source(&owner, "kraken", false, 1).await;
    cycle(&app).await;
    assert_eq!(courses(&app), before);
    assert_eq!(list_suspensions(&app).await.len(), 0);
}

async fn sources_and_rules_need_permissions(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let (owner, auditor) = (app.owner().await, app.staff(Role::Auditor).await);
    let set =
        json!({ "revision": 1, "enabled": true, "everySeconds": 1, "maxAgeSeconds": 1, "priority": -1, "crossCheck": false });
    auditor.put(&format!("{RATES_API}/sources/kraken"), set.clone()).await.refused(403, "forbidden");
    let problem = owner.put(&format!("{RATES_API}/sources/kraken"), set).await.refused(422, "validation_failed");
    for field in ["everySeconds", "maxAgeSeconds", "priority"] {
        assert_eq!(problem["errors"][field][0]["code"], "value_out_of_range", "{problem}");
    }
    let set =
        json!({ "revision": 0, "enabled": true, "everySeconds": 9, "maxAgeSeconds": 60, "priority": 1, "crossCheck": false });
    owner.put(&format!("{RATES_API}/sources/kraken"), set.clone()).await.refused(409, "rate_source_changed");
    owner.put(&format!("{RATES_API}/sources/nobody"), set).await.refused(404, "rate_source_unknown");

    let id = pair(&app, "BTC", "SBERRUB");
    let path = format!("{RATES_API}/pairs/{id}");
    let wrong = json!({ "revision": 0, "rules": {
        "sources": 0, "jumpPercent": "0", "moves": [{ "from": "5", "percent": "1" }, { "from": "1", "percent": "99" }],
        "schedule": { "timeZone": "Moscow", "windows": [{ "days": [8], "from": "25:00", "to": "1:00" }] },
        "rank": { "aggregator": "m", "best": 3, "worst": 1, "step": "0", "undercut": "0.01", "leastReserve": "-1" },
    } });
    let problem = owner.put(&path, wrong).await.refused(422, "validation_failed");
    for (field, code) in [
        ("sources", "value_out_of_range"),
        ("jumpPercent", "value_out_of_range"),
        ("bounds", "required"),
        ("moves", "checkpoints_not_ascending"),
        ("moves[1].percent", "value_out_of_range"),
        ("schedule.timeZone", "time_zone_unknown"),
        ("schedule.windows[0].days", "value_out_of_range"),
        ("schedule.windows[0].from", "time_malformed"),
        ("schedule.windows[0].to", "time_malformed"),
        ("rank.worst", "max_below_min"),
        ("rank.step", "value_out_of_range"),
        ("rank.leastReserve", "amount_negative"),
    ] {
        assert_eq!(problem["errors"][field][0]["code"], code, "{field}: {problem}");
    }
    let rules = json!({ "revision": 0, "rules": { "sources": 1, "jumpPercent": "7.5" } });
    assert_eq!(owner.put(&path, rules.clone()).await.ok()["rules"], rules["rules"]);
    owner.put(&path, rules).await.refused(409, "rate_rules_changed");
    owner.get(&format!("{RATES_API}/pairs/999999")).await.refused(404, "pair_unknown");
    owner.post(&format!("{RATES_API}/pairs/999999/preview"), json!({ "rules": {} })).await.refused(404, "pair_unknown");
    auditor.get(&path).await.ok();
    app.assert_audit_chain_is_intact().await;
}

/// While some pair has no rate, the set-up needs a source with a fresh price.
async fn the_set_up_needs_a_fresh_price(engine: Engine) {
    let app = open_with_sources(engine, &[&Source::new("kraken")]).await;
    let owner = app.owner().await;
    let text = |text: &str| json!({ "ru": text, "en": text });
    let unpriced = json!({
        "code": "NEWCOIN", "ticker": "NEWCOIN", "name": text("Newcoin"), "network": text("Newcoin"), "kind": "cash", "icon": "new",
        "scale": 8, "roundCalculator": 8, "send": true, "receive": false, "inputs": [], "cities": [{ "code": "MSK", "name": text("Moscow") }],
    });
    let unpriced = owner.post("/api/admin/v1/currencies", unpriced).await.ok();
    let pairs = json!({ "giveIds": [unpriced["id"]], "receiveIds": [currency(&app, "BTC")], "set": {}, "dryRun": false });
    owner.post("/api/admin/v1/pairs", pairs).await.ok();
    let is_done = async || {
        let setup = owner.get("/api/admin/v1/setup").await.ok();
        setup["steps"].as_array().unwrap().iter().any(|step| step["step"] == "rates" && step["done"] == true)
    };
    assert!(is_done().await);
    app.advance_clock(Duration::from_secs(61));
    assert!(!is_done().await);
    cycle(&app).await;
    assert!(is_done().await);
    configure_source(&owner, "kraken", false, 0).await;
    assert!(!is_done().await);
}

both_engines!(
    the_set_up_needs_a_fresh_price,
    two_of_three_sources_agree_and_set_the_worse_price,
    a_pair_needs_its_number_of_sources_and_cross_checks_count,
    an_imported_price_is_named_when_more_sources_are_needed,
    disabling_all_sources_clears_the_decisions,
    sources_and_rules_need_permissions,
);
