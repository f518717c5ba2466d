//! Listing and resending messages of an outbox channel.

use agio_core::Result;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::keyset::KeysetPage;
use agio_core::outbox::{self, OutboxMessage, OutboxState};
use agio_http::{ApiEnum, Cursor};
use serde_json::json;

use crate::app::App;

/// An outbox channel in the console.
pub struct AdminOutboxChannel {
    pub name: &'static str,
    /// The kind of object in the audit log.
    pub subject: &'static str,
    /// The audit action of resending a message.
    pub requeue_action: &'static str,
}

/// A page of messages, newest first.
pub struct OutboxPage {
    pub messages: KeysetPage<OutboxMessage, i64>,
    pub queued: i64,
    pub dead: i64,
}

impl AdminOutboxChannel {
    /// Messages of one state, by default the undeliverable ones.
    pub async fn page(
        &self,
        app: &App,
        state: Option<ApiEnum<OutboxState>>,
        cursor: Option<Cursor<i64>>,
        size: u32,
    ) -> Result<OutboxPage> {
        let state = state.map_or(OutboxState::Dead, |state| state.0);
        let mut tx = app.platform.db.read().await?;
        Ok(OutboxPage {
            messages: outbox::messages(&mut tx, self.name, state, cursor.map(|cursor| cursor.0), size as usize).await?,
            queued: outbox::count(&mut tx, self.name, OutboxState::Queued).await?,
            dead: outbox::count(&mut tx, self.name, OutboxState::Dead).await?,
        })
    }

    /// Makes messages due that wait after a failed attempt, and returns how many.
    pub async fn hasten(&self, app: &App, staff: &Staff, action: &'static str) -> Result<u64> {
        let (platform, by) = (app.platform.clone(), Actor::from(staff));
        let Self { name, subject, .. } = *self;
        let hastened = app.platform.db.write(move |tx| {
            let (platform, by) = (platform.clone(), by.clone());
            Box::pin(async move {
                let now = platform.clock.now();
                let count = platform.outbox.hasten(tx, name, now).await?;
                let (id, after) = (String::new(), Some(json!({ "count": count })));
                audit::record(tx, NewAuditEntry { by: &by, action, about: subject, id, before: None, after }, now).await?;
                Ok(count)
            })
        });
        hastened.await
    }

    /// Queues an undeliverable message again.
    ///
    /// # Errors
    /// 404 if there is no such message; 409 `message_not_dead` if it is queued or was sent.
    pub async fn requeue(&self, app: &App, staff: &Staff, id: i64) -> Result<OutboxMessage> {
        let (platform, by) = (app.platform.clone(), Actor::from(staff));
        let Self { name, subject, requeue_action } = *self;
        let message = app.platform.db.write(move |tx| {
            let (platform, by) = (platform.clone(), by.clone());
            Box::pin(async move {
                let now = platform.clock.now();
                outbox::message(tx, name, id).await?;
                platform.outbox.requeue(tx, name, id, now).await?;
                audit::record(
                    tx,
                    NewAuditEntry {
                        by: &by,
                        action: requeue_action,
                        about: subject,
                        id: id.to_string(),
                        before: None,
                        after: None,
                    },
                    now,
                )
                .await?;
                outbox::message(tx, name, id).await
            })
        });
        message.await
    }
}
