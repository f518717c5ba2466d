//! Locks: what a unit of work decides on does not change until it ends.
//!
//! PostgreSQL runs transactions concurrently at READ COMMITTED, where each statement sees what others have committed
//! meanwhile. So a unit of work locks what it decides on before reading it: a row with
//! [`fetch_locked!`](crate::fetch_locked), a set of rows with [`Tx::lock`]. SQLite has a single writer and needs
//! neither.

use crate::error::Result;

use super::{Connection, Tx};

impl Tx {
    /// Whether no other transaction writes at the same time.
    #[must_use]
    pub fn writes_alone(&self) -> bool {
        matches!(self.conn, Connection::Sqlite(_) | Connection::Batched(_))
    }

    /// Holds the lock named by `scope` and `key` until the transaction ends. It is for rules on several rows ("at most
    /// ten per e-mail"), which row locks do not protect from inserts. Take several locks in a fixed order, or one of
    /// two transactions is run again.
    pub async fn lock(&mut self, scope: &str, key: &str) -> Result<()> {
        if self.writes_alone() {
            return Ok(());
        }
        // Two keys with the same hash wait for each other needlessly, nothing worse.
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
        crate::execute!(self, lock, format!("{scope}:{key}")).map(drop)
    }
}
