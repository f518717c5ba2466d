//! Confirmation of a staff session: what sends money or decides about staff needs a recent one.

use std::sync::Arc;

use agio_core::identity::StaffSession;
use agio_core::{Error, Result, Timestamp, Tx};

use crate::accounts::{record, store as accounts};
use crate::attempts::{self, AttemptCounter};
use crate::audience::Caller;
use crate::auth::{Auth, ClientInfo};
use crate::second_factor::{self, AcceptedCode};

impl Auth {
    /// Confirms the session with a code or recovery code, or with the password if the account has no second factor.
    /// Returns until when the confirmation is fresh.
    ///
    /// # Errors
    /// 422 `otp_required`, `otp_invalid` at `code`, or `required`, `wrong_password` at `password`; 401
    /// `token_not_valid` after too many wrong ones, which end the session.
    pub(crate) async fn confirm_session(
        self: &Arc<Self>,
        session: StaffSession,
        code: Option<String>,
        password: Option<String>,
        client: ClientInfo,
    ) -> Result<Timestamp> {
        let caller = Caller::from(&session);
        let confirmed = if second_factor::is_on(&mut self.platform.db.read().await?, caller.account.id).await? {
            let code = code.filter(|code| !code.trim().is_empty()).ok_or_else(second_factor::missing_code)?;
            let counters = self.count_own_code(&caller).await?;
            self.confirm_by(caller.clone(), Some(code), counters, client.clone()).await
        } else {
            let missing = || Error::unprocessable("validation_failed").at("password", "required");
            let password = password.filter(|password| !password.is_empty()).ok_or_else(missing)?;
            match self.verify_password(&caller, password, "password").await {
                Ok((_, counters)) => self.confirm_by(caller.clone(), None, counters, client.clone()).await,
                Err(error) => Err(error),
            }
        };
        if let Err(error) = &confirmed
            && ["otp_invalid", "validation_failed"].contains(&error.code())
        {
            self.transaction((caller, client), |_, tx, (caller, client), now| {
                Box::pin(async move { record_confirmation(tx, &caller, "confirm_failed", &client, now).await })
            })
            .await?;
        }
        confirmed
    }

    async fn confirm_by(
        self: &Arc<Self>,
        caller: Caller,
        code: Option<String>,
        counters: Vec<AttemptCounter>,
        client: ClientInfo,
    ) -> Result<Timestamp> {
        self.transaction((caller, code, counters, client), |this, tx, (caller, code, counters, client), now| {
            Box::pin(async move {
                let id = caller.account.id;
                let accepted = match &code {
                    Some(code) => Some(second_factor::verify_code(tx, &this.platform, id, code, now).await?),
                    // It was enabled meanwhile.
                    None if second_factor::is_on(tx, id).await? => return Err(second_factor::invalid_code()),
                    None => None,
                };
                attempts::refund(tx, &counters).await?;
                let until = this.sessions.confirm(tx, caller.session, caller.account, accepted.is_some(), now).await?;
                if accepted == Some(AcceptedCode::RecoveryCode) {
                    record_confirmation(tx, &caller, "recovery_code_used", &client, now).await?;
                }
                record_confirmation(tx, &caller, "confirmed", &client, now).await?;
                Ok(until)
            })
        })
        .await
    }
}

/// Records what the account did, which must exist and be enabled.
async fn record_confirmation(tx: &mut Tx, caller: &Caller, action: &str, client: &ClientInfo, now: Timestamp) -> Result<()> {
    let account = accounts::by_id(tx, caller.account).await?.filter(|account| !account.blocked);
    let by = account.ok_or_else(Error::token_not_valid)?.actor(client);
    record(tx, caller.account, &by, action, now).await
}
