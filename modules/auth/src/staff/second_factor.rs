//! Staff's own second factor: turning it on, and off where it is not required.

use std::sync::Arc;

use agio_core::identity::StaffSession;
use agio_core::{Error, Result};

use super::gates::Secret;
use super::own::present;
use super::{actor, note, store};
use crate::attempts;
use crate::auth::{Auth, Client};
use crate::second_factor::{self, Begun};
use crate::sessions::Account;

impl Auth {
    /// Gives the secret for an authenticator app. Whoever may do nothing else in their session showed the password to get it; others show
    /// it now. It holds once [`confirm_staff_totp`](Self::confirm_staff_totp) was shown a code.
    ///
    /// # Errors
    /// 409 `totp_is_on`; 422 `required`, `wrong_password` at `password`; 429 `too_many_attempts`.
    pub(crate) async fn begin_staff_totp(self: &Arc<Self>, who: StaffSession, password: Option<String>) -> Result<Begun> {
        let profile = self.staff_profile(who.staff.id, who.session).await?;
        let (row, gates) = if profile.setup_needed {
            (profile.row, Vec::new())
        } else {
            let password = password.filter(|password| !password.is_empty());
            let password = password.ok_or_else(|| Error::unprocessable("validation_failed").at("password", "required"))?;
            self.staff_confirmed(who.staff.id, password, "password").await?
        };
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, row, gates) = (this.clone(), row.clone(), gates.clone());
                Box::pin(async move {
                    attempts::give_back(tx, &gates).await?;
                    second_factor::begin(tx, &this.platform, row.id, &this.site_name(), &row.email).await
                })
            })
            .await
    }

    /// Turns the second factor on by its first code and gives the recovery codes, this once. Every other session ends: nobody showed a
    /// second factor in those.
    ///
    /// # Errors
    /// 409 `totp_not_begun`; 422 `otp_invalid`; 429 `too_many_attempts`.
    pub(crate) async fn confirm_staff_totp(
        self: &Arc<Self>,
        who: StaffSession,
        code: String,
        client: Client,
    ) -> Result<Vec<String>> {
        let gates = self.admit_colleague(Secret::Code, who.staff.id).await?;
        // Apps show a code in two halves, and people type what they see.
        let code: String = code.split_whitespace().collect();
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, code, client, gates) = (this.clone(), code.clone(), client.clone(), gates.clone());
                let (id, session) = (who.staff.id, who.session);
                Box::pin(async move {
                    // A sign-in at this moment comes before or after, so that it is asked for a code or its session ends here.
                    let row = store::lock(tx, id).await?.ok_or_else(Error::token_not_valid)?;
                    let codes = second_factor::confirm(tx, &this.platform, id, &code, now).await?;
                    attempts::give_back(tx, &gates).await?;
                    this.sessions.confirm(tx, session, Account::Staff(id), true, now).await?;
                    this.sessions.end_all(tx, Account::Staff(id), Some(session), now).await?;
                    this.mail_staff_change(tx, "staff_second_factor_on", &row, &client, now).await?;
                    note(tx, &actor(&row, &client), "staff.totp_on", id, now).await?;
                    Ok(codes)
                })
            })
            .await
    }

    /// Turns the second factor off, for whoever confirmed the session a moment ago and shows the password. Every other session ends; where
    /// a second factor is required this one as well, and the next sign-in begins by setting a new one up.
    ///
    /// # Errors
    /// 403 `fresh_second_factor_needed`; 409 `totp_not_on`; 422 `wrong_password`; 429 `too_many_attempts`.
    pub(crate) async fn remove_staff_totp(self: &Arc<Self>, who: StaffSession, password: String, client: Client) -> Result<()> {
        who.require_fresh()?;
        let (_, gates) = self.staff_confirmed(who.staff.id, password, "password").await?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        let kept = (!self.console.second_factor_required).then_some(who.session);
        self.platform
            .db
            .write(move |tx| {
                let (this, client, gates, id) = (this.clone(), client.clone(), gates.clone(), who.staff.id);
                Box::pin(async move {
                    let row = store::lock(tx, id).await?.ok_or_else(Error::token_not_valid)?;
                    if !second_factor::is_on(tx, id).await? {
                        return Err(Error::conflict("totp_not_on"));
                    }
                    second_factor::remove(tx, id).await?;
                    attempts::give_back(tx, &gates).await?;
                    this.sessions.end_all(tx, Account::Staff(id), kept, now).await?;
                    this.mail_staff_change(tx, "staff_second_factor_off", &row, &client, now).await?;
                    note(tx, &actor(&row, &client), "staff.totp_off", id, now).await
                })
            })
            .await
    }

    /// Makes new recovery codes for whoever confirmed the session a moment ago and shows the password; the old ones are good no more.
    ///
    /// # Errors
    /// 403 `fresh_second_factor_needed`; 409 `totp_not_on`; 422 `wrong_password`; 429 `too_many_attempts`.
    pub(crate) async fn renew_staff_recovery_codes(
        self: &Arc<Self>,
        who: StaffSession,
        password: String,
        client: Client,
    ) -> Result<Vec<String>> {
        who.require_fresh()?;
        let (_, gates) = self.staff_confirmed(who.staff.id, password, "password").await?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, client, gates, id) = (this.clone(), client.clone(), gates.clone(), who.staff.id);
                Box::pin(async move {
                    let row = present(tx, id).await?;
                    if !second_factor::is_on(tx, id).await? {
                        return Err(Error::conflict("totp_not_on"));
                    }
                    let codes = second_factor::renew_recovery_codes(tx, &this.platform, id).await?;
                    attempts::give_back(tx, &gates).await?;
                    note(tx, &actor(&row, &client), "staff.recovery_codes_made", id, now).await?;
                    Ok(codes)
                })
            })
            .await
    }
}
