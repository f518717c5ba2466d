//! Notifications between nodes that share a PostgreSQL database: LISTEN and NOTIFY. SQLite runs on one node and has
//! none.

use sqlx::postgres::PgListener;

use super::{Db, Inner};
use crate::error::Result;

const CHANNEL: &str = "agio";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeMessage {
    /// A node's message; its sender receives it too.
    Payload(String),
    /// The connection was lost for a time, with all messages of that time.
    ConnectionLost,
}

/// Receives messages from all nodes.
pub struct NodeListener(PgListener);

impl NodeListener {
    /// Waits for the next message. Reconnects after a lost connection.
    pub async fn recv(&mut self) -> Result<NodeMessage> {
        let notification = self.0.try_recv().await?;
        Ok(notification
            .map_or(NodeMessage::ConnectionLost, |notification| NodeMessage::Payload(notification.payload().to_owned())))
    }
}

impl Db {
    /// Listens to all nodes; `None` on SQLite.
    pub async fn listen_to_nodes(&self) -> Result<Option<NodeListener>> {
        let Inner::Postgres { pool } = &*self.0 else { return Ok(None) };
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(Some(NodeListener(listener)))
    }

    /// Sends a message of at most 8,000 bytes to all nodes. Does nothing on SQLite.
    pub async fn notify_nodes(&self, message: &str) -> Result<()> {
        if let Inner::Postgres { pool } = &*self.0 {
            sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(message).execute(pool).await?;
        }
        Ok(())
    }
}
