//! The staff desk: who works here, and what owners decide about them.

use std::collections::HashMap;

use agio_core::identity::{Role, Staff};
use agio_core::{Error, Result, Timestamp};
use agio_http::{Answer, Created, IdempotencyKey, Input, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path};
use uuid::Uuid;

use super::bodies::{
    AuthColleague, AuthColleagues, AuthInvitation, AuthInvite, AuthPermission, AuthRoleChange, AuthRoleView, AuthStaffSession,
};
use super::{Calls, Tag};
use crate::api::Done;
use crate::staff::invitation_store::InvitationRow;
use crate::staff::invitations::Invitation;
use crate::staff::store::Colleague;
use crate::staff::{STAFF_MANAGE, STAFF_READ};

/// The calls.
pub struct ColleagueDesk(pub(super) Calls);

/// The caller, if they may decide about staff and confirmed a moment ago that it is they.
fn deciding(auth: &StaffAuth) -> Result<Staff> {
    let staff = auth.may(STAFF_MANAGE)?;
    auth.require_fresh()?;
    Ok(staff)
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Staff")]
impl ColleagueDesk {
    /// Who works here
    ///
    /// With the invitations nobody took yet. Needs `staff.read`.
    #[oai(path = "/staff", method = "get", operation_id = "listStaff")]
    async fn list(&self, auth: StaffAuth) -> Outcome<Answer<AuthColleagues>> {
        let caller = auth.may(STAFF_READ)?;
        let (colleagues, invitations) = self.0.auth.colleagues().await?;
        let names: HashMap<Uuid, String> = colleagues.iter().map(|row| (row.id, row.name.clone())).collect();
        let now = self.0.auth.platform.clock.now();
        Ok(Answer(AuthColleagues {
            items: colleagues.into_iter().map(|row| colleague(row, caller.id)).collect(),
            invitations: invitations.into_iter().map(|row| invitation(row, &names, now)).collect(),
        }))
    }

    /// Roles
    ///
    /// What each of them may do.
    #[oai(path = "/staff/roles", method = "get", operation_id = "listRoles")]
    async fn roles(&self, _auth: StaffAuth, visitor: Visitor) -> Outcome<Answer<Vec<AuthRoleView>>> {
        let text = |key: String| self.0.texts.get(visitor.locale, &key, &Default::default());
        let view = |role: Role| AuthRoleView {
            name: role.to_string(),
            title: text(format!("role.{role}")),
            about: text(format!("role.{role}.about")),
            permissions: self
                .0
                .permissions
                .iter()
                .filter(|permission| role.may(**permission))
                .map(|permission| AuthPermission {
                    name: permission.0.to_owned(),
                    title: text(format!("permission.{}", permission.0)),
                })
                .collect(),
        };
        Ok(Answer(Role::ALL.map(view).into()))
    }

    /// Invite somebody
    ///
    /// By a letter with a link that is good once and for a day. Another invitation to the same address takes the place of the one before.
    /// Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/invitations", method = "post", operation_id = "inviteStaff")]
    async fn invite(
        &self,
        auth: StaffAuth,
        input: Input<AuthInvite>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each invitation.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<AuthInvitation>> {
        let by = deciding(&auth)?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("staff.invite:{}", by.id), &content);
        let AuthInvite { email, role, language } = input.0;
        let asked = Invitation { email, role: role.into(), locale: language.into() };
        let made = self.0.auth.invite(asked, by.clone(), key).await?;
        Ok(Created { body: self.made(made, &by), cookie: None })
    }

    /// Send an invitation once more
    ///
    /// With another link; the one before is good no more. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/invitations/:id/resend", method = "post", operation_id = "resendInvitation")]
    async fn resend(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Answer<AuthInvitation>> {
        let by = deciding(&auth)?;
        let made = self.0.auth.invite_again(id.0, by.clone()).await?;
        Ok(Answer(self.made(made, &by)))
    }

    /// Take an invitation back
    ///
    /// Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/invitations/:id", method = "delete", operation_id = "withdrawInvitation")]
    async fn withdraw(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.withdraw_invitation(id.0, deciding(&auth)?).await?;
        Ok(Done)
    }

    /// Change a colleague's role
    ///
    /// It holds at once, in every session of theirs. Nobody changes their own. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/role", method = "put", operation_id = "changeStaffRole")]
    async fn role(&self, auth: StaffAuth, id: Path<Uuid>, input: Input<AuthRoleChange>) -> Outcome<Done> {
        self.0.auth.change_role(id.0, input.0.role.into(), deciding(&auth)?).await?;
        Ok(Done)
    }

    /// Shut a colleague out
    ///
    /// Their sessions end at once. Nobody shuts themselves out. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/disable", method = "post", operation_id = "disableStaff")]
    async fn disable(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.disable_staff(id.0, true, deciding(&auth)?).await?;
        Ok(Done)
    }

    /// Let a colleague back in
    ///
    /// Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/enable", method = "post", operation_id = "enableStaff")]
    async fn enable(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.disable_staff(id.0, false, deciding(&auth)?).await?;
        Ok(Done)
    }

    /// Take a colleague's second factor away
    ///
    /// For one whose phone is gone. Their sessions end at once; where a second factor is required their next sign-in begins by setting a new
    /// one up. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/second-factor/reset", method = "post", operation_id = "resetStaffSecondFactor")]
    async fn reset(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.reset_second_factor(id.0, deciding(&auth)?).await?;
        Ok(Done)
    }

    /// Send a colleague a link to set a new password
    ///
    /// It is good once and for a day; their password stays as it is until then. Needs `staff.manage` and a fresh second factor.
    #[oai(path = "/staff/:id/restore", method = "post", operation_id = "sendStaffRestore")]
    async fn restore(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.send_staff_restore(id.0, deciding(&auth)?).await?;
        Ok(Done)
    }

    /// Where a colleague is signed in
    ///
    /// Needs `staff.read`.
    #[oai(path = "/staff/:id/sessions", method = "get", operation_id = "listStaffSessions")]
    async fn sessions(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Answer<Vec<AuthStaffSession>>> {
        auth.may(STAFF_READ)?;
        let id = self.0.auth.colleague(id.0).await?.id;
        let sessions = self.0.auth.staff_sessions(id).await?;
        Ok(Answer(sessions.into_iter().map(|session| AuthStaffSession::of(session, auth.0.session)).collect()))
    }

    /// End all of a colleague's sessions
    ///
    /// Needs `staff.manage`.
    #[oai(path = "/staff/:id/sessions", method = "delete", operation_id = "endStaffSessions")]
    async fn end_all(&self, auth: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.end_colleagues_sessions(id.0, None, auth.may(STAFF_MANAGE)?).await?;
        Ok(Done)
    }

    /// End one of a colleague's sessions
    ///
    /// Its access tokens are refused at once. Needs `staff.manage`.
    #[oai(path = "/staff/:id/sessions/:session", method = "delete", operation_id = "endStaffSession")]
    async fn end(&self, auth: StaffAuth, id: Path<Uuid>, session: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.end_colleagues_sessions(id.0, Some(session.0), auth.may(STAFF_MANAGE)?).await?;
        Ok(Done)
    }
}

impl ColleagueDesk {
    fn made(&self, row: InvitationRow, by: &Staff) -> AuthInvitation {
        invitation(row, &[(by.id, by.name.clone())].into(), self.0.auth.platform.clock.now())
    }
}

fn colleague(row: Colleague, caller: Uuid) -> AuthColleague {
    AuthColleague {
        id: row.id,
        email: row.email,
        name: row.name,
        role: row.role.to_string(),
        language: row.locale,
        disabled: row.disabled,
        second_factor: row.second_factor_at.is_some(),
        created_at: row.created_at.into(),
        seen_at: row.seen_at.map(agio_http::Moment).into(),
        own: row.id == caller,
    }
}

fn invitation(row: InvitationRow, names: &HashMap<Uuid, String>, now: Timestamp) -> AuthInvitation {
    AuthInvitation {
        id: row.id,
        role: row.role.to_string(),
        language: row.locale().to_string(),
        email: row.email,
        invited_by: Null(row.invited_by.and_then(|id| names.get(&id).cloned())),
        created_at: row.created_at.into(),
        expires_at: row.expires_at.into(),
        expired: row.expires_at <= now,
    }
}
