//! The audit log: completeness and filters.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp};
use serde_json::{Value, json};

use crate::audit_tampering::run;

const AUDIT: &str = "/api/admin/v1/audit";

async fn the_database_refuses_changes_of_the_audit_log(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Obmen" })).await.ok();
    for sql in ["UPDATE audit SET actor_name = 'nobody'", "DELETE FROM audit", "DELETE FROM audit WHERE number = 1"] {
        let refused = run(&app, sql.into()).await.unwrap_err();
        assert!(refused.to_string().contains("audit is append-only"), "{sql}: {refused}");
    }
    app.assert_audit_chain_is_intact().await;
}

async fn audit_entries(app: &TestApp, query: &str) -> Vec<Value> {
    let page = app.staff(Role::Auditor).await.get(&format!("{AUDIT}?{query}")).await.ok();
    page["items"].as_array().unwrap().clone()
}

async fn staff_changes_are_audited_with_before_and_after(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "site.name": "Obmen", "site.contest": "false" })).await.ok();
    owner.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    let bitcoin = currencies.as_array().unwrap().iter().find(|currency| currency["code"] == "BTC").unwrap().clone();
    let (id, revision) = (bitcoin["id"].clone(), bitcoin["revision"].clone());
    owner.patch(&format!("/api/admin/v1/currencies/{id}"), json!({ "revision": revision, "send": false })).await.ok();
    let movement = json!({ "amount": "0.5", "reason": "deposit", "note": "from the vault" });
    owner.post(&format!("/api/admin/v1/reserves/{id}/movements"), movement).await.ok();
    let address = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2";
    let pool = owner.get("/api/admin/v1/requisites").await.ok();
    let requisite = pool.as_array().unwrap().iter().find(|row| row["currencyId"] == id).unwrap()["id"].clone();
    let other = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy";
    owner.patch(&format!("/api/admin/v1/requisites/{}", requisite.as_str().unwrap()), json!({ "value": other })).await.ok();

    // The requisites of the demo were also added by staff.
    let me = owner.get("/api/admin/v1/auth/me").await.ok();
    let entries = audit_entries(&app, &format!("actorKind=staff&actorId={}", me["id"].as_str().unwrap())).await;
    let changes: Vec<_> = entries
        .iter()
        .map(|entry| (entry["action"].as_str().unwrap(), entry["before"].clone(), entry["after"].clone()))
        .collect();
    let moved = entries.iter().find(|entry| entry["action"] == "reserve.moved").unwrap()["after"].clone();
    assert_eq!((moved["amount"].as_str(), moved["note"].as_str()), (Some("0.5"), Some("from the vault")));
    let expected = [
        ("requisite.changed", json!({ "value": "1BvB…VN2" }), json!({ "value": "3J98…NLy" })),
        ("reserve.moved", Value::Null, moved),
        ("currency.changed", json!({ "can_give": true }), json!({ "can_give": false })),
        ("setting.changed", json!({ "value": "false" }), json!({ "value": "true" })),
        ("setting.changed", json!({ "value": "Agio" }), json!({ "value": "Obmen" })),
        ("staff.signed_in", Value::Null, Value::Null),
        ("staff.confirmed", Value::Null, Value::Null),
    ];
    for change in &expected {
        assert!(changes.contains(change), "{change:?} is not in {changes:#?}");
    }
    assert_eq!(changes.len(), expected.len(), "unchanged values are not audited: {changes:#?}");
    let text = Value::from(entries.clone()).to_string();
    assert!(!text.contains(address) && !text.contains(other), "requisites are masked in the log");
    for entry in &entries {
        assert_eq!((entry["actor"]["name"].as_str(), entry["actor"]["address"].as_str()), (Some("owner"), Some("127.0.0.1")));
        assert_ne!(entry["title"], format!("audit.{}", entry["action"].as_str().unwrap()));
    }
    app.assert_audit_chain_is_intact().await;
}

async fn the_audit_log_is_filtered_by_actor_action_object_and_time(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    for name in ["One", "Two", "Three"] {
        owner.put("/api/admin/v1/settings", json!({ "site.name": name })).await.ok();
        app.advance_and_run_jobs(std::time::Duration::from_secs(1)).await;
    }
    let named = |entries: Vec<Value>| {
        entries.iter().map(|entry| entry["after"]["value"].as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>()
    };
    let thing = "aboutKind=setting&aboutId=site.name";
    assert_eq!(named(audit_entries(&app, thing).await), ["Three", "Two", "One"]);
    assert_eq!(
        named(
            audit_entries(&app, &format!("{thing}&action=setting.changed&from=2024-03-28T12:00:01Z&to=2024-03-28T12:00:02Z"))
                .await
        ),
        ["Two"]
    );
    let staff = audit_entries(&app, thing).await[0]["actor"]["id"].as_str().unwrap().to_owned();
    assert_eq!(named(audit_entries(&app, &format!("actorId={staff}&aboutKind=setting")).await), ["Three", "Two", "One"]);
    assert!(audit_entries(&app, "actorKind=customer").await.is_empty());
    assert!(audit_entries(&app, &format!("{thing}&actorKind=system")).await.is_empty());

    let auditor = app.staff(Role::Auditor).await;
    let actions = auditor.get(&format!("{AUDIT}/actions")).await.ok();
    assert!(
        actions.as_array().unwrap().contains(&json!({ "action": "mail.resent", "title": "Письмо отправлено повторно" })),
        "{actions}"
    );
    let (mut listed, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = auditor.get(&format!("{AUDIT}?{thing}&size=1{cursor}")).await.ok();
        listed.extend(page["items"].as_array().unwrap().clone());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(named(listed), ["Three", "Two", "One"], "all pages in order");
    for query in ["actorKind=robot", "actorId=me", "from=yesterday", "to=1", "cursor=1_2", "cursor=1_2_3_4", "size=0"] {
        auditor.get(&format!("{AUDIT}?{query}")).await.refused(400, "malformed_parameter");
    }
    app.visitor().get(AUDIT).await.refused(401, "token_not_valid");
}

agio_test_app::both_engines!(
    the_database_refuses_changes_of_the_audit_log,
    staff_changes_are_audited_with_before_and_after,
    the_audit_log_is_filtered_by_actor_action_object_and_time,
);
