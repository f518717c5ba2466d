//! Staff alerts through notifier plugins, in addition to emails.
//!
//! An alert is stored in the transaction that causes it, once for each enabled notifier, and delivered after the commit. Its key stays
//! the same over all attempts, so that recipients can detect duplicates.

use std::sync::Arc;

use agio_core::outbox::{DeliveryOutcome, NewOutboxMessage, OutboxChannel, OutboxMessage};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use agio_plugin_runtime::{PluginErrorReason, PluginRegistry};
use agio_plugin_sdk::protocol::{Call, CallResult, Notification, PluginKind};

/// Name of the outbox channel.
pub const CHANNEL: &str = "notice";

/// Maximum concurrent deliveries.
const CONCURRENCY: i64 = 8;

/// Maximum length of a stored error, in characters.
const ERROR_MAX: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffAlert {
    /// Event type: "alert_books".
    pub event: &'static str,
    /// Kind and identifier of the object it is about.
    pub about: (&'static str, String),
    /// Message in the language of the staff.
    pub text: String,
    /// Link to details.
    pub url: Option<String>,
}

/// Writes staff alerts to the outbox. Clones share state.
#[derive(Clone)]
pub struct StaffAlertSender {
    platform: Platform,
    plugins: Arc<dyn PluginRegistry>,
}

impl StaffAlertSender {
    pub fn new(platform: &Platform, plugins: Arc<dyn PluginRegistry>) -> Self {
        Self { platform: platform.clone(), plugins }
    }

    /// The outbox channel that delivers the alerts.
    pub fn channel(&self) -> Arc<dyn OutboxChannel> {
        Arc::new(NotifierChannel(self.plugins.clone()))
    }

    /// Writes an alert for each enabled notifier, in the caller's transaction. It is delivered in the background after the commit.
    pub async fn send(&self, tx: &mut Tx, alert: &StaffAlert, now: Timestamp) -> Result<()> {
        let (kind, about) = &alert.about;
        let notification = Notification {
            key: format!("{kind}-{about}-{}", now.0),
            recipient: None,
            event: alert.event.to_owned(),
            text: alert.text.clone(),
            url: alert.url.clone(),
        };
        let payload = serde_json::to_string(&notification).map_err(Error::internal)?;
        for notifier in self.plugins.list(PluginKind::Notifier) {
            let message = NewOutboxMessage {
                channel: CHANNEL,
                recipient: notifier.name.clone(),
                kind: alert.event,
                about: alert.about.clone(),
                payload: payload.clone(),
            };
            self.platform.outbox.enqueue(tx, message, now).await?;
        }
        Ok(())
    }
}

/// Parses the payload of an outbox message.
pub fn read_notification(message: &OutboxMessage) -> Result<Notification> {
    serde_json::from_str(&message.payload).map_err(Error::internal)
}

/// Delivers each notification through its notifier plugin.
struct NotifierChannel(Arc<dyn PluginRegistry>);

impl NotifierChannel {
    async fn attempt(&self, message: &OutboxMessage) -> DeliveryOutcome {
        let notification = match read_notification(message) {
            Ok(notification) => notification,
            Err(error) => return DeliveryOutcome::Failed(error.to_string()),
        };
        let error = match self.0.call(&message.recipient, Call::Notify(notification)).await {
            Ok(CallResult::Notified) => return DeliveryOutcome::Delivered,
            Ok(_) => return DeliveryOutcome::Retry("the result does not fit the call".to_owned()),
            Err(error) => error,
        };
        let message = error.to_string().chars().take(ERROR_MAX).collect();
        match error.reason {
            PluginErrorReason::CallFailed { later: false, .. } => DeliveryOutcome::Failed(message),
            _ => DeliveryOutcome::Retry(message),
        }
    }
}

impl OutboxChannel for NotifierChannel {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn concurrency(&self) -> i64 {
        CONCURRENCY
    }

    fn deliver<'a>(&'a self, message: &'a OutboxMessage) -> BoxFuture<'a, DeliveryOutcome> {
        Box::pin(self.attempt(message))
    }
}
