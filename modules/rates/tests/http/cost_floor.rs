//! A floor of the margin over the cost price.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::fixtures::{
    RATES_API, Source, SourceBehaviour, bitcoin_suspension, create_claim, currency, cycle, open_with_sources, pair, set_rules,
    show_pair,
};

async fn details(app: &TestApp, id: i64) -> Value {
    app.owner().await.get(&format!("{RATES_API}/pairs/{id}")).await.ok()
}

async fn change_pair(app: &TestApp, id: i64, mut change: Value) {
    let owner = app.owner().await;
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    change["revision"] = pairs.as_array().unwrap().iter().find(|pair| pair["id"] == id).unwrap()["revision"].clone();
    owner.patch(&format!("/api/admin/v1/pairs/{id}"), change).await.ok();
}

/// Bitcoins for roubles, at least 0.01, and what the bank takes for a payout.
async fn charge(app: &TestApp, least: &str, network_fee: &str) -> i64 {
    let id = pair(app, "BTC", "SBERRUB");
    let fee = json!({ "fixed": "0", "percent": "0" });
    let limits = json!({ "from": { "min": least, "max": null }, "to": { "min": null, "max": null } });
    change_pair(app, id, json!({ "fees": { "from": fee, "to": fee }, "tiers": [], "limits": limits })).await;
    set_network_fee(app, network_fee).await;
    id
}

async fn set_network_fee(app: &TestApp, network_fee: &str) {
    let path = format!("/api/admin/v1/currencies/{}", currency(app, "SBERRUB"));
    app.owner().await.patch(&path, json!({ "networkFee": network_fee })).await.ok();
}

fn bounds(floor_over: &str) -> Value {
    json!({ "floor": "1", "ceiling": "4", "floorOver": floor_over })
}

async fn preview(client: &TestClient, id: i64, rules: Value) -> Value {
    let request = client.request(reqwest::Method::POST, &format!("{RATES_API}/pairs/{id}/preview"));
    client.send(request.header("accept-language", "en").json(&json!({ "rules": rules }))).await.ok()
}

/// What is left of the smallest exchange over its cost, in percent.
fn over_cost(costs: &Value) -> &str {
    costs["smallest"]["marginPercent"].as_str().unwrap()
}

async fn competitors_are_not_followed_below_the_cost_price(engine: Engine) {
    let (source, aggregator) = (Source::new("kraken"), Source::aggregator("bestchange"));
    let offer = |name: &str, rate: &str| (name.to_owned(), rate.to_owned(), "9000000".to_owned());
    // Margins of 1.2 % and 1.6 %.
    aggregator.says(SourceBehaviour::Offers(vec![offer("Cheap", "6364300.8"), offer("Good", "6338534.4")]));
    let app = open_with_sources(engine, &[&source, &aggregator]).await;
    // A payout costs half a percent of the smallest exchange, 64,416 roubles.
    let id = charge(&app, "0.01", "322.08").await;
    let rank = json!({
        "aggregator": "bestchange", "best": 1, "worst": 2, "step": "5", "undercut": "0.01", "own": [], "leastReserve": "0",
    });
    let rules = |floor_over: &str| json!({ "bounds": bounds(floor_over), "rank": rank });
    set_rules(&app, id, rules("market")).await;
    cycle(&app).await;
    let below = details(&app, id).await;
    assert_eq!((&below["marginPercent"], over_cost(&below["costs"])), (&json!("1.19"), "0.69"), "{below}");

    // The same rules over the cost price, as an editor sees them before they are saved.
    let editor = app.staff(Role::Editor).await;
    let seen = preview(&editor, id, rules("cost")).await;
    assert_eq!((over_cost(&seen["before"]["costs"]), over_cost(&seen["after"]["costs"])), ("0.69", "1.09"), "{seen}");
    set_rules(&app, id, rules("cost")).await;
    cycle(&app).await;
    let now = details(&app, id).await;
    assert_eq!(now["rules"]["bounds"], bounds("cost"));
    assert_eq!((&now["marginPercent"], over_cost(&now["costs"])), (&json!("1.59"), "1.09"), "the second rank: {now}");
    assert_eq!(now["costs"], seen["after"]["costs"], "as was shown");
    let smallest = &now["costs"]["smallest"];
    assert_eq!((&now["costs"]["networkFee"], &smallest["give"]), (&json!("322.08"), &json!("0.01")), "{now}");
    // 64,416 less the fee, and less what the customer receives.
    assert_eq!((&smallest["costPrice"], &smallest["receive"]), (&json!("6409392"), &json!("63391.78")), "{now}");
    assert_eq!(smallest["margin"], "702.14");

    // Nothing else takes the rate below the floor either: it stays there.
    let levels = json!([{ "from": "0", "percent": "3" }]);
    let mut generous = rules("cost");
    generous["reserve"] = json!({ "target": "1000", "levels": levels });
    set_rules(&app, id, generous).await;
    cycle(&app).await;
    let now = details(&app, id).await;
    assert_eq!((&now["marginPercent"], over_cost(&now["costs"])), (&json!("1.5"), "1"), "{now}");
    assert_eq!(now["rate"]["agrees"], true);
    let shown = show_pair(&app, "BTC", "SBERRUB").await.ok();
    assert_eq!(shown["course"], "6344976");

    // The customer bears the fee: it is no cost, and the first rank pays.
    set_rules(&app, id, rules("cost")).await;
    change_pair(&app, id, json!({ "networkFeePayer": "customer" })).await;
    cycle(&app).await;
    let now = details(&app, id).await;
    assert_eq!((&now["marginPercent"], over_cost(&now["costs"])), (&json!("1.19"), "1.19"), "{now}");
}

async fn a_direction_without_a_rate_above_the_floor_is_suspended(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let id = charge(&app, "0.01", "322.08").await;
    // The floor is held without any other rule, too.
    let editor = app.staff(Role::Editor).await;
    set_rules(&app, id, json!({ "bounds": { "floor": "2", "ceiling": "2.1", "floorOver": "cost" } })).await;
    cycle(&app).await;
    let now = details(&app, id).await;
    assert_eq!((&now["marginPercent"], over_cost(&now["costs"])), (&json!("2.5"), "2"), "it wins over the ceiling: {now}");

    // A payout costs more than the smallest exchange brings: shown for one pair and for several, then so.
    let rules = json!({ "bounds": bounds("cost") });
    set_rules(&app, id, json!({})).await;
    set_network_fee(&app, "70000").await;
    cycle(&app).await;
    let seen = preview(&editor, id, rules.clone()).await;
    let reason = seen["suspension"].as_str().unwrap();
    assert!(reason.contains("70000 SBERRUB") && reason.contains("1%"), "{seen}");
    let costs = &seen["before"]["costs"]["smallest"];
    assert!(costs["costPrice"] == Value::Null && costs["margin"].as_str().unwrap().starts_with('-'), "{seen}");
    let bulk = json!({ "ids": [id], "fields": ["bounds"], "rules": rules, "dryRun": true });
    let seen = editor.post(&format!("{RATES_API}/pairs/bulk"), bulk).await.ok();
    let row = &seen["pairs"][0];
    assert!(row["wasSuspended"] == false && row["suspension"].as_str().unwrap().contains("70000 SBERRUB"), "{seen}");
    set_rules(&app, id, rules).await;
    cycle(&app).await;
    let (cause, text) = bitcoin_suspension(&app).await.unwrap();
    assert!(cause == "below_cost" && text.contains("70000 SBERRUB"), "{text}");
    create_claim(&app, "BTC", "0.02", None).await.refused(404, "pair_unavailable");
    create_claim(&app, "ETH", "0.05", None).await.ok();
    editor.post_empty(&format!("{RATES_API}/pairs/{id}/resume")).await.refused(409, "pair_below_cost");

    // It resumes by itself with a smallest amount that pays for the payout.
    charge(&app, "1", "70000").await;
    cycle(&app).await;
    assert!(bitcoin_suspension(&app).await.is_none());
    let now = details(&app, id).await;
    assert_eq!(over_cost(&now["costs"]), "1.11", "the spread is 2.2 %, and the fee 1.087 %: {now}");
    create_claim(&app, "BTC", "1", None).await.ok();
}

async fn several_directions_show_their_cost_before_and_after(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let ids = [charge(&app, "0.01", "322.08").await, pair(&app, "BTC", "TCSBRUB")];
    let rules = json!({ "bounds": { "floor": "3", "ceiling": "4", "floorOver": "cost" } });
    let update = |dry_run| json!({ "ids": ids, "fields": ["bounds"], "rules": rules, "dryRun": dry_run });
    let editor = app.staff(Role::Editor).await;
    let seen = editor.post(&format!("{RATES_API}/pairs/bulk"), update(true)).await.ok();
    let row = seen["pairs"].as_array().unwrap().iter().find(|row| row["pairId"] == ids[0]).unwrap();
    assert_eq!((over_cost(&row["costsBefore"]), over_cost(&row["costsAfter"])), ("1.7", "3"), "{row}");
    assert_eq!(details(&app, ids[0]).await["rules"]["bounds"], Value::Null, "nothing is stored");
    editor.post(&format!("{RATES_API}/pairs/bulk"), update(false)).await.ok();
    cycle(&app).await;
    assert_eq!(details(&app, ids[0]).await["costs"], row["costsAfter"], "as was shown");
}

async fn an_unknown_cost_price_suspends_a_direction(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let id = charge(&app, "0.01", "322.08").await;
    change_pair(&app, id, json!({ "source": "manual", "manualRate": "6400000", "spreadPercent": "0" })).await;
    set_rules(&app, id, json!({ "bounds": bounds("cost") })).await;
    cycle(&app).await;
    let now = details(&app, id).await;
    assert_eq!((&now["isManual"], over_cost(&now["costs"])), (&json!(true), "1"), "over the market rate: {now}");

    source.says(SourceBehaviour::Refuses("closed".to_owned()));
    for _ in 0..14 {
        cycle(&app).await;
    }
    let (cause, text) = bitcoin_suspension(&app).await.unwrap();
    assert!(cause == "cost_unknown" && text.contains("BTC/RUB") && text.contains("1%"), "{text}");
    let now = details(&app, id).await;
    assert_eq!((&now["marketRate"], &now["costs"]), (&Value::Null, &Value::Null), "{now}");
    create_claim(&app, "BTC", "0.02", None).await.refused(404, "pair_unavailable");

    source.says(SourceBehaviour::price(crate::fixtures::PRICE));
    cycle(&app).await;
    assert!(bitcoin_suspension(&app).await.is_none(), "it resumes by itself");
    create_claim(&app, "BTC", "0.02", None).await.ok();
}

fn reject(approval: &Value) -> String {
    format!("/api/admin/v1/approvals/{}/reject", approval["id"].as_str().unwrap())
}

async fn one_person_does_not_lower_a_floor_over_cost_far(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    // A payout costs a quarter of the smallest exchange.
    let id = charge(&app, "0.01", "16104").await;
    set_rules(&app, id, json!({ "bounds": bounds("cost") })).await;
    cycle(&app).await;
    assert_eq!(details(&app, id).await["marginPercent"], "26");
    app.owner().await.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    let editor = app.staff(Role::Editor).await;
    let set = async |rules: Value| {
        let path = format!("{RATES_API}/pairs/{id}");
        let revision = editor.get(&path).await.ok()["revision"].clone();
        editor.put(&path, json!({ "revision": revision, "rules": rules })).await
    };
    assert_eq!(set(json!({ "bounds": bounds("cost"), "sources": 1 })).await.status.as_u16(), 200, "the margin stays");
    let levels = json!([{ "from": "0", "percent": "1" }]);
    let reserve = json!({ "target": "1", "levels": levels });
    let asked = set(json!({ "bounds": bounds("market"), "reserve": reserve })).await;
    assert_eq!(asked.status.as_u16(), 202, "{}", asked.text);
    let facts = asked.json()["facts"].to_string();
    assert!(facts.contains("1 … 4") && facts.contains("26"), "{facts}");
    cycle(&app).await;
    let rate: Decimal = details(&app, id).await["customerRate"].as_str().unwrap().parse().unwrap();
    assert_eq!(rate, Decimal::from(4_766_784), "nothing is set yet");
    app.owner().await.post(&reject(&asked.json()), json!({ "reason": "too far" })).await.ok();

    // The same margin over the market rate is one person's. Back over the cost price it could fall with the network fee.
    let same = json!({ "bounds": { "floor": "26", "ceiling": "26" }, "reserve": reserve });
    assert_eq!(set(same).await.status.as_u16(), 200);
    assert_eq!(set(json!({ "bounds": bounds("cost") })).await.status.as_u16(), 202);
}

both_engines!(
    competitors_are_not_followed_below_the_cost_price,
    a_direction_without_a_rate_above_the_floor_is_suspended,
    several_directions_show_their_cost_before_and_after,
    an_unknown_cost_price_suspends_a_direction,
    one_person_does_not_lower_a_floor_over_cost_far,
);
