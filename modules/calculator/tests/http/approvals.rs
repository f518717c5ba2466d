//! Two-person approval of settings and rates.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::{listed_pair, number};

const ADMIN: &str = "/api/admin/v1";

async fn set(caller: &TestClient, values: Value) -> TestResponse {
    caller.put(&format!("{ADMIN}/settings"), values).await
}

async fn value(caller: &TestClient, key: &str) -> Value {
    let settings = caller.get(&format!("{ADMIN}/settings")).await.ok();
    settings.as_array().unwrap().iter().find(|row| row["key"] == key).unwrap()["value"].clone()
}

#[track_caller]
fn approval(answer: TestResponse) -> Value {
    assert_eq!(answer.status.as_u16(), 202, "{}", answer.text);
    answer.json()
}

async fn approve(caller: &TestClient, approval: &Value) -> TestResponse {
    caller.post_empty(&format!("{ADMIN}/approvals/{}/approve", approval["id"].as_str().unwrap())).await
}

async fn disabling_two_person_approval_needs_two_people(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    set(&editor, json!({ "approvals.payout_limit": 500 })).await.ok();
    assert_eq!(set(&editor, json!({ "approvals.two_person": true })).await.status.as_u16(), 200);

    assert_eq!(set(&editor, json!({ "site.name": "Obmen" })).await.status.as_u16(), 200, "other settings are as before");
    assert_eq!(set(&editor, json!({ "approvals.two_person": "true" })).await.status.as_u16(), 200, "nothing would change");
    set(&editor, json!({ "approvals.payout_limit": "-1" })).await.refused(422, "validation_failed");
    let off = approval(set(&editor, json!({ "approvals.two_person": false, "site.name": "Money" })).await);
    assert_eq!((off["kind"].as_str(), off["aboutId"].as_str()), (Some("settings_changed"), Some("approvals.two_person")));
    assert_eq!((value(&owner, "approvals.two_person").await, value(&owner, "site.name").await), ("true".into(), "Obmen".into()));
    for (key, loose) in [("approvals.payout_limit", 501), ("approvals.refund_limit", 1_001), ("approvals.rate_percent", 6)] {
        approval(set(&editor, json!({ key: loose })).await);
    }
    // These change what claims are paid.
    approval(set(&editor, json!({ "claims.late_tolerance_bps": 900 })).await);
    approval(set(&editor, json!({ "rates.fixed_day": "2024-03-27" })).await);
    approval(set(&editor, json!({ "discounts.most_percent": 50 })).await);
    approval(set(&editor, json!({ "discounts.above_market": true })).await);
    assert_eq!(value(&owner, "discounts.above_market").await, "false");
    // These let the exchange pay more, skip a check or promise more of its reserve.
    for (key, loose) in [
        ("rates.quote_seconds", 900),
        ("rates.max_age_hours", 720),
        ("rates.large_change_percent", 100),
        ("rates.jump_percent", 90),
        ("rates.tolerance_bps", 2_000),
        ("rates.window_minutes", 1),
        ("rates.resume_after", 1),
        ("claims.surplus_min", 0),
        ("claims.unproven_share_percent", 100),
        ("claims.unpaid_per_email", 0),
        ("claims.unpaid_per_address", 0),
        ("claims.unpaid_per_partner", 0),
    ] {
        let before = value(&owner, key).await;
        approval(set(&editor, json!({ key: loose })).await);
        assert_eq!(value(&owner, key).await, before, "{key}");
    }
    set(&editor, json!({ "approvals.two_person": false })).await.refused(409, "approval_waits");
    approve(&editor, &off).await.refused(403, "approval_own");
    app.operator()
        .await
        .post_empty(&format!("{ADMIN}/approvals/{}/approve", off["id"].as_str().unwrap()))
        .await
        .refused(403, "forbidden");
    approve(&owner, &off).await.ok();
    assert_eq!((value(&owner, "approvals.two_person").await, value(&owner, "site.name").await), ("false".into(), "Money".into()));
    assert_eq!(app.visitor().get("/api/v1/calculator/settings/").await.ok()["siteName"], "Money");
    let log = owner.get(&format!("{ADMIN}/audit?aboutKind=setting&aboutId=approvals.two_person")).await.ok();
    assert_eq!(
        (log["items"][0]["after"]["value"].as_str(), log["items"][0]["actor"]["name"].as_str()),
        (Some("false"), Some("editor"))
    );
}

/// Each with a stricter value and then a looser one, in the direction of the setting.
const DIRECTIONS: &[(&str, &str, &str)] = &[
    ("approvals.payout_limit", "0", "1"),
    ("approvals.refund_limit", "999", "1000"),
    ("approvals.rate_percent", "1", "2"),
    ("claims.late_tolerance_bps", "0", "1"),
    ("claims.surplus_min", "6", "5"),
    ("claims.unpaid_per_address", "2", "3"),
    ("claims.unpaid_per_email", "2", "0"),
    ("claims.unpaid_per_partner", "1", "0"),
    ("claims.unproven_share_percent", "49", "50"),
    ("claims.verify_first_above", "1000", "0"),
    ("discounts.most_percent", "0", "1"),
    ("rates.jump_percent", "9", "10"),
    ("rates.large_change_percent", "4", "5"),
    ("rates.max_age_hours", "71", "72"),
    ("rates.quote_seconds", "59", "60"),
    ("rates.resume_after", "0", "1000"),
    ("rates.sources", "2", "1"),
];

async fn what_makes_a_setting_stricter_does_not_wait(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    set(&owner, json!({ "approvals.two_person": true })).await.ok();
    for &(key, strict, loose) in DIRECTIONS {
        let stricter = set(&editor, json!({ key: strict })).await;
        assert_eq!((stricter.status.as_u16(), value(&owner, key).await), (200, strict.into()), "{key}");
        let log = owner.get(&format!("{ADMIN}/audit?aboutKind=setting&aboutId={key}")).await.ok();
        assert_eq!(
            (log["items"][0]["after"]["value"].as_str(), log["items"][0]["actor"]["name"].as_str()),
            (Some(strict), Some("editor")),
            "{key}"
        );
        approval(set(&editor, json!({ key: loose })).await);
        assert_eq!(value(&owner, key).await, strict, "{key}");
    }
    // No direction of these is safe for certain.
    for (key, values) in [("rates.window_minutes", ["59", "61"]), ("rates.tolerance_bps", ["99", "101"])] {
        for (place, other) in values.into_iter().enumerate() {
            let answer = set(&editor, json!({ key: other })).await;
            if place == 0 { drop(approval(answer)) } else { drop(answer.refused(409, "approval_waits")) }
        }
    }
    let mixed = json!({ "claims.surplus_min": "7", "discounts.above_market": true });
    approval(set(&editor, mixed).await);
    assert_eq!(value(&owner, "claims.surplus_min").await, "6", "all or none");
}

/// Memory may be behind the database by what another node has just changed.
async fn a_setting_is_not_loosened_by_who_does_not_know_its_value_yet(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    set(&owner, json!({ "approvals.two_person": true, "approvals.payout_limit": 500 })).await.ok();
    let stricter = "UPDATE setting SET value = '100' WHERE name = 'approvals.payout_limit'";
    let db = &app.server.platform.db;
    db.write(move |tx| Box::pin(async move { agio_core::execute!(tx, stricter) })).await.unwrap();
    set(&editor, json!({ "approvals.payout_limit": 300 })).await.refused(409, "market_changed");
    set(&editor, json!({ "approvals.payout_limit": 500 })).await.refused(409, "market_changed");
    set(&editor, json!({ "approvals.payout_limit": 99 })).await.ok();
    assert_eq!(value(&owner, "approvals.payout_limit").await, "99");
}

async fn an_outdated_approval_does_not_change_a_setting(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    set(&owner, json!({ "approvals.two_person": true })).await.ok();
    let both = approval(set(&editor, json!({ "approvals.payout_limit": 5_000, "approvals.refund_limit": 5_000 })).await);
    let one = approval(set(&editor, json!({ "approvals.refund_limit": 7_000 })).await);
    approve(&owner, &one).await.ok();
    approve(&owner, &both).await.refused(409, "approval_outdated");
    assert_eq!(
        (value(&owner, "approvals.payout_limit").await, value(&owner, "approvals.refund_limit").await),
        ("1000".into(), "7000".into())
    );
}

async fn large_rate_changes_need_two_people(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    set(&owner, json!({ "approvals.two_person": true })).await.ok();
    let pair = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    let path = format!("{ADMIN}/pairs/{}", pair["id"]);
    let little = number(&pair["spreadPercent"]) + rust_decimal::Decimal::ONE;
    let change = json!({ "revision": pair["revision"], "spreadPercent": little.to_string(), "hold": 25 });
    let changed = editor.patch(&path, change).await;
    assert_eq!(changed.status.as_u16(), 200, "{}", changed.text);
    let revision = changed.json()["revision"].clone();

    let far = json!({ "revision": revision, "source": "manual", "manualRate": "1000000", "spreadPercent": "0", "tiers": [] });
    editor
        .patch(&path, json!({ "revision": 99, "manualRate": "1000000", "source": "manual" }))
        .await
        .refused(409, "market_changed");
    let proposed = approval(editor.patch(&path, far.clone()).await);
    let course = proposed["facts"].as_array().unwrap().iter().find(|fact| fact["after"] == "1000000").unwrap();
    assert!(course["before"].is_string() && proposed["facts"][0]["after"] == "BTC → SBERRUB", "{proposed}");
    let spread = json!({ "ids": [pair["id"]], "set": { "spreadPercent": "40" } });
    editor.post(&format!("{ADMIN}/pairs/bulk"), spread).await.refused(409, "approval_one_by_one");
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["revision"], revision);
    approve(&owner, &proposed).await.ok();
    let now = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    assert_eq!(
        (now["rate"].as_str(), now["manualRate"].as_str(), now["hold"].as_i64()),
        (Some("1000000"), Some("1000000"), Some(25))
    );

    let again = approval(editor.patch(&path, json!({ "revision": now["revision"], "manualRate": "6000000" })).await);
    editor.patch(&path, json!({ "revision": now["revision"], "hold": 20 })).await.ok();
    approve(&owner, &again).await.refused(409, "approval_outdated");
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["rate"], "1000000");
}

/// A change of the tolerance only.
fn tolerance(late: Option<&str>, fixed: Option<&str>, percent: Option<&str>) -> Value {
    json!({ "latePercent": late, "amountFixed": fixed, "amountPercent": percent })
}

async fn wider_tolerance_needs_two_people(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    let pair = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    assert_eq!(pair["tolerance"], tolerance(None, None, None), "the global rule applies");
    let path = format!("{ADMIN}/pairs/{}", pair["id"]);
    let narrow = json!({ "revision": pair["revision"], "tolerance": tolerance(Some("1.5"), Some("0.0001"), Some("0")) });
    let changed = editor.patch(&path, narrow).await.ok();
    assert_eq!(changed["tolerance"], tolerance(Some("1.5"), Some("0.0001"), Some("0")));
    let log = owner.get(&format!("{ADMIN}/audit?aboutKind=pair&aboutId={}", pair["id"])).await.ok();
    let (before, after) = (&log["items"][0]["before"], &log["items"][0]["after"]);
    assert_eq!((&before["late_tolerance_percent"], &after["late_tolerance_percent"]), (&Value::Null, &json!("1.5")));
    assert_eq!((&after["amount_tolerance_fixed"], &after["amount_tolerance_percent"]), (&json!(10_000), &json!("0")));

    set(&owner, json!({ "approvals.two_person": true })).await.ok();
    let mut revision = changed["revision"].clone();
    for wider in [
        tolerance(Some("1.6"), Some("0.0001"), Some("0")),
        tolerance(None, Some("0.0001"), Some("0")),
        tolerance(Some("1.5"), Some("0.0002"), Some("0")),
        tolerance(Some("1.5"), Some("0"), Some("0.1")),
        tolerance(Some("1.5"), None, None),
    ] {
        let preview = editor.patch(&path, json!({ "revision": revision, "tolerance": wider })).await;
        let proposed = approval(preview);
        owner
            .post(&format!("{ADMIN}/approvals/{}/reject", proposed["id"].as_str().unwrap()), json!({ "reason": "no" }))
            .await
            .ok();
    }
    let narrower = tolerance(Some("1"), Some("0.0001"), None);
    let changed = editor.patch(&path, json!({ "revision": revision, "tolerance": narrower })).await.ok();
    assert_eq!(changed["tolerance"], narrower, "what is stricter does not wait");
    revision = changed["revision"].clone();
    let wide = tolerance(Some("3"), None, Some("1"));
    let proposed = approval(editor.patch(&path, json!({ "revision": revision, "tolerance": wide })).await);
    let facts = proposed["facts"].as_array().unwrap();
    assert!(facts.iter().any(|fact| fact["before"] == "1 %" && fact["after"] == "3 %"), "{proposed}");
    assert!(facts.iter().any(|fact| fact["before"] == "0.0001 BTC" && fact["after"] == "по умолчанию"), "{proposed}");
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["tolerance"], narrower);
    approve(&owner, &proposed).await.ok();
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["tolerance"], wide);
}

async fn a_longer_promise_of_the_rate_needs_two_people(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    set(&owner, json!({ "approvals.two_person": true })).await.ok();
    let pair = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    let longer = json!({ "revision": pair["revision"], "hold": 1440 });
    let proposed = approval(editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), longer).await);
    let facts = proposed["facts"].as_array().unwrap();
    assert!(facts.iter().any(|fact| fact["before"] == "30" && fact["after"] == "1440"), "{proposed}");
    let many = json!({ "ids": [pair["id"]], "set": { "hold": 1440 } });
    editor.post(&format!("{ADMIN}/pairs/bulk"), many).await.refused(409, "approval_one_by_one");
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["hold"], 30);
    approve(&owner, &proposed).await.ok();
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["hold"], 1440);
}

async fn a_verification_is_dropped_by_two_people(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    set(&owner, json!({ "approvals.two_person": true })).await.ok();
    let change = async |subject: &str| {
        let pair = listed_pair(&app, &editor, "SBERRUB", "BTC").await;
        let set = json!({ "revision": pair["revision"], "verification": subject });
        editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), set).await
    };
    change("card").await.ok();
    approval(change("identity").await);
    let pair = listed_pair(&app, &editor, "SBERRUB", "BTC").await;
    let many = json!({ "ids": [pair["id"]], "set": { "verification": "none" } });
    editor.post(&format!("{ADMIN}/pairs/bulk"), many).await.refused(409, "approval_one_by_one");
    change("none").await.refused(409, "approval_waits");
    let waits = owner.get(&format!("{ADMIN}/approvals")).await.ok();
    let facts = waits["items"][0]["facts"].as_array().unwrap();
    assert!(facts.iter().any(|fact| fact["before"] == "карта" && fact["after"] == "личность"), "{waits}");
    approve(&owner, &waits["items"][0]).await.ok();
    assert_eq!(listed_pair(&app, &editor, "SBERRUB", "BTC").await["verification"], "identity");
}

both_engines!(
    a_verification_is_dropped_by_two_people,
    a_longer_promise_of_the_rate_needs_two_people,
    wider_tolerance_needs_two_people,
    disabling_two_person_approval_needs_two_people,
    what_makes_a_setting_stricter_does_not_wait,
    a_setting_is_not_loosened_by_who_does_not_know_its_value_yet,
    an_outdated_approval_does_not_change_a_setting,
    large_rate_changes_need_two_people,
);
