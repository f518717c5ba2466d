//! Statements for sets of rows on PostgreSQL: one statement writes the rows of a whole group, whose values it takes as
//! arrays.
//!
//! Their text is made from that of the single statement, a constant: each `$n` becomes the column `pn` of `batch`, the
//! table of the values, which has a row for each unit of work and its number in the group, `place`.

use std::fmt::Write as _;

use rusqlite::types::Value;
use sqlx::postgres::PgArguments;
use sqlx::{Arguments as _, AssertSqlSafe};
use uuid::Uuid;

use super::batched_write::{BatchedWrite, ColumnType, Statement, StatementKind};
use super::error::wrong_row_count;
use super::{Connection, Engine, StatementTarget, Tx, within};
use crate::audit::ChainHead;
use crate::error::{Error, Result};

/// The parts of `INSERT ... VALUES (...) ...`: before VALUES, the values, and what follows.
fn insert_parts(sql: &'static str) -> Option<(&'static str, &'static str, &'static str)> {
    if !sql.starts_with("INSERT INTO ") {
        return None;
    }
    let (head, rest) = sql.split_once("VALUES (")?;
    let mut depth = 1;
    let end = rest.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    Some((head, &rest[..end], &rest[end + 1..]))
}

/// Whether a statement inserts one row in a way that works for many: what follows the values names none of them.
pub(super) fn is_insert(sql: &'static str) -> bool {
    insert_parts(sql).is_some_and(|(.., tail)| !tail.contains('$') && !tail.contains("RETURNING"))
}

/// The text with each `$n` as the column of the table of values.
fn with_columns(sql: &str) -> String {
    sql.replace('$', "batch.p")
}

/// `unnest($1::BIGINT[], $2::TEXT[]) WITH ORDINALITY AS batch (p1, p2, place)`.
fn table_of_values(types: &[ColumnType]) -> String {
    let (mut arrays, mut columns) = (String::new(), String::new());
    for (number, column) in types.iter().enumerate().map(|(index, column)| (index + 1, column)) {
        let name = match column {
            ColumnType::Number => "BIGINT",
            ColumnType::Text => "TEXT",
            ColumnType::Boolean => "BOOLEAN",
            ColumnType::Uuid => "UUID",
            ColumnType::Bytes => "BYTEA",
        };
        let comma = if number == 1 { "" } else { ", " };
        let _ = write!(arrays, "{comma}${number}::{name}[]");
        let _ = write!(columns, "p{number}, ");
    }
    format!("unnest({arrays}) WITH ORDINALITY AS batch ({columns}place)")
}

/// The statement for a set of rows. It returns the places that it names: of a check those that it refuses, of a hot
/// write those that it has written, of another write none.
///
/// Rows are written in the order of their first columns, so that two groups that meet in several rows do so in the same
/// order.
fn text_of(statement: &Statement) -> Option<String> {
    let table = table_of_values(&statement.types);
    Some(match statement.kind {
        StatementKind::Check => format!("SELECT batch.place FROM {table} WHERE ({})", with_columns(statement.sql)),
        StatementKind::HotWrite(text) => format!("WITH batch AS MATERIALIZED (SELECT * FROM {table}){text}"),
        StatementKind::Write => {
            let (head, values, tail) = insert_parts(statement.sql)?;
            let order = if statement.types.len() > 1 { "batch.p1, batch.p2, batch.place" } else { "batch.p1, batch.place" };
            format!("{head}SELECT {} FROM {table} ORDER BY {order}{tail}", with_columns(values))
        }
    })
}

/// Runs the same statement of several units of work as one. Returns the positions of those that are refused.
///
/// # Errors
/// Also if fewer rows were written than there should be: then it is unknown which.
pub(super) async fn run(tx: &mut Tx, statements: &[&Statement]) -> Result<Vec<usize>> {
    let Some(first) = statements.first() else { return Ok(Vec::new()) };
    let text = text_of(first).ok_or_else(|| Error::internal("a statement has no form for a set of rows"))?;
    let mut arrays = PgArguments::default();
    for (index, column) in first.types.iter().enumerate() {
        add_array(&mut arrays, *column, statements.iter().map(|statement| &statement.values[index]))?;
    }
    let StatementTarget::Postgres(conn, deadline) = tx.target() else { unreachable!("groups are for PostgreSQL") };
    // Built from constants only, so no caller's text gets in.
    let text = AssertSqlSafe(text);
    let done = match first.kind {
        StatementKind::Write => {
            let query = Box::pin(sqlx::query_with(text, arrays).execute(conn));
            within(deadline, query).await.and_then(|done| {
                if done.rows_affected() == statements.len() as u64 { Ok(Vec::new()) } else { Err(wrong_row_count()) }
            })
        }
        kind => {
            let query = Box::pin(sqlx::query_scalar_with::<_, i64, _>(text, arrays).fetch_all(conn));
            within(deadline, query).await.map(|places| {
                (0..statements.len())
                    .filter(|index| places.contains(&(*index as i64 + 1)) == (kind == StatementKind::Check))
                    .collect()
            })
        }
    };
    tx.end_statement(&done);
    done
}

impl Tx {
    /// A transaction without a connection, whose writes are collected for [`write_set`](Self::write_set).
    pub(crate) fn collecting() -> Self {
        Self::new(Connection::Batched(BatchedWrite::new(Engine::Postgres)))
    }

    /// Writes rows that were collected by the same statement: PostgreSQL only.
    pub(crate) async fn write_set(&mut self, mut collected: Self) -> Result<()> {
        let statements = &collected.batch().statements;
        run(self, &Vec::from_iter(statements)).await.map(drop)
    }

    /// The last entries of chains of the audit log, which are locked in their order: PostgreSQL only. The chains count
    /// those that follow, as many as `counts` says, even if somebody has removed the trigger that makes them heads.
    pub(crate) async fn lock_audit_heads(&mut self, chains: &[i64], counts: &[i64]) -> Result<Vec<ChainHead>> {
        let StatementTarget::Postgres(conn, deadline) = self.target() else { unreachable!("other engines lock nothing") };
        let heads = "WITH head AS MATERIALIZED
                (SELECT chain, number, digest FROM audit_chain WHERE chain = ANY($1) ORDER BY chain FOR NO KEY UPDATE)
            UPDATE audit_chain SET number = head.number + entries.count
            FROM head JOIN unnest($1, $2) AS entries (chain, count) ON entries.chain = head.chain
            WHERE audit_chain.chain = head.chain
            RETURNING head.chain, head.number, head.digest";
        let done = within(deadline, Box::pin(sqlx::query_as(heads).bind(chains).bind(counts).fetch_all(conn))).await;
        self.end_statement(&done);
        done
    }
}

/// Binds the values of one column.
fn add_array<'v>(arrays: &mut PgArguments, column: ColumnType, values: impl Iterator<Item = &'v Value>) -> Result<()> {
    let added = match column {
        ColumnType::Number => arrays.add(column_of(values, |value| match value {
            Value::Integer(number) => Some(*number),
            _ => None,
        })?),
        ColumnType::Boolean => arrays.add(column_of(values, |value| match value {
            Value::Integer(number) => Some(*number != 0),
            _ => None,
        })?),
        ColumnType::Text => arrays.add(column_of(values, |value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })?),
        ColumnType::Uuid => arrays.add(column_of(values, |value| match value {
            Value::Blob(bytes) => Uuid::from_slice(bytes).ok(),
            _ => None,
        })?),
        ColumnType::Bytes => arrays.add(column_of(values, |value| match value {
            Value::Blob(bytes) => Some(bytes.as_slice()),
            _ => None,
        })?),
    };
    added.map_err(|fault| Error::internal(fault.to_string()))
}

fn column_of<'v, T>(values: impl Iterator<Item = &'v Value>, read: impl Fn(&'v Value) -> Option<T>) -> Result<Vec<Option<T>>> {
    values
        .map(|value| match value {
            Value::Null => Ok(None),
            value => read(value).map(Some).ok_or_else(|| Error::internal("a value is not of its column's type")),
        })
        .collect()
}
