//! Throw-away databases.
//!
//! Migrating a database and filling it with the demonstration's market takes longer than most tests. So it is done once in a process for
//! each engine, and every test gets a copy.

use std::ffi::OsString;
use std::time::Duration;

use agio_core::Db;
use agio_core::db::Engine;
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::house;

/// Where tests find PostgreSQL: an address whose user may create databases.
const SERVER: &str = "AGIO_TEST_POSTGRES";

/// A database that is gone when the test is.
pub struct Database {
    /// Its address.
    pub url: String,
    /// Whether the schema is in it and up to date.
    pub(crate) has_schema: bool,
    place: Place,
}

enum Place {
    Folder(TempDir),
    Server { name: String },
}

impl Database {
    /// A database with nothing in it but the schema, and on SQLite not even that.
    ///
    /// # Panics
    /// It cannot be made: for PostgreSQL, when `AGIO_TEST_POSTGRES` is not set.
    pub async fn make(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite(),
            Engine::Postgres => Self::postgres(template().await).await,
        }
    }

    /// A database with the demonstration's market in it.
    ///
    /// # Panics
    /// It cannot be made: for PostgreSQL, when `AGIO_TEST_POSTGRES` is not set.
    pub async fn furnished(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => {
                let files = furnished_files().await;
                let mut database = Self::sqlite();
                database.has_schema = true;
                let folder = database.folder().expect("SQLite has a folder");
                for (name, bytes) in files {
                    std::fs::write(folder.join(name), bytes).expect("a temporary file can be written");
                }
                database
            }
            Engine::Postgres => Self::postgres(furnished_template().await).await,
        }
    }

    /// The folder of a SQLite database, for tests of the storage itself.
    #[must_use]
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.place {
            Place::Folder(folder) => Some(folder.path()),
            Place::Server { .. } => None,
        }
    }

    /// Holds what a statement locks, on a connection of its own, so that a test can say in what order things happen. PostgreSQL only: on
    /// SQLite nothing happens beside a transaction that writes.
    ///
    /// # Panics
    /// The statement fails.
    pub async fn hold(&self, sql: &str) -> Held {
        let mut conn = self.connect().await;
        conn.execute("BEGIN").await.expect("a transaction begins");
        conn.execute(sqlx::AssertSqlSafe(sql.to_owned())).await.expect("the lock is free");
        Held(conn)
    }

    /// How many transactions wait for a lock at this moment.
    ///
    /// # Panics
    /// PostgreSQL does not answer.
    pub async fn waiting(&self) -> i64 {
        let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let (count,) = sqlx::query_as(waiting).fetch_one(&mut self.connect().await).await.expect("PostgreSQL counts");
        count
    }

    /// The columns, or on PostgreSQL the tables, in which a text stands in the open, whatever case its letters are in and however it is grouped.
    ///
    /// # Panics
    /// The database does not answer.
    pub async fn places_of(&self, text: &str) -> Vec<String> {
        let text = text.replace([' ', '\u{a0}'], "").to_lowercase();
        let mut places = Vec::new();
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
                    places.push(format!("{table}.{column}"));
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
                    places.push(table);
                }
            }
        }
        places
    }

    async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("PostgreSQL answers")
    }

    fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        Self {
            url: format!("sqlite:{}", folder.path().join("agio.db").display()),
            has_schema: false,
            place: Place::Folder(folder),
        }
    }

    async fn postgres(template: &str) -> Self {
        let name = unique("agio_test");
        execute(&format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        Self { url: format!("{}/{name}", server()), has_schema: true, place: Place::Server { name } }
    }
}

/// A transaction that holds locks.
pub struct Held(PgConnection);

impl Held {
    /// Lets others go on.
    ///
    /// # Panics
    /// PostgreSQL does not answer.
    pub async fn release(mut self) {
        self.0.execute("ROLLBACK").await.expect("the transaction ends");
        self.0.close().await.expect("the connection closes");
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Place::Server { name } = &self.place else { return };
        let drop_it = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        // A destructor cannot wait, so a thread with a small runtime of its own does.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be made").block_on(execute(&drop_it));
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

/// A migrated database that others of this process are copied from.
async fn template() -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            drop_old_templates().await;
            let name = unique(TEMPLATES);
            execute(&format!("CREATE DATABASE {name}")).await;
            let db = Db::open(&format!("{}/{name}", server())).await.expect("the template opens");
            db.migrate().await.expect("the migrations run");
            db.close().await;
            name
        })
        .await
}

/// The same with the market in it.
async fn furnished_template() -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let (migrated, name) = (template().await, unique(TEMPLATES));
            execute(&format!("CREATE DATABASE {name} TEMPLATE {migrated}")).await;
            house::furnish(&format!("{}/{name}", server())).await;
            name
        })
        .await
}

/// The files of a SQLite database with the market in it.
async fn furnished_files() -> &'static [(OsString, Vec<u8>)] {
    static FILES: OnceCell<Vec<(OsString, Vec<u8>)>> = OnceCell::const_new();
    FILES
        .get_or_init(|| async {
            let database = Database::sqlite();
            house::furnish(&database.url).await;
            let folder = database.folder().expect("SQLite has a folder").read_dir().expect("the folder can be read");
            let files = folder.map(|file| file.expect("the folder can be read"));
            // The index of the log is made anew by whoever opens the copy.
            let kept = files.filter(|file| !file.file_name().to_string_lossy().ends_with("-shm"));
            kept.map(|file| (file.file_name(), std::fs::read(file.path()).expect("the file can be read"))).collect()
        })
        .await
}

/// What names of templates begin with. A process cannot drop its own when it ends, so the next one does.
const TEMPLATES: &str = "agio_template";

/// For how long a template may be in use: no run of tests takes longer.
const TEMPLATE_LIFE: Duration = Duration::from_secs(60 * 60);

/// Drops the templates that earlier processes left behind.
async fn drop_old_templates() {
    let mut server = PgConnection::connect(&format!("{}/postgres", server())).await.expect("PostgreSQL answers");
    let known = format!("SELECT datname FROM pg_database WHERE datname LIKE '{TEMPLATES}\\_%'");
    let names: Vec<(String,)> =
        sqlx::query_as(sqlx::AssertSqlSafe(known)).fetch_all(&mut server).await.expect("PostgreSQL names its databases");
    for (name,) in names.into_iter().filter(|(name,)| is_old(name)) {
        // Another process may drop it at this moment, which is as well.
        let _ = server.execute(sqlx::AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name}"))).await;
    }
}

/// Whether a name was made longer ago than templates are used. The moment is part of it.
fn is_old(name: &str) -> bool {
    let seconds = |id: Uuid| id.get_timestamp().map(|made| made.to_unix().0);
    let made = name.rsplit('_').next().and_then(|id| Uuid::try_parse(id).ok()).and_then(seconds);
    made.zip(seconds(Uuid::now_v7())).is_some_and(|(made, now)| made + TEMPLATE_LIFE.as_secs() < now)
}
