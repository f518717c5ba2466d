//! News between the nodes that share a PostgreSQL: LISTEN and NOTIFY. A SQLite house is one process and has nobody to tell.

use sqlx::postgres::PgListener;

use super::{Db, Inner};
use crate::error::Result;

/// The channel of the house.
const CHANNEL: &str = "agio";

/// What is heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// What a node said; the speaker hears it too.
    Words(String),
    /// The connection was lost for a time, and whatever was said meanwhile.
    Gap,
}

/// An open ear for the other nodes.
pub struct Ear(PgListener);

impl Ear {
    /// Waits for the next thing. A lost connection is made anew.
    ///
    /// # Errors
    /// No connection can be had.
    pub async fn hear(&mut self) -> Result<Heard> {
        let notification = self.0.try_recv().await?;
        Ok(notification.map_or(Heard::Gap, |notification| Heard::Words(notification.payload().to_owned())))
    }
}

impl Db {
    /// Opens an ear for the other nodes; nothing on SQLite.
    ///
    /// # Errors
    /// No connection can be had.
    pub async fn ear(&self) -> Result<Option<Ear>> {
        let Inner::Pg { pool } = &*self.0 else { return Ok(None) };
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(Some(Ear(listener)))
    }

    /// Says something to every node that listens, at most 8,000 bytes; on SQLite to nobody.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn say(&self, words: &str) -> Result<()> {
        if let Inner::Pg { pool } = &*self.0 {
            sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(words).execute(pool).await?;
        }
        Ok(())
    }
}
