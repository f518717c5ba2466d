//! Staff administration endpoints.

use std::collections::HashMap;

use agio_core::identity::{Role, Staff};
use agio_core::{Error, Result, Timestamp};
use agio_http::{ApiResult, Created, IdempotencyKey, JsonBody, JsonResponse, Nullable, StaffAuth, Visitor};
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
    /// Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/invitations", method = "post", operation_id = "inviteStaff")]
    async fn invite(
        &self,
        auth: StaffAuth,
        input: JsonBody<InviteStaffRequest>,
        /// 8 to 255 visible ASCII characters, unique for each invitation.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> ApiResult<Created<InvitationView>> {
        let by = require_manager(&auth)?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("staff.invite:{}", by.id), &content);
        let InviteStaffRequest { email, role, language } = input.0;
        let request = InvitationRequest { email, role: role.0, locale: language.0 };
        let invitation = self.0.auth().invite(request, by.clone(), key).await?;
        Ok(Created { body: self.show(invitation, &by), cookie: None })
    }

    /// Resend an invitation
    ///
    /// E-mails a new link; the previous one stops working. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/invitations/:id/resend", method = "post", operation_id = "resendInvitation")]
    async fn resend(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<InvitationView>> {
        let by = require_manager(&auth)?;
        let invitation = self.0.auth().resend_invitation(id.0, by.clone()).await?;
        Ok(JsonResponse(self.show(invitation, &by)))
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
    /// Takes effect immediately in all their sessions. Your own role cannot be changed. Needs `staff.manage` and a
    /// fresh second factor.
    #[oai(path = "/staff/:id/role", method = "put", operation_id = "updateStaffRole")]
    async fn role(&self, auth: StaffAuth, id: Path<Uuid>, input: JsonBody<UpdateRoleRequest>) -> ApiResult<NoContent> {
        self.change(id.0, StaffChange::Role(input.0.role.0), require_manager(&auth)?).await
    }

    /// Disable a staff member
    ///
    /// Revokes their sessions immediately. You cannot disable yourself. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/disable", method = "post", operation_id = "disableStaff")]
    async fn disable(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.change(id.0, StaffChange::Disabled(true), require_manager(&auth)?).await
    }

    /// Enable a staff member
    ///
    /// Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/enable", method = "post", operation_id = "enableStaff")]
    async fn enable(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.change(id.0, StaffChange::Disabled(false), require_manager(&auth)?).await
    }

    /// Reset a staff member's second factor
    ///
    /// For a lost phone. Revokes their sessions immediately; if a second factor is required, the next sign-in starts
    /// with setting up a new one. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/second-factor/reset", method = "post", operation_id = "resetStaffSecondFactor")]
    async fn reset(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.change(id.0, StaffChange::SecondFactorReset, require_manager(&auth)?).await
    }

    /// Send a password reset link
    ///
    /// The link works once, for one day; the password stays valid until then. Needs `staff.manage` and a fresh second
    /// factor.
    #[oai(path = "/staff/:id/restore", method = "post", operation_id = "sendStaffPasswordReset")]
    async fn restore(&self, auth: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.auth().send_staff_password_reset(id.0, require_manager(&auth)?).await?;
        Ok(NoContent)
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
        self.change(id.0, StaffChange::SessionsEnded(None), auth.require(STAFF_MANAGE)?).await
    }

    /// Revoke a session of a staff member
    ///
    /// Its access tokens stop working immediately. Needs `staff.manage`.
    #[oai(path = "/staff/:id/sessions/:session", method = "delete", operation_id = "revokeStaffSession")]
    async fn end(&self, auth: StaffAuth, id: Path<Uuid>, session: Path<Uuid>) -> ApiResult<NoContent> {
        self.change(id.0, StaffChange::SessionsEnded(Some(session.0)), auth.require(STAFF_MANAGE)?).await
    }
}

impl StaffAdminApi {
    async fn change(&self, id: Uuid, change: StaffChange, by: Staff) -> ApiResult<NoContent> {
        self.0.auth().change_staff(id, change, by).await?;
        Ok(NoContent)
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
