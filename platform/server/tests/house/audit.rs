//! The audit log: complete, and asked in every way.

use agio_core::identity::Role;
use agio_testkit::{Engine, House};
use serde_json::{Value, json};

use crate::tampering::run;

const AUDIT: &str = "/api/admin/v1/audit";

async fn the_database_itself_refuses_to_change_the_log(engine: Engine) {
    let house = House::open(engine).await;
    house.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Obmen" })).await.ok();
    for deed in ["UPDATE audit SET actor_name = 'nobody'", "DELETE FROM audit", "DELETE FROM audit WHERE number = 1"] {
        let refused = run(&house, deed.into()).await.unwrap_err();
        assert!(refused.to_string().contains("audit is append-only"), "{deed}: {refused}");
    }
    house.audit_is_whole().await;
}

async fn asked(house: &House, question: &str) -> Vec<Value> {
    let page = house.staff(Role::Auditor).await.get(&format!("{AUDIT}?{question}")).await.ok();
    page["items"].as_array().unwrap().clone()
}

async fn what_staff_change_is_written_down_with_before_and_after(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
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

    // The demonstration's requisites were added by somebody of the staff, too.
    let me = owner.get("/api/admin/v1/auth/me").await.ok();
    let entries = asked(&house, &format!("actorKind=staff&actorId={}", me["id"].as_str().unwrap())).await;
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry["action"].as_str().unwrap(), entry["before"].clone(), entry["after"].clone()))
        .collect();
    let moved = entries.iter().find(|entry| entry["action"] == "reserve.moved").unwrap()["after"].clone();
    assert_eq!((moved["amount"].as_str(), moved["note"].as_str()), (Some("0.5"), Some("from the vault")));
    let expected = [
        ("requisite.changed", json!({ "value": "1BvB…VN2" }), json!({ "value": "3J98…NLy" })),
        ("reserve.moved", Value::Null, moved),
        ("currency.changed", json!({ "send": true }), json!({ "send": false })),
        ("setting.changed", json!({ "value": "false" }), json!({ "value": "true" })),
        ("setting.changed", json!({ "value": "Agio" }), json!({ "value": "Obmen" })),
        ("staff.signed_in", Value::Null, Value::Null),
        ("staff.confirmed", Value::Null, Value::Null),
    ];
    for change in &expected {
        assert!(told.contains(change), "{change:?} is not in {told:#?}");
    }
    assert_eq!(told.len(), expected.len(), "what was set to what it was is no change: {told:#?}");
    let text = Value::from(entries.clone()).to_string();
    assert!(!text.contains(address) && !text.contains(other), "a requisite is never whole in the log");
    for entry in &entries {
        assert_eq!((entry["actor"]["name"].as_str(), entry["actor"]["address"].as_str()), (Some("owner"), Some("127.0.0.1")));
        assert_ne!(entry["title"], format!("audit.{}", entry["action"].as_str().unwrap()));
    }
    house.audit_is_whole().await;
}

async fn the_log_answers_who_what_which_and_when(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    for name in ["One", "Two", "Three"] {
        owner.put("/api/admin/v1/settings", json!({ "site.name": name })).await.ok();
        house.later(std::time::Duration::from_secs(1)).await;
    }
    let named = |entries: Vec<Value>| {
        entries.iter().map(|entry| entry["after"]["value"].as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>()
    };
    let thing = "aboutKind=setting&aboutId=site.name";
    assert_eq!(named(asked(&house, thing).await), ["Three", "Two", "One"]);
    assert_eq!(
        named(asked(&house, &format!("{thing}&action=setting.changed&from=2024-03-28T12:00:01Z&to=2024-03-28T12:00:02Z")).await),
        ["Two"]
    );
    let staff = asked(&house, thing).await[0]["actor"]["id"].as_str().unwrap().to_owned();
    assert_eq!(named(asked(&house, &format!("actorId={staff}&aboutKind=setting")).await), ["Three", "Two", "One"]);
    assert!(asked(&house, "actorKind=customer").await.is_empty());
    assert!(asked(&house, &format!("{thing}&actorKind=house")).await.is_empty());

    let auditor = house.staff(Role::Auditor).await;
    let actions = auditor.get(&format!("{AUDIT}/actions")).await.ok();
    assert!(
        actions.as_array().unwrap().contains(&json!({ "action": "mail.resent", "title": "Письмо отправлено повторно" })),
        "{actions}"
    );
    let (mut walked, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = auditor.get(&format!("{AUDIT}?{thing}&size=1&cursor={cursor}")).await.ok();
        walked.extend(page["items"].as_array().unwrap().clone());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(named(walked), ["Three", "Two", "One"], "a page after the other, none twice and none left out");
    for question in ["actorKind=robot", "actorId=me", "from=yesterday", "to=1", "cursor=1_2", "cursor=1_2_3_4", "size=0"] {
        auditor.get(&format!("{AUDIT}?{question}")).await.refused(422, "validation_failed");
    }
    house.customer().get(AUDIT).await.refused(401, "token_not_valid");
}

agio_testkit::both_engines!(
    the_database_itself_refuses_to_change_the_log,
    what_staff_change_is_written_down_with_before_and_after,
    the_log_answers_who_what_which_and_when,
);
