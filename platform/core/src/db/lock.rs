//! Locks: what a unit of work decides on stands still until it ends.
//!
//! PostgreSQL runs transactions side by side and at READ COMMITTED each statement sees what others have committed meanwhile, so a unit of work
//! locks what it decides on before it reads it: a row with [`fetch_locked!`](crate::fetch_locked), a set of rows that is counted or
//! looked through with [`Tx::lock`]. SQLite has one writer, where both only read or do nothing.

use crate::error::Result;

use super::{Conn, Tx};

impl Tx {
    /// Whether nobody else writes while this transaction does, so that what it counts stands still by itself.
    #[must_use]
    pub fn writes_alone(&self) -> bool {
        matches!(self.conn, Conn::Lite(_) | Conn::Blind(_))
    }

    /// Holds the lock named by `scope` and `key` until the transaction ends; transactions that ask for the same one wait for each other. It
    /// is for rules on several rows ("at most ten of one e-mail"), which no lock of a row protects from an insert. A unit of work that takes several
    /// takes them in one order, or one of two is run again.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn lock(&mut self, scope: &str, key: &str) -> Result<()> {
        match &mut self.conn {
            Conn::Lite(_) | Conn::Blind(_) => Ok(()),
            Conn::Pg(conn) => {
                // Two keys that share a digest wait for each other needlessly, and nothing worse.
                let lock = sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))").bind(format!("{scope}:{key}"));
                Box::pin(lock.execute(&mut **conn)).await?;
                Ok(())
            }
        }
    }
}
