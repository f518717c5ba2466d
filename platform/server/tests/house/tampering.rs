//! Somebody who owns the database meddles with the audit log.

use std::fmt::Write as _;

use agio_core::audit::{self, Stored};
use agio_core::{Timestamp, execute};
use agio_testkit::{Engine, House};
use tokio::process::Command;

const CHAINS: i64 = 64;

/// Entries of each chain in a test that runs always: some thousands in all.
const LENGTH: i64 = 100;

/// Entries of each chain in the long test: a hundred thousand in all.
const LONG: i64 = 1_563;

/// How many entries a statement writes.
const AT_ONCE: i64 = 500;

pub async fn run(house: &House, sql: String) -> agio_core::Result<u64> {
    let sql: &'static str = sql.leak();
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await
}

/// A house whose log is this long in each chain and sound by construction, without what stands between the log and somebody who owns the
/// database.
async fn unguarded(engine: Engine, length: i64) -> House {
    let house = House::open(engine).await;
    drop_guards(&house, engine).await;
    // Opening the house for a test writes some entries of its own.
    run(&house, "DELETE FROM audit".into()).await.unwrap();
    write_log(&house, length).await;
    let heads = format!(
        "UPDATE audit_chain SET number = {length}, digest = (SELECT digest FROM audit WHERE audit.chain = audit_chain.chain AND audit.number = {length})"
    );
    run(&house, heads).await.unwrap();
    assert_eq!(house.audit_is_whole().await, (CHAINS * length).unsigned_abs());
    house
}

async fn write_log(house: &House, length: i64) {
    let insert = "INSERT INTO audit (chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest) VALUES ";
    for chain in 0..CHAINS {
        let mut last = String::new();
        for first in (1..=length).step_by(AT_ONCE as usize) {
            let mut sql = String::from(insert);
            for number in first..(first + AT_ONCE).min(length + 1) {
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
        // Two entries change places: neither fits, nor does the one behind them.
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

async fn every_kind_of_meddling_is_found_and_named(engine: Engine) {
    let house = unguarded(engine, LENGTH).await;
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

/// Every part of an entry, as somebody would write it anew.
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

/// Writes one part of the entries at a place anew, or of all; gives what puts it right.
async fn write_anew(house: &House, engine: Engine, (part, value): (&str, &str), place: &str) -> String {
    let uuid = match engine {
        Engine::Sqlite => "X'00000000000040008000000000000000'",
        Engine::Postgres => "CAST('00000000-0000-4000-8000-000000000000' AS UUID)",
    };
    let value = value.replace("@uuid", uuid);
    run(house, format!("UPDATE audit SET {part} = {value} {place}")).await.unwrap();
    let right = match part {
        "at" => "at - 1",
        "actor_kind" => "'house'",
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

/// Changes single entries far from each other, one at a time, each in another part.
async fn change_one_by_one(house: &House, engine: Engine, length: i64, times: i64) {
    for time in 0..times {
        let (chain, number) = (time * 37 % CHAINS, 1 + time * 7_919 % length);
        let part = PARTS[usize::try_from(time).unwrap() % PARTS.len()];
        let mended = write_anew(house, engine, part, &format!("WHERE chain = {chain} AND number = {number}")).await;
        let found = house.app.prove_audit().await.unwrap().faults;
        assert_eq!(found, [wrong(chain, number)], "{part:?}");
        run(house, mended).await.unwrap();
    }
    house.audit_is_whole().await;
}

async fn one_entry_changed_among_thousands_is_the_one_that_is_named(engine: Engine) {
    let house = unguarded(engine, LENGTH).await;
    change_one_by_one(&house, engine, LENGTH, 20).await;
}

/// Whether an entry is what was written is told by it and its predecessor's digest alone, so that all of them can be changed at a time:
/// each has to be named for itself.
async fn each_of_a_hundred_thousand_entries_is_named_when_any_part_of_it_changes(engine: Engine) {
    let house = unguarded(engine, LONG).await;
    change_one_by_one(&house, engine, LONG, 20).await;
    let all: Vec<_> = (0..CHAINS).flat_map(|chain| (1..=LONG).map(move |number| wrong(chain, number))).collect();
    for part in PARTS {
        let mended = write_anew(&house, engine, part, "").await;
        let found = house.app.prove_audit().await.unwrap().faults;
        assert!(found == all, "{part:?}: {} of {} are named", found.len(), all.len());
        run(&house, mended).await.unwrap();
    }
    house.audit_is_whole().await;
}

mod long {
    use agio_testkit::Engine;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "reads a million entries; run it with --ignored after a change of the log"]
    async fn sqlite() {
        super::each_of_a_hundred_thousand_entries_is_named_when_any_part_of_it_changes(Engine::Sqlite).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "reads a million entries; run it with --ignored after a change of the log"]
    async fn postgres() {
        super::each_of_a_hundred_thousand_entries_is_named_when_any_part_of_it_changes(Engine::Postgres).await;
    }
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

agio_testkit::both_engines!(
    every_kind_of_meddling_is_found_and_named,
    one_entry_changed_among_thousands_is_the_one_that_is_named,
);
