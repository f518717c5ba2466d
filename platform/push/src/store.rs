//! SQL of subscriptions and of the server's key.

use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, is_rarely_true};
use uuid::Uuid;

use crate::PushTarget;
use crate::chats::Chat;

agio_core::statements! {
    VAPID_KEY = "SELECT sealed FROM push_key WHERE id = 1";
    INSERT_VAPID_KEY = "INSERT INTO push_key (id, sealed, created_at) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING";
    FIND = "SELECT id FROM push_subscription WHERE (claim_id = $1 OR account_id = $2) AND endpoint_digest = $3";
    /// Stores a subscription, if its claim or account is below the limit and the browser is new there.
    INSERT = "INSERT INTO push_subscription
        (id, claim_id, account_id, session_id, messenger, endpoint_digest, sealed, created_at, expires_at)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
        WHERE (SELECT COUNT(*) FROM push_subscription WHERE claim_id = $2 OR account_id = $3) < $10 ON CONFLICT DO NOTHING";
    COUNT = "SELECT COUNT(*) FROM push_subscription WHERE claim_id = $1 OR account_id = $2";
    RENEW = "UPDATE push_subscription SET session_id = $2, sealed = $3, expires_at = $4 WHERE id = $1";
    USED = "UPDATE push_subscription SET expires_at = $2 WHERE id = $1";
    HAS_SUBSCRIBED = "SELECT EXISTS (SELECT 1 FROM push_subscription WHERE claim_id = $1 OR account_id = $2)";
    SUBSCRIBED = "SELECT id, session_id, messenger, endpoint_digest FROM push_subscription
        WHERE (claim_id = $1 OR account_id = $2) AND expires_at > $3 ORDER BY created_at, id";
    BY_ID = "SELECT account_id, messenger, sealed, expires_at FROM push_subscription WHERE id = $1";
    TIMES = "SELECT messenger, created_at FROM push_subscription WHERE claim_id = $1 OR account_id = $2 ORDER BY created_at, id";
    HAS = "SELECT id FROM push_subscription
        WHERE id = $1 AND (claim_id = $2 OR (account_id = $3 AND session_id = $4)) AND expires_at > $5";
    DELETE = "DELETE FROM push_subscription WHERE id = $1 AND (claim_id = $2 OR account_id = $3)";
    DELETE_BY_ID = "DELETE FROM push_subscription WHERE id = $1";
    DELETE_OF_CLAIM = "DELETE FROM push_subscription WHERE claim_id = $1";
    DELETE_OF_ACCOUNT = "DELETE FROM push_subscription WHERE account_id = $1";
    CHATS = "SELECT id, messenger FROM push_subscription
        WHERE (claim_id = $1 OR account_id = $2) AND messenger IS NOT NULL AND expires_at > $3 ORDER BY created_at, id";
    DELETE_LINKS = "DELETE FROM chat_link WHERE (claim_id = $1 OR account_id = $2) AND messenger = $3";
    INSERT_LINK = "INSERT INTO chat_link (code_digest, messenger, claim_id, account_id, language, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    TAKE_LINK = "DELETE FROM chat_link WHERE code_digest = $1 AND messenger = $2 AND expires_at > $3
        RETURNING claim_id, account_id, language";
    DELETE_LINK = "DELETE FROM chat_link WHERE code_digest = $1";
    AWAITED_MESSENGERS = "SELECT DISTINCT messenger FROM chat_link WHERE expires_at > $1 ORDER BY messenger";
    DELETE_LINKS_OF_CLAIM = "DELETE FROM chat_link WHERE claim_id = $1";
    DELETE_LINKS_OF_ACCOUNT = "DELETE FROM chat_link WHERE account_id = $1";
    DELETE_CHATS_OF_ACCOUNT = "DELETE FROM push_subscription WHERE account_id = $1 AND messenger IS NOT NULL";
}

impl PushTarget {
    fn claim(self) -> Option<Uuid> {
        match self {
            Self::Claim(claim) => Some(claim),
            Self::Account { .. } => None,
        }
    }

    fn account(self) -> Option<Uuid> {
        match self {
            Self::Claim(_) => None,
            Self::Account { account, .. } => Some(account),
        }
    }

    pub(crate) fn session(self) -> Option<Uuid> {
        match self {
            Self::Claim(_) => None,
            Self::Account { session, .. } => session,
        }
    }
}

/// A subscription that a message is written for.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SubscribedRow {
    pub id: Uuid,
    pub session_id: Option<Uuid>,
    pub messenger: Option<String>,
    pub endpoint_digest: String,
}

/// A subscription that a message is delivered to.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SubscriptionRow {
    pub account_id: Option<Uuid>,
    pub messenger: Option<String>,
    pub sealed: String,
    pub expires_at: Timestamp,
}

/// Where messages go: a browser, or a chat in a messenger.
#[derive(Clone, Copy)]
pub struct Endpoint<'e> {
    pub digest: &'e str,
    pub messenger: Option<&'e str>,
    /// It ends with this.
    pub session: Option<Uuid>,
}

/// What an open link of a messenger is for.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct LinkRow {
    claim_id: Option<Uuid>,
    account_id: Option<Uuid>,
    pub language: String,
}

impl LinkRow {
    pub fn target(&self) -> Result<PushTarget> {
        match (self.claim_id, self.account_id) {
            (Some(claim), None) => Ok(PushTarget::Claim(claim)),
            (None, Some(account)) => Ok(PushTarget::Account { account, session: None }),
            _ => Err(Error::internal("a link is of a claim or an account")),
        }
    }
}

pub async fn vapid_key(tx: &mut Tx) -> Result<Option<String>> {
    Ok(fetch_optional!(tx, (String,), VAPID_KEY)?.map(|(sealed,)| sealed))
}

/// Leaves a key that is there.
pub async fn insert_vapid_key(tx: &mut Tx, sealed: &str, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_VAPID_KEY, sealed, now).map(drop)
}

pub async fn find(tx: &mut Tx, target: PushTarget, digest: &str) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), FIND, target.claim(), target.account(), digest)?.map(|(id,)| id))
}

/// False when the claim or account has `most` already, or the browser is subscribed.
pub async fn insert(
    tx: &mut Tx,
    id: Uuid,
    target: PushTarget,
    (endpoint, sealed): (Endpoint<'_>, &str),
    (now, expires_at): (Timestamp, Timestamp),
    most: i64,
) -> Result<bool> {
    let Endpoint { digest, messenger, session } = endpoint;
    let (claim, account) = (target.claim(), target.account());
    Ok(execute!(tx, INSERT, id, claim, account, session, messenger, digest, sealed, now, expires_at, most)? == 1)
}

pub async fn count(tx: &mut Tx, target: PushTarget) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT, target.claim(), target.account())?.0)
}

pub async fn renew(tx: &mut Tx, id: Uuid, session: Option<Uuid>, sealed: &str, expires_at: Timestamp) -> Result<()> {
    execute!(tx, RENEW, id, session, sealed, expires_at).map(drop)
}

pub async fn mark_used(tx: &mut Tx, id: Uuid, expires_at: Timestamp) -> Result<()> {
    execute!(tx, USED, id, expires_at).map(drop)
}

/// Most claims have no subscription, and their writes stay in a batch with others.
pub async fn subscribed(tx: &mut Tx, claim: Uuid, account: Option<Uuid>, now: Timestamp) -> Result<Vec<SubscribedRow>> {
    if !is_rarely_true!(tx, HAS_SUBSCRIBED, claim, account)? {
        return Ok(Vec::new());
    }
    fetch_all!(tx, SubscribedRow, SUBSCRIBED, claim, account, now)
}

pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<SubscriptionRow>> {
    fetch_optional!(tx, SubscriptionRow, BY_ID, id)
}

/// The messenger, unless it is a browser, and when it was subscribed.
pub async fn times(tx: &mut Tx, claim: Option<Uuid>, account: Option<Uuid>) -> Result<Vec<(Option<String>, Timestamp)>> {
    fetch_all!(tx, (Option<String>, Timestamp), TIMES, claim, account)
}

pub async fn chats(tx: &mut Tx, target: PushTarget, now: Timestamp) -> Result<Vec<Chat>> {
    fetch_all!(tx, Chat, CHATS, target.claim(), target.account(), now)
}

/// Stores a link in place of the former ones.
pub async fn replace_link(
    tx: &mut Tx,
    digest: &str,
    target: PushTarget,
    messenger: &str,
    locale: Locale,
    expires_at: Timestamp,
) -> Result<()> {
    let (claim, account) = (target.claim(), target.account());
    execute!(tx, DELETE_LINKS, claim, account, messenger)?;
    execute!(tx, INSERT_LINK, digest, messenger, claim, account, locale.to_string(), expires_at).map(drop)
}

/// An open link, which is used up by this.
pub async fn take_link(tx: &mut Tx, digest: &str, messenger: &str, now: Timestamp) -> Result<Option<LinkRow>> {
    fetch_optional!(tx, LinkRow, TAKE_LINK, digest, messenger, now)
}

pub async fn delete_link(tx: &mut Tx, digest: &str) -> Result<()> {
    execute!(tx, DELETE_LINK, digest).map(drop)
}

/// The messengers that have an open link.
pub async fn awaited_messengers(tx: &mut Tx, now: Timestamp) -> Result<Vec<String>> {
    Ok(fetch_all!(tx, (String,), AWAITED_MESSENGERS, now)?.into_iter().map(|(name,)| name).collect())
}

/// Whether the claim, or the session of the account, has the subscription.
pub async fn has(tx: &mut Tx, target: PushTarget, id: Uuid, now: Timestamp) -> Result<bool> {
    let found = fetch_optional!(tx, (Uuid,), HAS, id, target.claim(), target.account(), target.session(), now)?;
    Ok(found.is_some())
}

/// False if the claim or account has no such subscription.
pub async fn delete(tx: &mut Tx, target: PushTarget, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, DELETE, id, target.claim(), target.account())? == 1)
}

pub async fn delete_by_id(tx: &mut Tx, id: Uuid) -> Result<()> {
    execute!(tx, DELETE_BY_ID, id).map(drop)
}

pub async fn delete_of_claim(tx: &mut Tx, claim: Uuid) -> Result<()> {
    execute!(tx, DELETE_LINKS_OF_CLAIM, claim)?;
    execute!(tx, DELETE_OF_CLAIM, claim).map(drop)
}

pub async fn delete_of_account(tx: &mut Tx, account: Uuid) -> Result<()> {
    execute!(tx, DELETE_LINKS_OF_ACCOUNT, account)?;
    execute!(tx, DELETE_OF_ACCOUNT, account).map(drop)
}

/// The links first: one that is being used has become a chat when its row is free.
pub async fn delete_chats_of_account(tx: &mut Tx, account: Uuid) -> Result<()> {
    execute!(tx, DELETE_LINKS_OF_ACCOUNT, account)?;
    execute!(tx, DELETE_CHATS_OF_ACCOUNT, account).map(drop)
}
