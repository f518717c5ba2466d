//! Signing in, staying signed in, signing out.

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::identity::{Role, Staff};
use agio_core::needs::{StaffNames, StaffTokens};
use agio_core::{BoxFuture, Error, Kind, Platform, Result, Timestamp, Tx};
use arc_swap::{ArcSwap, ArcSwapOption};
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Argon2, PasswordHash};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::model::{
    ACCESS_LIFE, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, REPLACED_GRACE, SESSION_LIFE, digest, normal_email, refresh_token,
};
use crate::store::{self, SessionRow, StaffRow};
use crate::tokens::TokenKey;

/// How many passwords are checked at one time: each takes 19 MiB and a core.
const CHECKS_AT_A_TIME: usize = 2;

/// The sign-in desk.
pub struct Auth {
    platform: Platform,
    key: ArcSwapOption<TokenKey>,
    sessions: ArcSwap<HashMap<Uuid, Live>>,
    checks: Semaphore,
}

#[derive(Clone)]
struct Live {
    staff: Staff,
    until: Timestamp,
}

/// Somebody who is to work here.
#[derive(Clone, Debug)]
pub struct NewStaff {
    /// The e-mail address they sign in with.
    pub email: String,
    /// The name colleagues see.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Their first password.
    pub password: String,
}

/// What a sign-in or refresh gives.
pub(crate) struct SignedIn {
    pub access_token: String,
    pub expires_in_seconds: u64,
    /// The refresh token for the cookie; nothing when the browser has the present one already.
    pub refresh_token: Option<String>,
    pub staff: Staff,
    pub email: String,
}

impl Auth {
    /// The sign-in desk; call [`load`](Self::load) before serving.
    #[must_use]
    pub fn new(platform: &Platform) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            key: ArcSwapOption::empty(),
            sessions: ArcSwap::default(),
            checks: Semaphore::new(CHECKS_AT_A_TIME),
        })
    }

    /// Reads the key and the live sessions; makes the key when there is none.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn load(&self) -> Result<()> {
        if self.key.load().is_none() {
            let (id, secret) = self.token_key().await?;
            self.key.store(Some(Arc::new(TokenKey::new(id, secret))));
        }
        let mut tx = self.platform.db.read().await?;
        let rows = store::live_sessions(&mut tx, self.platform.clock.now()).await?;
        let live = rows.into_iter().map(|(session, until, id, name, role)| (session, Live { staff: Staff { id, name, role, address: None }, until }));
        self.sessions.store(Arc::new(live.collect()));
        Ok(())
    }

    async fn token_key(&self) -> Result<(String, Vec<u8>)> {
        if let Some(key) = store::token_key(&mut self.platform.db.read().await?).await? {
            return Ok(key);
        }
        let mut secret = vec![0; 32];
        self.platform.random.fill(&mut secret);
        let (id, now) = (self.platform.random.uuid().to_string(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (id, secret) = (id.clone(), secret.clone());
                Box::pin(async move {
                    store::insert_token_key(tx, &id, &secret, now).await?;
                    Ok((id, secret))
                })
            })
            .await
    }

    /// Takes somebody on.
    ///
    /// # Errors
    /// 422 for an unfit password or an address that is taken.
    pub async fn add_staff(&self, new: NewStaff) -> Result<Uuid> {
        if !(PASSWORD_LENGTH_MIN..=PASSWORD_LENGTH_MAX).contains(&new.password.chars().count()) {
            let unfit = Error::unprocessable("validation_failed").with("min", PASSWORD_LENGTH_MIN).with("max", PASSWORD_LENGTH_MAX);
            return Err(unfit.at("password", "password_length"));
        }
        let password_hash = self.hash(new.password).await?;
        let (id, now) = (self.platform.random.uuid(), self.platform.clock.now());
        let row = StaffRow { id, name: new.name, email: normal_email(&new.email), role: new.role, password_hash, disabled: false };
        let added = self
            .platform
            .db
            .write(move |tx| {
                let row = row.clone();
                Box::pin(async move { store::insert_staff(tx, &row, now).await })
            })
            .await;
        match added {
            Err(error) if error.constraint().is_some() => Err(Error::unprocessable("validation_failed").at("email", "email_taken")),
            outcome => outcome.map(|()| id),
        }
    }

    /// Whether anybody works here with this address.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn knows(&self, email: &str) -> Result<bool> {
        Ok(store::staff_by_email(&mut self.platform.db.read().await?, &normal_email(email)).await?.is_some())
    }

    /// Checks e-mail and password and opens a session. Unknown addresses take as long as wrong passwords.
    pub(crate) async fn sign_in(&self, email: &str, password: String) -> Result<SignedIn> {
        let found = store::staff_by_email(&mut self.platform.db.read().await?, &normal_email(email)).await?;
        let found = found.filter(|staff| !staff.disabled);
        let hash = found.as_ref().map_or(UNKNOWN_HASH, |staff| &staff.password_hash).to_owned();
        let fits = self.fits(password, hash).await?;
        let Some(staff) = found.filter(|_| fits) else {
            return Err(Error::new(Kind::Unauthorised, "wrong_credentials"));
        };
        let (session, token) = (self.platform.random.uuid(), refresh_token(&*self.platform.random));
        let (now, stored, staff_id) = (self.platform.clock.now(), digest(&token), staff.id);
        let until = now.plus(SESSION_LIFE);
        self.platform
            .db
            .write(move |tx| {
                let stored = stored.clone();
                Box::pin(async move { store::insert_session(tx, session, staff_id, &stored, now, until).await })
            })
            .await?;
        self.remember(session, Live { staff: Staff { id: staff.id, name: staff.name.clone(), role: staff.role, address: None }, until });
        self.signed_in(session, &staff, Some(token))
    }

    /// Goes on with a session: a new access token, and a new refresh token in place of the one shown.
    pub(crate) async fn refresh(&self, shown: &str) -> Result<SignedIn> {
        let now = self.platform.clock.now();
        let shown = digest(shown);
        let mut tx = self.platform.db.read().await?;
        let session = store::session_by_digest(&mut tx, &shown).await?.filter(|session| session.ended_at.is_none());
        let session = session.filter(|session| now < session.expires_at).ok_or_else(Error::token_not_valid)?;
        let staff = store::staff_by_id(&mut tx, session.staff_id).await?.filter(|staff| !staff.disabled);
        drop(tx);
        let staff = staff.ok_or_else(Error::token_not_valid)?;
        if session.refresh_digest != shown {
            return self.refresh_replaced(&session, &staff, now).await;
        }
        let token = refresh_token(&*self.platform.random);
        let (id, stored) = (session.id, digest(&token));
        let session = Arc::new(session);
        let replaced = self
            .platform
            .db
            .write(move |tx| {
                let (session, stored) = (session.clone(), stored.clone());
                Box::pin(async move { store::replace_refresh(tx, &session, &stored, now).await })
            })
            .await?;
        self.signed_in(id, &staff, replaced.then_some(token))
    }

    /// A replaced token within the grace is the browser's other tab; later it is somebody else's copy.
    async fn refresh_replaced(&self, session: &SessionRow, staff: &StaffRow, now: Timestamp) -> Result<SignedIn> {
        if session.replaced_at.is_some_and(|at| now <= at.plus(REPLACED_GRACE)) {
            return self.signed_in(session.id, staff, None);
        }
        tracing::warn!(session = %session.id, staff = %staff.id, "a replaced refresh token was shown; the session ends");
        self.end(session.id).await?;
        Err(Error::token_not_valid())
    }

    /// Ends the session of a refresh token; does nothing for an unknown one.
    pub(crate) async fn sign_out(&self, shown: &str) -> Result<()> {
        match store::session_by_digest(&mut self.platform.db.read().await?, &digest(shown)).await? {
            Some(session) => self.end(session.id).await,
            None => Ok(()),
        }
    }

    /// The account of a member of staff.
    pub(crate) async fn account(&self, id: Uuid) -> Result<StaffRow> {
        store::staff_by_id(&mut self.platform.db.read().await?, id).await?.ok_or_else(Error::token_not_valid)
    }

    async fn end(&self, session: Uuid) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform.db.write(move |tx: &mut Tx| Box::pin(store::end_session(tx, session, now))).await?;
        self.sessions.rcu(|live| {
            let mut live = HashMap::clone(live);
            live.remove(&session);
            live
        });
        Ok(())
    }

    fn remember(&self, session: Uuid, entry: Live) {
        self.sessions.rcu(|live| {
            let mut live = HashMap::clone(live);
            live.insert(session, entry.clone());
            live
        });
    }

    fn signed_in(&self, session: Uuid, staff: &StaffRow, refresh_token: Option<String>) -> Result<SignedIn> {
        let key = self.key.load();
        let key = key.as_ref().ok_or_else(|| Error::internal("the sign-in desk was not opened"))?;
        Ok(SignedIn {
            access_token: key.issue(session, self.platform.clock.now())?,
            expires_in_seconds: ACCESS_LIFE.as_secs(),
            refresh_token,
            staff: Staff { id: staff.id, name: staff.name.clone(), role: staff.role, address: None },
            email: staff.email.clone(),
        })
    }

    async fn hash(&self, password: String) -> Result<String> {
        let mut salt = [0; 16];
        self.platform.random.fill(&mut salt);
        let salt = SaltString::encode_b64(&salt).map_err(|error| Error::internal(error.to_string()))?;
        self.off_the_reactor(move || {
            let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
            hash.map(|hash| hash.to_string()).map_err(|error| Error::internal(error.to_string()))
        })
        .await?
    }

    async fn fits(&self, password: String, hash: String) -> Result<bool> {
        self.off_the_reactor(move || {
            let stored = PasswordHash::new(&hash).map_err(|error| Error::internal(error.to_string()))?;
            let within = password.chars().count() <= PASSWORD_LENGTH_MAX;
            Ok(within && Argon2::default().verify_password(password.as_bytes(), &stored).is_ok())
        })
        .await?
    }

    /// Runs slow arithmetic on a blocking thread, few at a time.
    async fn off_the_reactor<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let _turn = self.checks.acquire().await.map_err(Error::internal)?;
        tokio::task::spawn_blocking(work).await.map_err(Error::internal)
    }
}

/// The Argon2id hash of a password nobody has, at the same cost as real ones.
const UNKNOWN_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$YWdpby11bmtub3duLXN0YWZm$Xx0nNTuLbAs3wRyfAHQy2ht0AXQOTJHl1MBp5GxUY2g";

impl StaffTokens for Auth {
    fn staff(&self, token: &str) -> Result<Staff> {
        let now = self.platform.clock.now();
        let key = self.key.load();
        let session = key.as_ref().ok_or_else(Error::token_not_valid)?.session(token, now)?;
        let sessions = self.sessions.load();
        let live = sessions.get(&session).filter(|live| now < live.until);
        live.map(|live| live.staff.clone()).ok_or_else(Error::token_not_valid)
    }
}

impl StaffNames for Auth {
    fn name(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>> {
        Box::pin(async move {
            let mut tx = self.platform.db.read().await?;
            Ok(store::staff_by_id(&mut tx, id).await?.map(|staff| staff.name))
        })
    }
}
