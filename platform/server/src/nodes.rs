//! Synchronisation of several nodes on one PostgreSQL.
//!
//! A node publishes what it changed; the others reload it from the database and publish the event locally. Messages may
//! be lost with a connection: then a node reloads everything. Jobs reload regularly in any case.
//!
//! A message names its node and then its events, separated by line breaks: the database and every node handle each
//! message on its own.

use std::collections::BTreeSet;
use std::time::Duration;

use agio_core::Result;
use agio_core::db::{NODE_MESSAGE_MAX, NodeListener, NodeMessage};
use agio_core::events::ChangeEvent;
use agio_core::random::{Random as _, SecretRandom};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::app::App;

/// The message of a node that does not know what changed.
const EVERYTHING: &str = "everything";

/// The delay before the next attempt to connect.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// How long events are collected before they are sent together: a busy node publishes hundreds per second.
const BATCH_WINDOW: Duration = Duration::from_millis(25);

/// Publishes to the other nodes and listens to them until the set is dropped. Does nothing on SQLite.
pub async fn start(app: &App) -> Result<JoinSet<()>> {
    let mut running = JoinSet::new();
    let Some(listener) = app.platform.db.listen_to_nodes().await? else { return Ok(running) };
    // Not from the injected randomness: node ids must differ.
    let node = SecretRandom::default().uuid();
    running.spawn(publish(app.clone(), node));
    running.spawn(subscribe(app.clone(), node, listener));
    Ok(running)
}

/// Publishes a change that this process made to the nodes that serve the database. Does nothing on SQLite.
pub async fn notify_others(app: &App, event: ChangeEvent) -> Result<()> {
    app.platform.db.notify_nodes(&[format!("{} {event}", SecretRandom::default().uuid())]).await
}

async fn publish(app: App, node: Uuid) {
    let mut own = app.platform.events.subscribe_to_local();
    loop {
        let payload = match own.recv().await {
            Ok(event) => event.to_string(),
            Err(RecvError::Lagged(_)) => EVERYTHING.to_owned(),
            Err(RecvError::Closed) => return,
        };
        let mut batch = BTreeSet::from([payload]);
        tokio::time::sleep(BATCH_WINDOW).await;
        while let Ok(event) = own.try_recv() {
            batch.insert(event.to_string());
        }
        if let Err(error) = app.platform.db.notify_nodes(&messages(node, &batch)).await {
            tracing::warn!(%error, "the other nodes were not notified");
        }
    }
}

/// As few messages as hold these events.
fn messages(node: Uuid, events: &BTreeSet<String>) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for event in events {
        match messages.last_mut().filter(|last| last.len() + 1 + event.len() < NODE_MESSAGE_MAX) {
            Some(last) => {
                last.push('\n');
                last.push_str(event);
            }
            None => messages.push(format!("{node} {event}")),
        }
    }
    messages
}

async fn subscribe(app: App, node: Uuid, mut listener: NodeListener) {
    loop {
        let received = listener.recv().await;
        let refreshed = match &received {
            Ok(NodeMessage::Payload(message)) => match message.split_once(' ') {
                Some((sender, _)) if sender == node.to_string() => continue,
                Some((_, events)) => apply(&app, events).await,
                None => continue,
            },
            Ok(NodeMessage::ConnectionLost) => apply(&app, EVERYTHING).await,
            Err(_) => {
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            }
        };
        if let Err(error) = refreshed {
            tracing::warn!(%error, "a change of another node could not be loaded; a job will load it");
        }
    }
}

/// Reloads what another node changed and publishes its events locally. One that fails does not hold up the others.
async fn apply(app: &App, events: &str) -> Result<()> {
    let mut outcome = Ok(());
    for event in events.lines() {
        let Ok(event) = event.parse::<ChangeEvent>() else { return app.refresh_all().await };
        match app.refresh(event).await {
            Ok(()) => app.platform.events.publish_remote(event),
            failed => outcome = failed,
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_share_messages_that_postgresql_takes() {
        let (node, claims) = (Uuid::nil(), (0..500_u128).map(|number| ChangeEvent::Claim(Uuid::from_u128(number)).to_string()));
        let events = BTreeSet::from_iter(claims.chain([ChangeEvent::Market.to_string()]));
        let messages = messages(node, &events);
        assert!(messages.iter().all(|message| message.len() < NODE_MESSAGE_MAX));
        assert_eq!(messages.len(), 3);
        let received = messages.iter().flat_map(|message| message.split_once(' ').expect("a node").1.lines());
        assert!(received.eq(&events));
    }
}
