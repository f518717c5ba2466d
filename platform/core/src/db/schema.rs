//! The version of the schema: which migrations a database has, and which this build knows.

use sqlx::migrate::{MigrateError, Migrator};

use super::{Engine, Tx, error};
use crate::error::{Error, Result};

pub(super) static SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");
pub(super) static POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");

/// Compares the migrations of a database with those of this build.
pub(super) async fn check(tx: &mut Tx) -> Result<()> {
    let known = match tx.engine() {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    };
    let applied = applied(tx).await?;
    for (version, checksum) in &applied {
        match known.iter().find(|migration| migration.version == *version) {
            None => return Err(error::of_migration(MigrateError::VersionMissing(*version))),
            Some(migration) if migration.checksum.as_ref() != checksum => {
                return Err(error::of_migration(MigrateError::VersionMismatch(*version)));
            }
            Some(_) => {}
        }
    }
    if known.iter().any(|migration| applied.iter().all(|(version, _)| *version != migration.version)) {
        return Err(Error::internal(
            "this database has no schema, or one of an earlier build of Agio: back it up, then update it with `agio migrate`",
        ));
    }
    Ok(())
}

/// Version and checksum of each applied migration.
pub(super) async fn applied(tx: &mut Tx) -> Result<Vec<(i64, Vec<u8>)>> {
    let table = match tx.engine() {
        Engine::Sqlite => "SELECT COUNT(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'",
        Engine::Postgres => "SELECT COUNT(to_regclass('_sqlx_migrations'))",
    };
    if crate::fetch_one!(tx, (i64,), table)?.0 == 0 {
        return Ok(Vec::new());
    }
    crate::fetch_all!(tx, (i64, Vec<u8>), "SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version")
}
