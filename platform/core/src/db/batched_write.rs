//! Batched writes: work that only writes, sent to SQLite in one call.
//!
//! Every statement sent through the driver crosses to its thread and back, which costs more than most statements do.
//! For work that only writes, the statements are collected while it runs. Those of a whole group go to SQLite in one
//! call, over a connection of their own. Work that turns out to read, and every group in which anything is refused,
//! runs the ordinary way instead. So errors are reported where they belong, and only the usual case, success, is
//! faster.

use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{CachedStatement, Connection, ToSql};

use super::error::wrong_row_count;
use crate::error::{Error, Result};

/// A statement that changes exactly one row.
pub(super) struct Statement {
    sql: &'static str,
    values: Vec<Value>,
}

/// The statements of one or more units of work.
#[derive(Default)]
pub struct BatchedWrite {
    statements: Vec<Statement>,
    /// The first value that could not be bound.
    unbound: Option<Error>,
}

impl BatchedWrite {
    pub(super) fn len(&self) -> usize {
        self.statements.len()
    }

    /// Drops all but the first `len` statements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.statements.truncate(len);
        self.unbound = None;
    }

    /// Adds a statement whose values are to be bound.
    pub(super) fn next(&mut self, sql: &'static str) -> Binding<'_> {
        self.statements.push(Statement { sql, values: Vec::new() });
        Binding(self)
    }
}

/// Binds the values of the last statement one by one.
pub struct Binding<'c>(&'c mut BatchedWrite);

impl Binding<'_> {
    #[must_use]
    pub fn bind(self, value: impl ToSql) -> Self {
        let bound = match value.to_sql() {
            Ok(ToSqlOutput::Borrowed(value)) => Value::try_from(value).map_err(Error::internal),
            Ok(ToSqlOutput::Owned(value)) => Ok(value),
            Ok(_) => Err(Error::internal("a value is neither a number, a text nor bytes")),
            Err(fault) => Err(Error::internal(fault)),
        };
        let bound = bound.unwrap_or_else(|fault| {
            self.0.unbound.get_or_insert(fault);
            Value::Null
        });
        self.0.statements.last_mut().expect("a statement is being bound").values.push(bound);
        self
    }

    /// Finishes the statement.
    ///
    /// # Errors
    /// A value could not be bound.
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
    outcome.map_err(|refused| match command(connection, "ROLLBACK") {
        Ok(()) => refused,
        Err(failure) => failure.breaking_connection(),
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
