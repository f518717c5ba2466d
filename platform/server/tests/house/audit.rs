//! The audit log: complete, and proof against being meddled with.

use std::fmt::Write as _;

use agio_core::audit::{self, Stored};
use agio_core::identity::Role;
use agio_core::{Timestamp, execute};
use agio_testkit::{Engine, House};
use serde_json::{Value, json};
use tokio::process::Command;

const AUDIT: &str = "/api/admin/v1/audit";

const CHAINS: i64 = 16;

/// Entries of each chain: 100,000 in all.
const LENGTH: i64 = 6_250;

async fn run(house: &House, sql: String) -> agio_core::Result<u64> {
    let sql: &'static str = sql.leak();
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await
}

/// Writes a log of 100,000 entries, sound by construction.
async fn write_log(house: &House) {
    let insert = "INSERT INTO audit (chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest) VALUES ";
    for chain in 0..CHAINS {
        let mut last = String::new();
        for first in (1..=LENGTH).step_by(625) {
            let mut sql = String::from(insert);
            for number in first..first + 625 {
                let mut entry = entry(chain, number);
                entry.digest = audit::digest(&last, &entry);
                last.clone_from(&entry.digest);
                let comma = if number == first { "" } else { "," };
                write!(
                    sql,
                    "{comma}({chain},{number},{},'house',NULL,'{}',NULL,'{}','thing','{number}',NULL,'{}','{last}')",
                    entry.at.0,
                    entry.actor_name,
                    entry.action,
                    entry.after.unwrap(),
                )
                .unwrap();
            }
            run(house, sql).await.unwrap();
        }
    }
}

fn entry(chain: i64, number: i64) -> Stored {
    Stored {
        chain,
        number,
        at: Timestamp(1_711_627_200_000_000 + number),
        actor_kind: "house".into(),
        actor_id: None,
        actor_name: "test".into(),
        address: None,
        action: "thing.changed".into(),
        about_kind: "thing".into(),
        about_id: number.to_string(),
        before: None,
        after: Some(format!("{{\"value\":{number}}}")),
        digest: String::new(),
    }
}

/// Takes away what stands between the log and somebody who owns the database.
async fn drop_guards(house: &House, engine: Engine) {
    let guards = match engine {
        Engine::Sqlite => ["audit_is_never_changed", "audit_is_never_deleted", "audit_is_head"]
            .map(|guard| format!("DROP TRIGGER {guard}"))
            .to_vec(),
        Engine::Postgres => {
            ["audit_is_never_changed", "audit_is_head"].map(|guard| format!("DROP TRIGGER {guard} ON audit")).to_vec()
        }
    };
    for guard in guards {
        run(house, guard).await.unwrap();
    }
}

/// What somebody does to one chain each, and how the proof names it.
fn meddling() -> Vec<(String, Vec<String>)> {
    let update =
        |set: &str, chain: i64, number: i64| format!("UPDATE audit SET {set} WHERE chain = {chain} AND number = {number}");
    let wrong = |chain: i64, number: i64| format!("chain {chain}, entry {number}: it is not what was written");
    vec![
        (update("after = '{\"value\":1}'", 0, 3_000), vec![wrong(0, 3_000)]),
        (update("at = at + 1", 1, 1), vec![wrong(1, 1)]),
        (update("actor_name = 'nobody'", 2, LENGTH), vec![wrong(2, LENGTH)]),
        (update("before = 'null'", 3, 17), vec![wrong(3, 17)]),
        (update("digest = 'x'", 4, LENGTH), vec![wrong(4, LENGTH), "chain 4: its last entry is not what was written".into()]),
        ("DELETE FROM audit WHERE chain = 5 AND number = 3000".into(), vec!["chain 5, entry 3000: it is missing".into()]),
        ("DELETE FROM audit WHERE chain = 6 AND number = 1".into(), vec!["chain 6, entry 1: it is missing".into()]),
        (
            format!("DELETE FROM audit WHERE chain = 7 AND number = {LENGTH}"),
            vec![format!("chain 7: it ends at {} and should end at {LENGTH}", LENGTH - 1)],
        ),
        (
            update("number = 0", 8, 40),
            vec!["chain 8, entry 0: there is no such number".into(), "chain 8, entry 40: it is missing".into()],
        ),
        (
            format!(
                "INSERT INTO audit SELECT chain, number + 1, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest FROM audit WHERE chain = 9 AND number = {LENGTH}"
            ),
            vec![wrong(9, LENGTH + 1), format!("chain 9: it ends at {} and should end at {LENGTH}", LENGTH + 1)],
        ),
        // Two entries change places: neither fits, nor does the one behind them.
        (
            "UPDATE audit SET number = CASE number WHEN 50 THEN -50 ELSE -51 END WHERE chain = 10 AND number IN (50, 51)".into(),
            vec![wrong(10, 50), wrong(10, 51), wrong(10, 52)],
        ),
        ("UPDATE audit SET number = CASE number WHEN -50 THEN 51 ELSE 50 END WHERE chain = 10 AND number < 0".into(), vec![]),
        (
            update("chain = 99", 11, 8),
            vec!["chain 11, entry 8: it is missing".into(), "chain 99, entry 8: there is no such chain".into()],
        ),
        ("DELETE FROM audit_chain WHERE chain = 12".into(), vec!["chain 12: its head is missing".into()]),
        (
            "DELETE FROM audit WHERE chain = 13 AND number BETWEEN 10 AND 19".to_owned(),
            vec!["chain 13, entries 10 to 19: they are missing".into()],
        ),
        ("DELETE FROM audit WHERE chain = 14".into(), vec![format!("chain 14: it ends at 0 and should end at {LENGTH}")]),
    ]
}

async fn any_meddling_with_a_hundred_thousand_entries_is_found_and_named(engine: Engine) {
    let house = House::open(engine).await;
    // Opening the house for a test writes some entries of its own.
    drop_guards(&house, engine).await;
    run(&house, "DELETE FROM audit".into()).await.unwrap();
    write_log(&house).await;
    run(&house, "UPDATE audit_chain SET number = 0, digest = ''".into()).await.unwrap();
    let heads = format!(
        "UPDATE audit_chain SET number = {LENGTH}, digest = (SELECT digest FROM audit WHERE audit.chain = audit_chain.chain AND audit.number = {LENGTH})"
    );
    run(&house, heads).await.unwrap();
    assert_eq!(house.audit_is_whole().await, 100_000);
    assert!(verified_from_outside(&house).await.is_ok());

    let mut expected = Vec::new();
    for (deed, faults) in meddling() {
        run(&house, deed).await.unwrap();
        expected.extend(faults);
    }
    let found = house.app.prove_audit().await.unwrap();
    let (mut named, mut due) = (found.faults.clone(), expected);
    named.sort();
    due.sort();
    assert_eq!(named, due);
    let printed = verified_from_outside(&house).await.unwrap_err();
    assert_eq!(printed.lines().collect::<Vec<_>>(), found.faults);
    let dashboard = house.owner().await.get("/api/admin/v1/dashboard").await.ok();
    assert_eq!(
        (dashboard["audit"]["clean"].as_bool(), dashboard["audit"]["faults"].as_array().unwrap().len()),
        (Some(false), due.len())
    );
}

/// What `agio audit verify` prints, by how it ends.
async fn verified_from_outside(house: &House) -> Result<String, String> {
    let database = format!("database.url={}", house.database().url);
    let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
    agio.args(["--set", &database, "audit", "verify"]).env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    let output = agio.output().await.unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    match output.status.code() {
        Some(0) => Ok(printed),
        Some(1) => Err(printed),
        other => panic!("it ended with {other:?}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

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
    any_meddling_with_a_hundred_thousand_entries_is_found_and_named,
    the_database_itself_refuses_to_change_the_log,
    what_staff_change_is_written_down_with_before_and_after,
    the_log_answers_who_what_which_and_when,
);
