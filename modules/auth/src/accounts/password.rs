//! Passwords: change by the owner, and reset by an e-mailed link.

use std::sync::Arc;

use agio_core::{Error, Result};
use agio_requisites::{RequisiteKind, check};

use super::attempt_limits::public_counters;
use super::store::{self, LinkPurpose};
use super::{AccountRecord, SecurityEmail, record};
use crate::attempts::{self, AttemptCounter};
use crate::audience::{AccountRef, Audience, Caller};
use crate::auth::{Auth, ClientInfo};
use crate::passwords::{PasswordMatch, forbidden_words};
use crate::secrets::{digest, normalize_email};

impl Audience {
    fn password_reset(self) -> LinkPurpose {
        self.choose(LinkPurpose::StaffPasswordReset, LinkPurpose::PasswordReset)
    }
}

impl Auth {
    /// The account of a session, which must exist and not be blocked.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    pub(crate) async fn account(&self, account: AccountRef) -> Result<AccountRecord> {
        let found = store::by_id(&mut self.platform.db.read().await?, account).await?;
        found.filter(|account| !account.blocked).ok_or_else(Error::token_not_valid)
    }

    /// Hashes a new password for an account with this address.
    ///
    /// # Errors
    /// 422 at the field: `password_length`, `password_common`; 503 `sign_in_busy`.
    pub(crate) async fn hash_password(
        &self,
        audience: Audience,
        password: String,
        field: &'static str,
        email: &str,
    ) -> Result<String> {
        let words = forbidden_words(&self.site_name(), email);
        self.passwords(audience).hash_new(password, field, audience.password_length_min(), words).await
    }

    /// Verifies the current password; returns the account and the counters of the attempt.
    ///
    /// # Errors
    /// 422 `wrong_password` at the field; 401 `token_not_valid` after too many wrong ones, which end the session.
    pub(crate) async fn verify_password(
        self: &Arc<Self>,
        caller: &Caller,
        password: String,
        field: &str,
    ) -> Result<(AccountRecord, Vec<AttemptCounter>)> {
        let counters = self.count_own_password(caller).await?;
        let account = self.account(caller.account).await?;
        match self.passwords(account.audience()).verify(password, Some(account.password_hash.clone())).await? {
            PasswordMatch::No => Err(Error::unprocessable("validation_failed").at(field, "wrong_password")),
            PasswordMatch::Yes | PasswordMatch::Outdated(_) => Ok((account, counters)),
        }
    }

    /// Changes the password, revokes other sessions and notifies the owner.
    ///
    /// # Errors
    /// 422 `wrong_password` at `oldPassword`, or a password error at `newPassword`; 401 `token_not_valid`.
    pub(crate) async fn change_password(
        self: &Arc<Self>,
        caller: Caller,
        old: String,
        new: String,
        client: ClientInfo,
    ) -> Result<()> {
        let (account, counters) = self.verify_password(&caller, old, "oldPassword").await?;
        let hash = match self.hash_password(account.audience(), new, "newPassword", &account.email).await {
            Ok(hash) => hash,
            Err(error) => {
                self.refund_attempts(counters).await?;
                return Err(error);
            }
        };
        self.transaction((account, hash, counters, client), move |this, tx, (account, hash, counters, client), now| {
            Box::pin(async move {
                // The verified password must still be the current one.
                if !store::confirm_password(tx, &account, account.locale, &hash).await? {
                    return Err(Error::token_not_valid());
                }
                attempts::refund(tx, &counters).await?;
                store::delete_links_of(tx, account.id).await?;
                this.sessions.end_all(tx, account.reference(), Some(caller.session), now).await?;
                this.mail_security(tx, &account, SecurityEmail::PasswordChanged, &client, now).await?;
                record(tx, account.reference(), &account.actor(&client), "password_changed", now).await
            })
        })
        .await
    }

    /// Sets a new password by an e-mailed link. Revokes every session, does not sign in, and notifies the owner. The
    /// link proves control of the address. If the account was never activated, somebody else may have created it, so it
    /// is replaced by an empty one. Otherwise everything else stays, including the second factor.
    ///
    /// # Errors
    /// 404 `link_not_valid`: unknown, used, replaced or expired, or of disabled staff; 422 for the password, which keeps
    /// the link valid.
    pub(crate) async fn reset_password(
        self: &Arc<Self>,
        audience: Audience,
        token: &str,
        password: String,
        client: ClientInfo,
    ) -> Result<()> {
        let (purpose, token) = (audience.password_reset(), digest(token));
        let mut tx = self.platform.db.read().await?;
        let link = store::link(&mut tx, &token, purpose, self.platform.clock.now()).await?.ok_or_else(link_not_valid)?;
        let email = store::by_id(&mut tx, AccountRef { audience, id: link.account_id }).await?.ok_or_else(link_not_valid)?.email;
        drop(tx);
        let hash = self.hash_password(audience, password, "password", &email).await?;
        self.transaction((token, hash, client), move |this, tx, (token, hash, client), now| {
            Box::pin(async move {
                let id = store::use_link(tx, &token, purpose, now).await?.ok_or_else(link_not_valid)?.account_id;
                let account = store::lock(tx, AccountRef { audience, id }).await?;
                let may_reset = |account: &AccountRecord| audience == Audience::Customers || !account.blocked;
                let account = account.filter(may_reset).ok_or_else(link_not_valid)?;
                store::delete_links_of(tx, id).await?;
                this.sessions.end_all(tx, account.reference(), None, now).await?;
                let account = if account.is_activated() {
                    store::set_password_hash(tx, account.reference(), &hash).await?;
                    account
                } else {
                    this.replace_unconfirmed(tx, &account, &hash, &client, now).await?
                };
                // Attempts of others do not lock the owner out.
                attempts::reset(tx, &public_counters(&account)).await?;
                this.mail_security(tx, &account, SecurityEmail::PasswordReset, &client, now).await?;
                record(tx, account.reference(), &account.actor(&client), "restored", now).await
            })
        })
        .await
    }
}

/// Validates and normalizes an e-mail address.
///
/// # Errors
/// 422 `bad_email` at `email`.
pub fn checked_email(typed: &str) -> Result<String> {
    let bad_email = |_| Error::unprocessable("validation_failed").at("email", "bad_email");
    check(RequisiteKind::Email, typed).map(|accepted| normalize_email(&accepted.value)).map_err(bad_email)
}

pub fn link_not_valid() -> Error {
    Error::not_found("link_not_valid")
}
