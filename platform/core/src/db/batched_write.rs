//! Batched writes: work that only writes, sent to the database together with other such work.
//!
//! Every statement costs a journey: on SQLite to the driver's thread and back, on PostgreSQL to the server and back.
//! It costs more than most statements do. For work that only writes, the statements are collected while it runs. Those
//! of a whole group go to SQLite in one call, over a connection of their own, and to PostgreSQL as sets of rows
//! ([`set_write`](super::set_write)). Work that turns out to read, and all work that is refused in a group, runs the
//! ordinary way instead. So errors are reported where they belong, and only the usual case, success, is faster.

use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{CachedStatement, Connection, ToSql};
use sqlx::{Postgres, Type, TypeInfo as _};

use super::error::{needs_read, wrong_row_count};
use super::{Engine, set_write};
use crate::error::{Error, Result};

/// What a collected statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementKind {
    /// Changes exactly one row.
    Write,
    /// The same, with its form for a set of rows. The rows it changes are wanted by everybody, so it comes last.
    HotWrite(&'static str),
    /// Says whether the work is to be run the ordinary way.
    Check,
}

/// A collected statement.
pub(super) struct Statement {
    pub sql: &'static str,
    pub kind: StatementKind,
    pub values: Vec<Value>,
    /// Types of the values on PostgreSQL.
    pub types: Vec<ColumnType>,
}

/// A type of a value that a statement binds on PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    Number,
    Text,
    Boolean,
    Uuid,
    Bytes,
}

impl ColumnType {
    fn of<T: Type<Postgres>>() -> Result<Self> {
        let info = T::type_info();
        Ok(match info.name() {
            "INT2" | "INT4" | "INT8" => Self::Number,
            "TEXT" | "VARCHAR" => Self::Text,
            "BOOL" => Self::Boolean,
            "UUID" => Self::Uuid,
            "BYTEA" => Self::Bytes,
            _ => return Err(needs_read()),
        })
    }
}

/// The statements of one or more units of work.
pub struct BatchedWrite {
    pub(super) engine: Engine,
    pub(super) statements: Vec<Statement>,
    /// Locks to take before the first statement: PostgreSQL only.
    pub(super) locks: Vec<String>,
    /// At most one unit of work of a group has each of these, and each of the locks: PostgreSQL only.
    pub(super) exclusions: Vec<String>,
    /// The first value that could not be bound.
    unbound: Option<Error>,
}

impl Default for BatchedWrite {
    fn default() -> Self {
        Self::new(Engine::Sqlite)
    }
}

impl BatchedWrite {
    pub(super) fn new(engine: Engine) -> Self {
        Self { engine, statements: Vec::new(), locks: Vec::new(), exclusions: Vec::new(), unbound: None }
    }

    pub(super) fn len(&self) -> usize {
        self.statements.len()
    }

    /// Drops all but the first `len` statements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.statements.truncate(len);
        self.unbound = None;
    }

    /// Adds a statement whose values are to be bound.
    pub(super) fn next(&mut self, sql: &'static str, kind: StatementKind) -> Binding<'_> {
        let is_possible = match self.engine {
            Engine::Sqlite => kind != StatementKind::Check,
            Engine::Postgres => kind != StatementKind::Write || set_write::is_insert(sql),
        };
        if !is_possible {
            self.unbound.get_or_insert_with(needs_read);
        }
        self.statements.push(Statement { sql, kind, values: Vec::new(), types: Vec::new() });
        Binding(self)
    }
}

/// Binds the values of the last statement one by one.
pub struct Binding<'c>(&'c mut BatchedWrite);

impl Binding<'_> {
    #[must_use]
    pub fn bind<T: ToSql + Type<Postgres>>(self, value: T) -> Self {
        let Self(batch) = self;
        let statement = batch.statements.last_mut().expect("a statement is being bound");
        if batch.engine == Engine::Postgres {
            match ColumnType::of::<T>() {
                Ok(found) => statement.types.push(found),
                Err(fault) => drop(batch.unbound.get_or_insert(fault)),
            }
        }
        let bound = match value.to_sql() {
            Ok(ToSqlOutput::Borrowed(value)) => Value::try_from(value).map_err(Error::internal),
            Ok(ToSqlOutput::Owned(value)) => Ok(value),
            Ok(_) => Err(Error::internal("a value is neither a number, a text nor bytes")),
            Err(fault) => Err(Error::internal(fault)),
        };
        statement.values.push(bound.unwrap_or_else(|fault| {
            batch.unbound.get_or_insert(fault);
            Value::Null
        }));
        Self(batch)
    }

    /// Finishes the statement.
    ///
    /// # Errors
    /// A value could not be bound, or the statement cannot be run for a set of rows.
    pub fn collect(self) -> Result<()> {
        self.0.unbound.take().map_or(Ok(()), Err)
    }
}

/// Runs everything in one transaction and commits it. After an error that breaks the connection the outcome is
/// unknown; after any other error everything is rolled back.
pub(super) fn commit(connection: &Connection, batch: &BatchedWrite) -> Result<()> {
    command(connection, "BEGIN IMMEDIATE")?;
    let mut outcome = run_all(connection, &batch.statements);
    if outcome.is_ok() {
        outcome = command(connection, "COMMIT");
    }
    outcome.map_err(|refused| {
        // After a storage error, such as a full disk, SQLite may have rolled back by itself; that error is the reason.
        let is_broken = refused.breaks_connection() || command(connection, "ROLLBACK").is_err();
        if is_broken { refused.breaking_connection() } else { refused }
    })
}

fn run_all(connection: &Connection, statements: &[Statement]) -> Result<()> {
    // A group repeats a few statements; each is prepared once.
    let mut prepared: Vec<Prepared> = Vec::new();
    for statement in statements {
        let known = prepared.iter().position(|known| std::ptr::eq(known.sql, statement.sql));
        let place = match known {
            Some(place) => place,
            None => {
                prepared.push(Prepared::new(connection, statement.sql)?);
                prepared.len() - 1
            }
        };
        prepared[place].run(&statement.values)?;
    }
    Ok(())
}

/// A prepared statement.
struct Prepared<'c> {
    sql: &'static str,
    statement: CachedStatement<'c>,
    /// Which value each parameter takes: SQLite numbers parameters in the order it meets them, the stores by their
    /// names, so that `$3` is the third value wherever it stands.
    places: Vec<usize>,
}

impl<'c> Prepared<'c> {
    fn new(connection: &'c Connection, sql: &'static str) -> Result<Self> {
        let statement = connection.prepare_cached(sql)?;
        let place =
            |index| statement.parameter_name(index).and_then(|name| name[1..].parse::<usize>().ok()).map(|number| number - 1);
        let places = (1..=statement.parameter_count()).map(|index| place(index).expect("parameters are $n")).collect();
        Ok(Self { sql, statement, places })
    }

    fn run(&mut self, values: &[Value]) -> Result<()> {
        for (index, place) in self.places.iter().enumerate() {
            self.statement.raw_bind_parameter(index + 1, &values[*place])?;
        }
        match self.statement.raw_execute()? {
            1 => Ok(()),
            _ => Err(wrong_row_count()),
        }
    }
}

fn command(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite has rolled back by itself, so a rollback would fail with a message that says nothing.
    #[test]
    fn a_full_disk_is_named_as_the_reason() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE note (name TEXT NOT NULL); PRAGMA max_page_count = 3").unwrap();
        let mut batch = BatchedWrite::new(Engine::Sqlite);
        let insert = batch.next("INSERT INTO note (name) VALUES ($1)", StatementKind::Write);
        insert.bind("x".repeat(100_000)).collect().unwrap();
        let failure = commit(&connection, &batch).unwrap_err();
        assert_eq!(failure.code(), "storage_unavailable", "{failure}");
        assert!(failure.breaks_connection() && failure.to_string().contains("disk is full"), "{failure}");
    }
}
