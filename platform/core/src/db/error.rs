//! Mapping of database errors.

use sqlx::error::DatabaseError;
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgDatabaseError;

use crate::error::{Constraint, Error, ErrorKind};

/// SQLite's primary result codes after which it may have rolled back by itself and the connection cannot be trusted:
/// NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB.
const SQLITE_STORAGE_CODES: [i32; 8] = [7, 8, 9, 10, 11, 13, 14, 26];

/// SQLSTATE classes of failing servers and storage: connection, insufficient resources, operator intervention, system
/// error; the end of a session whose transaction was idle, after this process had stood still; and a server that has
/// become a replica, which only reads.
const POSTGRES_STORAGE_CLASSES: [&str; 6] = ["08", "53", "57", "58", "25P03", "25006"];

/// SQLSTATEs of transactions to run again: serialization failure, deadlock, a lock that was not free in time.
const POSTGRES_RETRIABLE: [&str; 3] = ["40001", "40P01", "55P03"];

/// Whether a statement that was prepared on this connection returns other columns now: its table was given one, by a
/// release that migrates the database while this one serves.
fn is_outdated_plan(error: &dyn DatabaseError) -> bool {
    let error = error.try_downcast_ref::<PgDatabaseError>();
    error.is_some_and(|error| error.code() == "0A000" && error.routine() == Some("RevalidateCachedQuery"))
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(database) = &error else {
            return match error {
                sqlx::Error::PoolTimedOut => overloaded().caused_by(error),
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => storage_unavailable().caused_by(error).breaking_connection(),
                other => Error::internal(other),
            };
        };
        if is_outdated_plan(&**database) {
            return overloaded().caused_by(error).retriable().breaking_connection();
        }
        let code = database.code().unwrap_or_default();
        if is_storage_failure(&code, database.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some()) {
            return storage_unavailable().caused_by(error).breaking_connection();
        }
        if POSTGRES_RETRIABLE.contains(&code.as_ref()) {
            return overloaded().caused_by(error).retriable();
        }
        let constraint = match database.kind() {
            sqlx::error::ErrorKind::UniqueViolation => Some(Constraint::Unique),
            sqlx::error::ErrorKind::ForeignKeyViolation => Some(Constraint::ForeignKey),
            sqlx::error::ErrorKind::CheckViolation => Some(Constraint::Check),
            sqlx::error::ErrorKind::NotNullViolation => Some(Constraint::Missing),
            _ => None,
        };
        match constraint {
            Some(constraint) => Error::internal(error).with_constraint(constraint),
            None => Error::internal(error),
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match &error {
            rusqlite::Error::SqliteFailure(failure, _) if SQLITE_STORAGE_CODES.contains(&(failure.extended_code & 0xff)) => {
                storage_unavailable().caused_by(error).breaking_connection()
            }
            _ => Error::internal(error),
        }
    }
}

fn is_storage_failure(code: &str, is_sqlite: bool) -> bool {
    if is_sqlite {
        // An extended code carries its primary code in the low byte.
        code.parse::<i32>().is_ok_and(|code| SQLITE_STORAGE_CODES.contains(&(code & 0xff)))
    } else {
        POSTGRES_STORAGE_CLASSES.iter().any(|class| code.starts_with(class))
    }
}

pub(super) fn of_migration(error: MigrateError) -> Error {
    let advice = "nothing was changed; run that build, or set database.url to a new database";
    Error::internal(match error {
        MigrateError::VersionMissing(version) => {
            format!("a newer or different build of Agio has migrated this database (migration {version} is unknown): {advice}")
        }
        MigrateError::VersionMismatch(version) => {
            format!("a different build of Agio has created this database (migration {version} differs): {advice}")
        }
        other => return Error::internal(other),
    })
}

pub(super) const STORAGE_UNAVAILABLE: &str = "storage_unavailable";

pub(super) fn storage_unavailable() -> Error {
    Error::new(ErrorKind::Unavailable, STORAGE_UNAVAILABLE).retry_after(5)
}

pub(super) const OVERLOADED: &str = "overloaded";

/// Too many writes are waiting.
pub(super) fn overloaded() -> Error {
    Error::new(ErrorKind::Unavailable, OVERLOADED).retry_after(1)
}

/// A statement that must change one row changed none, or several.
#[doc(hidden)]
#[must_use]
pub fn wrong_row_count() -> Error {
    Error::internal("a statement that changes one row did not").with_constraint(Constraint::Condition)
}

/// Batched work tried to read; it is run the ordinary way.
#[doc(hidden)]
#[must_use]
pub fn needs_read() -> Error {
    Error::internal("this work does not only write")
}
