//! The schema and all SQL statements on both engines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use agio_core::{Db, Tx, execute, fetch_all};
use agio_test_app::{Database, Engine, TestApp};

#[test]
fn both_engines_have_the_same_migrations() {
    let names = |engine: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(engine);
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("sqlite"), names("postgres"));
}

/// Table, column and whether it is nullable.
type Columns = BTreeMap<(String, String), bool>;

/// Table and the columns of each unique index, sorted.
type Uniques = Vec<(String, String)>;

async fn shape(engine: Engine) -> (Columns, Uniques) {
    let database = Database::empty(engine).await;
    let db = Db::open(&database.url).await.unwrap();
    db.migrate().await.unwrap();
    let mut tx = db.read().await.unwrap();
    let shape = match engine {
        Engine::Sqlite => (sqlite_columns(&mut tx).await, sqlite_uniques(&mut tx).await),
        Engine::Postgres => (postgres_columns(&mut tx).await, postgres_uniques(&mut tx).await),
    };
    drop(tx);
    db.close().await;
    shape
}

async fn sqlite_columns(tx: &mut Tx) -> Columns {
    let sql = "SELECT t.name, c.name, c.\"notnull\" = 0 FROM sqlite_schema t JOIN pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE '_sqlx%'";
    let rows = fetch_all!(tx, (String, String, bool), sql).unwrap();
    rows.into_iter()
        // A rowid primary key is never null, even if it is not declared so.
        .map(|(table, column, nullable)| {
            let is_rowid = (table.as_str(), column.as_str()) == ("claim", "public_id");
            ((table, column), nullable && !is_rowid)
        })
        .collect()
}

async fn postgres_columns(tx: &mut Tx) -> Columns {
    let sql = "SELECT CAST(c.table_name AS TEXT), CAST(c.column_name AS TEXT), c.is_nullable = 'YES'
        FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
        WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.table_name NOT LIKE '\\_sqlx%'";
    let rows = fetch_all!(tx, (String, String, bool), sql).unwrap();
    rows.into_iter().map(|(table, column, nullable)| ((table, column), nullable)).collect()
}

async fn sqlite_uniques(tx: &mut Tx) -> Uniques {
    let indexes = "SELECT t.name, i.name FROM sqlite_schema t JOIN pragma_index_list(t.name) i
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE '_sqlx%' AND i.\"unique\" = 1";
    let mut uniques = Vec::new();
    for (table, index) in fetch_all!(tx, (String, String), indexes).unwrap() {
        let mut columns: Vec<_> = fetch_all!(tx, (Option<String>,), "SELECT name FROM pragma_index_info($1)", index)
            .unwrap()
            .into_iter()
            .map(|(column,)| column.unwrap_or_else(|| "expression".into()))
            .collect();
        columns.sort();
        uniques.push((table, columns.join(",")));
    }
    // SQLite has no index for an integer primary key.
    let rowids = "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
        WHERE t.type = 'table' AND c.pk = 1 AND c.type = 'INTEGER' AND t.name NOT LIKE 'sqlite_%'
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) o WHERE o.pk > 1)";
    uniques.extend(fetch_all!(tx, (String, String), rowids).unwrap());
    uniques.sort();
    uniques
}

async fn postgres_uniques(tx: &mut Tx) -> Uniques {
    let sql = "SELECT CAST(t.relname AS TEXT), CAST(string_agg(COALESCE(a.attname, 'expression'), ',' ORDER BY COALESCE(a.attname, 'expression') COLLATE \"C\") AS TEXT)
        FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(i.indkey) AS k(attnum)
        LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum AND k.attnum > 0
        WHERE n.nspname = 'public' AND i.indisunique AND t.relname NOT LIKE '\\_sqlx%'
        GROUP BY t.relname, i.indexrelid";
    let mut uniques = fetch_all!(tx, (String, String), sql).unwrap();
    uniques.sort();
    uniques
}

#[tokio::test]
async fn both_engines_have_the_same_tables_columns_and_uniques() {
    let ((lite, lite_uniques), (pg, pg_uniques)) = (shape(Engine::Sqlite).await, shape(Engine::Postgres).await);
    assert_eq!(lite, pg);
    assert_eq!(lite_uniques, pg_uniques);
    assert!(lite.len() > 40);
}

async fn every_statement_is_valid(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut tx = app.server.platform.db.read().await.unwrap();
    let statements = app.server.statements();
    assert!(statements.len() > 30);
    for (name, sql) in statements {
        let explained: Result<(), sqlx::Error> = prepare(&mut tx, sql).await;
        explained.unwrap_or_else(|error| panic!("{name} on {engine:?}: {error}\n{sql}"));
    }
}

async fn prepare(tx: &mut Tx, sql: &'static str) -> Result<(), sqlx::Error> {
    use agio_core::db::Connection;
    use sqlx::{Executor as _, SqlSafeStr as _};
    match tx.conn() {
        Connection::Sqlite(conn) => (&mut ***conn).prepare(sql.into_sql_str()).await.map(drop),
        Connection::Postgres(conn) => (&mut ***conn).prepare(sql.into_sql_str()).await.map(drop),
        Connection::Batched(_) => unreachable!("reads have a connection"),
    }
}

/// Every new claim counts those of its customer. PostgreSQL has no statistics of a young database, and must not read all
/// unpaid claims for that.
#[tokio::test]
async fn unpaid_claims_are_found_by_their_email() {
    let app = TestApp::start(Engine::Postgres).await;
    let statements = app.server.statements();
    let (_, check) = statements.iter().find(|(name, _)| *name == "HAS_TOO_MANY").unwrap();
    let prepared: &'static str = format!("PREPARE unpaid (TEXT, BIGINT, TEXT, BIGINT) AS {check}").leak();
    let mut tx = app.server.platform.db.read().await.unwrap();
    execute!(&mut tx, "SET plan_cache_mode = force_generic_plan").unwrap();
    execute!(&mut tx, prepared).unwrap();
    let plan = fetch_all!(&mut tx, (String,), "EXPLAIN EXECUTE unpaid ('anna@example.com', 3, 'digest', 3)").unwrap();
    let conditions: Vec<_> = plan.iter().filter_map(|(step,)| step.trim().strip_prefix("Index Cond: ")).collect();
    assert_eq!(conditions, ["(email = $1)", "(address_digest = $3)"], "{plan:?}");
}

agio_test_app::both_engines!(every_statement_is_valid);
