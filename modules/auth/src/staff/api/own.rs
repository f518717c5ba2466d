//! One's own account at the console.

use agio_http::{Answer, Input, Outcome, StaffAuth};
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use uuid::Uuid;

use super::bodies::{AuthConfirmation, AuthConfirmed, AuthStaffSession};
use super::{Calls, Tag};
use crate::api::Done;
use crate::customers::api::bodies::AuthPasswordChange;

/// The calls.
pub struct StaffOwnApi(pub(super) Calls);

#[OpenApi(prefix_path = "/api/admin/v1/me", tag = "Tag::Own")]
impl StaffOwnApi {
    /// Confirm that it is you
    ///
    /// By a code of the second factor, or a recovery code; by the password where the account has none and none is required. For five minutes
    /// after that the session may do what is otherwise refused with 403 `fresh_second_factor_needed`: changing requisites, paying out,
    /// deciding about staff, moving rates far.
    #[oai(path = "/confirm", method = "post", operation_id = "confirmStaff")]
    async fn confirm(
        &self,
        request: &Request,
        staff: StaffAuth,
        input: Input<AuthConfirmation>,
    ) -> Outcome<Answer<AuthConfirmed>> {
        let AuthConfirmation { code, password } = input.0;
        let until = self.0.auth.staff_confirm(staff.0, code, password, self.0.client(request)).await?;
        Ok(Answer(AuthConfirmed { fresh_until: until.into() }))
    }

    /// Change my password
    ///
    /// Every other session ends, and a letter tells of it.
    #[oai(path = "/password", method = "post", operation_id = "changeStaffPassword")]
    async fn password(&self, request: &Request, staff: StaffAuth, input: Input<AuthPasswordChange>) -> Outcome<Done> {
        let AuthPasswordChange { old_password, new_password } = input.0;
        self.0.auth.change_staff_password(staff.0, old_password, new_password, self.0.client(request)).await?;
        Ok(Done)
    }

    /// Where I am signed in
    ///
    /// The session used last comes first.
    #[oai(path = "/sessions", method = "get", operation_id = "listOwnSessions")]
    async fn sessions(&self, staff: StaffAuth) -> Outcome<Answer<Vec<AuthStaffSession>>> {
        let sessions = self.0.auth.staff_sessions(staff.0.staff.id).await?;
        Ok(Answer(sessions.into_iter().map(|session| AuthStaffSession::of(session, staff.0.session)).collect()))
    }

    /// End all my other sessions
    #[oai(path = "/sessions", method = "delete", operation_id = "endOwnOtherSessions")]
    async fn end_others(&self, staff: StaffAuth) -> Outcome<Done> {
        self.0.auth.end_other_staff_sessions(staff.0).await?;
        Ok(Done)
    }

    /// End one of my sessions
    ///
    /// Its access tokens are refused at once. 404 `session_not_found` for one that is over or somebody else's.
    #[oai(path = "/sessions/:id", method = "delete", operation_id = "endOwnSession")]
    async fn end(&self, staff: StaffAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.auth.end_staff_session(staff.0, id.0).await?;
        Ok(Done)
    }
}
