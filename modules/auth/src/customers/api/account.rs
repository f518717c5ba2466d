//! Account endpoints of customers: profile, password, sessions.

use agio_http::caller::CustomerAuth;
use agio_http::{ApiResult, JsonBody, JsonResponse};
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use uuid::Uuid;

use super::Tag;
use super::bodies::CustomerProfileView;
use crate::api::bodies::{ChangePasswordRequest, SessionView};
use crate::api::{NoContent, SignInContext};
use crate::audience::{AccountRef, Caller};

pub struct AccountApi(pub(super) SignInContext);

#[OpenApi(prefix_path = "/api/v1/users/me", tag = "Tag::Account")]
impl AccountApi {
    /// Get my account
    ///
    /// The account of the access token.
    #[oai(path = "/", method = "get", operation_id = "getMyAccount")]
    async fn me(&self, customer: CustomerAuth) -> ApiResult<JsonResponse<CustomerProfileView>> {
        Ok(JsonResponse(self.0.auth.profile(customer.0.id).await?.into()))
    }

    /// Change my password
    ///
    /// Revokes every other session and notifies the customer by e-mail. A session with more than five wrong passwords or
    /// codes within an hour ends, here as wherever they are asked for.
    #[oai(path = "/password", method = "post", operation_id = "changeMyPassword")]
    async fn change_password(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: JsonBody<ChangePasswordRequest>,
    ) -> ApiResult<NoContent> {
        let ChangePasswordRequest { old_password, new_password } = input.0;
        self.0.auth.change_password(Caller::from(&customer.0), old_password, new_password, self.0.client(request)).await?;
        Ok(NoContent)
    }

    /// List my sessions
    ///
    /// Most recently used first.
    #[oai(path = "/sessions", method = "get", operation_id = "listMySessions")]
    async fn sessions(&self, customer: CustomerAuth) -> ApiResult<JsonResponse<Vec<SessionView>>> {
        let sessions = self.0.auth.list_sessions(AccountRef::customer(customer.0.id)).await?;
        Ok(JsonResponse(SessionView::list(sessions, customer.0.session)))
    }

    /// Revoke all other sessions
    ///
    /// Signs out everywhere but here.
    #[oai(path = "/sessions", method = "delete", operation_id = "revokeMyOtherSessions")]
    async fn end_others(&self, customer: CustomerAuth) -> ApiResult<NoContent> {
        self.0.auth.revoke_other_sessions(Caller::from(&customer.0)).await?;
        Ok(NoContent)
    }

    /// Revoke a session
    ///
    /// Its access tokens stop working immediately. 404 `session_not_found` if the session has ended or belongs to
    /// someone else.
    #[oai(path = "/sessions/:id", method = "delete", operation_id = "revokeMySession")]
    async fn end(&self, customer: CustomerAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.auth.revoke_session(Caller::from(&customer.0), id.0).await?;
        Ok(NoContent)
    }
}
