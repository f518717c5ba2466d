//! What an email about a claim says in its subject, shown by the customer's browser, also with the site closed (web push), or written to
//! a chat in a messenger.
//!
//! A browser subscribes to one claim, or to all claims of an account for as long as it is signed in. A chat is subscribed through a link
//! that the customer opens in the messenger ([`chats`]). [`Push::notify`] writes a message to the outbox for each of them, in the
//! transaction that causes the email, from the same texts. The push service of a browser sees neither the text nor which claim it is
//! about: the text is encrypted for the browser (RFC 8291), and the server identifies itself by a key of its own (RFC 8292).

mod channel;
mod chats;
mod encryption;
mod store;
mod subscription;
mod vapid;

use std::sync::Arc;
use std::time::Duration;

use agio_brand::Brands;
use agio_contracts::{CustomerSessions, MessengerProvider as _};
use agio_core::outbox::{NewOutboxMessage, OutboxChannel};
use agio_core::resealing::SealedColumn;
use agio_core::retention::RetentionRule;
use agio_core::texts::{Dictionary, Locale, Texts};
use agio_core::{Error, Platform, Result, Timestamp, Tx, hex};
use agio_mail::{Email, Mailer};
use agio_outbound_http::OutboundClient;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::{Notify, OnceCell};
use uuid::Uuid;

pub use chats::{Chat, ChatCode, ChatLink, Messengers};
pub use encryption::decrypt;
use store::Endpoint;
pub use store::STATEMENTS;
pub use subscription::NewPushSubscription;
use subscription::PushSubscription;
use vapid::VapidKey;

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Name of the outbox channel.
pub const CHANNEL: &str = "push";

/// Setting: whether browsers can subscribe and are notified.
pub const BROWSER_NOTIFICATIONS: &str = "claims.browser_notifications";

/// Setting: whether customers can start chats in messengers, and are written to there.
pub const MESSENGER_NOTIFICATIONS: &str = "claims.messenger_notifications";

/// Where the server's key, and browsers' addresses and keys, and chats are stored.
pub const SEALED_COLUMNS: &[SealedColumn] = &[
    agio_core::sealed_column!("push_key", "id": Number, "sealed", |vault, _, sealed| vault.reseal(vapid::PURPOSE, sealed)),
    agio_core::sealed_column!("push_subscription", "id": Uuid, "sealed", |vault, id, sealed| {
        vault.reseal(&subscription::purpose(id), sealed)
    }),
];

pub const RETENTION: [RetentionRule; 2] = [
    RetentionRule {
        name: "push_subscription",
        delete: agio_core::delete_rows!("push_subscription", "id", "expires_at <= $1"),
        before: |_, now| now.0,
    },
    RetentionRule {
        name: "chat_link",
        delete: agio_core::delete_rows!("chat_link", "code_digest", "expires_at <= $1"),
        before: |_, now| now.0,
    },
];

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a subscription is kept after it was made or last used. A browser's to an account also ends with its session.
const CLAIM_SUBSCRIPTION_LIFE: Duration = DAY.saturating_mul(30);
const ACCOUNT_SUBSCRIPTION_LIFE: Duration = DAY.saturating_mul(180);

/// How many browsers and chats can subscribe to one claim, and to the claims of one account.
const SUBSCRIPTIONS_MAX: i64 = 5;

/// What a browser or a chat is notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushTarget {
    Claim(Uuid),
    /// All claims of an account. A browser is notified of them until its session ends.
    Account {
        account: Uuid,
        session: Option<Uuid>,
    },
}

/// The text of a message, as stored in the outbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PushMessage {
    /// The subject of the email.
    title: String,
    /// The button of the email.
    body: String,
    /// The path that opens.
    path: String,
    /// The same for all messages about a claim, and says nothing about it: a newer one replaces the older.
    tag: String,
    language: Locale,
}

impl PushMessage {
    fn payload(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

/// Subscriptions of browsers and chats, and messages to them.
pub struct Push {
    platform: Platform,
    brands: Brands,
    mailer: Mailer,
    sessions: Arc<dyn CustomerSessions>,
    messengers: Arc<Messengers>,
    site: String,
    client: OutboundClient,
    allows_private: bool,
    texts: Texts,
    key: OnceCell<VapidKey>,
    wakeup: Arc<Notify>,
}

impl Push {
    /// `site` is the URL of the public site. `allows_private` also permits push services at private addresses and without TLS.
    ///
    /// # Errors
    /// TLS is not available.
    pub fn new(
        platform: &Platform,
        (brands, mailer): (Brands, Mailer),
        sessions: Arc<dyn CustomerSessions>,
        messengers: Arc<Messengers>,
        site: &str,
        allows_private: bool,
    ) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            platform: platform.clone(),
            brands,
            mailer,
            sessions,
            messengers,
            site: site.trim_end_matches('/').to_owned(),
            client: OutboundClient::new(allows_private)?,
            allows_private,
            texts: Texts::merge(&[DICTIONARY]).expect("the crate's dictionaries are complete, by test"),
            key: OnceCell::new(),
            wakeup: Arc::default(),
        }))
    }

    /// The outbox channel that delivers the messages. A slow push service delays no other channel if it has a worker of its own.
    pub fn channel(self: &Arc<Self>) -> Arc<dyn OutboxChannel> {
        Arc::new(channel::PushChannel(self.clone()))
    }

    /// Notified when this process writes a message.
    pub fn wakeup(&self) -> Arc<Notify> {
        self.wakeup.clone()
    }

    /// Whether a browser, or a chat in this messenger, is notified.
    fn serves(&self, messenger: Option<&str>) -> bool {
        match messenger {
            None => self.platform.settings.is_on(BROWSER_NOTIFICATIONS),
            Some(messenger) => self.messengers.is_offered(messenger),
        }
    }

    /// The public key that browsers subscribe with. The first call creates the key pair.
    pub async fn public_key(&self) -> Result<String> {
        Ok(self.vapid_key().await?.public().to_owned())
    }

    async fn vapid_key(&self) -> Result<&VapidKey> {
        self.key.get_or_try_init(|| vapid::load_or_create(&self.platform)).await
    }

    /// Checks what a browser sent.
    ///
    /// # Errors
    /// 409 `browser_notifications_off`; 422 at `endpoint`, `keys.p256dh` and `keys.auth`.
    pub fn check(&self, new: &NewPushSubscription) -> Result<()> {
        self.check_is_on()?;
        new.check(self.allows_private)
    }

    /// # Errors
    /// 409 `browser_notifications_off`.
    pub fn check_is_on(&self) -> Result<()> {
        if self.serves(None) { Ok(()) } else { Err(Error::conflict("browser_notifications_off")) }
    }

    /// Stores a subscription and returns its id. A browser that is subscribed already keeps its id.
    ///
    /// # Errors
    /// 409 `too_many_browsers`.
    pub async fn subscribe(&self, tx: &mut Tx, target: PushTarget, new: &NewPushSubscription, now: Timestamp) -> Result<Uuid> {
        let endpoint = Endpoint { digest: &new.digest(), messenger: None, session: target.session() };
        self.store_subscription(tx, target, endpoint, |id| PushSubscription::sealed(&self.platform.vault, id, new), now).await
    }

    async fn store_subscription(
        &self,
        tx: &mut Tx,
        target: PushTarget,
        endpoint: Endpoint<'_>,
        seal: impl Fn(Uuid) -> Result<String>,
        now: Timestamp,
    ) -> Result<Uuid> {
        let expires_at = now.plus(life_of(target));
        if store::find(tx, target, endpoint.digest).await?.is_none() {
            self.forget_signed_out(tx, target, now).await?;
            let id = self.platform.random.uuid();
            if store::insert(tx, id, target, (endpoint, &seal(id)?), (now, expires_at), SUBSCRIPTIONS_MAX).await? {
                return Ok(id);
            }
        }
        // It was known, or another request of the browser was first, or there are too many.
        let full = || Error::conflict("too_many_browsers").with("max", SUBSCRIPTIONS_MAX);
        let id = store::find(tx, target, endpoint.digest).await?.ok_or_else(full)?;
        store::renew(tx, id, endpoint.session, &seal(id)?, expires_at).await?;
        Ok(id)
    }

    /// Makes sure that a subscription is there, of this claim or session.
    ///
    /// # Errors
    /// 404 `push_subscription_not_found`.
    pub async fn find(&self, target: PushTarget, id: Uuid) -> Result<()> {
        let (mut tx, now) = (self.platform.db.read().await?, self.platform.clock.now());
        found(store::has(&mut tx, target, id, now).await?)
    }

    /// # Errors
    /// 404 `push_subscription_not_found`: it is gone already, or of another claim or account.
    pub async fn unsubscribe(&self, tx: &mut Tx, target: PushTarget, id: Uuid) -> Result<()> {
        found(store::delete(tx, target, id).await?)
    }

    /// Writes what an email says to each browser and chat that is subscribed to the claim or to its account, in the caller's transaction.
    /// It is delivered in the background after the commit.
    pub async fn notify(
        &self,
        tx: &mut Tx,
        (claim, account): (Uuid, Option<Uuid>),
        email: &Email,
        locale: Locale,
        now: Timestamp,
    ) -> Result<()> {
        if !self.serves(None) && self.messengers.messengers().is_empty() {
            return Ok(());
        }
        let mut digests = Vec::new();
        for row in store::subscribed(tx, claim, account, now).await? {
            // One browser may be subscribed to the claim and to the account.
            let is_told = digests.contains(&row.endpoint_digest) || !self.serves(row.messenger.as_deref());
            if is_told || !self.is_open(tx, row.session_id, now).await? {
                continue;
            }
            digests.push(row.endpoint_digest);
            let headline = self.mailer.headline(email, locale);
            let (body, path) = headline.button.unwrap_or_default();
            let message = PushMessage { title: headline.subject, body, path, tag: tag_of(claim), language: locale };
            let message = NewOutboxMessage {
                channel: CHANNEL,
                recipient: row.id.to_string(),
                kind: email.kind,
                about: ("claim", claim.to_string()),
                payload: message.payload()?,
            };
            self.enqueue(tx, message, now).await?;
        }
        Ok(())
    }

    async fn enqueue(&self, tx: &mut Tx, message: NewOutboxMessage, now: Timestamp) -> Result<()> {
        self.platform.outbox.enqueue(tx, message, now).await?;
        let wakeup = self.wakeup.clone();
        tx.after_commit(move || wakeup.notify_one());
        Ok(())
    }

    /// Frees the places of an account's browsers that are told nothing any more, because their sessions have ended.
    async fn forget_signed_out(&self, tx: &mut Tx, target: PushTarget, now: Timestamp) -> Result<()> {
        let PushTarget::Account { account, .. } = target else { return Ok(()) };
        for row in store::subscribed(tx, Uuid::nil(), Some(account), now).await? {
            if !self.is_open(tx, row.session_id, now).await? {
                store::delete_by_id(tx, row.id).await?;
            }
        }
        Ok(())
    }

    /// Whether the session of a subscription is open; those to a claim and those of chats have none.
    async fn is_open(&self, tx: &mut Tx, session: Option<Uuid>, now: Timestamp) -> Result<bool> {
        match session {
            Some(session) => self.sessions.is_open(tx, session, now).await,
            None => Ok(true),
        }
    }

    /// When the browsers and chats subscribed to a claim and to an account, the oldest first, with the messenger of chats.
    pub async fn subscribed_at(
        &self,
        tx: &mut Tx,
        claim: Option<Uuid>,
        account: Option<Uuid>,
    ) -> Result<Vec<(Option<String>, Timestamp)>> {
        store::times(tx, claim, account).await
    }

    pub async fn delete_of_claim(&self, tx: &mut Tx, claim: Uuid) -> Result<()> {
        store::delete_of_claim(tx, claim).await
    }

    pub async fn delete_of_account(&self, tx: &mut Tx, account: Uuid) -> Result<()> {
        store::delete_of_account(tx, account).await
    }
}

/// Ends the chats that are told of all claims of an account, and its links to messengers. Chats have no session, so they are ended when
/// an owner ends those of others: a thief may have started them.
pub async fn end_chats_of_account(tx: &mut Tx, account: Uuid) -> Result<()> {
    store::delete_chats_of_account(tx, account).await
}

fn found(is_found: bool) -> Result<()> {
    if is_found { Ok(()) } else { Err(Error::not_found("push_subscription_not_found")) }
}

fn life_of(target: PushTarget) -> Duration {
    match target {
        PushTarget::Claim(_) => CLAIM_SUBSCRIPTION_LIFE,
        PushTarget::Account { .. } => ACCOUNT_SUBSCRIPTION_LIFE,
    }
}

/// Thirty-two characters, as many as a topic may have. The id of a claim opens it, so a push service must not see it.
fn tag_of(claim: Uuid) -> String {
    let digest = Sha256::new().chain_update("push topic").chain_update(claim).finalize();
    hex::encode(&digest[..16])
}
