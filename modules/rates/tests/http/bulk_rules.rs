//! The same rate rules for several pairs.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{RATES_API, Source, cycle, open_with_sources, pair, set_rules, show_pair};

const BULK: &str = "/api/admin/v1/rates/pairs/bulk";

fn update(ids: &[i64], fields: &[&str], rules: Value, dry_run: bool) -> Value {
    json!({ "ids": ids, "fields": fields, "rules": rules, "dryRun": dry_run })
}

async fn send(app: &TestApp, body: Value) -> TestResponse {
    app.owner().await.post(BULK, body).await
}

async fn rules_of(app: &TestApp, id: i64) -> Value {
    app.owner().await.get(&format!("{RATES_API}/pairs/{id}")).await.ok()["rules"].clone()
}

async fn some_rules_of_several_pairs_change_together(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let ids = ["SBERRUB", "TCSBRUB"].map(|code| pair(&app, "BTC", code));
    let own = json!({ "bounds": { "floor": "1", "ceiling": "5" }, "jumpPercent": "7" });
    set_rules(&app, ids[0], own).await;
    let before = show_pair(&app, "BTC", "SBERRUB").await.ok()["course"].clone();

    // Noon in London is 15:00 in Moscow, a Thursday.
    let window = json!({ "days": [4], "from": "15:00", "to": "16:00", "percent": "-1" });
    let rules = json!({
        "bounds": { "floor": "2", "ceiling": "4" }, "schedule": { "timeZone": "Europe/Moscow", "windows": [window] },
        "jumpPercent": "90",
    });
    let fields = ["bounds", "schedule"];
    let shown = send(&app, update(&ids, &fields, rules.clone(), true)).await.ok();
    assert_eq!((&shown["changed"], shown["pairs"].as_array().unwrap().len()), (&json!(2), 2), "{shown}");
    assert_eq!((&shown["pairs"][0]["from"], &shown["pairs"][0]["before"]), (&json!("BTC"), &before));
    assert_eq!(rules_of(&app, ids[1]).await["bounds"], Value::Null, "a dry run stores nothing");

    send(&app, update(&ids, &fields, rules.clone(), false)).await.ok();
    cycle(&app).await;
    assert_eq!(show_pair(&app, "BTC", "SBERRUB").await.ok()["course"], shown["pairs"][0]["after"], "as was shown");
    let [one, other] = [rules_of(&app, ids[0]).await, rules_of(&app, ids[1]).await];
    assert_eq!((&one["bounds"], &other["bounds"]), (&rules["bounds"], &rules["bounds"]));
    assert_eq!((&one["jumpPercent"], &other["jumpPercent"]), (&json!("7"), &Value::Null), "the others stay");
    let log = app.owner().await.get("/api/admin/v1/audit?action=rate_rules.changed").await.ok();
    let entries = log["items"].as_array().unwrap();
    assert_eq!(entries.len(), 2, "one for each call");
    let lines = entries[0]["after"].to_string();
    assert!(lines.contains("BTC → SBERRUB") && lines.contains("BTC → TCSBRUB") && !lines.contains("jumpPercent"), "{lines}");
    assert_eq!(entries[0]["before"].as_array().map(Vec::len), Some(2), "they had different ones");

    // What is set already changes nothing, and a missing rule is removed.
    assert_eq!(send(&app, update(&ids, &fields, rules, false)).await.ok()["changed"], 0);
    send(&app, update(&ids, &["schedule"], json!({}), false)).await.ok();
    assert_eq!(rules_of(&app, ids[0]).await["schedule"], Value::Null);
}

async fn all_pairs_change_or_none(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let ids = ["SBERRUB", "TCSBRUB"].map(|code| pair(&app, "BTC", code));
    let bounds = json!({ "bounds": { "floor": "1", "ceiling": "5" } });
    send(&app, update(&[ids[0], 999_999], &["bounds"], bounds.clone(), false)).await.refused(404, "pair_unknown");
    let refused = send(&app, update(&ids, &[], bounds.clone(), false)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["fields"][0]["code"], "required");
    let inverted = json!({ "bounds": { "floor": "5", "ceiling": "1" } });
    let refused = send(&app, update(&ids, &["bounds"], inverted, true)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["rules.bounds.ceiling"][0]["code"], "max_below_min");
    // A formula has the unit of its pair.
    let formula = json!({ "formula": "market:BTC/RUB" });
    let eth = pair(&app, "ETH", "SBERRUB");
    let refused = send(&app, update(&[ids[0], eth], &["formula"], formula, false)).await.refused(422, "validation_failed");
    assert!(refused["errors"]["rules.formula"].is_array(), "{refused}");
    let many: Vec<i64> = (1..=1_001).collect();
    send(&app, update(&many, &["bounds"], bounds.clone(), true)).await.refused(422, "too_many_pairs");

    // A second person looks at each.
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    let levels = json!([{ "from": "0", "percent": "-0.1" }, { "from": "50", "percent": "0.1" }]);
    let wide = json!({ "bounds": { "floor": "0", "ceiling": "60" }, "reserve": { "target": "30000000", "levels": levels } });
    let editor = app.staff(Role::Editor).await;
    editor.post(BULK, update(&ids, &["bounds", "reserve"], wide, false)).await.refused(409, "approval_one_by_one");
    assert_eq!(rules_of(&app, ids[0]).await["bounds"], Value::Null);
    app.operator().await.post(BULK, update(&ids, &["bounds"], bounds, true)).await.refused(403, "forbidden");
}

both_engines!(some_rules_of_several_pairs_change_together, all_pairs_change_or_none);
