//! Two-person approval of rate rules.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{RATES_API, Source, cycle, open_with_sources, pair};

/// An app with two-person approval enabled.
async fn careful(engine: Engine) -> (TestApp, Source) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    (app, source)
}

/// Reserve rules with these margin bounds.
fn within(floor: &str, ceiling: &str) -> Value {
    let levels = json!([{ "from": "0", "percent": "-0.1" }, { "from": "50", "percent": "0.1" }]);
    json!({ "bounds": { "floor": floor, "ceiling": ceiling }, "reserve": { "target": "30000000", "levels": levels } })
}

async fn set_rules(staff: &TestClient, id: i64, rules: Value) -> TestResponse {
    let path = format!("{RATES_API}/pairs/{id}");
    let revision = staff.get(&path).await.ok()["revision"].clone();
    staff.put(&path, json!({ "revision": revision, "rules": rules })).await
}

async fn bounds(staff: &TestClient, id: i64) -> Value {
    staff.get(&format!("{RATES_API}/pairs/{id}")).await.ok()["rules"]["bounds"].clone()
}

#[track_caller]
fn approval(answer: TestResponse) -> Value {
    assert_eq!(answer.status.as_u16(), 202, "{}", answer.text);
    answer.json()
}

async fn approve(staff: &TestClient, approval: &Value) -> TestResponse {
    staff.post_empty(&format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap())).await
}

async fn rules_with_a_wide_margin_need_two_people(engine: Engine) {
    let (app, _source) = careful(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    let id = pair(&app, "BTC", "SBERRUB");
    assert_eq!(set_rules(&editor, id, within("0.5", "4")).await.status.as_u16(), 200, "a little is one person's");

    let far = approval(set_rules(&editor, id, within("0.5", "30")).await);
    assert_eq!((far["kind"].as_str(), far["aboutId"].as_str()), (Some("rate_rules"), Some(id.to_string().as_str())));
    let facts = far["facts"].to_string();
    assert!(facts.contains("BTC → SBERRUB") && facts.contains("0.5 … 4") && facts.contains("0.5 … 30"), "{facts}");
    assert_eq!(bounds(&editor, id).await["ceiling"], "4", "nothing is set yet");
    approval_waits(&editor, id).await;
    approve(&editor, &far).await.refused(403, "approval_own");
    app.operator()
        .await
        .post_empty(&format!("/api/admin/v1/approvals/{}/approve", far["id"].as_str().unwrap()))
        .await
        .refused(403, "forbidden");
    approve(&owner, &far).await.ok();
    assert_eq!(bounds(&editor, id).await["ceiling"], "30");
    let log = owner.get(&format!("/api/admin/v1/audit?aboutKind=pair&aboutId={id}")).await.ok();
    let set = log["items"].as_array().unwrap().iter().find(|entry| entry["action"] == "rate_rules.changed").unwrap();
    assert_eq!((&set["actor"]["name"], &set["after"]["bounds"]["ceiling"]), (&json!("editor"), &json!("30")));
    cycle(&app).await;

    assert_eq!(
        set_rules(&editor, id, within("0.5", "20")).await.status.as_u16(),
        200,
        "within what was agreed on one person decides"
    );
    app.assert_audit_chain_is_intact().await;
}

async fn approval_waits(editor: &TestClient, id: i64) {
    set_rules(editor, id, within("0.5", "31")).await.refused(409, "approval_waits");
}

async fn an_outdated_approval_does_not_change_rules(engine: Engine) {
    let (app, _source) = careful(engine).await;
    let (owner, editor) = (app.owner().await, app.staff(Role::Editor).await);
    let id = pair(&app, "BTC", "SBERRUB");
    let far = approval(set_rules(&editor, id, within("-30", "4")).await);
    set_rules(&owner, id, within("0.5", "3")).await.ok();
    approve(&owner, &far).await.refused(409, "approval_outdated");
    assert_eq!(bounds(&owner, id).await, json!({ "floor": "0.5", "ceiling": "3" }));
    let path = format!("{RATES_API}/pairs/{id}");
    let old = json!({ "revision": 0, "rules": within("-40", "4") });
    editor.put(&path, old).await.refused(409, "rate_rules_changed");
}

async fn without_two_person_approval_one_person_decides(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let editor = app.staff(Role::Editor).await;
    let id = pair(&app, "BTC", "SBERRUB");
    assert_eq!(set_rules(&editor, id, within("-50", "90")).await.status.as_u16(), 200);
}

both_engines!(
    rules_with_a_wide_margin_need_two_people,
    an_outdated_approval_does_not_change_rules,
    without_two_person_approval_one_person_decides,
);
