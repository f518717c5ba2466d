//! Notices: what staff are told by notifier plugins, beside the letters they get.
//!
//! A notice is finished and stored in the transaction of what it tells of, once for each notifier that is switched on then, and handed to the plugin
//! after the commit. Each has a key that stays the same however often it is tried, so that whoever gets it can tell a repetition.

use std::sync::Arc;

use agio_core::outbox::{Channel, Delivery, Message, Stored};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use agio_plugin::protocol::{Answer, Call, Kind, Notice};
use agio_plugin_host::{Plugins, Reason};

/// The channel notices leave by.
pub const CHANNEL: &str = "notice";

/// How many notices may be under way at a time.
const AT_ONCE: i64 = 8;

/// The longest reason that is kept of a failure, in characters.
const FAULT_MAX: usize = 300;

/// What staff are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// What it is: "alert_books".
    pub event: &'static str,
    /// The kind of thing it tells of, and which one.
    pub about: (&'static str, String),
    /// The words, in the language of those who are told.
    pub text: String,
    /// Where to look, if anywhere.
    pub url: Option<String>,
}

/// Writes notices. Clones share everything.
#[derive(Clone)]
pub struct Notices {
    platform: Platform,
    plugins: Arc<dyn Plugins>,
}

impl Notices {
    /// Notices that leave by these plugins.
    #[must_use]
    pub fn new(platform: &Platform, plugins: Arc<dyn Plugins>) -> Self {
        Self { platform: platform.clone(), plugins }
    }

    /// The way they leave the house by.
    #[must_use]
    pub fn channel(&self) -> Arc<dyn Channel> {
        Arc::new(NoticeChannel(self.plugins.clone()))
    }

    /// Tells it by each notifier that is switched on, in the caller's transaction. It leaves after the commit, and nobody waits for that.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn tell(&self, tx: &mut Tx, news: &News, now: Timestamp) -> Result<()> {
        let (kind, about) = &news.about;
        let notice = Notice {
            key: format!("{kind}-{about}-{}", now.0),
            recipient: None,
            event: news.event.to_owned(),
            text: news.text.clone(),
            url: news.url.clone(),
        };
        let payload = serde_json::to_string(&notice).map_err(Error::internal)?;
        for notifier in self.plugins.of(Kind::Notifier) {
            let message = Message {
                channel: CHANNEL,
                recipient: notifier.name.clone(),
                kind: news.event,
                about: news.about.clone(),
                payload: payload.clone(),
            };
            self.platform.outbox.post(tx, message, now).await?;
        }
        Ok(())
    }
}

/// What a message of the channel tells.
///
/// # Errors
/// It is none.
pub fn told(message: &Stored) -> Result<Notice> {
    serde_json::from_str(&message.payload).map_err(Error::internal)
}

/// Hands each notice to the plugin it is for.
struct NoticeChannel(Arc<dyn Plugins>);

impl NoticeChannel {
    async fn attempt(&self, message: &Stored) -> Delivery {
        let notice = match told(message) {
            Ok(notice) => notice,
            Err(error) => return Delivery::Never(error.to_string()),
        };
        let fault = match self.0.ask(&message.recipient, Call::Notify(notice)).await {
            Ok(Answer::Told) => return Delivery::Done,
            Ok(_) => return Delivery::Later("the plugin answers another question".to_owned()),
            Err(fault) => fault,
        };
        let why = fault.to_string().chars().take(FAULT_MAX).collect();
        match fault.reason {
            Reason::Refused { later: false, .. } => Delivery::Never(why),
            _ => Delivery::Later(why),
        }
    }
}

impl Channel for NoticeChannel {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn at_once(&self) -> i64 {
        AT_ONCE
    }

    fn deliver<'a>(&'a self, message: &'a Stored) -> BoxFuture<'a, Delivery> {
        Box::pin(self.attempt(message))
    }
}
