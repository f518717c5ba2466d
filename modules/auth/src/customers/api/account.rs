//! One's own account: who, password, sessions.

use std::sync::Arc;

use agio_http::caller::CustomerAuth;
use agio_http::{Answer, Input, Outcome};
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use uuid::Uuid;

use super::Tag;
use super::bodies::{AuthCustomer, AuthPasswordChange, AuthSignedIn};
use crate::api::{Done, client};
use crate::auth::Auth;

/// The account calls.
pub struct AccountApi {
    auth: Arc<Auth>,
}

impl AccountApi {
    /// The calls.
    pub fn new(auth: Arc<Auth>) -> Self {
        Self { auth }
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me", tag = "Tag::Account")]
impl AccountApi {
    /// Who am I
    #[oai(path = "/", method = "get", operation_id = "getMe")]
    async fn me(&self, customer: CustomerAuth) -> Outcome<Answer<AuthCustomer>> {
        Ok(Answer(self.auth.profile(customer.0.id).await?.into()))
    }

    /// Change the password
    ///
    /// Every other session ends, and the owner is told by mail.
    #[oai(path = "/password", method = "post", operation_id = "changePassword")]
    async fn change_password(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: Input<AuthPasswordChange>,
    ) -> Outcome<Done> {
        let AuthPasswordChange { old_password, new_password } = input.0;
        self.auth.change_password(customer.0, old_password, new_password, client(request, None)).await?;
        Ok(Done)
    }

    /// Where I am signed in
    ///
    /// The session used last comes first.
    #[oai(path = "/sessions", method = "get", operation_id = "getSessions")]
    async fn sessions(&self, customer: CustomerAuth) -> Outcome<Answer<Vec<AuthSignedIn>>> {
        let sessions = self.auth.sessions_of(&customer.0).await?;
        Ok(Answer(sessions.into_iter().map(|session| AuthSignedIn::of(session, customer.0.session)).collect()))
    }

    /// End all other sessions
    #[oai(path = "/sessions", method = "delete", operation_id = "endOtherSessions")]
    async fn end_others(&self, customer: CustomerAuth) -> Outcome<Done> {
        self.auth.end_other_sessions(customer.0).await?;
        Ok(Done)
    }

    /// End a session
    ///
    /// Its access tokens are refused at once. 404 `session_not_found` for one that is over or somebody else's.
    #[oai(path = "/sessions/:id", method = "delete", operation_id = "endSession")]
    async fn end(&self, customer: CustomerAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.auth.end_session(customer.0, id.0).await?;
        Ok(Done)
    }
}
