//! A statement of the query macros, of one type for all of them: what the drivers do with it is compiled once, and not at
//! each place that runs a statement.

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe, Encode, FromRow, Postgres, SqlSafeStr, SqlStr, Sqlite, Type};

use super::{Connection, StatementTarget, Tx, needs_read, within};
use crate::BoxFuture;
use crate::error::{Error, Result};

/// A statement with the values that are bound to it.
#[doc(hidden)]
pub struct BoundStatement<'t> {
    tx: &'t mut Tx,
    sql: SqlStr,
    /// An error if a value could not be encoded.
    values: sqlx::Result<Values>,
}

enum Values {
    Sqlite(SqliteArguments),
    Postgres(PgArguments),
    /// Batched work can run no statement.
    None,
}

/// A row of either engine.
#[doc(hidden)]
pub enum FetchedRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl FetchedRow {
    pub fn read<R>(&self) -> Result<R>
    where
        R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
    {
        let read = match self {
            Self::Sqlite(row) => R::from_row(row),
            Self::Postgres(row) => R::from_row(row),
        };
        read.map_err(Error::from)
    }
}

/// Runs a statement by a driver's function; `$sqlite` and `$postgres` make one type of what it returns.
macro_rules! run {
    ($statement:expr, $function:ident, $sqlite:expr, $postgres:expr) => {
        Box::pin(async move {
            let Self { tx, sql, values } = $statement;
            // Before the connection counts as used: without a statement it stays good.
            let values = values?;
            match (tx.target(), values) {
                (StatementTarget::Sqlite(conn), Values::Sqlite(values)) => {
                    Ok(sqlx::query_with(sql, values).$function(conn).await.map($sqlite)?)
                }
                (StatementTarget::Postgres(conn, deadline), Values::Postgres(values)) => {
                    let done = within(deadline, sqlx::query_with(sql, values).$function(conn)).await;
                    tx.end_statement(&done);
                    done.map($postgres)
                }
                _ => Err(needs_read()),
            }
        })
    };
}

impl<'t> BoundStatement<'t> {
    pub fn new(tx: &'t mut Tx, sql: impl SqlSafeStr) -> Self {
        let values = match tx.conn {
            Connection::Sqlite(_) => Values::Sqlite(SqliteArguments::default()),
            Connection::Postgres(_) => Values::Postgres(PgArguments::default()),
            Connection::Batched(_) => Values::None,
        };
        Self { tx, sql: sql.into_sql_str(), values: Ok(values) }
    }

    /// Whose rows PostgreSQL locks. SQLite has one writer.
    pub fn locking(tx: &'t mut Tx, sql: &'static str, table: &'static str, suffix: &'static str) -> Self {
        match tx.conn {
            // Built from constants only, so no caller's text gets in.
            Connection::Postgres(_) => Self::new(tx, AssertSqlSafe(format!("{sql} FOR NO KEY UPDATE OF {table}{suffix}"))),
            _ => Self::new(tx, sql),
        }
    }

    #[must_use]
    pub fn bind<'v, T>(mut self, value: T) -> Self
    where
        T: Encode<'v, Sqlite> + Type<Sqlite> + Encode<'v, Postgres> + Type<Postgres>,
    {
        let bound = match &mut self.values {
            Ok(Values::Sqlite(values)) => values.add(value),
            Ok(Values::Postgres(values)) => values.add(value),
            Ok(Values::None) | Err(_) => Ok(()),
        };
        if let Err(fault) = bound {
            self.values = Err(sqlx::Error::Encode(fault));
        }
        self
    }

    pub fn fetch_one(self) -> BoxFuture<'t, Result<FetchedRow>> {
        run!(self, fetch_one, FetchedRow::Sqlite, FetchedRow::Postgres)
    }

    pub fn fetch_optional(self) -> BoxFuture<'t, Result<Option<FetchedRow>>> {
        run!(self, fetch_optional, |row| row.map(FetchedRow::Sqlite), |row| row.map(FetchedRow::Postgres))
    }

    pub fn fetch_all(self) -> BoxFuture<'t, Result<Vec<FetchedRow>>> {
        run!(self, fetch_all, |rows| rows.into_iter().map(FetchedRow::Sqlite).collect(), |rows| rows
            .into_iter()
            .map(FetchedRow::Postgres)
            .collect())
    }

    /// The number of rows that it changed.
    pub fn execute(self) -> BoxFuture<'t, Result<u64>> {
        run!(self, execute, |done| done.rows_affected(), |done| done.rows_affected())
    }
}
