//! Two-person approval of what lets somebody approve. Otherwise owners could be their own second person, with an account
//! that they made or took over.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, outdated};
use agio_core::identity::{Permission, Role, Staff};
use agio_core::{BoxFuture, Result, Timestamp, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::admin::{StaffChange, require_owner};
use super::invitations::InvitationRequest;
use super::{STAFF_MANAGE, store};
use crate::accounts::{AccountRecord, store as accounts};
use crate::audience::AccountRef;
use crate::auth::Auth;
use crate::second_factor;
use crate::secrets::new_secret;

const KIND: &str = "staff_changed";

/// The payload of an approval request.
#[derive(Serialize, Deserialize)]
enum RequestedChange {
    Invitation(InvitationRequest),
    Member { id: Uuid, before: MemberState, change: StaffChange },
}

/// What decides whether a change of a staff member needs approval.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct MemberState {
    role: Role,
    disabled: bool,
    second_factor: bool,
}

impl MemberState {
    async fn of(tx: &mut Tx, account: &AccountRecord) -> Result<Self> {
        let second_factor = second_factor::is_on(tx, account.id).await?;
        Ok(Self { role: account.staff()?.role, disabled: account.blocked, second_factor })
    }
}

impl Auth {
    /// The approval request for an invitation; `None` if one person may send it.
    pub(super) fn invitation_approval(&self, request: &InvitationRequest) -> Option<ApprovalRequest> {
        let InvitationRequest { email, role, .. } = request;
        if !(self.approvals.is_enabled() && self.approvals.may_decide_more(*role, None)) {
            return None;
        }
        let shown = vec![ApprovalFact::new("invited", email.clone()), ApprovalFact::new("role", role_text(*role))];
        let payload = json!(RequestedChange::Invitation(request.clone()));
        Some(ApprovalRequest { kind: KIND, about: ("staff_invitation", email.clone()), shown, payload })
    }

    /// The approval request for a change of a staff member; `None` if one person may make it.
    pub(super) async fn member_approval(
        &self,
        tx: &mut Tx,
        account: &AccountRecord,
        change: StaffChange,
    ) -> Result<Option<ApprovalRequest>> {
        let before = MemberState::of(tx, account).await?;
        if !(self.approvals.is_enabled() && self.lets_approve(&before, change)) {
            return Ok(None);
        }
        let who = format!("{}, {}", account.staff()?.name, account.email);
        let shown = [Some(ApprovalFact::new("staff", who)), fact(before.role, change)].into_iter().flatten().collect();
        let payload = json!(RequestedChange::Member { id: account.id, before, change });
        Ok(Some(ApprovalRequest { kind: KIND, about: ("staff", account.id.to_string()), shown, payload }))
    }

    /// Whether a change lets somebody approve who could not, or opens an account that can to the readers of its mail.
    fn lets_approve(&self, before: &MemberState, change: StaffChange) -> bool {
        let decides = || self.approvals.may_decide_more(before.role, None);
        match change {
            StaffChange::Role(role) => self.approvals.may_decide_more(role, Some(before.role)),
            StaffChange::Disabled(disabled) => before.disabled && !disabled && decides(),
            StaffChange::SecondFactorReset => before.second_factor && decides(),
            // Its second factor guards the account.
            StaffChange::PasswordReset => !before.disabled && !before.second_factor && decides(),
            StaffChange::SessionsEnded(_) => false,
        }
    }

    async fn execute_approved(&self, tx: &mut Tx, approval: &ApprovalRow, approver: &Staff) -> Result<()> {
        require_owner(tx, approver).await?;
        // The author decides about staff no more.
        if !store::lock_owners(tx).await?.contains(&approval.proposed_by) {
            return Err(outdated());
        }
        let now = self.platform.clock.now();
        match approval.read()? {
            RequestedChange::Invitation(request) => self.send_approved_invitation(tx, request, approval, now).await,
            RequestedChange::Member { id, before, change } => {
                let account = accounts::lock(tx, AccountRef::staff(id)).await?.ok_or_else(outdated)?;
                if MemberState::of(tx, &account).await? != before {
                    return Err(outdated());
                }
                let (id, name) = (approval.proposed_by, approval.proposed_name.clone());
                let by = Staff { id, name, role: Role::Owner, address: None };
                self.change_member(tx, account, change, &by, now).await
            }
        }
    }

    async fn send_approved_invitation(
        &self,
        tx: &mut Tx,
        request: InvitationRequest,
        approval: &ApprovalRow,
        now: Timestamp,
    ) -> Result<()> {
        let token = new_secret(&*self.platform.random);
        let new = self.new_invitation(request, Some(approval.proposed_by))?;
        self.put_invitation(tx, &new, &token, &approval.proposer()).await.map_err(|error| match error.code() {
            // Somebody has the address by now.
            "validation_failed" => outdated().caused_by(error),
            _ => error,
        })?;
        self.mail_invitation(tx, &new, &token, now).await
    }
}

/// What changes, besides whom it is about.
fn fact(before: Role, change: StaffChange) -> Option<ApprovalFact> {
    let yes = || ApprovalValue::flag(true);
    match change {
        StaffChange::Role(role) => ApprovalFact::change("role", Some(role_text(before)), Some(role_text(role))),
        StaffChange::Disabled(disabled) => {
            ApprovalFact::change("staff_access", Some(ApprovalValue::flag(disabled)), Some(ApprovalValue::flag(!disabled)))
        }
        StaffChange::SecondFactorReset => Some(ApprovalFact::new("second_factor_reset", yes())),
        StaffChange::PasswordReset => Some(ApprovalFact::new("password_link", yes())),
        StaffChange::SessionsEnded(_) => None,
    }
}

fn role_text(role: Role) -> ApprovalValue {
    ApprovalValue::Text { text: format!("role.{role}") }
}

/// Makes approved changes of staff.
pub struct StaffChangeApproval(pub Arc<Auth>);

impl ApprovalHandler for StaffChangeApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (KIND, STAFF_MANAGE)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.execute_approved(tx, approval, approver).await })
    }
}
