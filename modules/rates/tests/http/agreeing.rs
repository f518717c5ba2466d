//! Several sources.

use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::world::{RATES, Says, Source, claims, cycle, live, pair, sets, shown, stops, switches, why};

async fn two_of_three_agree_and_the_worse_side_of_theirs_is_the_rate(engine: Engine) {
    let (one, other, mad) = (Source::new("binance"), Source::new("kraken"), Source::new("wild"));
    one.says(Says::sides("6440000", "6441000"));
    other.says(Says::sides("6435000", "6445000"));
    mad.says(Says::price("64400000"));
    let house = live(engine, &[&one, &other, &mad]).await;
    assert_eq!(why(&house).await, None);
    // 2.2 % of spread: who sells bitcoin gets the lower bid of the two, who buys it pays the higher ask.
    let sells = shown(&house, "BTC", "SBERRUB").await.ok();
    assert_eq!(sells["course"], "6293430");
    assert!(sells["explanation"].as_str().unwrap().contains("6,435,000"), "{sells}");
    let market = |from: &str, to: &str| {
        let market = house.app.calculator.market();
        market.pair(pair(&house, from, to)).unwrap().rate.as_ref().unwrap().explanation.to_string()
    };
    assert!(market("BTC", "SBERRUB").contains("6435000 (BTC/RUB, kraken"), "{}", market("BTC", "SBERRUB"));
    assert!(market("SBERRUB", "BTC").contains("6445000 (BTC/RUB, kraken"), "{}", market("SBERRUB", "BTC"));

    // The third of them goes the way of the first: now nobody is in a majority of two.
    other.says(Says::price("5000000"));
    cycle(&house).await;
    let (cause, text) = why(&house).await.unwrap();
    assert_eq!(cause, "apart");
    for name in ["binance", "kraken", "wild"] {
        assert!(text.contains(name), "{text}");
    }
    claims(&house, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
}

async fn a_pair_that_wants_two_sources_stops_with_one_and_a_checker_counts(engine: Engine) {
    let (one, checker) = (Source::new("kraken"), Source::checker("gecko"));
    let house = live(engine, &[&one, &checker]).await;
    sets(&house, pair(&house, "BTC", "SBERRUB"), json!({ "sources": 2 })).await;
    cycle(&house).await;
    assert_eq!(why(&house).await, None);
    let seen = house.owner().await.get(&format!("{RATES}/sources")).await.ok();
    assert_eq!((&seen[1]["name"], &seen[1]["crossCheck"], &seen[1]["live"]), (&json!("gecko"), &json!(true), &json!(true)));

    switches(&house.owner().await, "gecko", false, 9).await;
    cycle(&house).await;
    let (cause, text) = why(&house).await.unwrap();
    assert_eq!((cause.as_str(), text.as_str()), ("too_few", "Sources that agree on BTC/RUB: 1, and 2 are needed."));
    // One source is enough for the pair beside it.
    let beside = pair(&house, "BTC", "TCSBRUB");
    assert!(stops(&house).await.iter().all(|stop| stop["pairId"] != beside));

    // A checker alone is no price.
    switches(&house.owner().await, "gecko", true, 9).await;
    switches(&house.owner().await, "kraken", false, 1).await;
    cycle(&house).await;
    assert_eq!(why(&house).await.unwrap().0, "too_few");
}

async fn a_price_that_only_a_file_brought_in_is_named_when_it_needs_more_sources(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let ether = pair(&house, "ETH", "SBERRUB");
    sets(&house, ether, json!({ "sources": 2 })).await;
    cycle(&house).await;
    let stops = stops(&house).await;
    let stop = stops.iter().find(|stop| stop["pairId"] == ether).unwrap();
    assert_eq!(stop["text"], "Sources that agree on ETH/USD: 1, and 2 are needed.");
}

async fn while_no_source_is_on_nothing_changes_and_what_is_switched_off_is_taken_back(engine: Engine) {
    let courses = |house: &House| -> Vec<_> {
        let market = house.app.calculator.market();
        market.pairs.iter().map(|pair| (pair.pair.id, pair.rate.as_ref().map(|rate| rate.explanation.clone()))).collect()
    };
    let plain = House::open(engine).await;
    let before = courses(&plain);
    cycle(&plain).await;
    assert_eq!(courses(&plain), before);

    let source = Source::new("kraken");
    source.says(Says::price("9999999"));
    let house = live(engine, &[&source]).await;
    assert_ne!(courses(&house), before);
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "2024-03-28" })).await.ok();
    cycle(&house).await;
    assert_eq!(courses(&house), before, "a fixed day is a fixed day");
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    cycle(&house).await;
    source.says(Says::price("1"));
    cycle(&house).await;
    assert!(!stops(&house).await.is_empty());
    switches(&owner, "kraken", false, 1).await;
    cycle(&house).await;
    assert_eq!(courses(&house), before);
    assert_eq!(stops(&house).await.len(), 0);
}

async fn sources_and_rules_are_set_by_those_who_may(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let (owner, auditor) = (house.owner().await, house.staff(Role::Auditor).await);
    let set =
        json!({ "revision": 1, "enabled": true, "everySeconds": 1, "maxAgeSeconds": 1, "priority": -1, "crossCheck": false });
    auditor.put(&format!("{RATES}/sources/kraken"), set.clone()).await.refused(403, "forbidden");
    let problem = owner.put(&format!("{RATES}/sources/kraken"), set).await.refused(422, "validation_failed");
    for field in ["everySeconds", "maxAgeSeconds", "priority"] {
        assert_eq!(problem["errors"][field][0]["code"], "value_out_of_range", "{problem}");
    }
    let set =
        json!({ "revision": 0, "enabled": true, "everySeconds": 9, "maxAgeSeconds": 60, "priority": 1, "crossCheck": false });
    owner.put(&format!("{RATES}/sources/kraken"), set.clone()).await.refused(409, "rate_source_changed");
    owner.put(&format!("{RATES}/sources/nobody"), set).await.refused(404, "rate_source_unknown");

    let id = pair(&house, "BTC", "SBERRUB");
    let path = format!("{RATES}/pairs/{id}");
    let wrong = json!({ "revision": 0, "rules": {
        "sources": 0, "jumpPercent": "0", "moves": [{ "from": "5", "percent": "1" }, { "from": "1", "percent": "99" }],
        "schedule": { "aheadMinutes": 0, "windows": [{ "days": [8], "from": "25:00", "to": "1:00" }] },
        "position": { "monitor": "m", "best": 3, "worst": 1, "step": "0", "undercut": "0.01", "leastReserve": "-1" },
    } });
    let problem = owner.put(&path, wrong).await.refused(422, "validation_failed");
    for (field, code) in [
        ("sources", "value_out_of_range"),
        ("jumpPercent", "value_out_of_range"),
        ("bounds", "required"),
        ("moves", "checkpoints_not_ascending"),
        ("moves[1].percent", "value_out_of_range"),
        ("schedule.windows[0].days", "value_out_of_range"),
        ("schedule.windows[0].from", "time_malformed"),
        ("schedule.windows[0].to", "time_malformed"),
        ("position.worst", "max_below_min"),
        ("position.step", "value_out_of_range"),
        ("position.leastReserve", "amount_negative"),
    ] {
        assert_eq!(problem["errors"][field][0]["code"], code, "{field}: {problem}");
    }
    let rules = json!({ "revision": 0, "rules": { "sources": 1, "jumpPercent": "7.5" } });
    assert_eq!(owner.put(&path, rules.clone()).await.ok()["rules"], rules["rules"]);
    owner.put(&path, rules).await.refused(409, "rate_rules_changed");
    owner.get(&format!("{RATES}/pairs/999999")).await.refused(404, "pair_unknown");
    auditor.get(&path).await.ok();
    house.audit_is_whole().await;
}

both_engines!(
    two_of_three_agree_and_the_worse_side_of_theirs_is_the_rate,
    a_pair_that_wants_two_sources_stops_with_one_and_a_checker_counts,
    a_price_that_only_a_file_brought_in_is_named_when_it_needs_more_sources,
    while_no_source_is_on_nothing_changes_and_what_is_switched_off_is_taken_back,
    sources_and_rules_are_set_by_those_who_may,
);
