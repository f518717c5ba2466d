//! What customers and aggregators see of how payments are handled.

use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{BTC_CERTAIN, World};

both_engines!(a_feed_calls_manual_what_staff_pay_out, a_floating_rate_says_what_fixes_it);

async fn feed(world: &World) -> Vec<Value> {
    world.app.visitor().get("/export/rates.json").await.ok()["rates"].as_array().unwrap().clone()
}

async fn entry(world: &World, from: &str, to: &str) -> Option<Value> {
    feed(world).await.into_iter().find(|entry| entry["from"] == from && entry["to"] == to)
}

async fn is_manual(world: &World, from: &str, to: &str) -> bool {
    let entry = entry(world, from, to).await.expect("it is in the feed");
    entry["options"].as_array().unwrap().contains(&json!("manual"))
}

fn route(revision: i64, auto_payout: bool, limit: &str) -> Value {
    json!({
        "revision": revision, "driver": "sandbox-chain", "enabled": true, "confirmations": 3, "dust": "0.00000546",
        "screening": "screener", "autoPayout": auto_payout, "claimLimit": limit, "dayLimit": "60",
    })
}

async fn a_feed_calls_manual_what_staff_pay_out(engine: Engine) {
    let world = World::open(engine).await;
    for entry in feed(&world).await {
        let is_paid_by_driver = entry["to"] == "BTC" || entry["to"] == "ETH";
        let is_manual = entry["options"].as_array().unwrap().contains(&json!("manual"));
        assert_eq!(is_manual, !is_paid_by_driver, "{entry}");
    }
    // Nobody works: what needs nobody stays.
    let hours = |from: i64, to: i64| json!({ "aggregators.hours_from": from, "aggregators.hours_to": to });
    world.owner().await.put("/api/admin/v1/settings", hours(16, 23)).await.ok();
    let at_night = feed(&world).await;
    assert!(!at_night.is_empty() && at_night.iter().all(|entry| entry["to"] == "BTC" || entry["to"] == "ETH"), "{at_night:?}");
    world.owner().await.put("/api/admin/v1/settings", hours(0, 24)).await.ok();

    world.set_route("ETH", route(1, false, "5")).await.ok();
    assert!(is_manual(&world, "BTC", "ETH").await && !is_manual(&world, "ETH", "BTC").await, "the next call shows it");
    // Payouts leave by themselves, but none as great as the least of this direction.
    world.set_route("ETH", route(2, true, "0.000001")).await.ok();
    assert!(is_manual(&world, "BTC", "ETH").await);
    world.set_route("ETH", route(3, true, "5")).await.ok();
    assert!(!is_manual(&world, "BTC", "ETH").await);
}

async fn a_floating_rate_says_what_fixes_it(engine: Engine) {
    let world = World::open(engine).await;
    let shown = async |from: &str, to: &str| {
        let path = format!("/en/api/v1/calculator/pair/{}/{}/", world.id(from), world.id(to));
        world.app.visitor().get(&path).await.ok()["floating"].clone()
    };
    world.set_pair("BTC", "SBERRUB", json!({ "floating": false })).await;
    assert_eq!(shown("BTC", "SBERRUB").await, Value::Null);
    world.set_pair("BTC", "SBERRUB", json!({ "floating": true, "hold": 45 })).await;
    let terms = shown("BTC", "SBERRUB").await;
    assert_eq!((&terms["confirmations"], &terms["minutes"]), (&json!(BTC_CERTAIN), &json!(45)));
    assert!(terms["source"].as_str().is_some_and(|source| !source.is_empty()), "{terms}");
    // The spread and the fees in percent, to two decimals.
    let pair = world.pair("BTC", "SBERRUB").await;
    let number = |value: &Value| value.as_str().unwrap().parse::<rust_decimal::Decimal>().unwrap();
    let kept =
        (rust_decimal::Decimal::ONE - number(&pair["rate"]) / number(&pair["marketRate"])) * rust_decimal::Decimal::ONE_HUNDRED;
    let apart = number(&terms["deviationPercent"]) + kept;
    assert!(apart.abs() < "0.01".parse().unwrap() && number(&terms["deviationPercent"]).is_sign_negative(), "{terms} {kept}");

    let rate = entry(&world, "BTC", "SBERRUB").await.unwrap();
    assert_eq!(rate["floating_minutes"], 45);
    assert!(rate["options"].as_array().unwrap().contains(&json!("floating")));
    let xml = world.app.visitor().get("/export/rates.xml").await.text;
    assert!(xml.contains("<floating minutes=\"45\"/>"));

    // Roubles are confirmed by staff.
    world.set_pair("SBERRUB", "BTC", json!({ "floating": true })).await;
    assert_eq!(shown("SBERRUB", "BTC").await["confirmations"], Value::Null);
    // Another rule for confirmations is shown at once.
    let changed = json!({
        "revision": 1, "driver": "sandbox-chain", "enabled": true, "confirmations": 5, "dust": "0.00000546", "screening": "screener",
        "autoPayout": true, "claimLimit": "5", "dayLimit": "60",
    });
    world.set_route("BTC", changed).await.ok();
    world.run_jobs().await;
    assert_eq!(shown("BTC", "SBERRUB").await["confirmations"], 5);
}
