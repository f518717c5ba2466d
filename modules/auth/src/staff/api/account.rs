//! Endpoints of a staff member's own account.

use agio_http::{ApiResult, JsonBody, JsonResponse, StaffAuth};
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use uuid::Uuid;

use super::bodies::{ConfirmSessionRequest, SessionConfirmationView};
use super::{ApiContext, Tag};
use crate::api::NoContent;
use crate::api::bodies::{ChangePasswordRequest, SessionView};
use crate::audience::{AccountRef, Caller};

pub struct StaffAccountApi(pub(super) ApiContext);

#[OpenApi(prefix_path = "/api/admin/v1/me", tag = "Tag::Own")]
impl StaffAccountApi {
    /// Confirm the session
    ///
    /// With a code of the second factor or a recovery code; with the password if the account has no second factor and
    /// none is required. For the next five minutes the session may do what otherwise fails with 403
    /// `fresh_second_factor_needed`: changing payment details, paying out, managing staff, large rate changes. A session
    /// with more than five wrong codes or passwords within an hour ends.
    #[oai(path = "/confirm", method = "post", operation_id = "confirmStaffSession")]
    async fn confirm(
        &self,
        request: &Request,
        staff: StaffAuth,
        input: JsonBody<ConfirmSessionRequest>,
    ) -> ApiResult<JsonResponse<SessionConfirmationView>> {
        let ConfirmSessionRequest { code, password } = input.0;
        let until = self.0.auth().confirm_session(staff.0, code, password, self.0.sign_in.client(request)).await?;
        Ok(JsonResponse(SessionConfirmationView { fresh_until: until.into() }))
    }

    /// Change my password
    ///
    /// Revokes every other session and notifies the account by e-mail.
    #[oai(path = "/password", method = "post", operation_id = "changeStaffPassword")]
    async fn password(
        &self,
        request: &Request,
        staff: StaffAuth,
        input: JsonBody<ChangePasswordRequest>,
    ) -> ApiResult<NoContent> {
        let ChangePasswordRequest { old_password, new_password } = input.0;
        let (caller, client) = (Caller::from(&staff.0), self.0.sign_in.client(request));
        self.0.auth().change_password(caller, old_password, new_password, client).await?;
        Ok(NoContent)
    }

    /// List my sessions
    ///
    /// Most recently used first.
    #[oai(path = "/sessions", method = "get", operation_id = "listMyStaffSessions")]
    async fn sessions(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<SessionView>>> {
        let sessions = self.0.auth().list_sessions(AccountRef::staff(staff.0.staff.id)).await?;
        Ok(JsonResponse(SessionView::list(sessions, staff.0.session)))
    }

    /// Revoke all other sessions
    ///
    /// Signs out everywhere but here.
    #[oai(path = "/sessions", method = "delete", operation_id = "revokeMyOtherStaffSessions")]
    async fn end_others(&self, staff: StaffAuth) -> ApiResult<NoContent> {
        self.0.auth().revoke_other_sessions(Caller::from(&staff.0)).await?;
        Ok(NoContent)
    }

    /// Revoke a session
    ///
    /// Its access tokens stop working immediately. 404 `session_not_found` if the session has ended or belongs to
    /// someone else.
    #[oai(path = "/sessions/:id", method = "delete", operation_id = "revokeMyStaffSession")]
    async fn end(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.auth().revoke_session(Caller::from(&staff.0), id.0).await?;
        Ok(NoContent)
    }
}
