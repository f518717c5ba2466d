//! Commands on a database whose schema or keys are not their own: they refuse with a sentence and write nothing.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};

use agio_core::{Db, execute, fetch_all, fetch_one};
use agio_test_app::{Database, Engine, both_engines};
use tempfile::TempDir;

pub const FIRST: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
pub const SECOND: &str = "Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";

const UPDATING: [&[&str]; 3] =
    [&["migrate"], &["--profile", "demo", "seed", "bench"], &["--set", "server.listen=127.0.0.1:0", "serve"]];
const OTHERS: [&[&str]; 7] = [
    &["ledger", "check"],
    &["audit", "verify"],
    &["mail"],
    &["keys", "list"],
    &["keys", "rotate"],
    &["staff", "add", "--owner", "anna@example.com"],
    &["market", "export", "-"],
];

/// An installation that the command line is used on.
pub struct Installation {
    pub database: Database,
    pub folder: TempDir,
}

impl Installation {
    pub async fn new(engine: Engine) -> Self {
        Self { database: Database::empty(engine).await, folder: tempfile::tempdir().unwrap() }
    }

    pub fn agio(&self, keys: &str, words: &[&str]) -> Output {
        let receipts = self.folder.path().join("receipts");
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        agio.env("AGIO__DATABASE__URL", &self.database.url).env("AGIO__FILES__RECEIPTS", receipts);
        agio.env("AGIO__FILES__PHOTOS", self.folder.path().join("photos"));
        if !keys.is_empty() {
            agio.env("AGIO__SECRETS__KEYS", keys);
        }
        agio.args(words).current_dir(self.folder.path()).stdin(Stdio::null()).output().unwrap()
    }

    pub fn done(&self, keys: &str, words: &[&str]) -> String {
        let output = self.agio(keys, words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn refused(&self, keys: &str, words: &[&str]) -> String {
        let output = self.agio(keys, words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("agio: "), "{words:?}: {said}");
        said
    }

    /// The number of rows of each table.
    pub async fn rows(&self) -> BTreeMap<String, i64> {
        let db = Db::open(&self.database.url).await.unwrap();
        let mut tx = db.read().await.unwrap();
        let tables = match tx.engine() {
            Engine::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            Engine::Postgres => "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = 'public'",
        };
        let mut rows = BTreeMap::new();
        for (table,) in fetch_all!(&mut tx, (String,), tables).unwrap() {
            let count = || sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM \"{table}\""));
            let (count,) = fetch_one!(&mut tx, (i64,), count()).unwrap();
            rows.insert(table, count);
        }
        drop(tx);
        db.close().await;
        rows
    }

    pub async fn change(&self, sql: &'static str) {
        let db = Db::open(&self.database.url).await.unwrap();
        db.write(move |tx| Box::pin(async move { execute!(tx, sql).map(drop) })).await.unwrap();
        db.close().await;
    }
}

async fn a_newer_schema_is_refused_by_every_command(engine: Engine) {
    let installation = Installation::new(engine).await;
    installation.done(FIRST, &["migrate"]);
    installation
        .change(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             SELECT 9999, 'of a later build', success, checksum, execution_time FROM _sqlx_migrations ORDER BY version LIMIT 1",
        )
        .await;
    let before = installation.rows().await;
    for words in UPDATING.iter().chain(&OTHERS) {
        let said = installation.refused(FIRST, words);
        assert!(said.contains("a newer or different build") && said.contains("nothing was changed"), "{words:?}: {said}");
    }
    assert_eq!(installation.rows().await, before);
}

async fn other_commands_do_not_update_the_schema(engine: Engine) {
    let installation = Installation::new(engine).await;
    installation.done(FIRST, &["migrate"]);
    // Without its record, the migration is one that this build has yet to apply.
    installation.change("DELETE FROM _sqlx_migrations").await;
    let before = installation.rows().await;
    for words in OTHERS {
        let said = installation.refused(FIRST, words);
        assert!(said.contains("update it with `agio migrate`"), "{words:?}: {said}");
    }
    assert_eq!(installation.rows().await, before);
}

#[test]
fn a_database_that_does_not_exist_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    for words in OTHERS {
        let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
        let output = agio.args(words).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("does not exist. Name the configuration"), "{words:?}: {said}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

async fn a_missing_key_is_named_before_anything_is_written(engine: Engine) {
    let installation = Installation::new(engine).await;
    installation.done(FIRST, &["migrate"]);
    let listed = installation.done(FIRST, &["keys", "list"]);
    let first = listed.split(' ').next().unwrap();
    assert!(first.len() == 8 && listed.contains("seals") && listed.lines().count() == 1, "{listed}");

    let before = installation.rows().await;
    for words in UPDATING.iter().chain(&OTHERS) {
        for keys in [SECOND, ""] {
            let said = installation.refused(keys, words);
            assert!(said.contains(&format!("sealed with key {first}")), "{words:?}: {said}");
            assert!(said.contains("nothing was written"), "{words:?}: {said}");
        }
    }
    assert_eq!(installation.rows().await, before);
    let folders = [installation.folder.path()].into_iter().chain(installation.database.folder());
    for file in folders.flat_map(|folder| folder.read_dir().unwrap()) {
        let path = file.unwrap().path();
        assert!(path.extension().is_none_or(|extension| extension != "keys"), "{} was created", path.display());
    }

    // A second key is known from its first use on.
    let both = format!("{SECOND},{FIRST}");
    installation.done(&both, &["ledger", "check"]);
    let listed = installation.done(&both, &["keys", "list"]);
    let second = listed.split(' ').next().unwrap();
    assert!(second != first && listed.lines().count() == 2, "{listed}");
    assert!(installation.refused(FIRST, &["ledger", "check"]).contains(&format!("sealed with key {second}")));
}

both_engines!(
    a_newer_schema_is_refused_by_every_command,
    other_commands_do_not_update_the_schema,
    a_missing_key_is_named_before_anything_is_written,
);
