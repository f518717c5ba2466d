//! Throw-away databases.

use agio_core::Db;
use agio_core::db::Engine;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use uuid::Uuid;

/// Where tests find PostgreSQL: an address whose user may create databases.
const SERVER: &str = "AGIO_TEST_POSTGRES";

/// A database that is gone when the test is.
pub struct Database {
    /// Its address.
    pub url: String,
    place: Place,
}

enum Place {
    Folder(TempDir),
    Server { name: String },
}

impl Database {
    /// An empty database with the schema in it.
    ///
    /// # Panics
    /// It cannot be made: for PostgreSQL, when `AGIO_TEST_POSTGRES` is not set.
    pub async fn make(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite(),
            Engine::Postgres => Self::postgres().await,
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

    fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        Self { url: format!("sqlite:{}", folder.path().join("agio.db").display()), place: Place::Folder(folder) }
    }

    async fn postgres() -> Self {
        let template = template().await;
        let name = unique("agio_test");
        execute(&format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        Self { url: format!("{}/{name}", server()), place: Place::Server { name } }
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

/// A migrated database that every other one of this process is copied from.
async fn template() -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let name = unique("agio_template");
            execute(&format!("CREATE DATABASE {name}")).await;
            let db = Db::open(&format!("{}/{name}", server())).await.expect("the template opens");
            db.migrate().await.expect("the migrations run");
            db.close().await;
            name
        })
        .await
}
