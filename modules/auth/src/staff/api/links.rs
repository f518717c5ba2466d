//! Endpoints for links in e-mails to staff: invitations and password resets.

use agio_http::{ApiResult, JsonBody, JsonResponse};
use poem::Request;
use poem_openapi::OpenApi;

use super::bodies::{
    AcceptInvitationRequest, InvitationSummary, InvitationTokenRequest, ResetStaffPasswordRequest, StaffSignInResponse,
};
use super::{ApiContext, Tag};
use crate::api::{NoContent, WithCookies};
use crate::audience::Audience;

/// Tokens travel in bodies, so that they are in no log and no URL.
pub struct StaffLinkApi(pub(super) ApiContext);

#[OpenApi(prefix_path = "/api/admin/v1/auth", tag = "Tag::SignIn")]
impl StaffLinkApi {
    /// Get an invitation
    ///
    /// 404 `link_not_valid` if it is unknown, accepted, withdrawn, replaced by a newer one, or expired.
    #[oai(path = "/invitation", method = "post", operation_id = "getInvitation")]
    async fn invitation(&self, link: JsonBody<InvitationTokenRequest>) -> ApiResult<JsonResponse<InvitationSummary>> {
        let found = self.0.auth().invitation_of(&link.0.token).await?;
        Ok(JsonResponse(InvitationSummary { email: found.email, role: found.role.into(), expires_at: found.expires_at.into() }))
    }

    /// Accept an invitation
    ///
    /// Creates the account and signs in. The link works once, for one day. A required second factor has to be set up
    /// before anything else.
    #[oai(path = "/invitation/accept", method = "post", operation_id = "acceptInvitation")]
    async fn join(
        &self,
        request: &Request,
        input: JsonBody<AcceptInvitationRequest>,
    ) -> ApiResult<WithCookies<JsonResponse<StaffSignInResponse>>> {
        self.0.sign_in.require_own_page(request)?;
        let AcceptInvitationRequest { token, name, password } = input.0;
        let client = self.0.sign_in.client(request);
        self.0.respond(self.0.auth().accept_invitation(&token, &name, password, client).await?).await
    }

    /// Reset the password
    ///
    /// With the link an owner sent. Revokes every session, does not sign in, and keeps the second factor.
    #[oai(path = "/restore", method = "post", operation_id = "resetStaffPassword")]
    async fn restore(&self, request: &Request, input: JsonBody<ResetStaffPasswordRequest>) -> ApiResult<NoContent> {
        self.0.sign_in.require_own_page(request)?;
        let ResetStaffPasswordRequest { token, password } = input.0;
        self.0.auth().reset_password(Audience::Staff, &token, password, self.0.sign_in.client(request)).await?;
        Ok(NoContent)
    }
}
