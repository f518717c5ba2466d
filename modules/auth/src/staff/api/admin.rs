//! Staff administration endpoints.

use std::collections::HashMap;

use agio_approvals::{ApprovalRow, ChangeOutcome, PendingApproval};
use agio_core::identity::{Role, Staff};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp};
use agio_http::{Accepted, ApiResult, Created, Either, IdempotencyKey, JsonBody, JsonResponse, Nullable, StaffAuth, Visitor};
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path};
use uuid::Uuid;

use super::bodies::{
    InvitationView, InviteStaffRequest, PermissionView, RoleDetails, StaffList, StaffSummary, UpdateRoleRequest,
};
use super::{ApiContext, Tag};
use crate::api::NoContent;
use crate::api::bodies::SessionView;
use crate::staff::admin::StaffChange;
use crate::staff::invitation_store::InvitationRow;
use crate::staff::invitations::InvitationRequest;
use crate::staff::store::StaffListRow;
use crate::staff::{STAFF_MANAGE, STAFF_READ};

pub struct StaffAdminApi(pub(super) ApiContext);

/// The new invitation, or an approval request.
type InviteResponse = Either<Created<InvitationView>, PendingApproval>;

/// The sent invitation, or an approval request.
type ResendResponse = Either<JsonResponse<InvitationView>, PendingApproval>;

/// The change was made, or an approval request.
type ChangeStaffResponse = Either<NoContent, PendingApproval>;

/// The caller, if they may manage staff and recently confirmed a second factor.
fn require_manager(auth: &StaffAuth) -> Result<Staff> {
    let staff = auth.require(STAFF_MANAGE)?;
    auth.require_fresh()?;
    Ok(staff)
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Staff")]
impl StaffAdminApi {
    /// List staff
    ///
    /// Includes pending invitations. Needs `staff.read`.
    #[oai(path = "/staff", method = "get", operation_id = "listStaff")]
    async fn list(&self, auth: StaffAuth) -> ApiResult<JsonResponse<StaffList>> {
        let caller = auth.require(STAFF_READ)?;
        let (staff, invitations) = self.0.auth().list_staff().await?;
        let names: HashMap<Uuid, String> = staff.iter().map(|row| (row.id, row.name.clone())).collect();
        let now = self.0.auth().platform.clock.now();
        Ok(JsonResponse(StaffList {
            items: staff.into_iter().map(|row| staff_member(row, caller.id)).collect(),
            invitations: invitations.into_iter().map(|row| invitation(row, &names, now)).collect(),
        }))
    }

    /// List roles
    ///
    /// Each with its permissions.
    #[oai(path = "/staff/roles", method = "get", operation_id = "listRoles")]
    async fn roles(&self, _auth: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<RoleDetails>>> {
        let text = |key: String| self.0.texts.get(visitor.locale, &key, &Default::default());
        let view = |role: Role| RoleDetails {
            name: role.into(),
            title: text(format!("role.{role}")),
            about: text(format!("role.{role}.about")),
            permissions: self
                .0
                .permissions
                .iter()
                .filter(|permission| role.has(**permission))
                .map(|permission| PermissionView {
                    name: permission.0.to_owned(),
                    title: text(format!("permission.{}", permission.0)),
                })
                .collect(),
        };
        Ok(JsonResponse(Role::ALL.map(view).into()))
    }

    /// Invite a staff member
    ///
    /// E-mails a link that works once, for one day. Another invitation to the same address replaces the previous one.
    /// With two-person approval it creates an approval request, 202, if the role can approve. Needs `staff.manage` and a
    /// fresh second factor.
    #[oai(path = "/invitations", method = "post", operation_id = "inviteStaff")]
    async fn invite(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        input: JsonBody<InviteStaffRequest>,
        /// 8 to 255 visible ASCII characters, unique for each invitation.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> ApiResult<InviteResponse> {
        let by = require_manager(&auth)?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("staff.invite:{}", by.id), &content);
        let InviteStaffRequest { email, role, language } = input.0;
        let request = InvitationRequest { email, role: role.0, locale: language.0 };
        Ok(match self.0.auth().invite(request, by.clone(), key).await? {
            ChangeOutcome::Applied(row) => Either::Left(Created { body: self.show(row, &by), cookie: None }),
            ChangeOutcome::PendingApproval(row) => Either::Right(self.pending(*row, &by, visitor.locale)),
        })
    }

    /// Resend an invitation
    ///
    /// E-mails a new link; the previous one stops working. With two-person approval it creates an approval request, 202, if
    /// the role can approve. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/invitations/:id/resend", method = "post", operation_id = "resendInvitation")]
    async fn resend(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<ResendResponse> {
        let by = require_manager(&auth)?;
        Ok(match self.0.auth().resend_invitation(id.0, by.clone()).await? {
            ChangeOutcome::Applied(row) => Either::Left(JsonResponse(self.show(row, &by))),
            ChangeOutcome::PendingApproval(row) => Either::Right(self.pending(*row, &by, visitor.locale)),
        })
    }

    /// Withdraw an invitation
    ///
    /// Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/invitations/:id", method = "delete", operation_id = "withdrawInvitation")]
    async fn withdraw(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.auth().withdraw_invitation(id.0, require_manager(&auth)?).await?;
        Ok(NoContent)
    }

    /// Change a staff member's role
    ///
    /// Takes effect immediately in all their sessions. Your own role cannot be changed. With two-person approval it
    /// creates an approval request, 202, if the new role can approve more. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/role", method = "put", operation_id = "updateStaffRole")]
    async fn role(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: JsonBody<UpdateRoleRequest>,
    ) -> ApiResult<ChangeStaffResponse> {
        self.change(id.0, StaffChange::Role(input.0.role.0), require_manager(&auth)?, visitor.locale).await
    }

    /// Disable a staff member
    ///
    /// Revokes their sessions immediately. You cannot disable yourself. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/disable", method = "post", operation_id = "disableStaff")]
    async fn disable(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.change_at_once(id.0, StaffChange::Disabled(true), require_manager(&auth)?).await
    }

    /// Enable a staff member
    ///
    /// With two-person approval it creates an approval request, 202, if they can approve. Needs `staff.manage` and a fresh
    /// second factor.
    #[oai(path = "/staff/:id/enable", method = "post", operation_id = "enableStaff")]
    async fn enable(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<ChangeStaffResponse> {
        self.change(id.0, StaffChange::Disabled(false), require_manager(&auth)?, visitor.locale).await
    }

    /// Reset a staff member's second factor
    ///
    /// For a lost phone. Revokes their sessions immediately; if a second factor is required, the next sign-in starts
    /// with setting up a new one. With two-person approval it creates an approval request, 202, if they can approve. Needs
    /// `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/second-factor/reset", method = "post", operation_id = "resetStaffSecondFactor")]
    async fn reset(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<ChangeStaffResponse> {
        self.change(id.0, StaffChange::SecondFactorReset, require_manager(&auth)?, visitor.locale).await
    }

    /// Send a password reset link
    ///
    /// The link works once, for one day; the password stays valid until then. With two-person approval it creates an
    /// approval request, 202, if they can approve and have no second factor. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/restore", method = "post", operation_id = "sendStaffPasswordReset")]
    async fn restore(&self, auth: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> ApiResult<ChangeStaffResponse> {
        self.change(id.0, StaffChange::PasswordReset, require_manager(&auth)?, visitor.locale).await
    }

    /// List a staff member's sessions
    ///
    /// Needs `staff.read`.
    #[oai(path = "/staff/:id/sessions", method = "get", operation_id = "listStaffSessions")]
    async fn sessions(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<Vec<SessionView>>> {
        auth.require(STAFF_READ)?;
        let account = self.0.auth().require_staff(id.0).await?;
        Ok(JsonResponse(SessionView::list(self.0.auth().list_sessions(account).await?, auth.0.session)))
    }

    /// Revoke all sessions of a staff member
    ///
    /// Needs `staff.manage`.
    #[oai(path = "/staff/:id/sessions", method = "delete", operation_id = "revokeStaffSessions")]
    async fn end_all(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.change_at_once(id.0, StaffChange::SessionsEnded(None), auth.require(STAFF_MANAGE)?).await
    }

    /// Revoke a session of a staff member
    ///
    /// Its access tokens stop working immediately. Needs `staff.manage`.
    #[oai(path = "/staff/:id/sessions/:session", method = "delete", operation_id = "revokeStaffSession")]
    async fn end(&self, auth: StaffAuth, id: Path<Uuid>, session: Path<Uuid>) -> ApiResult<NoContent> {
        self.change_at_once(id.0, StaffChange::SessionsEnded(Some(session.0)), auth.require(STAFF_MANAGE)?).await
    }
}

impl StaffAdminApi {
    async fn change(&self, id: Uuid, change: StaffChange, by: Staff, locale: Locale) -> ApiResult<ChangeStaffResponse> {
        Ok(match self.0.auth().change_staff(id, change, by.clone()).await? {
            ChangeOutcome::Applied(()) => Either::Left(NoContent),
            ChangeOutcome::PendingApproval(row) => Either::Right(self.pending(*row, &by, locale)),
        })
    }

    /// For changes that never need approval.
    async fn change_at_once(&self, id: Uuid, change: StaffChange, by: Staff) -> ApiResult<NoContent> {
        self.0.auth().change_staff(id, change, by).await?;
        Ok(NoContent)
    }

    fn pending(&self, row: ApprovalRow, by: &Staff, locale: Locale) -> PendingApproval {
        Accepted(self.0.auth().approvals.show(row, by, locale))
    }

    fn show(&self, row: InvitationRow, by: &Staff) -> InvitationView {
        invitation(row, &[(by.id, by.name.clone())].into(), self.0.auth().platform.clock.now())
    }
}

fn staff_member(row: StaffListRow, caller: Uuid) -> StaffSummary {
    StaffSummary {
        id: row.id,
        email: row.email,
        name: row.name,
        role: row.role.into(),
        language: row.locale.into(),
        disabled: row.disabled,
        second_factor: row.second_factor_at.is_some(),
        created_at: row.created_at.into(),
        seen_at: row.seen_at.map(agio_http::DateTime).into(),
        own: row.id == caller,
    }
}

fn invitation(row: InvitationRow, names: &HashMap<Uuid, String>, now: Timestamp) -> InvitationView {
    InvitationView {
        id: row.id,
        role: row.role.into(),
        language: row.locale.into(),
        email: row.email,
        invited_by: Nullable(row.invited_by.and_then(|id| names.get(&id).cloned())),
        created_at: row.created_at.into(),
        expires_at: row.expires_at.into(),
        expired: row.expires_at <= now,
    }
}
