//! Chats in messengers, such as Telegram, through notifier plugins with the feature `chats`.
//!
//! A customer gets a link with a code that is good once and for a while. The messenger tells the plugin which chat was started with it,
//! and from then on the chat is subscribed as a browser is. Plugins are asked only while a link is open. Unlike a push service, a
//! messenger sees the texts and the link of the claim.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_contracts::{Messenger, MessengerProvider};
use agio_core::error::{ErrorKind, Params};
use agio_core::outbox::NewOutboxMessage;
use agio_core::texts::{Bilingual, Locale};
use agio_core::{Error, Platform, Result, Timestamp, Tx, Vault, hex};
use agio_plugin_runtime::{PluginError, PluginRegistry};
use agio_plugin_sdk::protocol::{CHATS, Call, CallResult, LocalizedText, Manifest, PluginKind, StartedChat, StartedChats};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::store::{self, Endpoint};
use crate::subscription::purpose;
use crate::{CHANNEL, MESSENGER_NOTIFICATIONS, Push, PushMessage, PushTarget, SUBSCRIPTIONS_MAX, tag_of};

/// How long a link can be followed.
const LINK_LIFE: Duration = Duration::from_secs(15 * 60);

/// Stands for the code in a link, and is none.
const ANY_CODE: &str = "00000000000000000000000000000000";

/// How long a plugin is not asked again what its links are like.
const PATTERN_LIFE: Duration = Duration::from_secs(60);

/// The longest URL of a plugin, in bytes.
const URL_MAX: usize = 500;

/// The messengers that customers are offered.
pub struct Messengers {
    platform: Platform,
    plugins: Arc<dyn PluginRegistry>,
    /// Where each plugin's list of started chats was read to.
    cursors: Mutex<HashMap<String, String>>,
    /// The link of each plugin, and until when it is taken to be the same.
    patterns: Mutex<HashMap<String, (String, Timestamp)>>,
}

impl Messengers {
    pub fn new(platform: &Platform, plugins: Arc<dyn PluginRegistry>) -> Self {
        Self { platform: platform.clone(), plugins, cursors: Mutex::default(), patterns: Mutex::default() }
    }

    pub fn is_offered(&self, messenger: &str) -> bool {
        self.messengers().iter().any(|offered| offered.name == messenger)
    }

    /// # Errors
    /// The plugin's.
    pub async fn call(&self, messenger: &str, call: Call) -> Result<CallResult, PluginError> {
        self.plugins.call(messenger, call).await
    }

    /// A link with [`ANY_CODE`]. Anybody can ask for links, so the plugin is seldom asked for one.
    async fn link_pattern(&self, messenger: &str) -> Result<String, String> {
        let now = self.platform.clock.now();
        let known = self.patterns.lock().unwrap_or_else(PoisonError::into_inner).get(messenger).cloned();
        if let Some((pattern, _)) = known.filter(|(_, until)| now < *until) {
            return Ok(pattern);
        }
        match self.call(messenger, Call::ChatLink { code: ANY_CODE.to_owned() }).await {
            Ok(CallResult::ChatLink(url)) if url.starts_with("https://") && url.len() <= URL_MAX && url.contains(ANY_CODE) => {
                let known = (url.clone(), now.plus(PATTERN_LIFE));
                self.patterns.lock().unwrap_or_else(PoisonError::into_inner).insert(messenger.to_owned(), known);
                Ok(url)
            }
            Ok(_) => Err("the plugin gave no link with the code".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    async fn started_chats(&self, messenger: &str) -> Result<StartedChats, String> {
        let cursor = self.cursors.lock().unwrap_or_else(PoisonError::into_inner).get(messenger).cloned();
        match self.call(messenger, Call::StartedChats { cursor }).await {
            Ok(CallResult::StartedChats(started)) => Ok(started),
            Ok(_) => Err("the result does not fit the call".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn move_cursor(&self, messenger: &str, cursor: String) {
        self.cursors.lock().unwrap_or_else(PoisonError::into_inner).insert(messenger.to_owned(), cursor);
    }
}

impl MessengerProvider for Messengers {
    fn messengers(&self) -> Vec<Messenger> {
        if !self.platform.settings.is_on(MESSENGER_NOTIFICATIONS) {
            return Vec::new();
        }
        let notifiers = self.plugins.list(PluginKind::Notifier);
        let offered = notifiers.iter().filter(|manifest| manifest.features.iter().any(|feature| feature == CHATS));
        let messenger = |manifest: &Arc<Manifest>| {
            let LocalizedText { ru, en } = manifest.title.clone();
            Messenger { name: manifest.name.clone(), title: Bilingual { ru, en } }
        };
        offered.map(messenger).collect()
    }
}

/// A link with which a customer starts a chat.
#[derive(Clone, Debug)]
pub struct ChatLink {
    pub url: String,
    pub expires_at: Timestamp,
}

/// The code of a link that is open.
pub struct ChatCode {
    code: String,
    expires_at: Timestamp,
}

impl Push {
    /// Opens a link for a claim or an account; the former one ends. Its code says nothing about them.
    ///
    /// # Errors
    /// 404 `messenger_not_found`: it is not offered; 409 `too_many_browsers`.
    pub async fn open_link(
        &self,
        tx: &mut Tx,
        target: PushTarget,
        messenger: &str,
        locale: Locale,
        now: Timestamp,
    ) -> Result<ChatCode> {
        if !self.messengers.is_offered(messenger) {
            return Err(Error::not_found("messenger_not_found"));
        }
        self.forget_signed_out(tx, target, now).await?;
        if store::count(tx, target).await? >= SUBSCRIPTIONS_MAX {
            return Err(Error::conflict("too_many_browsers").with("max", SUBSCRIPTIONS_MAX));
        }
        let mut code = [0; 16];
        self.platform.random.fill(&mut code);
        let (code, expires_at) = (hex::encode(code), now.plus(LINK_LIFE));
        store::replace_link(tx, &digest_of(&code), target, messenger, locale, expires_at).await?;
        Ok(ChatCode { code, expires_at })
    }

    /// The URL that starts a chat with the code. Without one the link is closed.
    ///
    /// # Errors
    /// 503 `messenger_unavailable`.
    pub async fn link_of(&self, messenger: &str, ChatCode { code, expires_at }: ChatCode) -> Result<ChatLink> {
        match self.messengers.link_pattern(messenger).await {
            Ok(pattern) => Ok(ChatLink { url: pattern.replace(ANY_CODE, &code), expires_at }),
            Err(cause) => {
                let digest = digest_of(&code);
                let close = self.platform.db.write(move |tx| {
                    let digest = digest.clone();
                    Box::pin(async move { store::delete_link(tx, &digest).await })
                });
                close.await?;
                Err(Error::new(ErrorKind::Unavailable, "messenger_unavailable").caused_by(cause))
            }
        }
    }

    /// Subscribes the chats that were started through open links. A messenger that does not answer is asked again.
    pub async fn subscribe_started_chats(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        let awaited = store::awaited_messengers(&mut self.platform.db.read().await?, now).await?;
        for messenger in awaited.iter().filter(|messenger| self.messengers.is_offered(messenger)) {
            match self.messengers.started_chats(messenger).await {
                Ok(started) => self.subscribe_chats(messenger, started, now).await?,
                Err(error) => tracing::warn!(messenger, %error, "a messenger does not say which chats were started"),
            }
        }
        Ok(())
    }

    async fn subscribe_chats(self: &Arc<Self>, messenger: &str, started: StartedChats, now: Timestamp) -> Result<()> {
        let StartedChats { chats, cursor } = started;
        for chat in chats {
            let (this, messenger) = (self.clone(), messenger.to_owned());
            let write = self.platform.db.write(move |tx| {
                let (this, messenger, chat) = (this.clone(), messenger.clone(), chat.clone());
                Box::pin(async move { this.subscribe_chat(tx, &messenger, &chat, now).await })
            });
            match write.await {
                Err(error) if error.code() == "too_many_browsers" => {}
                outcome => outcome?,
            }
        }
        // Only now: the messenger forgets them with it.
        if let Some(cursor) = cursor {
            self.messengers.move_cursor(messenger, cursor);
        }
        Ok(())
    }

    /// Subscribes the chat and greets it. A code of no open link is ignored.
    async fn subscribe_chat(&self, tx: &mut Tx, messenger: &str, chat: &StartedChat, now: Timestamp) -> Result<()> {
        let Some(link) = store::take_link(tx, &digest_of(&chat.code), messenger, now).await? else { return Ok(()) };
        let recipient = &chat.recipient;
        let digest = digest_of(&format!("{messenger} {recipient}"));
        let seal = |id| Ok(self.platform.vault.seal(&purpose(id), recipient.as_bytes()));
        let endpoint = Endpoint { digest: &digest, messenger: Some(messenger), session: None };
        let target = link.target()?;
        let id = self.store_subscription(tx, target, endpoint, seal, now).await?;
        let locale: Locale = link.language.parse().map_err(Error::internal)?;
        let (key, about, path, tag) = match target {
            PushTarget::Claim(claim) => {
                ("chat_started.claim", ("claim", claim.to_string()), format!("/claim/{claim}"), tag_of(claim))
            }
            PushTarget::Account { account, .. } => {
                ("chat_started.account", ("account", account.to_string()), "/account/orders".to_owned(), String::new())
            }
        };
        let path = if locale == Locale::En { format!("/en{path}") } else { path };
        let title = self.texts.get(locale, key, &Params::new());
        let payload = PushMessage { title, body: String::new(), path, tag, language: locale }.payload()?;
        let recipient = id.to_string();
        let message = NewOutboxMessage { channel: CHANNEL, recipient, kind: "chat_started", about, payload };
        self.enqueue(tx, message, now).await
    }

    /// The chats of a claim or an account, the oldest first.
    pub async fn chats(&self, target: PushTarget) -> Result<Vec<Chat>> {
        store::chats(&mut self.platform.db.read().await?, target, self.platform.clock.now()).await
    }
}

/// A subscribed chat.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Chat {
    pub id: Uuid,
    pub messenger: String,
}

/// The chat that a subscription was sealed with.
pub(crate) fn open_recipient(vault: &Vault, id: Uuid, sealed: &str) -> Result<String> {
    String::from_utf8(vault.open(&purpose(id), sealed)?.to_vec()).map_err(Error::internal)
}

/// Codes are as good as passwords while they last, and chats are personal data.
fn digest_of(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
