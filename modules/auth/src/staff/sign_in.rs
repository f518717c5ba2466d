//! Signing in, staying signed in, signing out.

use std::sync::Arc;

use agio_core::networks::limit_key;
use agio_core::{Error, Kind, Result, Timestamp, Tx, audit};
use uuid::Uuid;

use super::store::{self, StaffRow};
use super::{StaffProfile, StaffSignedIn, actor, gates, note};
use crate::attempts::{self, Gate};
use crate::auth::{Auth, Client};
use crate::passwords::Fit;
use crate::second_factor::{self, Taken};
use crate::secrets::{device_mark, digest, normal_email, secret};
use crate::sessions::{Holder, NewSession, Refreshed, Standing};
use crate::tokens::Audience;

/// What somebody signs in with.
#[derive(Clone, Debug)]
pub(crate) struct StaffSignIn {
    pub email: String,
    pub password: String,
    /// A code of the second factor, or a recovery code.
    pub otp: Option<String>,
}

/// Somebody whose password was right.
#[derive(Clone)]
struct Entering {
    row: StaffRow,
    /// The hash that holds from now on.
    hash: String,
    otp: Option<String>,
    /// Where the attempt was counted.
    gates: Vec<Gate>,
    /// The mark of the browser, where the account was used from it before.
    familiar: Option<String>,
}

impl Auth {
    /// Signs a member of staff in. Unknown addresses and disabled accounts are refused as wrong passwords are, and take as long.
    ///
    /// # Errors
    /// 401 `wrong_credentials`, `second_factor_needed`, `otp_invalid`; 429 `too_many_attempts`.
    pub(crate) async fn staff_sign_in(self: &Arc<Self>, asked: StaffSignIn, client: Client) -> Result<StaffSignedIn> {
        let email = normal_email(&asked.email);
        let familiar = self.staff_familiar_mark(&email, &client).await?;
        let gates = gates::sign_in(&email, familiar.as_deref(), &client);
        self.admit_staff(&gates).await?;
        let found = store::by_email(&mut self.platform.db.read().await?, &email).await?;
        let stored = found.as_ref().filter(|row| !row.disabled).map(|row| row.password_hash.clone());
        let (row, hash) = match (self.staff_passwords.fits(asked.password, stored).await?, found) {
            (Fit::Yes, Some(row)) => (row.clone(), row.password_hash),
            (Fit::YesRenewed(hash), Some(row)) => (row, hash),
            (_, found) => {
                self.staff_refused(found.map(|row| row.id), &client).await?;
                return Err(wrong_credentials());
            }
        };
        let otp = asked.otp.filter(|code| !code.trim().is_empty());
        let entering = self.count_staff_code(Entering { row, hash, otp, gates, familiar }).await?;
        self.enter_staff(entering, client).await
    }

    /// The mark of the caller's browser, if the account of this address was used from it before.
    async fn staff_familiar_mark(&self, email: &str, client: &Client) -> Result<Option<String>> {
        let mark = device_mark(client.device.as_deref().unwrap_or_default());
        let is_familiar = store::is_mark(&mut self.platform.db.read().await?, email, &mark).await?;
        Ok(is_familiar.then_some(mark))
    }

    /// Asks for a code where one is needed, and counts the one that is given before it is looked at.
    async fn count_staff_code(&self, mut entering: Entering) -> Result<Entering> {
        let id = entering.row.id;
        if !second_factor::is_on(&mut self.platform.db.read().await?, id).await? {
            entering.otp = None;
            return Ok(entering);
        }
        if entering.otp.is_none() {
            // The password was right, so nobody is guessing at it.
            let gates = entering.gates;
            self.platform
                .db
                .write(move |tx| {
                    let gates = gates.clone();
                    Box::pin(async move { attempts::give_back(tx, &gates).await })
                })
                .await?;
            return Err(Error::new(Kind::Unauthorised, "second_factor_needed"));
        }
        let gate = gates::code(id, entering.familiar.as_deref());
        self.admit_staff(std::slice::from_ref(&gate)).await?;
        entering.gates.push(gate);
        Ok(entering)
    }

    async fn enter_staff(self: &Arc<Self>, entering: Entering, client: Client) -> Result<StaffSignedIn> {
        let now = self.platform.clock.now();
        let session = self.platform.random.uuid();
        let device = entering.familiar.is_none().then(|| secret(&*self.platform.random));
        let (this, given, id, caller) = (self.clone(), device.clone(), entering.row.id, client.clone());
        let entered = self
            .platform
            .db
            .write(move |tx| {
                let (this, entering, client, device) = (this.clone(), entering.clone(), caller.clone(), given.clone());
                Box::pin(async move { this.open_entered(tx, session, &entering, device.as_deref(), &client, now).await })
            })
            .await;
        match entered {
            Err(error) if error.code() == "otp_invalid" => {
                self.staff_refused(Some(id), &client).await?;
                return Err(Error::new(Kind::Unauthorised, "otp_invalid"));
            }
            entered => entered?,
        }
        self.staff_signed_in(id, session, 0, device).await
    }

    async fn open_entered(
        &self,
        tx: &mut Tx,
        session: Uuid,
        entering: &Entering,
        device: Option<&str>,
        client: &Client,
        now: Timestamp,
    ) -> Result<()> {
        let Entering { row, hash, otp, gates, familiar } = entering;
        if !store::enter(tx, row, client.locale, hash).await? {
            return Err(wrong_credentials());
        }
        let taken = match otp {
            Some(code) => Some(second_factor::take(tx, &self.platform, row.id, code, now).await?),
            // It was turned on since the password was looked at.
            None if second_factor::is_on(tx, row.id).await? => {
                return Err(Error::new(Kind::Unauthorised, "second_factor_needed"));
            }
            None => None,
        };
        attempts::give_back(tx, gates).await?;
        let mark = familiar.clone().or(device.map(device_mark));
        // The letter is in the language of this sign-in.
        let row = store::by_id(tx, row.id).await?.ok_or_else(wrong_credentials)?;
        self.open_staff_session(tx, session, &row, taken.is_some(), client, now).await?;
        self.remember_staff_place(tx, &row, mark, client, now).await?;
        let by = actor(&row, client);
        if taken == Some(Taken::Recovery) {
            note(tx, &by, "staff.recovery_code_used", row.id, now).await?;
        }
        note(tx, &by, "staff.signed_in", row.id, now).await
    }

    /// Opens a session of a member of staff.
    pub(crate) async fn open_staff_session(
        &self,
        tx: &mut Tx,
        session: Uuid,
        row: &StaffRow,
        proved: bool,
        client: &Client,
        now: Timestamp,
    ) -> Result<()> {
        let new = NewSession {
            id: session,
            holder: Holder::Staff(row.staff()),
            address: client.address.to_string(),
            agent: client.agent.clone(),
            proved,
        };
        self.sessions.open(tx, &new, now).await
    }

    /// Remembers browser and address, and tells the owner if the account was used before and from neither of them.
    pub(crate) async fn remember_staff_place(
        &self,
        tx: &mut Tx,
        row: &StaffRow,
        browser: Option<String>,
        client: &Client,
        now: Timestamp,
    ) -> Result<()> {
        let marks: Vec<_> =
            browser.into_iter().chain([format!("address:{}", digest(&limit_key(client.address).to_string()))]).collect();
        let known = store::marks(tx, row.id).await?;
        store::remember(tx, row.id, &marks, now).await?;
        if known.is_empty() || marks.iter().any(|mark| known.contains(mark)) {
            return Ok(());
        }
        self.mail_staff_sign_in(tx, row, client, now).await
    }

    /// What somebody gets who is signed in.
    pub(crate) async fn staff_signed_in(
        &self,
        id: Uuid,
        session: Uuid,
        generation: i64,
        device: Option<String>,
    ) -> Result<StaffSignedIn> {
        let tokens = self.sessions.tokens(Audience::Console, session, generation, self.platform.clock.now())?;
        Ok(StaffSignedIn { tokens, profile: self.staff_profile(id, session).await?, device })
    }

    /// An account as its owner sees it in a session.
    pub(crate) async fn staff_profile(&self, id: Uuid, session: Uuid) -> Result<StaffProfile> {
        let mut tx = self.platform.db.read().await?;
        let standing = self.sessions.standing(&mut tx, session).await?;
        Ok(StaffProfile {
            row: store::by_id(&mut tx, id).await?.ok_or_else(Error::token_not_valid)?,
            second_factor: second_factor::is_on(&mut tx, id).await?,
            recovery_codes: second_factor::store::recovery_codes(&mut tx, id).await?,
            setup_needed: self.console.second_factor_required && !standing.proved,
            fresh_until: standing.fresh_until(self.platform.clock.now()),
        })
    }

    async fn staff_refused(&self, staff: Option<Uuid>, client: &Client) -> Result<()> {
        let now = self.platform.clock.now();
        let id = staff.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
        let by = client.guest();
        self.platform
            .db
            .write(move |tx| {
                let (by, id) = (by.clone(), id.clone());
                Box::pin(async move {
                    let action = "staff.sign_in_failed";
                    audit::record(tx, audit::Entry { by: &by, action, about: "staff", id, before: None, after: None }, now).await
                })
            })
            .await
    }

    /// Goes on with a session: a new access token, and a new refresh token in place of the one shown. A token that was replaced long
    /// ago is somebody's copy: the session ends and its owner is told.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    pub(crate) async fn staff_refresh(self: &Arc<Self>, token: &str, client: Client) -> Result<StaffSignedIn> {
        let now = self.platform.clock.now();
        let shown = self.sessions.shown(Audience::Console, token)?;
        let this = self.clone();
        let refreshed = self
            .platform
            .db
            .write(move |tx| {
                let (this, client) = (this.clone(), client.clone());
                Box::pin(async move {
                    let Some(row) = store::by_session(tx, shown.session).await?.filter(|row| !row.disabled) else {
                        return Ok(None);
                    };
                    match this.sessions.refresh(tx, shown, Audience::Console, now).await? {
                        Refreshed::On(generation) => {
                            let standing: Standing = this.sessions.standing(tx, shown.session).await?;
                            this.sessions.know_after(tx, shown.session, Holder::Staff(row.staff()), standing, now);
                            Ok(Some((generation, row.id)))
                        }
                        Refreshed::Over => Ok(None),
                        Refreshed::Reused => {
                            this.mail_staff_change(tx, "staff_session_copied", &row, &client, now).await?;
                            note(tx, &client.guest(), "staff.refresh_reused", row.id, now).await.map(|()| None)
                        }
                    }
                })
            })
            .await?;
        let (generation, id) = refreshed.ok_or_else(Error::token_not_valid)?;
        self.staff_signed_in(id, shown.session, generation, None).await
    }

    /// Ends the session of a refresh token; does nothing for one that is not ours.
    pub(crate) async fn staff_sign_out(self: &Arc<Self>, token: &str, client: Client) -> Result<()> {
        let Ok(shown) = self.sessions.shown(Audience::Console, token) else { return Ok(()) };
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, client) = (this.clone(), client.clone());
                Box::pin(async move {
                    let Some(row) = store::by_session(tx, shown.session).await? else { return Ok(()) };
                    if this.sessions.end(tx, shown.session, now).await? {
                        note(tx, &actor(&row, &client), "staff.signed_out", row.id, now).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}

fn wrong_credentials() -> Error {
    Error::new(Kind::Unauthorised, "wrong_credentials")
}
