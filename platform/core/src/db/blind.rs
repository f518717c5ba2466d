//! Writes that read nothing, on their way to SQLite.
//!
//! Each statement sent through the driver crosses to its thread and back, which costs more than most statements do. Work that
//! only writes does not have to: its statements are collected as it runs, and those of a whole group go to SQLite in one call, over a
//! connection of the writer's own. Work that does read finds out at its first question and is run the ordinary way instead; so is
//! everybody, if anything is refused here. So errors are known where they belong, and only the usual case, success, is quicker.

use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{CachedStatement, Connection, ToSql};

use super::error::unchanged;
use crate::error::{Error, Result};

/// A statement that changes exactly one row.
pub(super) struct Statement {
    sql: &'static str,
    values: Vec<Value>,
}

/// The statements of one unit of work, or several.
#[derive(Default)]
pub struct Collected {
    statements: Vec<Statement>,
    /// What could not be bound, if anything.
    unbound: Option<Error>,
}

impl Collected {
    /// How many statements there are.
    pub(super) fn len(&self) -> usize {
        self.statements.len()
    }

    /// Forgets all but the first statements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.statements.truncate(len);
        self.unbound = None;
    }

    /// The next statement, to be given its values.
    pub(super) fn next(&mut self, sql: &'static str) -> Binding<'_> {
        self.statements.push(Statement { sql, values: Vec::new() });
        Binding(self)
    }
}

/// A statement in the making: its values are bound to it one by one.
pub struct Binding<'c>(&'c mut Collected);

impl Binding<'_> {
    /// Binds the next value.
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
        self.0.statements.last_mut().expect("a statement is being made").values.push(bound);
        self
    }

    /// Leaves the statement with the others.
    ///
    /// # Errors
    /// A value could not be bound.
    pub fn collect(self) -> Result<()> {
        self.0.unbound.take().map_or(Ok(()), Err)
    }
}

/// Runs everything in one transaction and commits it. After an error that breaks the connection nobody knows what became of
/// it; after any other all is undone.
pub(super) fn commit(connection: &Connection, collected: &Collected) -> Result<()> {
    command(connection, "BEGIN IMMEDIATE")?;
    let mut outcome = run_all(connection, &collected.statements);
    if outcome.is_ok() {
        outcome = command(connection, "COMMIT");
    }
    outcome.map_err(|refused| match command(connection, "ROLLBACK") {
        Ok(()) => refused,
        Err(failure) => failure.breaking_connection(),
    })
}

fn run_all(connection: &Connection, statements: &[Statement]) -> Result<()> {
    // A group consists of a few statements again and again; each is looked up once.
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

/// A statement ready to be run with ever other values.
struct Prepared<'c> {
    sql: &'static str,
    statement: CachedStatement<'c>,
    /// Which value each parameter takes: SQLite numbers parameters as it meets them, the stores by their names, so that `$3` is the
    /// third value wherever it stands.
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
            _ => Err(unchanged()),
        }
    }
}

fn command(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}
