//! One call to SQLite, and the statements that wait for it.
//!
//! Each call crosses to the driver's thread and back, which costs more than most statements do. A statement whose
//! outcome nobody reads therefore waits ([`defer!`](crate::defer)) and goes along with the next one, in one call and in order.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteArguments, SqliteQueryResult, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe, Either, Encode, Executor as _, FromRow, SqlSafeStr as _, SqlStr, Sqlite, Type};

use crate::error::{Error, Result};

/// The statements that wait, with their arguments.
#[derive(Default)]
pub(crate) struct Deferred {
    /// Whether statements may wait at all. They may not when each failure has to be known at once.
    allowed: bool,
    /// Whether any has waited since it was allowed.
    used: bool,
    waiting: Vec<&'static str>,
    /// Where the arguments of each statement that waits begin.
    offsets: Vec<usize>,
    arguments: SqliteArguments,
    /// Texts made of several statements, by the addresses of their parts: the same few again and again.
    joined: HashMap<Vec<usize>, Arc<str>>,
}

impl Deferred {
    /// From now on statements may wait, or may not; none waits yet.
    pub fn allow(&mut self, allowed: bool) {
        self.forget();
        self.allowed = allowed;
        self.used = false;
    }

    /// Whether any statement has waited since that was allowed.
    pub fn was_used(&self) -> bool {
        self.used
    }

    /// Forgets what waits: the transaction it belongs to is undone.
    pub fn forget(&mut self) {
        self.waiting.clear();
        self.offsets.clear();
        self.arguments = SqliteArguments::default();
    }

    /// The text of everything that waits with `last` behind it, and all the arguments.
    fn take(&mut self, last: &'static str, offset: usize) -> (SqlStr, SqliteArguments) {
        let arguments = std::mem::take(&mut self.arguments);
        if self.waiting.is_empty() {
            return (last.into_sql_str(), arguments);
        }
        self.waiting.push(last);
        self.offsets.push(offset);
        let key: Vec<_> = self.waiting.iter().map(|sql| sql.as_ptr().addr()).collect();
        let (waiting, offsets) = (&self.waiting, &self.offsets);
        let text = self.joined.entry(key).or_insert_with(|| join(waiting, offsets).into()).clone();
        self.waiting.clear();
        self.offsets.clear();
        (AssertSqlSafe(text).into_sql_str(), arguments)
    }
}

/// Several statements as one text, each with its `$n` counted on from the arguments before it.
fn join(statements: &[&str], offsets: &[usize]) -> String {
    let mut text = String::new();
    for (sql, offset) in statements.iter().zip(offsets) {
        let mut parts = sql.split('$');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let number: usize = part[..digits].parse().expect("a parameter is a dollar sign and a number");
            write!(text, "${}{}", number + offset, &part[digits..]).expect("text is written to memory");
        }
        text.push_str(";\n");
    }
    text
}

/// A call in the making: the statement's arguments are bound to it one by one.
pub struct Call<'t> {
    conn: &'t mut PoolConnection<Sqlite>,
    deferred: &'t mut Deferred,
    /// How many arguments belong to statements that wait.
    offset: usize,
    unbound: Option<Error>,
}

impl<'t> Call<'t> {
    pub(super) fn new(conn: &'t mut PoolConnection<Sqlite>, deferred: &'t mut Deferred) -> Self {
        let offset = deferred.arguments.len();
        Self { conn, deferred, offset, unbound: None }
    }

    /// Binds the next argument.
    #[must_use]
    pub fn bind<'q, T: Encode<'q, Sqlite> + Type<Sqlite>>(mut self, value: T) -> Self {
        if let Err(fault) = self.deferred.arguments.add(value) {
            self.unbound.get_or_insert(Error::internal(fault));
        }
        self
    }

    /// The call's connection, text and arguments.
    fn ready(self, sql: &'static str) -> Result<(&'t mut PoolConnection<Sqlite>, SqlStr, SqliteArguments)> {
        let (text, arguments) = self.deferred.take(sql, self.offset);
        match self.unbound {
            None => Ok((self.conn, text, arguments)),
            Some(fault) => Err(fault),
        }
    }

    /// The one row.
    ///
    /// # Errors
    /// There is none, or the database refused.
    pub async fn fetch_one<R: for<'r> FromRow<'r, SqliteRow> + Send + Unpin>(self, sql: &'static str) -> Result<R> {
        let (conn, text, arguments) = self.ready(sql)?;
        Ok(sqlx::query_as_with(text, arguments).fetch_one(&mut **conn).await?)
    }

    /// The first row, if there is one.
    ///
    /// # Errors
    /// The database refused.
    pub async fn fetch_optional<R: for<'r> FromRow<'r, SqliteRow> + Send + Unpin>(self, sql: &'static str) -> Result<Option<R>> {
        let (conn, text, arguments) = self.ready(sql)?;
        Ok(sqlx::query_as_with(text, arguments).fetch_optional(&mut **conn).await?)
    }

    /// Every row.
    ///
    /// # Errors
    /// The database refused.
    pub async fn fetch_all<R: for<'r> FromRow<'r, SqliteRow> + Send + Unpin>(self, sql: &'static str) -> Result<Vec<R>> {
        let (conn, text, arguments) = self.ready(sql)?;
        Ok(sqlx::query_as_with(text, arguments).fetch_all(&mut **conn).await?)
    }

    /// Runs the statement and says how many rows it changed, apart from those of the statements that waited for it.
    ///
    /// # Errors
    /// The database refused.
    pub async fn execute(self, sql: &'static str) -> Result<u64> {
        let (conn, text, arguments) = self.ready(sql)?;
        let mut outcomes = conn.fetch_many(sqlx::query_with(text, arguments));
        let mut last = 0;
        while let Some(outcome) = outcomes.try_next().await? {
            if let Either::Left(done) = outcome {
                last = SqliteQueryResult::rows_affected(&done);
            }
        }
        Ok(last)
    }

    /// Lets the statement wait for the next call, where that is allowed; else runs it now.
    ///
    /// # Errors
    /// The database refused.
    pub async fn defer(self, sql: &'static str) -> Result<()> {
        if !self.deferred.allowed || self.unbound.is_some() {
            return self.execute(sql).await.map(drop);
        }
        self.deferred.used = true;
        self.deferred.waiting.push(sql);
        self.deferred.offsets.push(self.offset);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn parameters_count_on_from_statement_to_statement() {
        let joined = join(&["INSERT INTO a VALUES ($1, $2)", "COMMIT", "UPDATE b SET x = $10 WHERE y = $1"], &[0, 2, 2]);
        assert_eq!(joined, "INSERT INTO a VALUES ($1, $2);\nCOMMIT;\nUPDATE b SET x = $12 WHERE y = $3;\n");
    }
}
