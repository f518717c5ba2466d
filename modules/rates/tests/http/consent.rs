//! Rules that may take a rate far, by two people's word.

use agio_core::identity::Role;
use agio_testkit::{Answer, Caller, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::world::{RATES, Source, cycle, live, pair};

/// A house in which two people decide what is large.
async fn careful(engine: Engine) -> (House, Source) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    house.owner().await.put("/api/admin/v1/settings", json!({ "approvals.four_eyes": true })).await.ok();
    (house, source)
}

/// Rules by the reserve that keep the margin within these bounds.
fn within(floor: &str, ceiling: &str) -> Value {
    let levels = json!([{ "from": "0", "percent": "-0.1" }, { "from": "50", "percent": "0.1" }]);
    json!({ "bounds": { "floor": floor, "ceiling": ceiling }, "reserve": { "target": "30000000", "levels": levels } })
}

async fn sets(staff: &Caller, id: i64, rules: Value) -> Answer {
    let path = format!("{RATES}/pairs/{id}");
    let revision = staff.get(&path).await.ok()["revision"].clone();
    staff.put(&path, json!({ "revision": revision, "rules": rules })).await
}

async fn bounds(staff: &Caller, id: i64) -> Value {
    staff.get(&format!("{RATES}/pairs/{id}")).await.ok()["rules"]["bounds"].clone()
}

/// What was proposed.
#[track_caller]
fn proposal(answer: Answer) -> Value {
    assert_eq!(answer.status.as_u16(), 202, "{}", answer.text);
    answer.json()
}

async fn approve(staff: &Caller, proposal: &Value) -> Answer {
    staff.post_empty(&format!("/api/admin/v1/approvals/{}/approve", proposal["id"].as_str().unwrap())).await
}

async fn rules_that_may_take_a_rate_far_wait_for_a_second_person(engine: Engine) {
    let (house, _source) = careful(engine).await;
    let (owner, editor) = (house.owner().await, house.staff(Role::Editor).await);
    let id = pair(&house, "BTC", "SBERRUB");
    assert_eq!(sets(&editor, id, within("0.5", "4")).await.status.as_u16(), 200, "a little is one person's");

    let far = proposal(sets(&editor, id, within("0.5", "30")).await);
    assert_eq!((far["kind"].as_str(), far["aboutId"].as_str()), (Some("rate_rules"), Some(id.to_string().as_str())));
    let facts = far["facts"].to_string();
    assert!(facts.contains("BTC → SBERRUB") && facts.contains("0.5 … 4") && facts.contains("0.5 … 30"), "{facts}");
    assert_eq!(bounds(&editor, id).await["ceiling"], "4", "nothing is set yet");
    proposal_waits(&editor, id).await;
    approve(&editor, &far).await.refused(403, "approval_own");
    house
        .operator()
        .await
        .post_empty(&format!("/api/admin/v1/approvals/{}/approve", far["id"].as_str().unwrap()))
        .await
        .refused(403, "forbidden");
    approve(&owner, &far).await.ok();
    assert_eq!(bounds(&editor, id).await["ceiling"], "30");
    let log = owner.get(&format!("/api/admin/v1/audit?aboutKind=pair&aboutId={id}")).await.ok();
    let set = log["items"].as_array().unwrap().iter().find(|entry| entry["action"] == "rate_rules.changed").unwrap();
    assert_eq!((&set["actor"]["name"], &set["after"]["bounds"]["ceiling"]), (&json!("editor"), &json!("30")));
    cycle(&house).await;

    assert_eq!(sets(&editor, id, within("0.5", "20")).await.status.as_u16(), 200, "within what was agreed on one person decides");
    house.audit_is_whole().await;
}

/// The same is not proposed twice.
async fn proposal_waits(editor: &Caller, id: i64) {
    sets(editor, id, within("0.5", "31")).await.refused(409, "approval_waits");
}

async fn rules_that_changed_meanwhile_are_not_set_by_an_old_proposal(engine: Engine) {
    let (house, _source) = careful(engine).await;
    let (owner, editor) = (house.owner().await, house.staff(Role::Editor).await);
    let id = pair(&house, "BTC", "SBERRUB");
    let far = proposal(sets(&editor, id, within("-30", "4")).await);
    sets(&owner, id, within("0.5", "3")).await.ok();
    approve(&owner, &far).await.refused(409, "approval_outdated");
    assert_eq!(bounds(&owner, id).await, json!({ "floor": "0.5", "ceiling": "3" }));
    let path = format!("{RATES}/pairs/{id}");
    let old = json!({ "revision": 0, "rules": within("-40", "4") });
    editor.put(&path, old).await.refused(409, "rate_rules_changed");
}

async fn without_the_rule_one_person_decides(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let editor = house.staff(Role::Editor).await;
    let id = pair(&house, "BTC", "SBERRUB");
    assert_eq!(sets(&editor, id, within("-50", "90")).await.status.as_u16(), 200);
}

both_engines!(
    rules_that_may_take_a_rate_far_wait_for_a_second_person,
    rules_that_changed_meanwhile_are_not_set_by_an_old_proposal,
    without_the_rule_one_person_decides,
);
