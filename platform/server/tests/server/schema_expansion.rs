//! Migrations only expand the schema, so that the former release serves beside a new one
//! ([ADR 17](../../../../docs/adr/0017-the-schema-expands-before-it-contracts.md)).
//!
//! What a function of PostgreSQL does after it is replaced cannot be seen here: `.ci/former-release` runs a former build
//! on the present schema.

use std::fs;
use std::path::Path;

use agio_test_app::{Engine, TestApp};

/// The tables that a former release could know begin after it.
const BASELINE: &str = "0001_schema.sql";

/// Precedes a statement that drops what releases since this one no longer use.
const MARK: &str = "-- Contraction: unused since ";

/// A statement in capitals, with single spaces and without comments, and the lines of comment before it.
#[derive(Default)]
struct MigrationStatement {
    sql: String,
    comment: Vec<String>,
}

impl MigrationStatement {
    fn words(&self) -> Vec<&str> {
        self.sql.split(' ').collect()
    }

    fn has_ended(&self) -> bool {
        let is_in_trigger = self.sql.starts_with("CREATE TRIGGER") && self.sql.contains(" BEGIN ") && !self.sql.ends_with("END;");
        self.sql.ends_with(';') && self.sql.matches("$$").count().is_multiple_of(2) && !is_in_trigger
    }

    /// The table of an index or a trigger.
    fn table(&self) -> &str {
        let words = self.words();
        let on = words.iter().position(|word| *word == "ON").expect("an index or a trigger is on a table");
        words[on + 1].trim_end_matches(';')
    }

    /// The release since which nobody uses what it drops.
    fn unused_since(&self) -> Option<Vec<u64>> {
        self.comment.iter().find_map(|line| line.strip_prefix(MARK)).map(|release| version(release.trim_end_matches('.')))
    }
}

fn version(text: &str) -> Vec<u64> {
    text.split('.').map(|number| number.parse().unwrap_or_else(|_| panic!("{text} is no release"))).collect()
}

fn statements(migration: &str) -> Vec<MigrationStatement> {
    let (mut all, mut next) = (Vec::new(), MigrationStatement::default());
    for line in migration.lines() {
        let (code, comment) = line.split_at(line.find("--").unwrap_or(line.len()));
        if next.sql.is_empty() && !comment.is_empty() {
            next.comment.push(comment.to_owned());
        }
        for word in code.split_whitespace() {
            next.sql += if next.sql.is_empty() { "" } else { " " };
            next.sql += &word.to_uppercase();
        }
        if next.has_ended() {
            all.push(std::mem::take(&mut next));
        }
    }
    assert_eq!(next.sql, "", "the last statement does not end");
    all
}

/// The statements after which the former release might fail, unless they are marked.
fn contractions(migration: &str, release: &str) -> Vec<String> {
    let all = statements(migration);
    let is_there = |begin: &str, name: &str| all.iter().any(|one| one.sql.starts_with(&format!("{begin} {name} ")));
    let expands = |statement: &MigrationStatement| match statement.words()[..] {
        ["CREATE", "TABLE" | "INDEX", ..] | ["CREATE", "OR", "REPLACE", "FUNCTION", ..] | ["INSERT", "INTO", ..] => true,
        ["CREATE", "UNIQUE", "INDEX", ..] => is_there("CREATE TABLE", statement.table()),
        ["CREATE", "TRIGGER", name, ..] => is_there("CREATE TABLE", statement.table()) || is_there("DROP TRIGGER", name),
        ["DROP", "TRIGGER", name, ..] => is_there("CREATE TRIGGER", name.trim_end_matches(';')),
        ["ALTER", "TABLE", _, "DROP", "CONSTRAINT", _] => true,
        ["ALTER", "TABLE", _, "ADD", "COLUMN", ..] => {
            let has = |text| statement.sql.contains(text);
            let is_refused = has(" UNIQUE") || has(" PRIMARY KEY") || (has(" NOT NULL") && !has(" DEFAULT "));
            let goes_on = [", ADD ", ", DROP ", ", ALTER ", ", RENAME "].into_iter().any(has);
            !is_refused && !goes_on
        }
        _ => false,
    };
    let is_allowed = |statement: &MigrationStatement| statement.unused_since().is_some_and(|since| since < version(release));
    all.iter().filter(|one| !expands(one) && !is_allowed(one)).map(|one| one.sql.clone()).collect()
}

#[test]
fn migrations_keep_what_the_former_release_uses() {
    for engine in ["sqlite", "postgres"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(engine);
        let mut later = 0;
        for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|file| !file.ends_with(BASELINE)) {
            let found = contractions(&fs::read_to_string(&file).unwrap(), env!("CARGO_PKG_VERSION"));
            assert_eq!(found, Vec::<String>::new(), "{}: see docs/adr/0017", file.display());
            later += 1;
        }
        assert!(later >= 5, "{engine}: {later} migrations were read");
    }
}

#[test]
fn contractions_are_told_from_expansions() {
    for contraction in [
        "DROP TABLE claim;",
        "ALTER TABLE claim DROP COLUMN email;",
        "alter table claim\n    rename column email to address;",
        "ALTER TABLE claim RENAME TO orders;",
        "ALTER TABLE claim ALTER COLUMN email TYPE BIGINT;",
        "ALTER TABLE claim ALTER COLUMN email SET NOT NULL;",
        "ALTER TABLE claim ADD COLUMN city TEXT NOT NULL;",
        "ALTER TABLE claim ADD COLUMN city TEXT UNIQUE;",
        "ALTER TABLE claim ADD COLUMN city TEXT, DROP COLUMN email;",
        "ALTER TABLE claim ADD CONSTRAINT short CHECK (length(email) < 9);",
        "CREATE UNIQUE INDEX claim_by_email ON claim (email);",
        "CREATE TRIGGER claim_is_kept BEFORE DELETE ON claim\nBEGIN\n    SELECT RAISE(ABORT, 'kept');\nEND;",
        "DROP TRIGGER audit_is_head ON audit;",
        "DROP INDEX claim_by_email;",
        "ALTER TABLE claim DROP CONSTRAINT claim_terms_id_fkey, DROP COLUMN email;",
        "UPDATE claim SET email = '';",
        "DELETE FROM claim;",
        "-- Contraction: unused since 0.2.0.\nDROP TABLE claim;",
    ] {
        assert_eq!(contractions(contraction, "0.2.0").len(), 1, "{contraction}");
    }
    for expansion in [
        "CREATE TABLE city (name TEXT);\nCREATE UNIQUE INDEX city_by_name ON city (name);",
        "ALTER TABLE claim ADD COLUMN city TEXT; -- or NULL\n",
        "ALTER TABLE claim ADD COLUMN city TEXT NOT NULL DEFAULT '';",
        "ALTER TABLE claim DROP CONSTRAINT claim_terms_id_fkey;",
        "DROP TRIGGER audit_is_head ON audit;\nCREATE TRIGGER audit_is_head AFTER INSERT ON audit EXECUTE FUNCTION f();",
        "-- Contraction: unused since 0.1.9.\nDROP TABLE claim;",
    ] {
        assert_eq!(contractions(expansion, "0.2.0"), Vec::<String>::new());
    }
}

/// What stands in a migration is what is judged: a statement that the test does not see would not be.
async fn every_new_table_is_read_from_the_migrations(engine: Engine) {
    let app = TestApp::start(engine).await;
    let folder = match engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(folder);
    let mut created = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        for statement in statements(&fs::read_to_string(file.unwrap().path()).unwrap()) {
            if let ["CREATE", "TABLE", name, ..] = statement.words()[..] {
                created.push(name.to_lowercase());
            }
        }
    }
    let snapshot = app.server.platform.db.snapshot().await.unwrap();
    let mut stored: Vec<String> = snapshot.tables().iter().map(|table| table.name.clone()).collect();
    created.sort();
    stored.sort();
    assert_eq!(created, stored);
}

agio_test_app::both_engines!(every_new_table_is_read_from_the_migrations);
