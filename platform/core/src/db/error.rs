//! What the engines' errors mean to the house.

use crate::error::{Constraint, Error, Kind};

/// SQLite's primary result codes after which it may have rolled the transaction back by itself and the
/// connection's state cannot be trusted: NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB.
const SQLITE_STORAGE_CODES: [i32; 8] = [7, 8, 9, 10, 11, 13, 14, 26];

/// SQLSTATE classes by which PostgreSQL says that the server or its storage fails: connection, insufficient
/// resources, operator intervention, system error.
const POSTGRES_STORAGE_CLASSES: [&str; 4] = ["08", "53", "57", "58"];

/// SQLSTATEs of a transaction that lost a race: serialization failure, deadlock.
const POSTGRES_RETRIABLE: [&str; 2] = ["40001", "40P01"];

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
        let code = database.code().unwrap_or_default();
        if is_storage_failure(&code, database.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some()) {
            return storage_unavailable().caused_by(error).breaking_connection();
        }
        if POSTGRES_RETRIABLE.contains(&code.as_ref()) {
            return Error::new(Kind::Unavailable, "overloaded").caused_by(error).retriable();
        }
        let constraint = match database.kind() {
            sqlx::error::ErrorKind::UniqueViolation => Some(Constraint::Unique),
            sqlx::error::ErrorKind::ForeignKeyViolation => Some(Constraint::ForeignKey),
            sqlx::error::ErrorKind::CheckViolation => Some(Constraint::Check),
            sqlx::error::ErrorKind::NotNullViolation => Some(Constraint::Missing),
            _ => None,
        };
        match constraint {
            Some(constraint) => Error::internal(error).broken(constraint),
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

/// Nothing can be stored now.
pub(super) fn storage_unavailable() -> Error {
    Error::new(Kind::Unavailable, "storage_unavailable").retry_after(5)
}

/// Too many writes wait already.
pub(super) fn overloaded() -> Error {
    Error::new(Kind::Unavailable, "overloaded").retry_after(1)
}

/// A statement that changes one row changed none, or several.
#[doc(hidden)]
#[must_use]
pub fn unchanged() -> Error {
    Error::internal("a statement that changes one row did not").broken(Constraint::Condition)
}

/// Work that was thought to write only asks something, and is run the ordinary way.
#[doc(hidden)]
#[must_use]
pub fn reads() -> Error {
    Error::internal("this work does not only write")
}
