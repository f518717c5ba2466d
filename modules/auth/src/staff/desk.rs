//! What owners do with the accounts of their colleagues.
//!
//! Nobody decides about themselves here, and only an owner decides at all; decisions lock the owners first. So whoever decides is an
//! owner and stays one, and there is always one left.

use std::sync::Arc;

use agio_core::identity::{Actor, Role, Staff};
use agio_core::{Error, Kind, Result, Timestamp, Tx};
use serde_json::json;
use uuid::Uuid;

use super::invitation_store::{self, InvitationRow};
use super::restore::staff_not_found;
use super::store::{self, Colleague, StaffRow};
use super::{note, note_change};
use crate::auth::Auth;
use crate::second_factor;
use crate::sessions::{Account, Holder};

impl Auth {
    /// Everybody who works or worked here, and who is invited.
    pub(crate) async fn colleagues(&self) -> Result<(Vec<Colleague>, Vec<InvitationRow>)> {
        let mut tx = self.platform.db.read().await?;
        Ok((store::all(&mut tx).await?, invitation_store::all(&mut tx).await?))
    }

    /// Gives a colleague another role, which holds at once in every session of theirs.
    ///
    /// # Errors
    /// 403 `staff_self`, or `forbidden` for somebody who is no owner any more; 404 `staff_not_found`.
    pub(crate) async fn change_role(self: &Arc<Self>, id: Uuid, role: Role, by: Staff) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), by.clone());
                Box::pin(async move {
                    let before = decided_on(tx, id, &by).await?;
                    if before.role == role {
                        return Ok(());
                    }
                    store::set_role(tx, id, role).await?;
                    // What an owner invited to is taken back with the right to invite.
                    invitation_store::withdraw_by(tx, id).await?;
                    let mut after = before.clone();
                    after.role = role;
                    this.sessions.account_changed(tx, Holder::Staff(after.staff()), now).await?;
                    this.mail_staff_decision(tx, "staff_role_changed", &after, &by.name, now).await?;
                    let (was, is) = (json!({ "role": before.role.name() }), json!({ "role": role.name() }));
                    note_change(tx, &Actor::from(&by), "staff.role_changed", id, Some(was), Some(is), now).await
                })
            })
            .await
    }

    /// Shuts a colleague out or lets them back in. Shutting out ends every session of theirs at once.
    ///
    /// # Errors
    /// 403 `staff_self`, or `forbidden` for somebody who is no owner any more; 404 `staff_not_found`.
    pub(crate) async fn disable_staff(self: &Arc<Self>, id: Uuid, disabled: bool, by: Staff) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), by.clone());
                Box::pin(async move {
                    let row = decided_on(tx, id, &by).await?;
                    if row.disabled == disabled {
                        return Ok(());
                    }
                    store::disable(tx, id, disabled).await?;
                    store::forget_restore_of(tx, id).await?;
                    invitation_store::withdraw_by(tx, id).await?;
                    this.sessions.end_all(tx, Account::Staff(id), None, now).await?;
                    let (kind, action) = match disabled {
                        true => ("staff_disabled", "staff.disabled"),
                        false => ("staff_enabled", "staff.enabled"),
                    };
                    this.mail_staff_decision(tx, kind, &row, &by.name, now).await?;
                    note(tx, &Actor::from(&by), action, id, now).await
                })
            })
            .await
    }

    /// Takes a colleague's second factor away: every session of theirs ends, and where one is required the next sign-in begins by
    /// setting a new one up.
    ///
    /// # Errors
    /// 403 `staff_self`, or `forbidden` for somebody who is no owner any more; 404 `staff_not_found`; 409 `totp_not_on`.
    pub(crate) async fn reset_second_factor(self: &Arc<Self>, id: Uuid, by: Staff) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), by.clone());
                Box::pin(async move {
                    let row = decided_on(tx, id, &by).await?;
                    if !second_factor::is_on(tx, id).await? {
                        return Err(Error::conflict("totp_not_on"));
                    }
                    this.forget_second_factor(tx, &row, &by.name, now).await?;
                    note(tx, &Actor::from(&by), "staff.second_factor_reset", id, now).await
                })
            })
            .await
    }

    /// Ends one of a colleague's sessions, or all of them.
    ///
    /// # Errors
    /// 403 `staff_self`, or `forbidden` for somebody who is no owner any more; 404 `staff_not_found`, `session_not_found`.
    pub(crate) async fn end_colleagues_sessions(self: &Arc<Self>, id: Uuid, session: Option<Uuid>, by: Staff) -> Result<()> {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), by.clone());
                Box::pin(async move {
                    decided_on(tx, id, &by).await?;
                    this.end_sessions_of(tx, id, session, now).await?;
                    note(tx, &Actor::from(&by), "staff.sessions_ended_by_owner", id, now).await
                })
            })
            .await
    }

    async fn end_sessions_of(&self, tx: &mut Tx, id: Uuid, session: Option<Uuid>, now: Timestamp) -> Result<()> {
        let Some(session) = session else { return self.sessions.end_all(tx, Account::Staff(id), None, now).await.map(drop) };
        match self.sessions.end_own(tx, session, Account::Staff(id), now).await? {
            true => Ok(()),
            false => Err(Error::not_found("session_not_found")),
        }
    }

    /// The name of a colleague, who must be there.
    ///
    /// # Errors
    /// 404 `staff_not_found`.
    pub(crate) async fn colleague(&self, id: Uuid) -> Result<StaffRow> {
        store::by_id(&mut self.platform.db.read().await?, id).await?.ok_or_else(staff_not_found)
    }
}

/// Locks the account of a colleague on which an owner decides.
async fn decided_on(tx: &mut Tx, id: Uuid, by: &Staff) -> Result<StaffRow> {
    if id == by.id {
        return Err(Error::new(Kind::Forbidden, "staff_self"));
    }
    Auth::owners(tx, by).await?;
    store::lock(tx, id).await?.ok_or_else(staff_not_found)
}
