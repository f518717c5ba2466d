//! What members of staff do with their own account: confirm that it is they, change the password, see and end sessions.

use std::sync::Arc;

use agio_core::identity::{Actor, StaffSession};
use agio_core::{Error, Result, Timestamp, Tx};
use uuid::Uuid;

use super::gates::Secret;
use super::store::{self, StaffRow};
use super::{actor, note};
use crate::attempts::{self, Gate};
use crate::auth::{Auth, Client};
use crate::passwords::{Fit, STAFF_LENGTH_MIN, words_of};
use crate::second_factor::{self, Taken};
use crate::sessions::{Account, SessionRow};
use crate::tokens::Audience;

impl Auth {
    /// Confirms the session of the call: by a code or recovery code, or, for somebody without a second factor where none is required,
    /// by the password. Gives until when that is fresh.
    ///
    /// # Errors
    /// 422 `required`, `otp_invalid` at `code`, or `required`, `wrong_password` at `password`; 429 `too_many_attempts`.
    pub(crate) async fn staff_confirm(
        self: &Arc<Self>,
        who: StaffSession,
        code: Option<String>,
        password: Option<String>,
        client: Client,
    ) -> Result<Timestamp> {
        let id = who.staff.id;
        let required = |field: &str| Error::unprocessable("validation_failed").at(field, "required");
        let outcome = if second_factor::is_on(&mut self.platform.db.read().await?, id).await? {
            let code = code.filter(|code| !code.trim().is_empty()).ok_or_else(|| required("code"))?;
            let gates = self.admit_colleague(Secret::Code, id).await?;
            self.confirm_by(who, Some(code), gates, client.clone()).await
        } else {
            let password = password.filter(|password| !password.is_empty()).ok_or_else(|| required("password"))?;
            match self.staff_confirmed(id, password, "password").await {
                Ok((_, gates)) => self.confirm_by(who, None, gates, client.clone()).await,
                Err(error) => Err(error),
            }
        };
        if let Err(error) = &outcome
            && ["otp_invalid", "validation_failed"].contains(&error.code())
        {
            self.note_staff("staff.confirm_failed", id, client).await?;
        }
        outcome
    }

    async fn confirm_by(
        self: &Arc<Self>,
        who: StaffSession,
        code: Option<String>,
        gates: Vec<Gate>,
        client: Client,
    ) -> Result<Timestamp> {
        let (this, now, id, session) = (self.clone(), self.platform.clock.now(), who.staff.id, who.session);
        self.platform
            .db
            .write(move |tx| {
                let (this, code, gates, client) = (this.clone(), code.clone(), gates.clone(), client.clone());
                Box::pin(async move {
                    let row = present(tx, id).await?;
                    let by = actor(&row, &client);
                    let taken = match &code {
                        Some(code) => Some(second_factor::take(tx, &this.platform, id, code, now).await?),
                        // It was turned on since.
                        None if second_factor::is_on(tx, id).await? => {
                            return Err(second_factor::invalid());
                        }
                        None => None,
                    };
                    attempts::give_back(tx, &gates).await?;
                    let until = this.sessions.confirm(tx, session, Account::Staff(id), taken.is_some(), now).await?;
                    if taken == Some(Taken::Recovery) {
                        note(tx, &by, "staff.recovery_code_used", id, now).await?;
                    }
                    note(tx, &by, "staff.confirmed", id, now).await?;
                    Ok(until)
                })
            })
            .await
    }

    /// The account of somebody signed in who shows its password once more, and where the attempt was counted.
    ///
    /// # Errors
    /// 422 `wrong_password` at the field; 429 `too_many_attempts`.
    pub(crate) async fn staff_confirmed(&self, id: Uuid, password: String, field: &str) -> Result<(StaffRow, Vec<Gate>)> {
        let gates = self.admit_colleague(Secret::Password, id).await?;
        let row = present(&mut self.platform.db.read().await?, id).await?;
        match self.staff_passwords.fits(password, Some(row.password_hash.clone())).await? {
            Fit::No => Err(Error::unprocessable("validation_failed").at(field, "wrong_password")),
            Fit::Yes | Fit::YesRenewed(_) => Ok((row, gates)),
        }
    }

    /// Changes the password of whoever knows the present one. Every other session ends, and the owner of the account is told.
    ///
    /// # Errors
    /// 422 `wrong_password` at `oldPassword`, or for an unfit new one at `newPassword`; 429 `too_many_attempts`.
    pub(crate) async fn change_staff_password(
        self: &Arc<Self>,
        who: StaffSession,
        old: String,
        new: String,
        client: Client,
    ) -> Result<()> {
        let (row, gates) = self.staff_confirmed(who.staff.id, old, "oldPassword").await?;
        let words = words_of(&self.site_name(), &row.email);
        let hash = self.staff_passwords.accept(new, "newPassword", STAFF_LENGTH_MIN, words).await?;
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, row, hash, gates) = (this.clone(), row.clone(), hash.clone(), gates.clone());
                let (client, session) = (client.clone(), who.session);
                Box::pin(async move {
                    // The password that was confirmed must still be the present one.
                    if !store::enter(tx, &row, row.locale(), &hash).await? {
                        return Err(Error::token_not_valid());
                    }
                    attempts::give_back(tx, &gates).await?;
                    store::forget_restore_of(tx, row.id).await?;
                    this.sessions.end_all(tx, Account::Staff(row.id), Some(session), now).await?;
                    this.mail_staff_change(tx, "staff_password_changed", &row, &client, now).await?;
                    note(tx, &actor(&row, &client), "staff.password_changed", row.id, now).await
                })
            })
            .await
    }

    /// The live sessions of a member of staff, the one used last first.
    pub(crate) async fn staff_sessions(&self, id: Uuid) -> Result<Vec<SessionRow>> {
        let mut tx = self.platform.db.read().await?;
        self.sessions.of(&mut tx, Account::Staff(id), Audience::Console, self.platform.clock.now()).await
    }

    /// Ends one of somebody's own sessions.
    ///
    /// # Errors
    /// 404 `session_not_found`.
    pub(crate) async fn end_staff_session(self: &Arc<Self>, who: StaffSession, session: Uuid) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), who.staff.clone());
                Box::pin(async move {
                    if !this.sessions.end_own(tx, session, Account::Staff(by.id), now).await? {
                        return Err(Error::not_found("session_not_found"));
                    }
                    note(tx, &Actor::from(&by), "staff.session_ended", by.id, now).await
                })
            })
            .await
    }

    /// Ends all of somebody's own sessions but the one of the call.
    pub(crate) async fn end_other_staff_sessions(self: &Arc<Self>, who: StaffSession) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, who) = (this.clone(), who.clone());
                Box::pin(async move {
                    let (by, id) = (Actor::from(&who.staff), who.staff.id);
                    if this.sessions.end_all(tx, Account::Staff(id), Some(who.session), now).await? == 0 {
                        return Ok(());
                    }
                    note(tx, &by, "staff.other_sessions_ended", id, now).await
                })
            })
            .await
    }

    /// Writes down what somebody tried in vain.
    async fn note_staff(&self, action: &'static str, id: Uuid, client: Client) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let client = client.clone();
                Box::pin(async move {
                    let row = present(tx, id).await?;
                    note(tx, &actor(&row, &client), action, id, now).await
                })
            })
            .await
    }
}

/// The account of a session, which must be there and open.
pub async fn present(tx: &mut Tx, id: Uuid) -> Result<StaffRow> {
    store::by_id(tx, id).await?.filter(|row| !row.disabled).ok_or_else(Error::token_not_valid)
}
