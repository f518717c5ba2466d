//! Sessions of customers and staff.
//!
//! A session starts with a sign-in and continues with refresh tokens, each replaced on use. A replaced token is
//! accepted for some seconds, for another tab or a lost response, and returns the current token. After that it counts
//! as stolen, and the session is revoked. Live sessions are cached, so revocation is immediate; other nodes follow when
//! notified, within two seconds at most. Before a request is refused the database is asked, so a session of one node
//! works on all at once.

mod cache;
pub mod store;

use std::time::Duration;

use agio_core::events::EventBus;
use agio_core::identity::{Customer, StaffSession};
use agio_core::{Error, Platform, Result, Timestamp, Tx};
use uuid::Uuid;

use crate::audience::{AccountRef, Audience};
use crate::keys::TokenKeys;
use crate::tokens::{ACCESS_LIFE, RefreshTokenPayload, issue_access, issue_refresh, read_access, session_of};

pub use cache::{SessionCache, SessionHolder};
pub use store::SessionRow;

/// How long a replaced refresh token is accepted.
const GRACE: Duration = Duration::from_secs(10);

/// Live sessions per account; another one ends the least recently used.
const LIVE_MAX: i64 = 20;

/// Retention of ended sessions.
pub const ENDED_RETENTION: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Longest stored user agent, in characters.
pub const AGENT_MAX: usize = 200;

/// How long a second factor counts as fresh: enough for one task, too short for a console left open.
const FRESH_FOR: Duration = Duration::from_secs(5 * 60);

/// Authentication status of a session beyond the password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionStatus {
    /// Whether a second factor was verified.
    pub second_factor: bool,
    /// Time of the last confirmation.
    pub confirmed_at: Option<Timestamp>,
}

impl SessionStatus {
    fn and(self, other: Self) -> Self {
        Self { second_factor: self.second_factor || other.second_factor, confirmed_at: self.confirmed_at.max(other.confirmed_at) }
    }

    /// Until when the second factor counts as fresh, if it does now.
    pub fn fresh_until(self, now: Timestamp) -> Option<Timestamp> {
        self.confirmed_at.map(|at| at.plus(FRESH_FOR)).filter(|until| now < *until)
    }
}

#[derive(Clone, Debug)]
pub struct NewSession {
    pub id: Uuid,
    pub holder: SessionHolder,
    pub address: String,
    pub agent: String,
    /// Whether a second factor was verified.
    pub second_factor: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshOutcome {
    /// The session continues at this generation.
    Renewed(i64),
    /// The token was replaced long ago; the session was revoked.
    Reused,
    /// There is no such live session.
    Ended,
}

#[derive(Clone, Debug)]
pub struct SessionTokens {
    pub access: String,
    pub refresh: String,
    /// `Max-Age` of the refresh cookie.
    pub cookie_seconds: u64,
}

pub struct Sessions {
    pub keys: TokenKeys,
    cache: SessionCache,
}

impl Sessions {
    pub fn new(live: &EventBus) -> Self {
        Self { keys: TokenKeys::default(), cache: SessionCache::new(live) }
    }

    /// Loads keys and live sessions, or their changes since the last call.
    pub async fn load(&self, platform: &Platform) -> Result<()> {
        self.keys.load(platform).await?;
        let now = platform.clock.now();
        let since = self.cache.read_until();
        let usable_since = now.minus(ACCESS_LIFE + GRACE);
        let rows = store::changed(&mut platform.db.read().await?, since, usable_since).await?;
        self.cache.apply_changes(rows, now);
        Ok(())
    }

    pub async fn open(&self, tx: &mut Tx, new: &NewSession, now: Timestamp) -> Result<()> {
        let account = new.holder.account();
        store::insert(tx, new, now, now.plus(account.audience.session_life())).await?;
        let surplus = store::end_surplus(tx, account, LIVE_MAX, now).await?;
        self.cache.remove_after_commit(tx, surplus, now);
        let status = SessionStatus { second_factor: new.second_factor, confirmed_at: None };
        self.cache.store_after_commit(tx, new.id, (new.holder.clone(), status), true, now);
        Ok(())
    }

    /// Rotates a refresh token, repeats the rotation within the grace period, or revokes the session.
    pub async fn refresh(
        &self,
        tx: &mut Tx,
        payload: RefreshTokenPayload,
        account: AccountRef,
        now: Timestamp,
    ) -> Result<RefreshOutcome> {
        let idle_since = now.minus(account.audience.idle_life());
        if store::advance(tx, payload, idle_since, now).await? {
            store::replaced(tx, payload, now, now.minus(GRACE)).await?;
            return Ok(RefreshOutcome::Renewed(payload.generation + 1));
        }
        let Some(session) = store::session(tx, payload.session).await? else { return Ok(RefreshOutcome::Ended) };
        if !session.is_live(idle_since, now) || payload.generation > session.generation {
            return Ok(RefreshOutcome::Ended);
        }
        if store::replaced_at(tx, payload).await?.is_some_and(|at| now <= at.plus(GRACE)) {
            return Ok(RefreshOutcome::Renewed(session.generation));
        }
        self.end(tx, payload.session, account, now).await?;
        Ok(RefreshOutcome::Reused)
    }

    /// Caches a refreshed session after the commit.
    pub fn store_after_commit(&self, tx: &mut Tx, session: Uuid, holder: SessionHolder, status: SessionStatus, now: Timestamp) {
        self.cache.store_after_commit(tx, session, (holder, status), false, now);
    }

    /// Records a confirmation and returns until when it counts as fresh. `second_factor` tells whether one was verified.
    ///
    /// # Errors
    /// 401 `token_not_valid` if the session has ended.
    pub async fn confirm(
        &self,
        tx: &mut Tx,
        session: Uuid,
        account: AccountRef,
        second_factor: bool,
        now: Timestamp,
    ) -> Result<Timestamp> {
        if !store::confirm(tx, session, account, second_factor, now).await? {
            return Err(Error::token_not_valid());
        }
        self.cache.confirm_after_commit(tx, session, SessionStatus { second_factor, confirmed_at: Some(now) });
        Ok(now.plus(FRESH_FOR))
    }

    /// Ends a session of this account; false if it is another account's or has ended. Its access tokens are invalid from
    /// the commit on.
    pub async fn end(&self, tx: &mut Tx, session: Uuid, account: AccountRef, now: Timestamp) -> Result<bool> {
        let ended = store::end(tx, session, account, now).await?;
        self.cache.remove_after_commit(tx, ended.clone(), now);
        Ok(!ended.is_empty())
    }

    /// Ends all sessions of an account but one, and the chats in messengers that are told of a customer's claims, and returns
    /// the number of sessions.
    pub async fn end_all(&self, tx: &mut Tx, account: AccountRef, but: Option<Uuid>, now: Timestamp) -> Result<usize> {
        let ended = store::end_all(tx, account, but, now).await?;
        if account.audience == Audience::Customers {
            agio_push::end_chats_of_account(tx, account.id).await?;
        }
        let count = ended.len();
        self.cache.remove_after_commit(tx, ended, now);
        Ok(count)
    }

    /// Live sessions of an account, most recently used first.
    pub async fn list(&self, tx: &mut Tx, account: AccountRef, now: Timestamp) -> Result<Vec<SessionRow>> {
        let idle_since = now.minus(account.audience.idle_life());
        let sessions = store::list(tx, account).await?;
        Ok(sessions.into_iter().filter(|session| session.is_live(idle_since, now)).collect())
    }

    /// Updates the cached sessions of a changed account: here after the commit, on other nodes when they reload.
    pub async fn account_changed(&self, tx: &mut Tx, holder: SessionHolder, now: Timestamp) -> Result<()> {
        store::touch(tx, holder.account(), now).await?;
        self.cache.replace_holder_after_commit(tx, holder);
        Ok(())
    }

    pub fn tokens(&self, audience: Audience, session: Uuid, generation: i64, now: Timestamp) -> Result<SessionTokens> {
        let key = self.keys.signing_key(now)?;
        Ok(SessionTokens {
            access: issue_access(&key, audience, session, now)?,
            refresh: issue_refresh(&key, audience, RefreshTokenPayload { session, generation })?,
            cookie_seconds: audience.idle_life().as_secs(),
        })
    }

    /// The customer of an access token.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    pub async fn customer(&self, platform: &Platform, token: &str) -> Result<Customer> {
        let session = read_access(&self.keys, Audience::Customers, token, platform.clock.now())?;
        match self.find(platform, session).await? {
            (SessionHolder::Customer { id, email, activated }, _) => {
                Ok(Customer { id, email, activated, session, address: None })
            }
            (SessionHolder::Staff(_), _) => Err(Error::token_not_valid()),
        }
    }

    /// The staff member of an access token, and whether a second factor was verified.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    pub async fn staff(&self, platform: &Platform, token: &str) -> Result<(StaffSession, bool)> {
        let now = platform.clock.now();
        let session = read_access(&self.keys, Audience::Staff, token, now)?;
        match self.find(platform, session).await? {
            (SessionHolder::Staff(staff), status) => {
                Ok((StaffSession { staff, session, fresh_until: status.fresh_until(now) }, status.second_factor))
            }
            (SessionHolder::Customer { .. }, _) => Err(Error::token_not_valid()),
        }
    }

    /// Holder and status of a session. Asks the database if the cache does not know it or its cached status does not
    /// allow everything: another node may have just changed it.
    async fn find(&self, platform: &Platform, session: Uuid) -> Result<(SessionHolder, SessionStatus)> {
        let now = platform.clock.now();
        let suffices = |(holder, status): &(SessionHolder, SessionStatus)| match holder {
            SessionHolder::Staff(_) => status.second_factor && status.fresh_until(now).is_some(),
            SessionHolder::Customer { activated, .. } => *activated,
        };
        if let Some(known) = self.cache.holder(session, now).filter(suffices) {
            return Ok(known);
        }
        let found = store::with_holder(&mut platform.db.read().await?, session).await?;
        self.cache.update(found, now);
        self.cache.holder(session, now).ok_or_else(Error::token_not_valid)
    }

    /// Whether the session of an access token is live, even if the token has expired.
    pub fn is_active(&self, token: &str, now: Timestamp) -> bool {
        session_of(&self.keys, token).is_some_and(|session| self.cache.holder(session, now).is_some())
    }
}
