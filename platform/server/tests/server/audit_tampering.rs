//! Detection of changes to the audit log by someone with access to the database.

use std::fmt::Write as _;

use agio_core::audit::{self, AuditEntry};
use agio_core::{Timestamp, execute};
use agio_test_app::{Engine, TestApp};
use tokio::process::Command;

const CHAINS: i64 = 64;

/// Entries per chain in the regular test: some thousands in total.
const LENGTH: i64 = 100;

/// Entries per chain in the long test: a hundred thousand in total.
const LONG_LENGTH: i64 = 1_563;

/// Entries per statement.
const ENTRIES_PER_STATEMENT: i64 = 500;

pub async fn run(app: &TestApp, sql: String) -> agio_core::Result<u64> {
    let sql: &'static str = sql.leak();
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await
}

/// A server with valid chains of this length, without the triggers that protect the log.
async fn app_without_triggers(engine: Engine, length: i64) -> TestApp {
    let app = TestApp::start(engine).await;
    drop_triggers(&app, engine).await;
    // Starting the server writes some entries.
    run(&app, "DELETE FROM audit".into()).await.unwrap();
    write_log(&app, length).await;
    let heads = format!(
        "UPDATE audit_chain SET number = {length}, digest = (SELECT digest FROM audit WHERE audit.chain = audit_chain.chain AND audit.number = {length})"
    );
    run(&app, heads).await.unwrap();
    assert_eq!(app.assert_audit_chain_is_intact().await, (CHAINS * length).unsigned_abs());
    app
}

async fn write_log(app: &TestApp, length: i64) {
    let insert = "INSERT INTO audit (chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest) VALUES ";
    for chain in 0..CHAINS {
        let mut last = String::new();
        for first in (1..=length).step_by(ENTRIES_PER_STATEMENT as usize) {
            let mut sql = String::from(insert);
            for number in first..(first + ENTRIES_PER_STATEMENT).min(length + 1) {
                let mut entry = entry(chain, number);
                entry.digest = audit::digest(&last, &entry);
                last.clone_from(&entry.digest);
                let comma = if number == first { "" } else { "," };
                write!(
                    sql,
                    "{comma}({chain},{number},{},'system',NULL,'{}',NULL,'{}','thing','{number}',NULL,'{}','{last}')",
                    entry.at.0,
                    entry.actor_name,
                    entry.action,
                    entry.after.unwrap(),
                )
                .unwrap();
            }
            run(app, sql).await.unwrap();
        }
    }
}

fn entry(chain: i64, number: i64) -> AuditEntry {
    AuditEntry {
        chain,
        number,
        at: Timestamp(1_711_627_200_000_000 + number),
        actor_kind: "system".into(),
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

/// Removes the triggers that protect the log.
async fn drop_triggers(app: &TestApp, engine: Engine) {
    let triggers = match engine {
        Engine::Sqlite => ["audit_is_never_changed", "audit_is_never_deleted", "audit_is_head"]
            .map(|trigger| format!("DROP TRIGGER {trigger}"))
            .to_vec(),
        Engine::Postgres => {
            ["audit_is_never_changed", "audit_is_head"].map(|trigger| format!("DROP TRIGGER {trigger} ON audit")).to_vec()
        }
    };
    for trigger in triggers {
        run(app, trigger).await.unwrap();
    }
}

/// A change to one chain each, and the reported fault.
fn changes_to_chains() -> Vec<(String, Vec<String>)> {
    let update =
        |set: &str, chain: i64, number: i64| format!("UPDATE audit SET {set} WHERE chain = {chain} AND number = {number}");
    vec![
        (update("after = '{\"value\":1}'", 0, 50), vec![wrong(0, 50)]),
        (update("at = at + 1", 1, 1), vec![wrong(1, 1)]),
        (update("actor_name = 'nobody'", 2, LENGTH), vec![wrong(2, LENGTH)]),
        (update("before = 'null'", 3, 17), vec![wrong(3, 17)]),
        (update("digest = 'x'", 4, LENGTH), vec![wrong(4, LENGTH), "chain 4: its last entry is not what was written".into()]),
        ("DELETE FROM audit WHERE chain = 5 AND number = 50".into(), vec!["chain 5, entry 50: it is missing".into()]),
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
        // Two swapped entries: both are wrong, and so is the next one.
        (
            "UPDATE audit SET number = CASE number WHEN 60 THEN -60 ELSE -61 END WHERE chain = 10 AND number IN (60, 61)".into(),
            vec![wrong(10, 60), wrong(10, 61), wrong(10, 62)],
        ),
        ("UPDATE audit SET number = CASE number WHEN -60 THEN 61 ELSE 60 END WHERE chain = 10 AND number < 0".into(), vec![]),
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

async fn every_kind_of_tampering_is_found_and_named(engine: Engine) {
    let app = app_without_triggers(engine, LENGTH).await;
    assert!(verify_with_command(&app).await.is_ok());

    let mut expected = Vec::new();
    for (deed, faults) in changes_to_chains() {
        run(&app, deed).await.unwrap();
        expected.extend(faults);
    }
    let found = app.server.verify_audit_chain().await.unwrap();
    let (mut named, mut due) = (found.faults.clone(), expected);
    named.sort();
    due.sort();
    assert_eq!(named, due);
    let printed = verify_with_command(&app).await.unwrap_err();
    assert_eq!(printed.lines().collect::<Vec<_>>(), found.faults);
    let dashboard = app.owner().await.get("/api/admin/v1/dashboard").await.ok();
    assert_eq!(
        (dashboard["audit"]["clean"].as_bool(), dashboard["audit"]["faults"].as_array().unwrap().len()),
        (Some(false), due.len())
    );
}

/// A change to every column of an entry.
const PARTS: [(&str, &str); 10] = [
    ("at", "at + 1"),
    ("actor_kind", "'staff'"),
    ("actor_id", "@uuid"),
    ("actor_name", "'nobody'"),
    ("address", "'192.0.2.1'"),
    ("action", "'thing.unchanged'"),
    ("about_kind", "'think'"),
    ("about_id", "'0'"),
    ("before", "'{}'"),
    ("after", "NULL"),
];

/// Changes a column of some or all entries, and returns the statement that restores it.
async fn overwrite(app: &TestApp, engine: Engine, (part, value): (&str, &str), place: &str) -> String {
    let uuid = match engine {
        Engine::Sqlite => "X'00000000000040008000000000000000'",
        Engine::Postgres => "CAST('00000000-0000-4000-8000-000000000000' AS UUID)",
    };
    let value = value.replace("@uuid", uuid);
    run(app, format!("UPDATE audit SET {part} = {value} {place}")).await.unwrap();
    let right = match part {
        "at" => "at - 1",
        "actor_kind" => "'system'",
        "actor_name" => "'test'",
        "action" => "'thing.changed'",
        "about_kind" => "'thing'",
        "about_id" => "CAST(number AS TEXT)",
        "after" => "'{\"value\":' || CAST(number AS TEXT) || '}'",
        _ => "NULL",
    };
    format!("UPDATE audit SET {part} = {right} {place}")
}

fn wrong(chain: i64, number: i64) -> String {
    format!("chain {chain}, entry {number}: it is not what was written")
}

/// Changes distant entries one at a time, each in a different column.
async fn change_one_by_one(app: &TestApp, engine: Engine, length: i64, times: i64) {
    for time in 0..times {
        let (chain, number) = (time * 37 % CHAINS, 1 + time * 7_919 % length);
        let part = PARTS[usize::try_from(time).unwrap() % PARTS.len()];
        let mended = overwrite(app, engine, part, &format!("WHERE chain = {chain} AND number = {number}")).await;
        let found = app.server.verify_audit_chain().await.unwrap().faults;
        assert_eq!(found, [wrong(chain, number)], "{part:?}");
        run(app, mended).await.unwrap();
    }
    app.assert_audit_chain_is_intact().await;
}

async fn one_changed_entry_among_thousands_is_named(engine: Engine) {
    let app = app_without_triggers(engine, LENGTH).await;
    change_one_by_one(&app, engine, LENGTH, 20).await;
}

/// An entry is verified by its own columns and the previous digest only, so all entries can be changed at once:
/// each must be reported.
async fn each_of_a_hundred_thousand_entries_is_named_if_any_part_changes(engine: Engine) {
    let app = app_without_triggers(engine, LONG_LENGTH).await;
    change_one_by_one(&app, engine, LONG_LENGTH, 20).await;
    let all: Vec<_> = (0..CHAINS).flat_map(|chain| (1..=LONG_LENGTH).map(move |number| wrong(chain, number))).collect();
    for part in PARTS {
        let mended = overwrite(&app, engine, part, "").await;
        let found = app.server.verify_audit_chain().await.unwrap().faults;
        assert!(found == all, "{part:?}: {} of {} are named", found.len(), all.len());
        run(&app, mended).await.unwrap();
    }
    app.assert_audit_chain_is_intact().await;
}

mod long {
    use agio_test_app::Engine;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "reads a million entries; run it with --ignored after a change of the log"]
    async fn sqlite() {
        super::each_of_a_hundred_thousand_entries_is_named_if_any_part_changes(Engine::Sqlite).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "reads a million entries; run it with --ignored after a change of the log"]
    async fn postgres() {
        super::each_of_a_hundred_thousand_entries_is_named_if_any_part_changes(Engine::Postgres).await;
    }
}

/// The output of `agio audit verify`: `Err` if it fails.
async fn verify_with_command(app: &TestApp) -> Result<String, String> {
    let database = format!("database.url={}", app.database().url);
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

agio_test_app::both_engines!(every_kind_of_tampering_is_found_and_named, one_changed_entry_among_thousands_is_named,);
