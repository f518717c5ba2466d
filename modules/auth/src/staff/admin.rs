//! Administration of staff by owners.
//!
//! Owners cannot change themselves, and every change locks the owners first. So there is always one owner left.

use std::sync::Arc;

use agio_approvals::ChangeOutcome;
use agio_core::identity::{Actor, Role, Staff};
use agio_core::{Error, ErrorKind, Result, Timestamp, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::emails::LINK_LIFE;
use super::invitation_store::{self, InvitationRow};
use super::staff_not_found;
use super::store::{self, StaffListRow};
use crate::accounts::{AccountRecord, LinkPurpose, record, record_change, store as accounts};
use crate::audience::{AccountRef, Audience};
use crate::auth::Auth;
use crate::second_factor;
use crate::secrets::{digest, new_secret, normalize_email};
use crate::sessions::SessionHolder;

/// What an owner changes about a staff member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StaffChange {
    /// Effective immediately in every session.
    Role(Role),
    /// Revokes every session.
    Disabled(bool),
    /// Removes the second factor and revokes every session.
    SecondFactorReset,
    /// E-mails a password reset link, with which only its recipient sets the password. Nothing changes until then.
    PasswordReset,
    /// Ends one session, or all.
    SessionsEnded(Option<Uuid>),
}

impl Auth {
    /// Current and former staff, and invitations.
    pub(crate) async fn list_staff(&self) -> Result<(Vec<StaffListRow>, Vec<InvitationRow>)> {
        let mut tx = self.platform.db.read().await?;
        Ok((store::all(&mut tx).await?, invitation_store::all(&mut tx).await?))
    }

    /// # Errors
    /// 404 `staff_not_found`.
    pub(crate) async fn require_staff(&self, id: Uuid) -> Result<AccountRef> {
        let found = accounts::by_id(&mut self.platform.db.read().await?, AccountRef::staff(id)).await?;
        found.map(|account| account.reference()).ok_or_else(staff_not_found)
    }

    /// Changes a staff member, or creates an approval request if that lets somebody approve.
    ///
    /// # Errors
    /// 403 `staff_self`, or `forbidden` if the caller is no longer an owner; 404 `staff_not_found`,
    /// `session_not_found`; 409 `totp_not_on`, `staff_disabled`, `approval_waits`.
    pub(crate) async fn change_staff(self: &Arc<Self>, id: Uuid, change: StaffChange, by: Staff) -> Result<ChangeOutcome<()>> {
        self.transaction(by, move |this, tx, by, now| {
            Box::pin(async move {
                if id == by.id && change != StaffChange::PasswordReset {
                    return Err(Error::new(ErrorKind::Forbidden, "staff_self"));
                }
                require_owner(tx, &by).await?;
                let account = accounts::lock(tx, AccountRef::staff(id)).await?.ok_or_else(staff_not_found)?;
                match this.member_approval(tx, &account, change).await? {
                    Some(request) => {
                        let row = this.approvals.propose(tx, request, &by).await?;
                        Ok(ChangeOutcome::PendingApproval(Box::new(row)))
                    }
                    None => this.change_member(tx, account, change, &by, now).await.map(ChangeOutcome::Applied),
                }
            })
        })
        .await
    }

    pub(super) async fn change_member(
        &self,
        tx: &mut Tx,
        account: AccountRecord,
        change: StaffChange,
        by: &Staff,
        now: Timestamp,
    ) -> Result<()> {
        match change {
            StaffChange::Role(role) => self.change_role(tx, account, role, by, now).await,
            StaffChange::Disabled(disabled) => self.change_disabled(tx, &account, disabled, by, now).await,
            StaffChange::SecondFactorReset => {
                if !second_factor::is_on(tx, account.id).await? {
                    return Err(Error::conflict("totp_not_on"));
                }
                self.reset_second_factor(tx, &account, &by.name, &Actor::from(by), now).await
            }
            StaffChange::PasswordReset => {
                let token = new_secret(&*self.platform.random);
                put_password_reset(tx, &account, &token, &Actor::from(by), now).await?;
                self.mail_staff_password_reset(tx, &account, &token, now).await
            }
            StaffChange::SessionsEnded(session) => {
                match session {
                    None => drop(self.sessions.end_all(tx, account.reference(), None, now).await?),
                    Some(session) => {
                        if !self.sessions.end(tx, session, account.reference(), now).await? {
                            return Err(Error::not_found("session_not_found"));
                        }
                    }
                }
                record(tx, account.reference(), &Actor::from(by), "sessions_ended_by_owner", now).await
            }
        }
    }

    async fn change_role(&self, tx: &mut Tx, account: AccountRecord, role: Role, by: &Staff, now: Timestamp) -> Result<()> {
        let before = account.staff()?.clone();
        if before.role == role {
            return Ok(());
        }
        store::set_role(tx, account.id, role).await?;
        // Invitations end with the right to invite.
        invitation_store::withdraw_by(tx, account.id).await?;
        self.approvals.withdraw_of(tx, account.id, Some(role), by).await?;
        let change = (Some(json!({ "role": before.role.name() })), Some(json!({ "role": role.name() })));
        let account = AccountRecord { holder: SessionHolder::Staff(Staff { role, ..before }), ..account };
        self.sessions.account_changed(tx, account.holder.clone(), now).await?;
        self.mail_decision(tx, "staff_role_changed", &account, &by.name, now).await?;
        record_change(tx, account.reference(), &Actor::from(by), "role_changed", change, now).await
    }

    async fn change_disabled(
        &self,
        tx: &mut Tx,
        account: &AccountRecord,
        disabled: bool,
        by: &Staff,
        now: Timestamp,
    ) -> Result<()> {
        if account.blocked == disabled {
            return Ok(());
        }
        store::disable(tx, account.id, disabled).await?;
        accounts::delete_links_of(tx, account.id).await?;
        invitation_store::withdraw_by(tx, account.id).await?;
        self.approvals.withdraw_of(tx, account.id, None, by).await?;
        self.sessions.end_all(tx, account.reference(), None, now).await?;
        let (kind, action) = if disabled { ("staff_disabled", "disabled") } else { ("staff_enabled", "enabled") };
        self.mail_decision(tx, kind, account, &by.name, now).await?;
        record(tx, account.reference(), &Actor::from(by), action, now).await
    }

    /// Removes a second factor, revokes every session and notifies the account's owner.
    async fn reset_second_factor(
        &self,
        tx: &mut Tx,
        account: &AccountRecord,
        name: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<()> {
        second_factor::remove(tx, account.id).await?;
        self.sessions.end_all(tx, account.reference(), None, now).await?;
        self.mail_decision(tx, "staff_second_factor_reset", account, name, now).await?;
        record(tx, account.reference(), by, "second_factor_reset", now).await
    }

    /// Creates a password reset link from the command line, for an owner without another owner to ask. Can also remove
    /// the second factor.
    ///
    /// # Errors
    /// 404 `staff_not_found`, 409 `staff_disabled`.
    pub async fn reset_password_from_cli(self: &Arc<Self>, email: &str, forget_second_factor: bool) -> Result<String> {
        let email = normalize_email(email);
        let found = accounts::by_email(&mut self.platform.db.read().await?, Audience::Staff, &email).await?;
        let (id, token) = (found.ok_or_else(staff_not_found)?.id, new_secret(&*self.platform.random));
        self.transaction(token.clone(), move |this, tx, token, now| {
            Box::pin(async move {
                let by = Actor::system("agio staff");
                let account = accounts::lock(tx, AccountRef::staff(id)).await?.ok_or_else(staff_not_found)?;
                put_password_reset(tx, &account, &token, &by, now).await?;
                if forget_second_factor {
                    this.reset_second_factor(tx, &account, &this.site_name(), &by, now).await?;
                }
                Ok(())
            })
        })
        .await?;
        Ok(self.password_reset_link(&token))
    }
}

/// Replaces the password reset link of a staff member.
///
/// # Errors
/// 409 `staff_disabled`.
async fn put_password_reset(tx: &mut Tx, account: &AccountRecord, token: &str, by: &Actor, now: Timestamp) -> Result<()> {
    if account.blocked {
        return Err(Error::conflict("staff_disabled"));
    }
    accounts::put_link(tx, account.id, (LinkPurpose::StaffPasswordReset, None), &digest(token), now.plus(LINK_LIFE)).await?;
    record(tx, account.reference(), by, "restore_sent", now).await
}

/// Locks the owners and checks that the caller is still one of them.
///
/// # Errors
/// 403 `forbidden`.
pub async fn require_owner(tx: &mut Tx, by: &Staff) -> Result<()> {
    let owners = store::lock_owners(tx).await?;
    if owners.contains(&by.id) { Ok(()) } else { Err(Error::forbidden(super::STAFF_MANAGE.0)) }
}
