//! Sessions: of customers and of staff alike.
//!
//! A session is opened by a sign-in and goes on by refresh tokens, each of which is replaced when it is used. A replaced token may be
//! shown for some seconds more, because a browser's other tab, or an answer that was lost, may still need it: it gives
//! the session's present token. Later it is somebody's copy, and the session ends. Access tokens name their session; which sessions
//! are live is known in memory, so ending one acts at once, and on other nodes as soon as they look again: when they are told, or
//! within two seconds. What memory would refuse is asked of the database, so what one node lets in every other does at once.

mod memory;
pub mod store;

use std::time::Duration;

use agio_core::identity::{Customer, StaffSession};
use agio_core::live::Live;
use agio_core::{Error, Platform, Result, Timestamp, Tx};
use uuid::Uuid;

use crate::keys::Keys;
use crate::tokens::{ACCESS_LIFE, Audience, Shown, issue_access, issue_refresh, read_access, read_refresh, session_of};

pub use memory::{Holder, Memory};
pub use store::{Account, SessionRow};

/// How long a replaced refresh token still gives its successor.
const GRACE: Duration = Duration::from_secs(10);

/// How many live sessions an account may have; a further one ends that which was used longest ago.
const LIVE_MAX: i64 = 20;

/// How long a session that is over is kept.
const OVER_KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The longest name of a browser that is kept.
pub const AGENT_MAX: usize = 200;

/// For how long a confirmation opens what asks for a fresh second factor: long enough for one piece of work, a payout with its
/// receipt or a handful of requisites, and over before a console that was left open is found.
const FRESH_FOR: Duration = Duration::from_secs(5 * 60);

/// What was shown in a session besides the password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether a second factor was shown in it.
    pub proved: bool,
    /// When its bearer last confirmed that it is they.
    pub confirmed_at: Option<Timestamp>,
}

impl Standing {
    /// What was shown in either.
    #[must_use]
    fn and(self, other: Self) -> Self {
        Self { proved: self.proved || other.proved, confirmed_at: self.confirmed_at.max(other.confirmed_at) }
    }

    /// Until when what asks for a fresh second factor may be done; nothing where that has passed.
    #[must_use]
    pub fn fresh_until(self, now: Timestamp) -> Option<Timestamp> {
        self.confirmed_at.map(|at| at.plus(FRESH_FOR)).filter(|until| now < *until)
    }
}

/// How long sessions last.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    /// At most, however often they are used.
    pub whole: Duration,
    /// Without being used.
    pub idle: Duration,
}

impl Audience {
    /// How long sessions last: a customer's a month and two weeks idle, on a device of their own; a member of staff's a shift.
    #[must_use]
    pub fn life(self) -> Life {
        const HOUR: u64 = 60 * 60;
        match self {
            Self::Site => Life { whole: Duration::from_secs(30 * 24 * HOUR), idle: Duration::from_secs(14 * 24 * HOUR) },
            Self::Console => Life { whole: Duration::from_secs(12 * HOUR), idle: Duration::from_secs(2 * HOUR) },
        }
    }
}

/// A session to be opened.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Its identifier.
    pub id: Uuid,
    /// Whose it is.
    pub holder: Holder,
    /// Where the sign-in came from.
    pub address: String,
    /// What the browser calls itself.
    pub agent: String,
    /// Whether a second factor was shown.
    pub proved: bool,
}

/// What came of showing a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// The session goes on, at this generation.
    On(i64),
    /// The token had been replaced long before: the session was ended.
    Reused,
    /// There is no such session any more.
    Over,
}

/// What a session gives its bearer.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// The access token.
    pub access: String,
    /// The refresh token, for the cookie.
    pub refresh: String,
    /// For how many seconds the browser should keep the cookie.
    pub cookie_seconds: u64,
}

/// The sessions of the house.
pub struct Sessions {
    keys: Keys,
    memory: Memory,
}

impl Sessions {
    /// No sessions yet; other nodes are told by `live` when they have to look again.
    pub fn new(live: &Live) -> Self {
        Self { keys: Keys::default(), memory: Memory::new(live) }
    }

    /// The keys tokens are made with.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Reads keys and live sessions, or what changed of them since the last time.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn load(&self, platform: &Platform) -> Result<()> {
        self.keys.load(platform).await?;
        let now = platform.clock.now();
        let since = self.memory.read_until();
        let usable_since = now.minus(ACCESS_LIFE + GRACE);
        let rows = store::changed(&mut platform.db.read().await?, since, usable_since).await?;
        self.memory.learn(rows, now);
        Ok(())
    }

    /// Opens a session.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn open(&self, tx: &mut Tx, new: &NewSession, now: Timestamp) -> Result<()> {
        let life = new.holder.audience().life();
        store::insert(tx, new, now, now.plus(life.whole)).await?;
        let surplus = store::end_surplus(tx, new.holder.account(), LIVE_MAX, now).await?;
        self.memory.forget_after(tx, surplus, now);
        let standing = Standing { proved: new.proved, confirmed_at: None };
        self.memory.know_after(tx, new.id, (new.holder.clone(), standing), true, now);
        Ok(())
    }

    /// What a refresh token says.
    ///
    /// # Errors
    /// 401 `token_not_valid` for one that is not ours.
    pub fn shown(&self, audience: Audience, token: &str) -> Result<Shown> {
        read_refresh(&self.keys, audience, token)
    }

    /// Takes a refresh token: replaces it, gives its successor once more within the grace, or ends the session.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn refresh(&self, tx: &mut Tx, shown: Shown, audience: Audience, now: Timestamp) -> Result<Refreshed> {
        let idle_since = now.minus(audience.life().idle);
        if store::advance(tx, shown, idle_since, now).await? {
            store::replaced(tx, shown, now, now.minus(GRACE)).await?;
            return Ok(Refreshed::On(shown.generation + 1));
        }
        let Some(session) = store::session(tx, shown.session).await? else { return Ok(Refreshed::Over) };
        if !session.is_live(idle_since, now) || shown.generation > session.generation {
            return Ok(Refreshed::Over);
        }
        if store::replaced_at(tx, shown).await?.is_some_and(|at| now <= at.plus(GRACE)) {
            return Ok(Refreshed::On(session.generation));
        }
        self.end(tx, shown.session, now).await?;
        Ok(Refreshed::Reused)
    }

    /// Notes that a session is used now by this holder, once the transaction is durable.
    pub fn know_after(&self, tx: &mut Tx, session: Uuid, holder: Holder, standing: Standing, now: Timestamp) {
        self.memory.know_after(tx, session, (holder, standing), false, now);
    }

    /// How a session stands.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn standing(&self, tx: &mut Tx, session: Uuid) -> Result<Standing> {
        store::standing(tx, session).await
    }

    /// Notes that the bearer of a session of this account confirmed that it is they, and whether they showed a second factor; gives
    /// until when that is fresh.
    ///
    /// # Errors
    /// 401 `token_not_valid` for a session that is over.
    pub async fn confirm(&self, tx: &mut Tx, session: Uuid, account: Account, proved: bool, now: Timestamp) -> Result<Timestamp> {
        if !store::confirm(tx, session, account, proved, now).await? {
            return Err(Error::token_not_valid());
        }
        self.memory.stand_after(tx, session, Standing { proved, confirmed_at: Some(now) });
        Ok(now.plus(FRESH_FOR))
    }

    /// Ends a session. Its access tokens are refused from the commit on.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn end(&self, tx: &mut Tx, session: Uuid, now: Timestamp) -> Result<bool> {
        let ended = store::end(tx, session, now).await?;
        self.memory.forget_after(tx, ended.clone(), now);
        Ok(!ended.is_empty())
    }

    /// Ends a session of this account; false if it is not theirs or over.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn end_own(&self, tx: &mut Tx, session: Uuid, account: Account, now: Timestamp) -> Result<bool> {
        let ended = store::end_own(tx, session, account, now).await?;
        self.memory.forget_after(tx, ended.clone(), now);
        Ok(!ended.is_empty())
    }

    /// Ends every session of an account, or every other one, and says how many those were.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn end_all(&self, tx: &mut Tx, account: Account, but: Option<Uuid>, now: Timestamp) -> Result<usize> {
        let ended = store::end_all(tx, account, but, now).await?;
        let count = ended.len();
        self.memory.forget_after(tx, ended, now);
        Ok(count)
    }

    /// The live sessions of an account, the one used last first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn of(&self, tx: &mut Tx, account: Account, audience: Audience, now: Timestamp) -> Result<Vec<SessionRow>> {
        let idle_since = now.minus(audience.life().idle);
        let sessions = store::of(tx, account).await?;
        Ok(sessions.into_iter().filter(|session| session.is_live(idle_since, now)).collect())
    }

    /// Makes the change of an account known to whoever keeps its sessions in memory: here after the commit, on other nodes when
    /// they look again.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn account_changed(&self, tx: &mut Tx, holder: Holder, now: Timestamp) -> Result<()> {
        store::touch(tx, holder.account(), now).await?;
        self.memory.change_after(tx, holder);
        Ok(())
    }

    /// The tokens of a session at a generation.
    ///
    /// # Errors
    /// The keys were not read.
    pub fn tokens(&self, audience: Audience, session: Uuid, generation: i64, now: Timestamp) -> Result<Tokens> {
        let key = self.keys.making(now)?;
        Ok(Tokens {
            access: issue_access(&key, audience, session, now)?,
            refresh: issue_refresh(&key, audience, Shown { session, generation })?,
            cookie_seconds: audience.life().idle.as_secs(),
        })
    }

    /// The customer whose access token this is.
    ///
    /// # Errors
    /// 401 `token_not_valid`; the database cannot be read.
    pub async fn customer(&self, platform: &Platform, token: &str) -> Result<Customer> {
        let session = read_access(&self.keys, Audience::Site, token, platform.clock.now())?;
        match self.known(platform, session).await? {
            (Holder::Customer { id, email, activated }, _) => Ok(Customer { id, email, activated, session, address: None }),
            (Holder::Staff(_), _) => Err(Error::token_not_valid()),
        }
    }

    /// The member of staff whose access token this is, and whether a second factor was shown in the session.
    ///
    /// # Errors
    /// 401 `token_not_valid`; the database cannot be read.
    pub async fn staff(&self, platform: &Platform, token: &str) -> Result<(StaffSession, bool)> {
        let now = platform.clock.now();
        let session = read_access(&self.keys, Audience::Console, token, now)?;
        match self.known(platform, session).await? {
            (Holder::Staff(staff), standing) => {
                Ok((StaffSession { staff, session, fresh_until: standing.fresh_until(now) }, standing.proved))
            }
            (Holder::Customer { .. }, _) => Err(Error::token_not_valid()),
        }
    }

    /// Whose session this is, and how it stands. The database is asked where memory knows nothing of it, or not enough for everything it
    /// may be used for: it may have been opened, or more been shown in it, on another node a moment ago.
    async fn known(&self, platform: &Platform, session: Uuid) -> Result<(Holder, Standing)> {
        let now = platform.clock.now();
        let suffices = |(holder, standing): &(Holder, Standing)| match holder {
            Holder::Staff(_) => standing.proved && standing.fresh_until(now).is_some(),
            Holder::Customer { activated, .. } => *activated,
        };
        if let Some(known) = self.memory.holder(session, now).filter(suffices) {
            return Ok(known);
        }
        let found = store::found(&mut platform.db.read().await?, session).await?;
        self.memory.hear(found, now);
        self.memory.holder(session, now).ok_or_else(Error::token_not_valid)
    }

    /// Whether the session of an access token lasts, though the token may have run out.
    pub fn lasts(&self, token: &str, now: Timestamp) -> bool {
        session_of(&self.keys, token).is_some_and(|session| self.memory.holder(session, now).is_some())
    }

    /// Forgets sessions that were over long ago.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget_old(&self, platform: &Platform) -> Result<()> {
        let before = platform.clock.now().minus(OVER_KEPT);
        platform.db.write(move |tx| Box::pin(store::forget_before(tx, before))).await
    }
}
