//! Locks: what a unit of work decides on does not change until it ends.
//!
//! PostgreSQL runs transactions concurrently at READ COMMITTED, where each statement sees what others have committed
//! meanwhile. So a unit of work locks what it decides on before reading it: a row with
//! [`fetch_locked!`](crate::fetch_locked), a set of rows with [`Tx::lock`]. SQLite has a single writer and needs
//! neither.

use crate::BoxFuture;
use crate::error::Result;

use super::{Connection, Engine, StatementTarget, Tx, within};

impl Tx {
    /// Whether no other transaction writes at the same time.
    #[must_use]
    pub fn writes_alone(&self) -> bool {
        self.engine() == Engine::Sqlite
    }

    /// Holds the lock named by `scope` and `key` until the transaction ends. It is for rules on several rows ("at most
    /// ten per e-mail"), which row locks do not protect from inserts. Take several locks in the order of their names, as
    /// groups do, or one of two transactions is run again.
    pub async fn lock(&mut self, scope: &str, key: &str) -> Result<()> {
        if self.writes_alone() {
            return Ok(());
        }
        let name = format!("{scope}:{key}");
        if let Connection::Batched(batch) = &mut self.conn {
            batch.locks.push(name);
            return Ok(());
        }
        self.lock_all(&[&name]).await
    }

    /// Takes the locks one after the other: PostgreSQL only.
    // Boxed as `Db::read`.
    #[inline(never)]
    pub(super) fn lock_all<'t>(&'t mut self, names: &'t [&'t str]) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            if names.is_empty() {
                return Ok(());
            }
            let StatementTarget::Postgres(conn, deadline) = self.target() else { unreachable!("other engines need no locks") };
            // Two keys with the same hash wait for each other needlessly, nothing worse.
            let lock = "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1) AS name";
            let done = within(deadline, sqlx::query(lock).bind(names).execute(conn)).await.map(drop);
            self.end_statement(&done);
            done
        })
    }

    /// Says that no other work with this key may share a group with this one, because a statement can change a row only
    /// once: for rows that are made by the first who needs them.
    pub fn exclude(&mut self, scope: &str, key: &str) {
        if let Connection::Batched(batch) = &mut self.conn {
            batch.exclusions.push(format!("{scope}:{key}"));
        }
    }
}
