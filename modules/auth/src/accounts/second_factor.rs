//! Setting up, disabling and recovering the second factor of an account.

use std::sync::Arc;

use agio_core::identity::StaffSession;
use agio_core::{Error, Result, Tx};

use super::{SecurityEmail, record, store};
use crate::attempts;
use crate::audience::{Audience, Caller};
use crate::auth::{Auth, ClientInfo};
use crate::second_factor::{self, TotpSecret};
use crate::sessions;

/// What a change of the second factor needs besides the password.
#[derive(Clone)]
pub struct SecondFactorConfirmation {
    /// `None` if the session was confirmed recently.
    code: Option<String>,
}

impl SecondFactorConfirmation {
    /// A code of the app or a recovery code.
    pub fn code(code: String) -> Self {
        Self { code: Some(code) }
    }

    /// # Errors
    /// 403 `fresh_second_factor_needed`.
    pub fn fresh(session: &StaffSession) -> Result<Self> {
        session.require_fresh()?;
        Ok(Self { code: None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorChange {
    Disable,
    /// Replaces the recovery codes.
    RenewRecoveryCodes,
}

impl Auth {
    /// Whether the session may do nothing but set up a required second factor.
    pub(crate) async fn needs_setup(&self, tx: &mut Tx, caller: &Caller) -> Result<bool> {
        let is_required = caller.account.audience == Audience::Staff && self.console.second_factor_required;
        Ok(is_required && !sessions::store::status(tx, caller.session).await?.second_factor)
    }

    /// Starts the setup, which [`confirm_totp`](Self::confirm_totp) completes. Needs the password unless a required
    /// setup comes first.
    ///
    /// # Errors
    /// 409 `totp_is_on`, `not_activated`; 422 `required`, `wrong_password` at `password`; 401 `token_not_valid`.
    pub(crate) async fn begin_totp(self: &Arc<Self>, caller: Caller, password: Option<String>) -> Result<TotpSecret> {
        let account = self.account(caller.account).await?;
        if !account.is_activated() {
            // Somebody who signed up with another person's address must not lock them out.
            return Err(Error::conflict("not_activated"));
        }
        let needs_setup = self.needs_setup(&mut self.platform.db.read().await?, &caller).await?;
        let (account, counters) = if needs_setup {
            (account, Vec::new())
        } else {
            let missing = || Error::unprocessable("validation_failed").at("password", "required");
            self.verify_password(&caller, password.ok_or_else(missing)?, "password").await?
        };
        self.transaction((account, counters), |this, tx, (account, counters), _| {
            Box::pin(async move {
                attempts::refund(tx, &counters).await?;
                second_factor::begin(tx, &this.platform, account.id, &this.site_name(), &account.email).await
            })
        })
        .await
    }

    /// Enables the second factor and returns the recovery codes. Revokes other sessions of staff, which have no second
    /// factor.
    ///
    /// # Errors
    /// 409 `totp_not_begun`; 422 `otp_invalid`; 401 `token_not_valid`.
    pub(crate) async fn confirm_totp(self: &Arc<Self>, caller: Caller, code: String, client: ClientInfo) -> Result<Vec<String>> {
        let counters = self.count_own_code(&caller).await?;
        // Apps show codes with a space.
        let code: String = code.split_whitespace().collect();
        self.transaction((caller, code, counters, client), |this, tx, (caller, code, counters, client), now| {
            Box::pin(async move {
                // Serializes with sign-ins: each is asked for a code or revoked here.
                let account = store::lock(tx, caller.account).await?.ok_or_else(Error::token_not_valid)?;
                let codes = second_factor::confirm(tx, &this.platform, account.id, &code, now).await?;
                attempts::refund(tx, &counters).await?;
                if account.audience() == Audience::Staff {
                    this.sessions.confirm(tx, caller.session, caller.account, true, now).await?;
                    this.sessions.end_all(tx, caller.account, Some(caller.session), now).await?;
                }
                this.mail_security(tx, &account, SecurityEmail::SecondFactorOn, &client, now).await?;
                record(tx, caller.account, &account.actor(&client), "totp_on", now).await?;
                Ok(codes)
            })
        })
        .await
    }

    /// Disables the second factor or replaces the recovery codes; returns the new codes, if any. Disabling it revokes
    /// other sessions of staff; if it is required, this one too.
    ///
    /// # Errors
    /// 409 `totp_not_on`; 422 `wrong_password`, `otp_invalid`; 401 `token_not_valid`.
    pub(crate) async fn change_second_factor(
        self: &Arc<Self>,
        caller: Caller,
        change: SecondFactorChange,
        password: String,
        confirmation: SecondFactorConfirmation,
        client: ClientInfo,
    ) -> Result<Vec<String>> {
        let (_, mut counters) = self.verify_password(&caller, password, "password").await?;
        if confirmation.code.is_some() {
            counters.extend(self.count_own_code(&caller).await?);
        }
        let remaining = (!self.console.second_factor_required).then_some(caller.session);
        let input = (caller.account, confirmation.code, counters, client);
        self.transaction(input, move |this, tx, (reference, code, counters, client), now| {
            Box::pin(async move {
                let account = store::lock(tx, reference).await?.filter(|account| !account.blocked);
                let account = account.ok_or_else(Error::token_not_valid)?;
                if !second_factor::is_on(tx, account.id).await? {
                    return Err(Error::conflict("totp_not_on"));
                }
                if let Some(code) = code {
                    second_factor::verify_code(tx, &this.platform, account.id, &code, now).await?;
                }
                attempts::refund(tx, &counters).await?;
                let by = account.actor(&client);
                match change {
                    SecondFactorChange::RenewRecoveryCodes => {
                        let codes = second_factor::renew_recovery_codes(tx, &this.platform, account.id).await?;
                        record(tx, reference, &by, "recovery_codes_made", now).await?;
                        Ok(codes)
                    }
                    SecondFactorChange::Disable => {
                        second_factor::remove(tx, account.id).await?;
                        if account.audience() == Audience::Staff {
                            this.sessions.end_all(tx, reference, remaining, now).await?;
                        }
                        this.mail_security(tx, &account, SecurityEmail::SecondFactorOff, &client, now).await?;
                        record(tx, reference, &by, "totp_off", now).await?;
                        Ok(Vec::new())
                    }
                }
            })
        })
        .await
    }
}
