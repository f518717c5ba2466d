//! The second factor of one's own account.

use std::sync::Arc;

use agio_http::caller::CustomerAuth;
use agio_http::{Answer, Input, Outcome};
use poem::Request;
use poem_openapi::OpenApi;

use super::Tag;
use super::bodies::{AuthBothFactors, AuthCode, AuthPassword, AuthRecoveryCodes, AuthTotpSecret};
use crate::api::{Done, client};
use crate::auth::Auth;

/// The calls of the second factor.
pub struct SecondFactorApi {
    auth: Arc<Auth>,
}

impl SecondFactorApi {
    /// The calls.
    pub fn new(auth: Arc<Auth>) -> Self {
        Self { auth }
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me/totp", tag = "Tag::Account")]
impl SecondFactorApi {
    /// Begin to turn codes on
    ///
    /// Gives the secret for an authenticator app. It holds once a code of it was shown; beginning again gives another one.
    #[oai(path = "/", method = "post", operation_id = "beginTotp")]
    async fn begin(&self, customer: CustomerAuth, input: Input<AuthPassword>) -> Outcome<Answer<AuthTotpSecret>> {
        let begun = self.auth.begin_totp(customer.0, input.0.password).await?;
        Ok(Answer(AuthTotpSecret { secret: begun.secret, url: begun.url }))
    }

    /// Turn codes on
    ///
    /// Gives recovery codes, this once: each signs in once in place of the app's code.
    #[oai(path = "/confirm", method = "post", operation_id = "confirmTotp")]
    async fn confirm(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: Input<AuthCode>,
    ) -> Outcome<Answer<AuthRecoveryCodes>> {
        let recovery_codes = self.auth.confirm_totp(customer.0, input.0.code, client(request, None)).await?;
        Ok(Answer(AuthRecoveryCodes { recovery_codes }))
    }

    /// Turn codes off
    #[oai(path = "/remove", method = "post", operation_id = "removeTotp")]
    async fn remove(&self, request: &Request, customer: CustomerAuth, input: Input<AuthBothFactors>) -> Outcome<Done> {
        let AuthBothFactors { password, code } = input.0;
        self.auth.remove_totp(customer.0, password, code, client(request, None)).await?;
        Ok(Done)
    }

    /// Make new recovery codes
    ///
    /// The old ones are good no more.
    #[oai(path = "/recovery", method = "post", operation_id = "renewRecoveryCodes")]
    async fn recovery(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: Input<AuthBothFactors>,
    ) -> Outcome<Answer<AuthRecoveryCodes>> {
        let AuthBothFactors { password, code } = input.0;
        let recovery_codes = self.auth.renew_recovery_codes(customer.0, password, code, client(request, None)).await?;
        Ok(Answer(AuthRecoveryCodes { recovery_codes }))
    }
}
