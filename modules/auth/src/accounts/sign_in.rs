//! Sign-in, refresh and sign-out.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::{Error, ErrorKind, Result, Timestamp, Tx};
use uuid::Uuid;

use super::attempt_limits::{sign_in_code, staff_sign_in};
use super::{AccountRecord, SecurityEmail, record, store};
use crate::attempts::{self, AttemptCounter};
use crate::audience::{AccountRef, Audience};
use crate::auth::{Auth, ClientInfo};
use crate::customers::CaptchaAction;
use crate::passwords::{PasswordMatch, wrong_credentials};
use crate::second_factor::{self, AcceptedCode};
use crate::secrets::{device_digest, network_digest, new_secret, normalize_email};
use crate::sessions::{self, NewSession, RefreshOutcome, SessionTokens};
use crate::tokens::read_refresh;

pub struct Credentials {
    pub email: String,
    pub password: String,
    /// Captcha solution, of customers.
    pub captcha: Option<String>,
    /// Second factor code or recovery code.
    pub otp: Option<String>,
}

/// A session after a sign-in or refresh.
pub struct OpenedSession {
    pub account: AccountRef,
    pub session: Uuid,
    pub tokens: SessionTokens,
    /// Secret for the device cookie of a new browser.
    pub device: Option<String>,
}

/// A sign-in with a correct password.
#[derive(Clone)]
struct PendingSignIn {
    account: AccountRecord,
    /// Hash to store, possibly at a new cost.
    hash: String,
    otp: Option<String>,
    counters: Vec<AttemptCounter>,
    /// Digest of the browser's secret, if the browser is known.
    known_device: Option<String>,
}

impl Auth {
    /// Signs in. Unknown addresses and disabled staff fail like wrong passwords and take as long.
    ///
    /// # Errors
    /// 401 `wrong_credentials`, `otp_required`, `otp_invalid`; 403 `account_banned` for a customer with the right
    /// password; 429 `too_many_attempts`; 422 for a customer's captcha.
    pub(crate) async fn sign_in(
        self: &Arc<Self>,
        audience: Audience,
        credentials: Credentials,
        client: ClientInfo,
    ) -> Result<OpenedSession> {
        let Credentials { email, password, captcha, otp } = credentials;
        let email = normalize_email(&email);
        let known_device = self.known_device(audience, &email, &client).await?;
        let device = known_device.as_deref();
        let counters = match audience {
            Audience::Staff => self.count_attempt(staff_sign_in(&email, device, &client)).await?,
            Audience::Customers => self.admit(CaptchaAction::Login, &email, device, captcha.as_deref(), &client).await?,
        };
        let found = store::by_email(&mut self.platform.db.read().await?, audience, &email).await?;
        let may_match = |account: &&AccountRecord| audience == Audience::Customers || !account.blocked;
        let stored = found.as_ref().filter(may_match).map(|account| account.password_hash.clone());
        let (account, hash) = match (self.passwords(audience).verify(password, stored).await?, found) {
            (PasswordMatch::Yes, Some(account)) => (account.clone(), account.password_hash),
            (PasswordMatch::Outdated(hash), Some(account)) => (account, hash),
            (_, found) => {
                self.record_failed_sign_in(audience, found.map(|account| account.id), client).await?;
                return Err(wrong_credentials());
            }
        };
        if account.blocked {
            self.record_failed_sign_in(audience, Some(account.id), client).await?;
            return Err(Error::new(ErrorKind::Forbidden, "account_banned"));
        }
        let otp = otp.filter(|code| !code.trim().is_empty());
        let pending = self.count_code(PendingSignIn { account, hash, otp, counters, known_device }, &client).await?;
        self.complete_sign_in(pending, client).await
    }

    /// Digest of the client's browser, if the account was used from it before.
    async fn known_device(&self, audience: Audience, email: &str, client: &ClientInfo) -> Result<Option<String>> {
        let digest = device_digest(client.device.as_deref().unwrap_or_default());
        let is_known = store::is_known_device(&mut self.platform.db.read().await?, audience, email, &digest).await?;
        Ok(is_known.then_some(digest))
    }

    /// Requires a code if the account needs one, and counts it before it is verified.
    async fn count_code(self: &Arc<Self>, mut pending: PendingSignIn, client: &ClientInfo) -> Result<PendingSignIn> {
        let account = pending.account.reference();
        if !second_factor::is_on(&mut self.platform.db.read().await?, account.id).await? {
            pending.otp = None;
            return Ok(pending);
        }
        if pending.otp.is_none() {
            self.refund_attempts(pending.counters).await?;
            return Err(code_required());
        }
        let counters = sign_in_code(account, pending.known_device.as_deref(), client);
        pending.counters.extend(self.count_attempt(counters).await?);
        Ok(pending)
    }

    async fn complete_sign_in(self: &Arc<Self>, pending: PendingSignIn, client: ClientInfo) -> Result<OpenedSession> {
        let (account, session) = (pending.account.reference(), self.platform.random.uuid());
        let device = pending.known_device.is_none().then(|| new_secret(&*self.platform.random));
        let input = (pending, device.clone(), client.clone());
        let opened = self.transaction(input, move |this, tx, (pending, device, client), now| {
            Box::pin(async move { this.confirm_sign_in(tx, session, pending, device, &client, now).await })
        });
        match opened.await {
            Err(error) if error.code() == "otp_invalid" => {
                self.record_failed_sign_in(account.audience, Some(account.id), client).await?;
                return Err(Error::new(ErrorKind::Unauthorised, "otp_invalid"));
            }
            opened => opened?,
        }
        self.opened_session(account, session, 0, device)
    }

    async fn confirm_sign_in(
        &self,
        tx: &mut Tx,
        session: Uuid,
        pending: PendingSignIn,
        device: Option<String>,
        client: &ClientInfo,
        now: Timestamp,
    ) -> Result<()> {
        let PendingSignIn { account, hash, otp, counters, known_device } = pending;
        if !store::confirm_password(tx, &account, client.locale, &hash).await? {
            return Err(wrong_credentials());
        }
        if let Some(zone) = &client.time_zone {
            store::set_time_zone(tx, account.id, zone).await?;
        }
        // As it is now that it is locked, and in the language and time zone of this sign-in.
        let account = store::by_id(tx, account.reference()).await?.ok_or_else(wrong_credentials)?;
        let accepted = match otp {
            Some(code) => Some(second_factor::verify_code(tx, &self.platform, account.id, &code, now).await?),
            // It was enabled since the password was verified.
            None if second_factor::is_on(tx, account.id).await? => return Err(code_required()),
            None => None,
        };
        attempts::refund(tx, &counters).await?;
        let browser = known_device.or(device.as_deref().map(device_digest));
        self.open_session(tx, &account, (session, accepted.is_some(), browser), client, now).await?;
        let by = account.actor(client);
        if accepted == Some(AcceptedCode::RecoveryCode) {
            record(tx, account.reference(), &by, "recovery_code_used", now).await?;
        }
        record(tx, account.reference(), &by, "signed_in", now).await
    }

    /// Starts a session, with or without a verified second factor, and stores its browser and network. Notifies the
    /// owner if the account was used before but from neither of them.
    pub(crate) async fn open_session(
        &self,
        tx: &mut Tx,
        account: &AccountRecord,
        (id, second_factor, browser): (Uuid, bool, Option<String>),
        client: &ClientInfo,
        now: Timestamp,
    ) -> Result<()> {
        let (holder, address, agent) = (account.holder.clone(), client.address.to_string(), client.agent.clone());
        self.sessions.open(tx, &NewSession { id, holder, address, agent, second_factor }, now).await?;
        let used: Vec<_> = browser.into_iter().chain([network_digest(client.address)]).collect();
        let known = store::known_devices(tx, account.id).await?;
        store::put_devices(tx, account.id, &used, now).await?;
        if known.is_empty() || used.iter().any(|device| known.contains(device)) {
            return Ok(());
        }
        self.mail_security(tx, account, SecurityEmail::NewSignIn, client, now).await
    }

    pub(crate) fn opened_session(
        &self,
        account: AccountRef,
        session: Uuid,
        generation: i64,
        device: Option<String>,
    ) -> Result<OpenedSession> {
        let tokens = self.sessions.tokens(account.audience, session, generation, self.platform.clock.now())?;
        Ok(OpenedSession { account, session, tokens, device })
    }

    /// Also for unknown accounts, so that both take as long.
    async fn record_failed_sign_in(
        self: &Arc<Self>,
        audience: Audience,
        account: Option<Uuid>,
        client: ClientInfo,
    ) -> Result<()> {
        let id = account.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
        self.transaction((id, client.guest()), move |_, tx, (id, by), now| {
            Box::pin(async move {
                let (about, action) = (audience.subject(), audience.choose("staff.sign_in_failed", "customer.sign_in_failed"));
                audit::record(tx, NewAuditEntry { by: &by, action, about, id, before: None, after: None }, now).await
            })
        })
        .await
    }

    /// Refreshes a session. A token that was replaced long ago counts as stolen: the session is revoked and the owner
    /// notified.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    pub(crate) async fn refresh(self: &Arc<Self>, audience: Audience, token: &str, client: ClientInfo) -> Result<OpenedSession> {
        let payload = read_refresh(&self.sessions.keys, audience, token)?;
        let refreshed = self.transaction(client, move |this, tx, client, now| {
            Box::pin(async move {
                let found = store::by_session(tx, audience, payload.session).await?;
                let Some(account) = found.filter(|account| !account.blocked) else { return Ok(None) };
                match this.sessions.refresh(tx, payload, account.reference(), now).await? {
                    RefreshOutcome::Renewed(generation) => {
                        let status = sessions::store::status(tx, payload.session).await?;
                        this.sessions.store_after_commit(tx, payload.session, account.holder.clone(), status, now);
                        Ok(Some((account.reference(), generation)))
                    }
                    RefreshOutcome::Ended => Ok(None),
                    RefreshOutcome::Reused => {
                        this.mail_security(tx, &account, SecurityEmail::SessionCopied, &client, now).await?;
                        record(tx, account.reference(), &client.guest(), "refresh_reused", now).await?;
                        Ok(None)
                    }
                }
            })
        });
        let (account, generation) = refreshed.await?.ok_or_else(Error::token_not_valid)?;
        self.opened_session(account, payload.session, generation, None)
    }

    /// Ends the session of a refresh token; does nothing if the token is invalid.
    pub(crate) async fn sign_out(self: &Arc<Self>, audience: Audience, token: &str, client: ClientInfo) -> Result<()> {
        let Ok(payload) = read_refresh(&self.sessions.keys, audience, token) else { return Ok(()) };
        self.transaction(client, move |this, tx, client, now| {
            Box::pin(async move {
                let Some(account) = store::by_session(tx, audience, payload.session).await? else { return Ok(()) };
                if this.sessions.end(tx, payload.session, account.reference(), now).await? {
                    record(tx, account.reference(), &account.actor(&client), "signed_out", now).await?;
                }
                Ok(())
            })
        })
        .await
    }
}

fn code_required() -> Error {
    Error::new(ErrorKind::Unauthorised, "otp_required")
}
