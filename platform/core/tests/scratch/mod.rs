//! An empty, migrated database of either engine that is deleted after the test, for tests that need only [`Db`].

use agio_core::Db;
use agio_core::db::Engine;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;
use uuid::Uuid;

pub struct Scratch {
    pub db: Db,
    pub url: String,
    place: Place,
}

enum Place {
    Folder(#[expect(dead_code, reason = "it is deleted when it is dropped")] TempDir),
    Server { server: String, name: String },
}

impl Scratch {
    pub async fn open(engine: Engine) -> Self {
        let (url, place) = match engine {
            Engine::Sqlite => {
                let folder = tempfile::tempdir().expect("a temporary folder can be made");
                (format!("sqlite:{}", folder.path().join("scratch.db").display()), Place::Folder(folder))
            }
            Engine::Postgres => {
                let server = std::env::var("AGIO_TEST_POSTGRES").expect("AGIO_TEST_POSTGRES names a PostgreSQL server");
                let name = format!("agio_test_{}", Uuid::now_v7().simple());
                execute(&server, &format!("CREATE DATABASE {name}")).await;
                (format!("{server}/{name}"), Place::Server { server, name })
            }
        };
        let db = Db::open(&url).await.expect("the database opens");
        db.migrate().await.expect("the migrations run");
        Self { db, url, place }
    }

    /// The same database opened by another node.
    pub async fn another(&self) -> Db {
        Db::open(&self.url).await.expect("the database opens")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Place::Server { server, name } = &self.place else { return };
        let drop_it = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        // A destructor cannot wait, so a thread with a small runtime does.
        let dropped = std::thread::scope(|scope| {
            let work = || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("a runtime can be made").block_on(execute(server, &drop_it));
            };
            scope.spawn(work).join()
        });
        let _ = dropped;
    }
}

async fn execute(server: &str, sql: &str) {
    let mut server = PgConnection::connect(&format!("{server}/postgres")).await.expect("PostgreSQL answers");
    server.execute(sqlx::AssertSqlSafe(sql.to_owned())).await.expect("the test user may create databases");
}
