//! Invitations, the only way to create staff accounts.
//!
//! An owner invites an address to a role; the e-mailed link works once. The invitee chooses name and password, is
//! signed in, and sets up a second factor if required. The command line invites the first owner.

use std::sync::Arc;

use agio_approvals::ChangeOutcome;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Role, Staff};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, audit};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::admin::require_owner;
use super::email_taken;
use super::emails::LINK_LIFE;
use super::invitation_store::{self, InvitationRow};
use super::store::{self, NewStaffRow};
use crate::accounts::{OpenedSession, checked_email, link_not_valid, record_change, store as accounts};
use crate::audience::{AccountRef, Audience};
use crate::auth::{Auth, ClientInfo};
use crate::secrets::{device_digest, digest, new_secret};

const NAME_MAX: usize = 80;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InvitationRequest {
    pub email: String,
    pub role: Role,
    /// Language of the e-mail.
    pub locale: Locale,
}

impl Auth {
    /// E-mails an invitation, or creates an approval request if its role can approve; once per key. Replaces an older
    /// invitation to the same address.
    ///
    /// # Errors
    /// 422 `bad_email`, `email_taken` at `email`; 422 `idempotency_mismatch`; 409 `approval_waits`; 403 if the caller is no
    /// longer an owner.
    pub(crate) async fn invite(
        self: &Arc<Self>,
        request: InvitationRequest,
        by: Staff,
        key: Option<Key>,
    ) -> Result<ChangeOutcome<InvitationRow>> {
        let token = new_secret(&*self.platform.random);
        let new = self.new_invitation(request, Some(by.id))?;
        let InvitationRow { email, role, locale, .. } = new.clone();
        let approval = self.invitation_approval(&InvitationRequest { email, role, locale });
        let (this, now) = (self.clone(), self.platform.clock.now());
        let id = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, new, token, by, approval) = (this.clone(), new.clone(), token.clone(), by.clone(), approval.clone());
            Box::pin(async move {
                require_owner(tx, &by).await?;
                if let Some(request) = approval {
                    require_free_address(tx, &new.email).await?;
                    return Ok(this.approvals.propose(tx, request, &by).await?.id);
                }
                this.put_invitation(tx, &new, &token, &Actor::from(&by)).await?;
                this.mail_invitation(tx, &new, &token, now).await?;
                Ok(new.id)
            })
        });
        let id = id.await?;
        let mut tx = self.platform.db.read().await?;
        match invitation_store::by_id(&mut tx, id).await? {
            Some(invitation) => Ok(ChangeOutcome::Applied(invitation)),
            // A repeated request brings the identifier of what it was answered with.
            None => match self.approvals.find(&mut tx, id).await? {
                Some(row) => Ok(ChangeOutcome::PendingApproval(Box::new(row))),
                None => Err(invitation_not_found()),
            },
        }
    }

    /// Creates an invitation from the command line and returns its link.
    ///
    /// # Errors
    /// 422 `bad_email`, `email_taken` at `email`.
    pub async fn invite_from_cli(self: &Arc<Self>, email: &str, role: Role, locale: Locale) -> Result<String> {
        let token = new_secret(&*self.platform.random);
        let new = self.new_invitation(InvitationRequest { email: email.to_owned(), role, locale }, None)?;
        self.transaction((new, token.clone()), |this, tx, (new, token), _| {
            Box::pin(async move { this.put_invitation(tx, &new, &token, &Actor::system("agio staff")).await })
        })
        .await?;
        Ok(self.invitation_link(&token))
    }

    /// An owner who is invited and until when. For an exchange without staff.
    pub async fn invited_owner(&self) -> Result<Option<(String, Timestamp)>> {
        invitation_store::owner(&mut self.platform.db.read().await?, self.platform.clock.now()).await
    }

    pub(super) fn new_invitation(&self, request: InvitationRequest, invited_by: Option<Uuid>) -> Result<InvitationRow> {
        let created_at = self.platform.clock.now();
        Ok(InvitationRow {
            id: self.platform.random.uuid(),
            email: checked_email(&request.email)?,
            role: request.role,
            locale: request.locale,
            invited_by,
            created_at,
            expires_at: created_at.plus(LINK_LIFE),
        })
    }

    pub(super) async fn put_invitation(&self, tx: &mut Tx, new: &InvitationRow, token: &str, by: &Actor) -> Result<()> {
        require_free_address(tx, &new.email).await?;
        invitation_store::put(tx, new, &digest(token)).await?;
        let after = Some(json!({ "email": new.email, "role": new.role.name(), "language": new.locale }));
        let (action, id) = ("staff.invited", new.id.to_string());
        let entry = audit::NewAuditEntry { by, action, about: "staff_invitation", id, before: None, after };
        audit::record(tx, entry, new.created_at).await
    }

    /// E-mails an invitation again with a new link, or creates an approval request as [`invite`](Self::invite) does: the
    /// old link may have expired.
    ///
    /// # Errors
    /// 404 `invitation_not_found`; 409 `approval_waits`; 403 if the caller is no longer an owner.
    pub(crate) async fn resend_invitation(self: &Arc<Self>, id: Uuid, by: Staff) -> Result<ChangeOutcome<InvitationRow>> {
        let found = invitation_store::by_id(&mut self.platform.db.read().await?, id).await?;
        let found = found.ok_or_else(invitation_not_found)?;
        let InvitationRow { email, role, locale, .. } = found;
        self.invite(InvitationRequest { email, role, locale }, by, None).await
    }

    /// # Errors
    /// 404 `invitation_not_found`; 403 if the caller is no longer an owner.
    pub(crate) async fn withdraw_invitation(self: &Arc<Self>, id: Uuid, by: Staff) -> Result<()> {
        self.transaction(by, move |_, tx, by, now| {
            Box::pin(async move {
                require_owner(tx, &by).await?;
                let email = invitation_store::withdraw(tx, id).await?.ok_or_else(invitation_not_found)?;
                let (by, before) = (Actor::from(&by), Some(json!({ "email": email })));
                let (action, about, id) = ("staff.invitation_withdrawn", "staff_invitation", id.to_string());
                audit::record(tx, audit::NewAuditEntry { by: &by, action, about, id, before, after: None }, now).await
            })
        })
        .await
    }

    /// The invitation of a link.
    ///
    /// # Errors
    /// 404 `link_not_valid`: unknown, accepted, withdrawn, replaced or expired.
    pub(crate) async fn invitation_of(&self, token: &str) -> Result<InvitationRow> {
        let now = self.platform.clock.now();
        let mut tx = self.platform.db.read().await?;
        invitation_store::by_link(&mut tx, &digest(token), now).await?.ok_or_else(link_not_valid)
    }

    /// Accepts an invitation: creates the account and signs in.
    ///
    /// # Errors
    /// 404 `link_not_valid`; 422 for the name or the password, which keeps the link valid.
    pub(crate) async fn accept_invitation(
        self: &Arc<Self>,
        token: &str,
        name: &str,
        password: String,
        client: ClientInfo,
    ) -> Result<OpenedSession> {
        let name = checked_name(name)?;
        let email = self.invitation_of(token).await?.email;
        let password_hash = self.hash_password(Audience::Staff, password, "password", &email).await?;
        let (id, session) = (self.platform.random.uuid(), self.platform.random.uuid());
        let device = new_secret(&*self.platform.random);
        let input = (digest(token), name, password_hash, device_digest(&device), client);
        let accepted = self.transaction(input, move |this, tx, (token, name, password_hash, browser, client), now| {
            Box::pin(async move {
                let taken = invitation_store::take(tx, &token, now).await?.ok_or_else(link_not_valid)?;
                let InvitationRow { email, role, .. } = taken;
                let new = NewStaffRow { id, email, name, role, locale: client.locale, password_hash };
                store::insert(tx, &new, now).await?;
                let account = accounts::by_id(tx, AccountRef::staff(id)).await?;
                let account = account.ok_or_else(|| Error::internal("an account is gone"))?;
                this.open_session(tx, &account, (session, false, Some(browser)), &client, now).await?;
                let change = (None, Some(json!({ "role": role.name() })));
                record_change(tx, account.reference(), &account.actor(&client), "joined", change, now).await
            })
        });
        accepted.await.map_err(email_taken)?;
        self.opened_session(AccountRef::staff(id), session, 0, Some(device))
    }
}

/// # Errors
/// 422 `email_taken` at `email`.
async fn require_free_address(tx: &mut Tx, email: &str) -> Result<()> {
    match accounts::by_email(tx, Audience::Staff, email).await? {
        Some(_) => Err(Error::unprocessable("validation_failed").at("email", "email_taken")),
        None => Ok(()),
    }
}

/// Validates a name.
///
/// # Errors
/// 422 at `name`: `required`, `text_too_long`, `name_invalid`.
fn checked_name(typed: &str) -> Result<String> {
    let name = typed.trim();
    let refused = |code| Err(Error::unprocessable("validation_failed").with("max", NAME_MAX).at("name", code));
    match name {
        "" => refused("required"),
        _ if name.chars().count() > NAME_MAX => refused("text_too_long"),
        _ if name.chars().any(char::is_control) => refused("name_invalid"),
        _ => Ok(name.to_owned()),
    }
}

fn invitation_not_found() -> Error {
    Error::not_found("invitation_not_found")
}
