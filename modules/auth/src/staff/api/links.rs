//! Taking an invitation, and setting a new password, by a link.

use agio_http::{Answer, Input, Outcome};
use poem::Request;
use poem_openapi::OpenApi;

use super::bodies::{AuthInvited, AuthJoin, AuthLink, AuthSession, AuthStaffRestore};
use super::{Calls, Tag};
use crate::api::{Done, WithCookies, from_our_pages};

/// The calls of links. Their secrets travel in bodies, so that no log and no address has them.
pub struct StaffLinkApi(pub(super) Calls);

#[OpenApi(prefix_path = "/api/admin/v1/auth", tag = "Tag::SignIn")]
impl StaffLinkApi {
    /// Whom an invitation is for
    ///
    /// 404 `link_not_valid` for one that is unknown, taken, taken back, replaced by a newer one, or too old.
    #[oai(path = "/invitation", method = "post", operation_id = "staffInvitation")]
    async fn invitation(&self, link: Input<AuthLink>) -> Outcome<Answer<AuthInvited>> {
        let found = self.0.auth.invitation_of(&link.0.token).await?;
        Ok(Answer(AuthInvited { email: found.email, role: found.role.to_string(), expires_at: found.expires_at.into() }))
    }

    /// Take an invitation
    ///
    /// Makes the account and signs its owner in. The link is good once and for a day. Where a second factor is required it has to be
    /// set up before anything else.
    #[oai(path = "/invitation/accept", method = "post", operation_id = "staffJoin")]
    async fn join(&self, request: &Request, input: Input<AuthJoin>) -> Outcome<WithCookies<AuthSession>> {
        from_our_pages(request, &self.0.site)?;
        let AuthJoin { token, name, password } = input.0;
        let client = self.0.client(request);
        Ok(self.0.opened(self.0.auth.take_invitation(&token, &name, password, client).await?))
    }

    /// Set a new password
    ///
    /// By the link an owner had sent. Every session ends, nobody is signed in by the call, and a second factor stays as it is.
    #[oai(path = "/restore", method = "post", operation_id = "staffRestore")]
    async fn restore(&self, request: &Request, input: Input<AuthStaffRestore>) -> Outcome<Done> {
        from_our_pages(request, &self.0.site)?;
        let AuthStaffRestore { token, password } = input.0;
        self.0.auth.staff_restore(&token, password, self.0.client(request)).await?;
        Ok(Done)
    }
}
