//! Notifications between nodes that share a PostgreSQL database: LISTEN and NOTIFY. SQLite runs on one node and has
//! none.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};

use super::{Db, Inner, StatementTarget, Tx, within};
use crate::error::Result;

const CHANNEL: &str = "agio";

/// The name by which PostgreSQL knows the connection of a node that listens.
const LISTENER: &str = "agio node";

/// The bytes that PostgreSQL's messages have to be shorter than.
pub const NODE_MESSAGE_MAX: usize = 8_000;

/// How long a connection may be silent before it has to answer, and how long it may take to.
const SILENCE: Duration = Duration::from_secs(4);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeMessage {
    /// A node's message; its sender receives it too.
    Payload(String),
    /// The connection was lost for a time, with all messages of that time.
    ConnectionLost,
}

/// Receives messages from all nodes, over a connection outside the pool.
pub struct NodeListener {
    options: PgConnectOptions,
    /// `None` after the connection was lost.
    listener: Option<PgListener>,
}

impl NodeListener {
    /// Waits for the next message. Reconnects after a lost connection.
    ///
    /// # Errors
    /// 503 `storage_unavailable` when the database cannot be reached; call again later.
    pub async fn recv(&mut self) -> Result<NodeMessage> {
        loop {
            let Some(listener) = &mut self.listener else {
                self.listener = Some(connect(&self.options).await?);
                return Ok(NodeMessage::ConnectionLost);
            };
            let is_alive = match tokio::time::timeout(SILENCE, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => return Ok(NodeMessage::Payload(notification.payload().to_owned())),
                Ok(Ok(None)) => return Ok(NodeMessage::ConnectionLost),
                Ok(Err(error)) => {
                    tracing::debug!(%error, "the connection to the other nodes is lost");
                    false
                }
                // Nobody may have said anything, or nobody may be there.
                Err(_) => within(SILENCE, sqlx::query("SELECT 1").execute(listener)).await.is_ok(),
            };
            if !is_alive {
                self.listener = None;
            }
        }
    }
}

async fn connect(options: &PgConnectOptions) -> Result<PgListener> {
    let connect = async {
        let pool = PgPoolOptions::new().max_connections(1).connect_with(options.clone().application_name(LISTENER)).await?;
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(listener)
    };
    within(SILENCE, connect).await
}

impl Db {
    /// Listens to all nodes; `None` on SQLite.
    pub async fn listen_to_nodes(&self) -> Result<Option<NodeListener>> {
        let Inner::Postgres { direct, .. } = &*self.0 else { return Ok(None) };
        let options = PgConnectOptions::clone(&direct.connect_options());
        let listener = Some(connect(&options).await?);
        Ok(Some(NodeListener { options, listener }))
    }

    /// The number of nodes that listen: on PostgreSQL all that are connected to the database, on SQLite 1.
    pub async fn count_nodes(&self) -> Result<u32> {
        Ok(self.count_listeners().await?.max(1))
    }

    /// Whether a server uses this PostgreSQL database. One on SQLite is known by its lock.
    pub async fn is_served(&self) -> Result<bool> {
        Ok(self.count_listeners().await? > 0)
    }

    async fn count_listeners(&self) -> Result<u32> {
        if !matches!(&*self.0, Inner::Postgres { .. }) {
            return Ok(0);
        }
        let listening = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1";
        let (count,) = crate::fetch_one!(&mut self.read().await?, (i64,), listening, LISTENER)?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Sends messages of less than [`NODE_MESSAGE_MAX`] bytes each to all nodes. Does nothing on SQLite.
    pub async fn notify_nodes(&self, messages: &[String]) -> Result<()> {
        if let Inner::Postgres { pool, .. } = &*self.0 {
            let mut tx = Tx::new(pool.acquire().await?);
            let StatementTarget::Postgres(conn, deadline) = tx.target() else { unreachable!("this is PostgreSQL") };
            // In one statement: each transaction that notifies is committed and synced, one after the other.
            let notify = "SELECT pg_notify($1, message) FROM unnest($2) AS message";
            let done = within(deadline, Box::pin(sqlx::query(notify).bind(CHANNEL).bind(messages).execute(conn))).await;
            tx.end_statement(&done);
            done?;
        }
        Ok(())
    }
}
