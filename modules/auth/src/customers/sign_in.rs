//! Signing in, staying signed in, signing out.

use std::sync::Arc;

use agio_core::networks::limit_key;
use agio_core::texts::Locale;
use agio_core::{Error, Kind, Result, Timestamp, Tx};
use uuid::Uuid;

use super::gates::{CODE, Call};
use super::store::{self, CustomerRow};
use super::{CustomerSignedIn, actor, note};
use crate::attempts::{self, Gate};
use crate::auth::{Auth, Client};
use crate::passwords::Fit;
use crate::second_factor::{self, Taken};
use crate::secrets::{device_mark, digest, normal_email, secret};
use crate::sessions::{NewSession, Refreshed, Standing};
use crate::tokens::Audience;

/// What somebody signs in with.
#[derive(Clone, Debug)]
pub(crate) struct SignIn {
    pub email: String,
    pub password: String,
    /// The answer to a captcha.
    pub captcha: Option<String>,
    /// A code of the second factor, or a recovery code.
    pub otp: Option<String>,
}

/// Somebody whose password was right.
#[derive(Clone)]
struct Entering {
    customer: CustomerRow,
    /// The hash that holds from now on.
    hash: String,
    otp: Option<String>,
    /// Where the attempt was counted.
    gates: Vec<Gate>,
    /// The mark of the browser, where the account was used from it before.
    familiar: Option<String>,
}

impl Auth {
    /// Signs a customer in. Unknown addresses are refused as wrong passwords are, and take as long.
    ///
    /// # Errors
    /// 401 `wrong_credentials`, `otp_required`, `otp_invalid`; 403 `account_banned`; 429 `too_many_attempts`; 422 for the captcha.
    pub(crate) async fn customer_sign_in(self: &Arc<Self>, asked: SignIn, client: Client) -> Result<CustomerSignedIn> {
        let email = normal_email(&asked.email);
        let familiar = self.familiar_mark(&email, &client).await?;
        let gates = self.admit(Call::Login, &email, familiar.as_deref(), asked.captcha.as_deref(), &client).await?;
        let found = store::by_email(&mut self.platform.db.read().await?, &email).await?;
        let stored = found.as_ref().map(|customer| customer.password_hash.clone());
        let fit = self.passwords.fits(asked.password, stored).await?;
        let hash = match (fit, &found) {
            (Fit::Yes, Some(customer)) => customer.password_hash.clone(),
            (Fit::YesRenewed(hash), Some(_)) => hash,
            _ => {
                self.note_refusal(found.map(|customer| customer.id), &client).await?;
                return Err(wrong_credentials());
            }
        };
        let customer = found.ok_or_else(wrong_credentials)?;
        if customer.banned_at.is_some() {
            self.note_refusal(Some(customer.id), &client).await?;
            return Err(Error::new(Kind::Forbidden, "account_banned"));
        }
        let entering = Entering { customer, hash, otp: asked.otp.filter(|code| !code.is_empty()), gates, familiar };
        self.enter(self.count_code(entering).await?, client).await
    }

    /// The mark of the caller's browser, if the account of this address was used from it before.
    async fn familiar_mark(&self, email: &str, client: &Client) -> Result<Option<String>> {
        let mark = device_mark(client.device.as_deref().unwrap_or_default());
        let is_familiar = store::is_familiar(&mut self.platform.db.read().await?, email, &mark).await?;
        Ok(is_familiar.then_some(mark))
    }

    /// Asks for a code where one is needed, and counts the one that is given before it is looked at.
    async fn count_code(&self, mut entering: Entering) -> Result<Entering> {
        let id = entering.customer.id;
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
            return Err(Error::new(Kind::Unauthorised, "otp_required"));
        }
        entering.gates.extend(self.admit_known(&CODE, id).await?);
        Ok(entering)
    }

    async fn enter(self: &Arc<Self>, entering: Entering, client: Client) -> Result<CustomerSignedIn> {
        let now = self.platform.clock.now();
        let session = self.platform.random.uuid();
        let device = entering.familiar.is_none().then(|| secret(&*self.platform.random));
        let (this, given, id) = (self.clone(), device.clone(), entering.customer.id);
        let caller = client.clone();
        let entered = self
            .platform
            .db
            .write(move |tx| {
                let (this, entering, client, device) = (this.clone(), entering.clone(), caller.clone(), given.clone());
                Box::pin(async move { this.open_customer_session(tx, session, &entering, device.as_deref(), &client, now).await })
            })
            .await;
        match entered {
            Err(error) if error.code() == "otp_invalid" => {
                self.note_refusal(Some(id), &client).await?;
                return Err(Error::new(Kind::Unauthorised, "otp_invalid"));
            }
            entered => entered?,
        }
        let profile = self.profile(id).await?;
        Ok(CustomerSignedIn { tokens: self.sessions.tokens(Audience::Site, session, 0, now)?, profile, device })
    }

    async fn open_customer_session(
        &self,
        tx: &mut Tx,
        session: Uuid,
        entering: &Entering,
        device: Option<&str>,
        client: &Client,
        now: Timestamp,
    ) -> Result<()> {
        let Entering { customer, hash, otp, gates, familiar } = entering;
        if !store::enter(tx, customer, client.locale, hash).await? {
            return Err(wrong_credentials());
        }
        let taken = match otp {
            Some(code) => Some(second_factor::take(tx, &self.platform, customer.id, code, now).await?),
            None if second_factor::is_on(tx, customer.id).await? => {
                return Err(Error::new(Kind::Unauthorised, "otp_required"));
            }
            None => None,
        };
        attempts::give_back(tx, gates).await?;
        let new = NewSession {
            id: session,
            holder: customer.holder(),
            address: client.address.to_string(),
            agent: client.agent.clone(),
            proved: taken.is_some(),
        };
        self.sessions.open(tx, &new, now).await?;
        self.remember_place(tx, customer, familiar.clone().or(device.map(device_mark)), client, now).await?;
        let by = actor(customer.id, client);
        if taken == Some(Taken::Recovery) {
            note(tx, &by, "customer.recovery_code_used", &customer.id.to_string(), now).await?;
        }
        note(tx, &by, "customer.signed_in", &customer.id.to_string(), now).await
    }

    /// Remembers browser and address, and tells the owner if the account was used before and from neither of them.
    async fn remember_place(
        &self,
        tx: &mut Tx,
        customer: &CustomerRow,
        browser: Option<String>,
        client: &Client,
        now: Timestamp,
    ) -> Result<()> {
        let marks: Vec<_> =
            browser.into_iter().chain([format!("address:{}", digest(&limit_key(client.address).to_string()))]).collect();
        let known = store::familiar(tx, customer.id).await?;
        store::remember(tx, customer.id, &marks, now).await?;
        if known.is_empty() || marks.iter().any(|mark| known.contains(mark)) {
            return Ok(());
        }
        self.mail_new_sign_in(tx, customer, client, now).await
    }

    /// Writes a refused sign-in down, for an unknown account as well: both take as long.
    async fn note_refusal(&self, customer: Option<Uuid>, client: &Client) -> Result<()> {
        let (now, by) = (self.platform.clock.now(), client.guest());
        let id = customer.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
        self.platform
            .db
            .write(move |tx| {
                let (by, id) = (by.clone(), id.clone());
                Box::pin(async move { note(tx, &by, "customer.sign_in_failed", &id, now).await })
            })
            .await
    }

    /// Goes on with a session: a new access token, and a new refresh token in place of the one shown. A token that was replaced long
    /// ago is somebody's copy: the session ends and its owner is told.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    pub(crate) async fn customer_refresh(self: &Arc<Self>, token: &str, client: Client) -> Result<CustomerSignedIn> {
        let now = self.platform.clock.now();
        let shown = self.sessions.shown(Audience::Site, token)?;
        let this = self.clone();
        let refreshed = self
            .platform
            .db
            .write(move |tx| {
                let (this, client) = (this.clone(), client.clone());
                Box::pin(async move {
                    let found = store::by_session(tx, shown.session).await?;
                    let Some(customer) = found.filter(|customer| customer.banned_at.is_none()) else { return Ok(None) };
                    match this.sessions.refresh(tx, shown, Audience::Site, now).await? {
                        Refreshed::On(generation) => {
                            this.sessions.know_after(tx, shown.session, customer.holder(), Standing::default(), now);
                            Ok(Some((generation, customer.id)))
                        }
                        Refreshed::Over => Ok(None),
                        Refreshed::Reused => {
                            this.mail_change(tx, "session_copied", &customer, &client, now).await?;
                            note(tx, &client.guest(), "customer.refresh_reused", &customer.id.to_string(), now).await?;
                            Ok(None)
                        }
                    }
                })
            })
            .await?;
        let (generation, id) = refreshed.ok_or_else(Error::token_not_valid)?;
        let tokens = self.sessions.tokens(Audience::Site, shown.session, generation, now)?;
        Ok(CustomerSignedIn { tokens, profile: self.profile(id).await?, device: None })
    }

    /// Ends the session of a refresh token; does nothing for one that is not ours.
    pub(crate) async fn customer_sign_out(self: &Arc<Self>, token: &str, client: Client) -> Result<()> {
        let Ok(shown) = self.sessions.shown(Audience::Site, token) else { return Ok(()) };
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, client) = (this.clone(), client.clone());
                Box::pin(async move {
                    let Some(customer) = store::by_session(tx, shown.session).await? else { return Ok(()) };
                    if this.sessions.end(tx, shown.session, now).await? {
                        note(tx, &actor(customer.id, &client), "customer.signed_out", &customer.id.to_string(), now).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}

/// The language a sign-in is made in: the one it names, else that of the address it was sent to.
pub(crate) fn language(named: Option<String>, of_address: Locale) -> Locale {
    named.and_then(|name| name.parse().ok()).unwrap_or(of_address)
}

fn wrong_credentials() -> Error {
    Error::new(Kind::Unauthorised, "wrong_credentials")
}
