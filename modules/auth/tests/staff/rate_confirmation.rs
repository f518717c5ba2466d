//! Large changes of rates, longer promises of them, wider tolerances, dropped verifications and other texts need a
//! fresh second factor.
//! Small changes do not.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::{Value, json};

const ADMIN: &str = "/api/admin/v1";

/// A pair as the console lists it.
async fn pair(app: &TestApp, editor: &TestClient, from: &str, to: &str) -> Value {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pairs = editor.get(&format!("{ADMIN}/pairs")).await.ok();
    let found = pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == id(from) && pair["receiveId"] == id(to));
    found.unwrap_or_else(|| panic!("{from} to {to}")).clone()
}

/// Sets the tolerances of a pair.
async fn set_tolerance(app: &TestApp, editor: &TestClient, late: &str, amount: &str) -> TestResponse {
    let pair = pair(app, editor, "BTC", "SBERRUB").await;
    let tolerance = json!({ "latePercent": late, "amountFixed": amount, "amountPercent": null });
    let change = json!({ "revision": pair["revision"], "tolerance": tolerance });
    editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await
}

async fn higher_payment_tolerance_needs_a_fresh_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff_unconfirmed(Role::Editor).await;
    // A pair's own rule may be wider than the global one.
    set_tolerance(&app, &editor, "1", "0.001").await.refused(403, "fresh_second_factor_needed");
    editor.post(&format!("{ADMIN}/me/confirm"), json!({ "password": "correct horse battery" })).await.ok();
    set_tolerance(&app, &editor, "1", "0.001").await.ok();

    let editor = app.staff_unconfirmed(Role::Editor).await;
    set_tolerance(&app, &editor, "1.1", "0.001").await.refused(403, "fresh_second_factor_needed");
    set_tolerance(&app, &editor, "1", "0.0011").await.refused(403, "fresh_second_factor_needed");
    set_tolerance(&app, &editor, "0.9", "0.0009").await.ok();
}

async fn longer_promise_of_a_rate_needs_a_fresh_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff_unconfirmed(Role::Editor).await;
    let changes = async |mut change: Value| {
        let pair = pair(&app, &editor, "BTC", "SBERRUB").await;
        change["revision"] = pair["revision"].clone();
        editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await
    };
    changes(json!({ "hold": 31 })).await.refused(403, "fresh_second_factor_needed");
    let many = json!({ "ids": [pair(&app, &editor, "BTC", "SBERRUB").await["id"]], "set": { "hold": 1440 } });
    editor.post(&format!("{ADMIN}/pairs/bulk"), many).await.refused(403, "fresh_second_factor_needed");
    changes(json!({ "hold": 29 })).await.ok();
    // A floating rate promises nothing, whatever its time to pay is.
    changes(json!({ "floating": true })).await.ok();
    changes(json!({ "hold": 1440 })).await.ok();
    changes(json!({ "floating": false })).await.refused(403, "fresh_second_factor_needed");
}

async fn large_rate_change_needs_a_fresh_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff_unconfirmed(Role::Editor).await;
    let changes = async |fields: Value| {
        let pair = pair(&app, &editor, "USDTTRC20", "CASHUSD").await;
        let mut change = fields;
        change["revision"] = pair["revision"].clone();
        editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await
    };
    // The rate by hand is 0.985.
    changes(json!({ "manualRate": "1.02" })).await.ok();
    changes(json!({ "manualRate": "1.08" })).await.refused(403, "fresh_second_factor_needed");
    changes(json!({ "manualRate": "0.9" })).await.refused(403, "fresh_second_factor_needed");
    changes(json!({ "spreadPercent": "10" })).await.refused(403, "fresh_second_factor_needed");
    changes(json!({ "spreadPercent": "3" })).await.ok();
    changes(json!({ "enabled": false, "position": 1 })).await.refused(400, "malformed_body");
    changes(json!({ "enabled": false })).await.ok();
    // Without the permission no code is required.
    let operator = app.staff_unconfirmed(Role::Operator).await;
    let by_hand = pair(&app, &editor, "USDTTRC20", "CASHUSD").await;
    let far = json!({ "revision": by_hand["revision"], "manualRate": "2" });
    operator.patch(&format!("{ADMIN}/pairs/{}", by_hand["id"]), far).await.refused(403, "forbidden");

    let btc = pair(&app, &editor, "BTC", "SBERRUB").await;
    let many = async |spread: &str| {
        let body = json!({ "ids": [by_hand["id"], btc["id"]], "set": { "spreadPercent": spread } });
        editor.post(&format!("{ADMIN}/pairs/bulk"), body).await
    };
    many("25").await.refused(403, "fresh_second_factor_needed");
    many("3.5").await.ok();
    // Settings always do.
    for setting in ["rates.large_change_percent", "rates.quote_seconds"] {
        let set = json!({ setting: 90 });
        editor.put(&format!("{ADMIN}/settings"), set).await.refused(403, "fresh_second_factor_needed");
    }

    editor.post(&format!("{ADMIN}/me/confirm"), json!({ "password": "correct horse battery" })).await.ok();
    many("25").await.ok();
    editor.put(&format!("{ADMIN}/settings"), json!({ "rates.large_change_percent": 90 })).await.ok();
    changes(json!({ "manualRate": "0.9" })).await.ok();
}

async fn small_changes_take_no_rate_far_above_the_market(engine: Engine) {
    let app = TestApp::start(engine).await;
    let spread = async |editor: &TestClient, percent: &str| {
        let pair = pair(&app, editor, "BTC", "SBERRUB").await;
        let change = json!({ "revision": pair["revision"], "spreadPercent": percent });
        editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await
    };
    let editor = app.staff_unconfirmed(Role::Editor).await;
    for percent in ["0", "-4"] {
        spread(&editor, percent).await.ok();
    }
    spread(&editor, "-8").await.refused(403, "fresh_second_factor_needed");
    let id = pair(&app, &editor, "BTC", "SBERRUB").await["id"].clone();
    let many = json!({ "ids": [id], "set": { "spreadPercent": "-8" } });
    editor.post(&format!("{ADMIN}/pairs/bulk"), many).await.refused(403, "fresh_second_factor_needed");
    spread(&app.staff(Role::Editor).await, "-8").await.ok();
    // It comes nearer.
    spread(&app.staff_unconfirmed(Role::Editor).await, "-7").await.ok();
}

async fn what_customers_read_and_prove_before_they_pay_needs_a_fresh_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.staff(Role::Owner).await, app.staff_unconfirmed(Role::Editor).await);
    let changes = async |by: &TestClient, mut change: Value| {
        let pair = pair(&app, by, "SBERRUB", "BTC").await;
        change["revision"] = pair["revision"].clone();
        by.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await
    };
    // Asking for more makes it safer.
    changes(&editor, json!({ "verification": "card" })).await.ok();
    for subject in ["none", "identity"] {
        changes(&editor, json!({ "verification": subject })).await.refused(403, "fresh_second_factor_needed");
    }
    let text = json!({ "title": "Оплата", "message": "<p>2200 0000 0000 0004</p>" });
    let notice = json!({ "ru": text, "en": text });
    let other = json!({ "notices": { "general": null, "from": notice, "to": null } });
    changes(&editor, other.clone()).await.refused(403, "fresh_second_factor_needed");
    changes(&editor, json!({ "customerTerms": notice })).await.refused(403, "fresh_second_factor_needed");
    let many = json!({ "ids": [pair(&app, &editor, "SBERRUB", "BTC").await["id"]], "set": other });
    editor.post(&format!("{ADMIN}/pairs/bulk"), many).await.refused(403, "fresh_second_factor_needed");
    changes(&owner, other.clone()).await.ok();
    // The same texts again change nothing.
    changes(&editor, other).await.ok();

    let market = app.server.calculator.market();
    let bitcoin = format!("{ADMIN}/currencies/{}", market.currency_named("BTC").unwrap().id());
    let elsewhere = json!({ "explorer": "https://explorer.example/{tx}" });
    editor.patch(&bitcoin, elsewhere.clone()).await.refused(403, "fresh_second_factor_needed");
    owner.patch(&bitcoin, elsewhere.clone()).await.ok();
    editor.patch(&bitcoin, elsewhere).await.ok();

    // Cash is handed in where its city says.
    let listed = editor.get(&format!("{ADMIN}/currencies")).await.ok();
    let cash = listed.as_array().unwrap().iter().find(|currency| currency["code"] == "CASHUSD").unwrap();
    let path = format!("{ADMIN}/currencies/{}", cash["id"]);
    let mut cities = cash["cities"].clone();
    for city in cities.as_array_mut().unwrap() {
        city.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    cities[0]["place"] = json!({ "ru": "Тёмный переулок, 13", "en": "13 Dark Alley" });
    editor.patch(&path, json!({ "cities": cities })).await.refused(403, "fresh_second_factor_needed");
    owner.patch(&path, json!({ "cities": cities })).await.ok();
    editor.patch(&path, json!({ "cities": cities, "position": 7 })).await.ok();
}

both_engines!(
    what_customers_read_and_prove_before_they_pay_needs_a_fresh_second_factor,
    large_rate_change_needs_a_fresh_second_factor,
    higher_payment_tolerance_needs_a_fresh_second_factor,
    longer_promise_of_a_rate_needs_a_fresh_second_factor,
    small_changes_take_no_rate_far_above_the_market,
);
