//! Throw-away databases.
//!
//! Migrating a database and adding the demo market takes longer than most tests. Each process does it once per engine,
//! and every test gets a copy.

use std::ffi::OsString;
use std::time::Duration;

use agio_core::Db;
use agio_core::db::Engine;
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::app;

/// The variable with the address of PostgreSQL. The user must be allowed to create databases.
const SERVER: &str = "AGIO_TEST_POSTGRES";

/// A database that is dropped with the test.
pub struct Database {
    pub url: String,
    /// Whether all migrations have run.
    pub(crate) has_schema: bool,
    location: Location,
}

enum Location {
    Folder(TempDir),
    Server { name: String },
}

impl Database {
    /// A database without data. On SQLite it has no schema either.
    ///
    /// # Panics
    /// If `AGIO_TEST_POSTGRES` is not set and the engine is PostgreSQL.
    pub async fn empty(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite(),
            Engine::Postgres => Self::postgres(template().await).await,
        }
    }

    /// A database with the demo market.
    ///
    /// # Panics
    /// If `AGIO_TEST_POSTGRES` is not set and the engine is PostgreSQL.
    pub async fn with_market(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => {
                let files = market_files().await;
                let mut database = Self::sqlite();
                database.has_schema = true;
                let folder = database.folder().expect("SQLite has a folder");
                for (name, bytes) in files {
                    std::fs::write(folder.join(name), bytes).expect("a temporary file can be written");
                }
                database
            }
            Engine::Postgres => Self::postgres(market_template().await).await,
        }
    }

    /// The folder of a SQLite database.
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.location {
            Location::Folder(folder) => Some(folder.path()),
            Location::Server { .. } => None,
        }
    }

    /// Runs a locking statement on its own connection and keeps the lock, so that a test controls the order of events.
    /// PostgreSQL only: SQLite has one writer at a time.
    pub async fn hold_lock(&self, sql: &str) -> HeldLock {
        let mut conn = self.connect().await;
        conn.execute("BEGIN").await.expect("a transaction begins");
        conn.execute(sqlx::AssertSqlSafe(sql.to_owned())).await.expect("the lock is free");
        HeldLock(conn)
    }

    /// The number of transactions that wait for a lock. PostgreSQL only.
    pub async fn count_lock_waiters(&self) -> i64 {
        let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let (count,) = sqlx::query_as(waiting).fetch_one(&mut self.connect().await).await.expect("PostgreSQL counts");
        count
    }

    /// The columns (on PostgreSQL: the tables) that contain a text, ignoring case and spaces.
    pub async fn columns_containing(&self, text: &str) -> Vec<String> {
        let text = text.replace([' ', '\u{a0}'], "").to_lowercase();
        let mut found_in = Vec::new();
        if self.folder().is_some() {
            let mut conn = SqliteConnection::connect(&self.url).await.expect("SQLite opens");
            let columns = "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'";
            let columns: Vec<(String, String)> =
                sqlx::query_as(columns).fetch_all(&mut conn).await.expect("SQLite names its columns");
            for (table, column) in columns {
                let plain = format!("REPLACE(REPLACE(LOWER(CAST(\"{column}\" AS TEXT)), ' ', ''), CHAR(160), '')");
                let sql = format!("SELECT COUNT(*) FROM \"{table}\" WHERE INSTR({plain}, $1) > 0");
                let found = sqlx::query_as::<_, (i64,)>(sqlx::AssertSqlSafe(sql)).bind(&text).fetch_one(&mut conn);
                if found.await.expect("SQLite answers").0 > 0 {
                    found_in.push(format!("{table}.{column}"));
                }
            }
        } else {
            let mut conn = self.connect().await;
            let tables = "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
                WHERE table_schema = 'public' AND table_type = 'BASE TABLE'";
            let tables: Vec<(String,)> = sqlx::query_as(tables).fetch_all(&mut conn).await.expect("PostgreSQL names its tables");
            for (table,) in tables {
                let plain = "REPLACE(REPLACE(LOWER(CAST(t AS TEXT)), ' ', ''), CHR(160), '')";
                let sql = format!("SELECT COUNT(*) FROM \"{table}\" t WHERE POSITION($1 IN {plain}) > 0");
                let found = sqlx::query_as::<_, (i64,)>(sqlx::AssertSqlSafe(sql)).bind(&text).fetch_one(&mut conn);
                if found.await.expect("PostgreSQL answers").0 > 0 {
                    found_in.push(table);
                }
            }
        }
        found_in
    }

    async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("PostgreSQL answers")
    }

    fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        Self {
            url: format!("sqlite:{}", folder.path().join("agio.db").display()),
            has_schema: false,
            location: Location::Folder(folder),
        }
    }

    async fn postgres(template: &str) -> Self {
        let name = unique("agio_test");
        execute(&format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        Self { url: format!("{}/{name}", server()), has_schema: true, location: Location::Server { name } }
    }
}

/// An open transaction that holds a lock.
pub struct HeldLock(PgConnection);

impl HeldLock {
    /// Rolls the transaction back.
    pub async fn release(mut self) {
        self.0.execute("ROLLBACK").await.expect("the transaction ends");
        self.0.close().await.expect("the connection closes");
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Location::Server { name } = &self.location else { return };
        let drop_it = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        // `drop` cannot await, so a thread with its own runtime does.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be created").block_on(execute(&drop_it));
        });
        let _ = dropped.join();
    }
}

fn server() -> String {
    let server = std::env::var(SERVER);
    server.unwrap_or_else(|_| panic!("set {SERVER} to a PostgreSQL server, or run `make test`, which does"))
}

fn unique(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::now_v7().simple())
}

async fn execute(sql: &str) {
    let mut server = PgConnection::connect(&format!("{}/postgres", server())).await.expect("PostgreSQL answers");
    server.execute(sqlx::AssertSqlSafe(sql.to_owned())).await.expect("the test user may create databases");
}

/// A migrated database, the template of all others of this process.
async fn template() -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            drop_old_templates().await;
            let name = unique(TEMPLATE_PREFIX);
            execute(&format!("CREATE DATABASE {name}")).await;
            let db = Db::open(&format!("{}/{name}", server())).await.expect("the template opens");
            db.migrate().await.expect("the migrations run");
            db.close().await;
            name
        })
        .await
}

/// A template with the demo market.
async fn market_template() -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let (migrated, name) = (template().await, unique(TEMPLATE_PREFIX));
            execute(&format!("CREATE DATABASE {name} TEMPLATE {migrated}")).await;
            app::seed_market(&format!("{}/{name}", server())).await;
            name
        })
        .await
}

/// The files of a SQLite database with the demo market.
async fn market_files() -> &'static [(OsString, Vec<u8>)] {
    static FILES: OnceCell<Vec<(OsString, Vec<u8>)>> = OnceCell::const_new();
    FILES
        .get_or_init(|| async {
            let database = Database::sqlite();
            app::seed_market(&database.url).await;
            let folder = database.folder().expect("SQLite has a folder").read_dir().expect("the folder can be read");
            let files = folder.map(|file| file.expect("the folder can be read"));
            // SQLite rebuilds the `-shm` file.
            let stored = files.filter(|file| !file.file_name().to_string_lossy().ends_with("-shm"));
            stored.map(|file| (file.file_name(), std::fs::read(file.path()).expect("the file can be read"))).collect()
        })
        .await
}

/// The name prefix of templates. A process cannot drop its own templates when it ends, so a later process does.
const TEMPLATE_PREFIX: &str = "agio_template";

/// The maximum age of a template in use: no test run takes longer.
const TEMPLATE_LIFE: Duration = Duration::from_secs(60 * 60);

/// Drops the templates of earlier processes.
async fn drop_old_templates() {
    let mut server = PgConnection::connect(&format!("{}/postgres", server())).await.expect("PostgreSQL answers");
    let known = format!("SELECT datname FROM pg_database WHERE datname LIKE '{TEMPLATE_PREFIX}\\_%'");
    let names: Vec<(String,)> =
        sqlx::query_as(sqlx::AssertSqlSafe(known)).fetch_all(&mut server).await.expect("PostgreSQL names its databases");
    for (name,) in names.into_iter().filter(|(name,)| is_old(name)) {
        // Another process may drop it at the same time.
        let _ = server.execute(sqlx::AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name}"))).await;
    }
}

/// Whether a template is older than [`TEMPLATE_LIFE`]. Its name contains the creation time.
fn is_old(name: &str) -> bool {
    let seconds = |id: Uuid| id.get_timestamp().map(|created| created.to_unix().0);
    let created = name.rsplit('_').next().and_then(|id| Uuid::try_parse(id).ok()).and_then(seconds);
    created.zip(seconds(Uuid::now_v7())).is_some_and(|(created, now)| created + TEMPLATE_LIFE.as_secs() < now)
}
