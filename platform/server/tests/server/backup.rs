//! `agio backup`, `agio restore` and `agio db copy`, on each engine and from one to the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agio_core::db::SequenceState;
use agio_core::random::{Random as _, SeededRandom};
use agio_core::{Db, Vault, execute, fetch_all, fetch_one};
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::schema_and_keys::{FIRST, Installation, SECOND};

const CUSTOMERS: usize = 6;

/// The key of every test app.
fn key_of_app() -> String {
    let mut key = [0; 32];
    SeededRandom::new(2).fill(&mut key);
    STANDARD.encode(key)
}

fn other(engine: Engine) -> Engine {
    match engine {
        Engine::Sqlite => Engine::Postgres,
        Engine::Postgres => Engine::Sqlite,
    }
}

fn words<'w>(before: &[&'w str], path: &'w Path) -> Vec<&'w str> {
    [before, &[path.to_str().unwrap()]].concat()
}

/// The only backup of a folder.
fn backup_in(folder: &Path) -> PathBuf {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut backups: Vec<_> = names.filter(|path| path.join("manifest.json").exists()).collect();
    assert_eq!(backups.len(), 1, "{backups:?}");
    backups.remove(0)
}

/// The identifiers and numbers of all claims.
async fn claims(url: &str) -> BTreeMap<Uuid, i64> {
    let db = Db::open(url).await.unwrap();
    let mut tx = db.read().await.unwrap();
    let found = fetch_all!(&mut tx, (Uuid, i64), "SELECT id, public_id FROM claim").unwrap();
    drop(tx);
    db.close().await;
    found.into_iter().collect()
}

/// The last numbers that were given, of claims among others.
async fn last_numbers(url: &str) -> Vec<SequenceState> {
    let db = Db::open(url).await.unwrap();
    let found = db.snapshot().await.unwrap().sequences().await.unwrap();
    db.close().await;
    assert!(found.iter().any(|sequence| sequence.table == "claim" && sequence.last >= 100_000), "{found:?}");
    found
}

/// Columns go on after the numbers that were given, and after those of their rows where the engine counts no others.
async fn assert_go_on(url: &str, given: &[SequenceState]) {
    let db = Db::open(url).await.unwrap();
    let mut tx = db.read().await.unwrap();
    for SequenceState { table, column, last } in last_numbers(url).await {
        let greatest = || sqlx::AssertSqlSafe(format!("SELECT COALESCE(MAX({column}), 0) FROM {table}"));
        let (greatest,) = fetch_one!(&mut tx, (i64,), greatest()).unwrap();
        let given = given.iter().find(|state| (&state.table, &state.column) == (&table, &column));
        assert_eq!(last, given.map_or(0, |state| state.last).max(greatest), "{table}.{column}");
    }
    drop(tx);
    db.close().await;
}

/// A shop without limits, and what a customer sends to create a claim.
async fn open_shop(engine: Engine) -> (TestApp, Value) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let open = json!({
        "claims.captcha": "false", "claims.unpaid_per_email": "100000", "claims.unpaid_per_address": "100000",
        "claims.unproven_share_percent": "100",
    });
    owner.put("/api/admin/v1/settings", open).await.ok();
    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    let id = |code: &str| currencies.as_array().unwrap().iter().find(|row| row["code"] == code).unwrap()["id"].clone();
    let mut claim = json!({
        "email": "anna@example.com", "fromPs": id("BTC"), "toPs": id("SBERRUB"), "fromSumma": "0.001", "toSumma": "0",
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN IVANOV" },
    });
    let shown = app.visitor().post("/api/v1/claim/", claim.clone()).await.refused(409, "rate_changed");
    claim["toSumma"] = shown["params"]["toSumma"].clone();
    (app, claim)
}

async fn create_claim(customer: &TestClient, claim: &Value) -> Option<Uuid> {
    let answer = customer.post("/api/v1/claim/", claim.clone()).await;
    (answer.status.as_u16() < 300).then(|| answer.ok()["id"].as_str().unwrap().parse().unwrap())
}

async fn a_backup_under_load_restores_the_state_at_its_instant(engine: Engine) {
    let (app, claim) = open_shop(engine).await;
    let before: BTreeSet<_> = [create_claim(&app.visitor(), &claim).await.unwrap()].into();
    let stop = Arc::new(AtomicBool::new(false));
    let customers: Vec<_> = (0..CUSTOMERS)
        .map(|number| {
            let (customer, stop, mut claim) = (app.visitor(), stop.clone(), claim.clone());
            claim["email"] = json!(format!("customer{number}@example.com"));
            tokio::spawn(async move {
                let mut created = BTreeSet::new();
                while !stop.load(Ordering::Relaxed) {
                    let Some(id) = create_claim(&customer, &claim).await else { continue };
                    created.insert(id);
                    if created.len() % 2 == 0 {
                        customer.post_empty(&format!("/api/v1/claim/{id}/cancel/")).await.ok();
                    }
                }
                created
            })
        })
        .collect();
    let acknowledged: BTreeSet<_> = claims(&app.database().url).await.into_keys().chain(before).collect();

    let folder = tempfile::tempdir().unwrap();
    let (backups, key) = (folder.path().join("backups"), key_of_app());
    let saved = command(&app.database().url, folder.path(), &key, &words(&["backup"], &backups)).await;
    stop.store(true, Ordering::Relaxed);
    let mut created = acknowledged.clone();
    for customer in customers {
        created.extend(customer.await.unwrap());
    }
    assert!(saved.contains(" rows, 0 files, as of 2"), "{saved}");

    let backup = backup_in(&backups);
    let verified = command(&app.database().url, folder.path(), &key, &words(&["backup", "verify"], &backups)).await;
    assert!(verified.contains("is good") && verified.contains("The ledger has no differences"), "{verified}");
    for target in [engine, other(engine)] {
        let restored = Installation::new(target).await;
        let said = restored.done(&key, &words(&["restore"], &backup));
        assert!(said.contains("Payouts are closed"), "{said}");
        let found: BTreeSet<_> = claims(&restored.database.url).await.into_keys().collect();
        assert!(found.is_superset(&acknowledged), "a claim that was acknowledged before the backup is missing");
        assert!(found.is_subset(&created), "a claim that nobody created");
        assert!(restored.done(&key, &["ledger", "check"]).contains("no differences"));
        assert!(restored.done(&key, &["audit", "verify"]).contains("The audit log is valid"));
        assert_eq!(restored.done(&key, &["payouts", "status"]), "Payouts are closed.\n");
        assert_eq!(restored.done(&key, &["payouts", "open"]), "Payouts are open.\n");
    }
}

/// Runs the command without blocking the server of this process.
async fn command(url: &str, folder: &Path, key: &str, words: &[&str]) -> String {
    let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
    agio.env("AGIO__DATABASE__URL", url).env("AGIO__SECRETS__KEYS", key).current_dir(folder).args(words);
    let output = tokio::task::spawn_blocking(move || agio.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A backup of an installation with a few rows and files.
async fn installation_with_backup(engine: Engine) -> (Installation, PathBuf) {
    let installation = Installation::new(engine).await;
    installation.done(FIRST, &["migrate"]);
    let note = "INSERT INTO contact_message (id, name, email, message, locale, network, created_at)
        VALUES ($1, 'Анна', 'anna@example.com', $2, 'ru', 'n', 1)";
    let db = Db::open(&installation.database.url).await.unwrap();
    db.write(move |tx| {
        Box::pin(async move {
            execute!(tx, note, Uuid::from_u128(7), "tab\t, line\n, return\r, \\N, \\x00, \"quoted\" 🙂").map(drop)
        })
    })
    .await
    .unwrap();
    db.close().await;
    installation.done(FIRST, &["staff", "add", "--owner", "anna@example.com"]);
    fs::create_dir_all(installation.folder.path().join("receipts")).unwrap();
    fs::write(installation.folder.path().join("receipts/one"), "a receipt").unwrap();
    let backups = installation.folder.path().join("backups");
    installation.done(FIRST, &words(&["backup"], &backups));
    let backup = backup_in(&backups);
    (installation, backup)
}

async fn everything_comes_back_on_both_engines(engine: Engine) {
    let (installation, backup) = installation_with_backup(engine).await;
    for target in [engine, other(engine)] {
        let restored = Installation::new(target).await;
        restored.done(FIRST, &words(&["restore"], &backup));
        assert_eq!(fs::read(restored.folder.path().join("receipts/one")).unwrap(), b"a receipt");
        let db = Db::open(&restored.database.url).await.unwrap();
        let sql = "SELECT id, message FROM contact_message";
        let mut tx = db.read().await.unwrap();
        let (id, message) = fetch_one!(&mut tx, (Uuid, String), sql).unwrap();
        drop(tx);
        assert_eq!((id, message.as_str()), (Uuid::from_u128(7), "tab\t, line\n, return\r, \\N, \\x00, \"quoted\" 🙂"));
        db.close().await;
        // Its triggers run again.
        let refused = "DELETE FROM audit";
        let db = Db::open(&restored.database.url).await.unwrap();
        assert!(db.write(move |tx| Box::pin(async move { execute!(tx, refused).map(drop) })).await.is_err());
        db.close().await;
        assert_go_on(&restored.database.url, &last_numbers(&installation.database.url).await).await;
        // It can be backed up in turn, and is no empty database any more.
        restored.done(FIRST, &words(&["backup"], &restored.folder.path().join("again")));
        let said = restored.refused(FIRST, &words(&["restore"], &backup));
        assert!(said.contains("this database is in use"), "{said}");
    }
}

async fn what_cannot_be_restored_is_refused_and_nothing_is_written(engine: Engine) {
    let (_installation, backup) = installation_with_backup(engine).await;
    let target = Installation::new(engine).await;
    target.done(FIRST, &["migrate"]);
    let before = target.rows().await;
    let refused = |keys: &str, expected: &str| {
        for command in [&["restore"][..], &["backup", "verify"]] {
            let said = target.refused(keys, &words(command, &backup));
            assert!(said.contains(expected), "{command:?}: {said}");
        }
    };
    refused(SECOND, "sealed with key");

    let changed = |name: &str, change: &dyn Fn(Vec<u8>) -> Vec<u8>, expected: &str| {
        let path = backup.join(name);
        let right = fs::read(&path).unwrap();
        fs::write(&path, change(right.clone())).unwrap();
        refused(FIRST, expected);
        fs::write(&path, right).unwrap();
    };
    let replaced = |from: &'static str, to: &'static str| {
        move |text: Vec<u8>| {
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1).into_bytes()
        }
    };
    changed("manifest.json", &replaced("\"format\": 1", "\"format\": 9"), "is in format 9");
    changed(
        "manifest.json",
        &replaced("\"migrations\": [\n    1", "\"migrations\": [\n    999"),
        "that this build does not know",
    );
    changed("manifest.json", &replaced("\"rows\": 64", "\"rows\": 63"), "its manifest was changed");
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 1);
        bytes
    };
    changed("manifest.json", &cut, "manifest.json");
    changed("tables/audit.jsonl.gz", &cut, "tables/audit.jsonl.gz was changed or cut short");
    changed("files/receipts/one", &replaced("receipt", "recount"), "files/receipts/one was changed or cut short");
    fs::rename(backup.join("manifest.json"), backup.join("away")).unwrap();
    refused(FIRST, "is no complete backup");
    fs::rename(backup.join("away"), backup.join("manifest.json")).unwrap();
    // Which backup is meant decides what is lost.
    let said = target.refused(FIRST, &words(&["restore"], backup.parent().unwrap()));
    assert!(said.contains("name one of them, such as") && said.contains(backup.to_str().unwrap()), "{said}");

    fs::create_dir_all(target.folder.path().join("receipts")).unwrap();
    fs::write(target.folder.path().join("receipts/one"), "another receipt").unwrap();
    let said = target.refused(FIRST, &words(&["restore"], &backup));
    assert!(said.contains("exists with other content"), "{said}");
    assert_eq!(target.rows().await, before);

    // Nothing is wrong with the backup itself.
    fs::remove_file(target.folder.path().join("receipts/one")).unwrap();
    target.done(FIRST, &words(&["restore"], &backup));
}

async fn the_newest_backups_are_kept(engine: Engine) {
    let (installation, first) = installation_with_backup(engine).await;
    let backups = first.parent().unwrap();
    // Of a backup that was interrupted, and not a backup at all.
    fs::create_dir(backups.join(".unfinished-agio-20240101T000000.000Z")).unwrap();
    fs::create_dir(backups.join("mine")).unwrap();
    for _ in 0..2 {
        installation.done(FIRST, &words(&["backup", "--keep", "2"], backups));
    }
    let names: BTreeSet<_> =
        fs::read_dir(backups).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!first.exists() && names.contains("mine"), "{names:?}");
    assert_eq!(names.iter().filter(|name| name.starts_with("agio-")).count(), 2, "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with(".unfinished-")), "{names:?}");
}

async fn a_copy_equals_its_source(engine: Engine) {
    let (mut app, claim) = open_shop(engine).await;
    for _ in 0..20 {
        create_claim(&app.visitor(), &claim).await.unwrap();
    }
    let url = app.database().url.clone();
    let (expected, numbers) = (claims(&url).await, last_numbers(&url).await);
    app.server.platform.db.close().await;
    let key = key_of_app();
    let (copied, back) = (Installation::new(other(engine)).await, Installation::new(engine).await);
    if engine == Engine::Postgres {
        let said = copied.refused(&key, &["db", "copy", &url, &copied.database.url]);
        assert!(said.contains("a server uses ") && said.contains("stop all that do first"), "{said}");
    }
    app.leave_nodes().await;
    let there = copied.done(&key, &["db", "copy", &url, &copied.database.url]);
    let returned = back.done(&key, &["db", "copy", &copied.database.url, &back.database.url]);
    let tables = |said: &str| said.lines().filter(|line| line.contains(" rows  ")).map(str::to_owned).collect::<BTreeSet<_>>();
    assert!(there.contains("were copied and compared") && tables(&there).len() > 40, "{there}");
    assert_eq!(tables(&there), tables(&returned));
    for copy in [copied, back] {
        assert_eq!(claims(&copy.database.url).await, expected);
        assert_go_on(&copy.database.url, &numbers).await;
        assert!(copy.done(&key, &["ledger", "check"]).contains("no differences"));
        assert!(copy.done(&key, &["audit", "verify"]).contains("The audit log is valid"));
        let rows = copy.rows().await;
        let said = copy.refused(&key, &["db", "copy", &url, &copy.database.url]);
        assert!(said.contains("this database is in use"), "{said}");
        assert_eq!(copy.rows().await, rows);
    }
}

async fn values_sealed_with_an_old_key_are_sealed_with_the_first(engine: Engine) {
    let (mut app, claim) = open_shop(engine).await;
    // More than are sealed at once. The same claim twice would be one.
    for number in 0..120 {
        let mut claim = claim.clone();
        claim["email"] = json!(format!("customer-{number}@example.com"));
        create_claim(&app.visitor(), &claim).await.unwrap();
    }
    let old = key_of_app();
    let target = Installation::new(engine).await;
    app.leave_nodes().await;
    target.done(&old, &["db", "copy", &app.database().url, &target.database.url]);
    let name = |keys: &str| target.done(keys, &["keys", "list"]).split(' ').next().unwrap().to_owned();
    let old_name = name(&old);
    let both = format!("{FIRST},{old}");
    let said = target.done(&both, &["keys", "reseal"]);
    assert!(said.contains("Everything is sealed with key"), "{said}");
    let resealed = said.lines().find(|line| line.starts_with("claim.receive_requisites")).unwrap();
    assert!(resealed.contains(" 120 values"), "{said}");
    // Every column that a running shop fills is known: only stored responses may be left.
    let left = target.database.columns_containing(&format!("x1.{old_name}.")).await;
    assert!(left.iter().all(|column| column.starts_with("idempotency")), "{left:?}");

    let said = target.done(&both, &["keys", "reseal"]);
    assert!(said.lines().filter(|line| line.ends_with(" values")).all(|line| line.ends_with(" 0 values")), "{said}");
    target.done(FIRST, &["ledger", "check"]);
    assert!(target.refused(&old, &["ledger", "check"]).contains("sealed with key"));
    let db = Db::open(&target.database.url).await.unwrap();
    let mut tx = db.read().await.unwrap();
    let (id, sealed) = fetch_one!(&mut tx, (Uuid, String), "SELECT id, receive_requisites FROM claim LIMIT 1").unwrap();
    let key = STANDARD.decode(FIRST).unwrap().try_into().unwrap();
    let vault = Vault::new(Arc::new(SeededRandom::new(1)), &[key]);
    assert!(vault.open_text(&format!("claim receive_requisites {id}"), &sealed).unwrap().contains("2200000000000004"));
    drop(tx);
    db.close().await;
}

/// After a restore nobody can use the console before customers can use the site.
async fn technical_mode_is_switched_without_the_console(engine: Engine) {
    let (app, claim) = open_shop(engine).await;
    let (folder, key, url) = (tempfile::tempdir().unwrap(), key_of_app(), app.database().url.clone());
    let switch = async |to: &str| command(&url, folder.path(), &key, &["technical-mode", to]).await;
    assert_eq!(switch("status").await, "Technical mode is off.\n");
    assert_eq!(switch("on").await, "Technical mode is on.\n");
    app.advance_and_run_jobs_of("platform", Duration::from_secs(5)).await;
    app.visitor().post("/api/v1/claim/", claim.clone()).await.refused(503, "technical_mode");
    assert_eq!(switch("status").await, "Technical mode is on.\n");
    assert_eq!(switch("off").await, "Technical mode is off.\n");
    app.advance_and_run_jobs_of("platform", Duration::from_secs(5)).await;
    create_claim(&app.visitor(), &claim).await.unwrap();
}

both_engines!(
    values_sealed_with_an_old_key_are_sealed_with_the_first,
    a_backup_under_load_restores_the_state_at_its_instant,
    everything_comes_back_on_both_engines,
    what_cannot_be_restored_is_refused_and_nothing_is_written,
    the_newest_backups_are_kept,
    a_copy_equals_its_source,
    technical_mode_is_switched_without_the_console,
);
