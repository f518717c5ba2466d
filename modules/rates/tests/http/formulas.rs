//! Pairs whose rate a formula gives.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use reqwest::Method;
use serde_json::{Value, json};

use crate::fixtures::{
    PRICE, RATES_API, Source, SourceBehaviour, bitcoin_suspension, create_claim, cycle, list_suspensions, open_with_sources,
    pair, set_rules, show_pair,
};

/// The customer keeps 97.8 % of the market rate.
const BY_MARKET: &str = "6299884.8";

async fn formula_pair(engine: Engine, formula: &str) -> (TestApp, Source, i64) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let id = pair(&app, "BTC", "SBERRUB");
    set_rules(&app, id, json!({ "formula": formula })).await;
    cycle(&app).await;
    (app, source, id)
}

async fn course(app: &TestApp) -> Value {
    show_pair(app, "BTC", "SBERRUB").await.ok()["course"].clone()
}

async fn details(app: &TestApp, id: i64) -> Value {
    app.owner().await.get(&format!("{RATES_API}/pairs/{id}")).await.ok()
}

async fn preview(client: &TestClient, id: i64, rules: Value) -> Value {
    client.post(&format!("{RATES_API}/pairs/{id}/preview"), json!({ "rules": rules })).await.ok()
}

async fn a_pair_is_quoted_what_its_formula_says(engine: Engine) {
    let formula = "mid(kraken:BTCRUB) * (1 + 1%)";
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let id = pair(&app, "BTC", "SBERRUB");
    source.says(SourceBehaviour::sides("6441000", "6442200"));
    cycle(&app).await;

    let auditor = app.staff(Role::Auditor).await;
    let seen = preview(&auditor, id, json!({ "formula": formula })).await;
    assert_eq!((&seen["formulaRate"], &seen["marketRate"]), (&json!("6506016"), &json!("6441000")), "{seen}");
    assert_eq!((&seen["after"]["rate"], &seen["after"]["marginPercent"]), (&json!("6362883.648"), &json!("1.21")), "{seen}");
    assert_eq!((&seen["before"]["rate"], &seen["before"]["marginPercent"]), (&json!("6299298"), &json!("2.2")), "{seen}");
    let reference = &seen["references"][0];
    assert_eq!(
        (&reference["name"], &reference["bid"], &reference["ask"]),
        (&json!("kraken:BTC/RUB"), &json!("6441000"), &json!("6442200"))
    );
    assert_eq!((&reference["sources"], &reference["fault"]), (&json!(["kraken"]), &Value::Null));
    assert!(reference["observedAt"].is_string() && seen["sample"]["give"].is_string(), "{seen}");
    assert_eq!(course(&app).await, "6299298", "a preview changes nothing");

    set_rules(&app, id, json!({ "formula": format!(" {formula} ") })).await;
    cycle(&app).await;
    let shown = show_pair(&app, "BTC", "SBERRUB").await;
    assert!(!shown.text.contains("1%") && !shown.text.contains("mid("), "customers do not see the formula: {}", shown.text);
    let shown = shown.ok();
    assert_eq!(shown["course"], "6362883.648");
    let now = details(&app, id).await;
    assert_eq!((&now["rules"]["formula"], &now["rate"]["agrees"]), (&json!(formula), &json!(true)), "{now}");
    let sources = now["formulaSources"].as_array().unwrap();
    assert!(sources[0] == "market" && sources.contains(&json!("kraken")) && sources.contains(&json!("cbr")), "{now}");
    let text = now["rate"]["text"].as_str().unwrap();
    assert!(text.contains(formula) && text.contains("kraken:BTC/RUB"), "{text}");
    assert_eq!(
        (&now["marketRate"], &now["customerRate"], &now["marginPercent"]),
        (&json!("6441000"), &shown["course"], &json!("1.21"))
    );

    let claim = create_claim(&app, "BTC", "0.001", shown["quote"]["id"].as_str()).await.ok();
    let explained = app.owner().await.get(&format!("{RATES_API}/claims/{}/explain", claim["id"].as_str().unwrap())).await.ok();
    assert_eq!((&explained["rate"], &explained["agrees"]), (&shown["course"], &json!(true)), "{explained}");

    // Without the formula the market rate is back.
    set_rules(&app, id, json!({})).await;
    cycle(&app).await;
    assert_eq!(course(&app).await, "6299298");
}

async fn an_unusable_price_suspends_the_pair_and_is_named(engine: Engine) {
    let (app, source, id) = formula_pair(engine, "ask(kraken:BTC/RUB) * 0.99").await;
    assert_eq!(course(&app).await, "6236885.952");
    source.says(SourceBehaviour::sides("6441600", "6441500"));
    cycle(&app).await;
    let (cause, text) = bitcoin_suspension(&app).await.unwrap();
    assert_eq!(cause, "unusable");
    assert!(text.contains("kraken:BTC/RUB") && text.contains("bid above ask"), "{text}");
    create_claim(&app, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
    create_claim(&app, "ETH", "0.05", None).await.ok();
    assert_eq!(details(&app, id).await["customerRate"], Value::Null, "no other rate takes its place");

    source.says(SourceBehaviour::price(PRICE));
    for _ in 0..4 {
        cycle(&app).await;
    }
    assert_eq!(course(&app).await, "6236885.952");

    source.says(SourceBehaviour::Refuses("closed".to_owned()));
    for _ in 0..14 {
        cycle(&app).await;
    }
    let (cause, text) = bitcoin_suspension(&app).await.unwrap();
    assert!(cause == "stale" && text.contains("kraken:BTC/RUB") && text.contains("no data since"), "{text}");
    let seen = preview(&app.owner().await, id, json!({ "formula": "mid(kraken:BTCRUB)" })).await;
    assert!(seen["references"][0]["fault"].as_str().unwrap().contains("kraken"), "{seen}");
    assert_eq!((&seen["formulaRate"], &seen["after"]["rate"]), (&Value::Null, &Value::Null));
}

async fn a_formula_pair_is_suspended_by_price_jumps_and_held_within_its_bounds(engine: Engine) {
    let (app, source, id) = formula_pair(engine, "mid(kraken:BTCRUB)").await;
    source.says(SourceBehaviour::price("7200000"));
    cycle(&app).await;
    assert_eq!(bitcoin_suspension(&app).await.unwrap().0, "jump");
    source.says(SourceBehaviour::price(PRICE));
    for _ in 0..4 {
        cycle(&app).await;
    }
    assert_eq!(course(&app).await, BY_MARKET);

    // 4 % better than the market, less 2.2 %: the floor holds against the market.
    let bounds = json!({ "floor": "0.5", "ceiling": "3" });
    set_rules(&app, id, json!({ "formula": "mid(kraken:BTCRUB) * 1.04", "bounds": bounds })).await;
    cycle(&app).await;
    let now = details(&app, id).await;
    assert_eq!((&now["marginPercent"], &now["rate"]["agrees"]), (&json!("0.5"), &json!(true)), "{now}");
    set_rules(&app, id, json!({ "formula": "mid(kraken:BTCRUB) * 0.9", "bounds": bounds })).await;
    cycle(&app).await;
    assert_eq!(details(&app, id).await["marginPercent"], "3");
}

async fn a_formula_that_gains_on_a_round_trip_suspends_its_pair(engine: Engine) {
    let (app, _source, id) = formula_pair(engine, "mid(kraken:BTCRUB) * 1.06").await;
    let suspended = list_suspensions(&app).await;
    assert!(suspended.iter().any(|one| one["pairId"] == id && one["cause"] == "arbitrage"), "{suspended:?}");
    create_claim(&app, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
    set_rules(&app, id, json!({ "formula": "mid(kraken:BTCRUB)" })).await;
    cycle(&app).await;
    create_claim(&app, "BTC", "0.001", None).await.ok();
}

async fn a_formula_may_use_the_agreed_price_and_a_fixed_day(engine: Engine) {
    let (app, _source, id) = formula_pair(engine, "market:BTC/RUB").await;
    assert_eq!(course(&app).await, BY_MARKET);
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "2024-03-28" })).await.ok();
    cycle(&app).await;
    let day = details(&app, id).await;
    set_rules(&app, id, json!({})).await;
    cycle(&app).await;
    let plain = details(&app, id).await;
    let rate = |details: &Value| details["customerRate"].as_str().unwrap().parse::<rust_decimal::Decimal>().unwrap().round();
    assert!(rate(&day) >= rate(&plain), "the middle is not below the bid: {day} {plain}");
    set_rules(&app, id, json!({ "formula": "1 / currency-api:USD/BTC * cbr:USDRUB" })).await;
    cycle(&app).await;
    assert_eq!(rate(&details(&app, id).await), rate(&plain));
}

async fn mistakes_are_refused_in_both_languages(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let (id, owner) = (pair(&app, "BTC", "SBERRUB"), app.owner().await);
    let refused = async |formula: &str, language: &str| {
        let body = json!({ "revision": 0, "rules": { "formula": formula } });
        let request =
            owner.request(Method::PUT, &format!("{RATES_API}/pairs/{id}")).header("accept-language", language).json(&body);
        owner.send(request).await.refused(422, "validation_failed")["errors"]["formula"][0].clone()
    };
    let wrong = refused("1 / kraken:BTCRUB", "en").await;
    assert_eq!((&wrong["code"], &wrong["params"]["position"]), (&json!("formula_unit_wrong"), &json!("3")), "{wrong}");
    let text = |wrong: &Value| wrong["message"].as_str().unwrap().to_owned();
    assert_eq!(text(&wrong), "The formula gives BTC/RUB; this direction needs RUB/BTC.");
    assert_eq!(text(&refused("1 / kraken:BTCRUB", "ru").await), "Формула даёт BTC/RUB, а для этого направления нужно RUB/BTC.");
    assert!(text(&refused("kraken:BTCRUB + 1%", "en").await).contains("multiply by (1 + 1%)"));
    assert!(text(&refused("kraken:RUBBTC", "ru").await).contains("1 / kraken:BTC/RUB"));
    assert!(text(&refused("kraken:BTCRUB * 1,01", "en").await).contains("Character 18"));
    assert_eq!(refused("nobody:BTCRUB", "en").await["code"], "formula_source_unknown");

    let wrong = json!({ "rules": { "formula": "kraken:BTCRUB *" } });
    let problem = owner.post(&format!("{RATES_API}/pairs/{id}/preview"), wrong).await.refused(422, "validation_failed");
    assert_eq!(problem["errors"]["rules.formula"][0]["code"], "formula_incomplete", "{problem}");

    let operator = app.operator().await;
    let rules = json!({ "revision": 0, "rules": { "formula": "kraken:BTCRUB" } });
    operator.put(&format!("{RATES_API}/pairs/{id}"), rules).await.refused(403, "forbidden");
}

async fn a_formula_far_from_the_market_needs_two_people(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    let id = pair(&app, "BTC", "SBERRUB");
    let set = async |formula: &str| {
        let path = format!("{RATES_API}/pairs/{id}");
        let revision = editor.get(&path).await.ok()["revision"].clone();
        editor.put(&path, json!({ "revision": revision, "rules": { "formula": formula } })).await
    };
    assert_eq!(set("mid(kraken:BTCRUB) * 1.01").await.status.as_u16(), 200);
    cycle(&app).await;

    for formula in ["mid(kraken:BTCRUB) * 1.3", "currency-api:BTC/RUB", "mid(kraken:BTCRUB) * 0.7"] {
        let asked = set(formula).await;
        assert_eq!(asked.status.as_u16(), 202, "{formula}: {}", asked.text);
        let approval = asked.json();
        assert!(approval["facts"].to_string().contains(formula), "{approval}");
        let path = format!("/api/admin/v1/approvals/{}", approval["id"].as_str().unwrap());
        editor.post_empty(&format!("{path}/approve")).await.refused(403, "approval_own");
        cycle(&app).await;
        assert_eq!(course(&app).await, "6362883.648", "nothing is set yet");
        if formula.ends_with("0.7") {
            owner.post_empty(&format!("{path}/approve")).await.ok();
        } else {
            owner.post(&format!("{path}/reject"), json!({ "reason": "too far" })).await.ok();
        }
    }
    cycle(&app).await;
    assert_eq!(course(&app).await, "4409919.36");

    // While the rate is manual a formula waits. It is compared with the market all the same.
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let revision = pairs.as_array().unwrap().iter().find(|pair| pair["id"] == id).unwrap()["revision"].clone();
    let manual = json!({ "revision": revision, "source": "manual", "manualRate": "4500000" });
    editor.patch(&format!("/api/admin/v1/pairs/{id}"), manual).await.ok();
    cycle(&app).await;
    assert_eq!((course(&app).await, &details(&app, id).await["isManual"]), (json!("4401000"), &json!(true)));
    assert_eq!(set("mid(kraken:BTCRUB) * 0.71").await.status.as_u16(), 202);
    app.assert_audit_chain_is_intact().await;
}

both_engines!(
    a_pair_is_quoted_what_its_formula_says,
    an_unusable_price_suspends_the_pair_and_is_named,
    a_formula_pair_is_suspended_by_price_jumps_and_held_within_its_bounds,
    a_formula_that_gains_on_a_round_trip_suspends_its_pair,
    a_formula_may_use_the_agreed_price_and_a_fixed_day,
    mistakes_are_refused_in_both_languages,
    a_formula_far_from_the_market_needs_two_people,
);
