//! Making an account and getting back into it.

use std::sync::Arc;

use agio_core::Error;
use agio_http::{Answer, Input, OptionalInput, Outcome, Visitor};
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::Tag;
use super::bodies::{AuthNewPassword, AuthNothing, AuthNotice, AuthReactivate, AuthRestore, AuthSignUp};
use crate::api::client;
use crate::auth::Auth;
use crate::customers::store::Purpose;

/// The sign-up calls.
pub struct SignUpApi {
    auth: Arc<Auth>,
}

impl SignUpApi {
    /// The calls.
    pub fn new(auth: Arc<Auth>) -> Self {
        Self { auth }
    }

    fn notice(&self, what: &str, visitor: &Visitor) -> Answer<AuthNotice> {
        Answer(AuthNotice::of(&self.auth.texts, what, visitor.locale))
    }
}

#[OpenApi(prefix_path = "/api/v1/users", tag = "Tag::SignUp")]
impl SignUpApi {
    /// Sign up
    ///
    /// The account is there within a second or two, and a link that activates it is mailed; signing in is possible before that is
    /// followed. The answer is the same for an address that has an account: its owner gets a letter that says so.
    #[oai(path = "/signup", method = "post", operation_id = "signUp")]
    async fn sign_up(&self, request: &Request, visitor: Visitor, input: Input<AuthSignUp>) -> Outcome<Answer<AuthNotice>> {
        self.auth.sign_up(input.0.into(), client(request, None)).await?;
        Ok(self.notice("signed_up", &visitor))
    }

    /// Activate the account
    ///
    /// The token is that of the mailed link: `/#activate=TOKEN`. It is good once and for a day, and only the newest one is.
    #[oai(path = "/activate/:token", method = "post", operation_id = "activate")]
    async fn activate(
        &self,
        request: &Request,
        visitor: Visitor,
        token: Path<String>,
        _input: OptionalInput<AuthNothing>,
    ) -> Outcome<Answer<AuthNotice>> {
        self.auth.activate(&token.0, client(request, None)).await?;
        Ok(self.notice("activated", &visitor))
    }

    /// Send the activation link once more
    ///
    /// For a signed-in customer without `email`. The answer is the same whether or not the address has an account that waits for it.
    #[oai(path = "/reactivate", method = "post", operation_id = "reactivate")]
    async fn reactivate(
        &self,
        request: &Request,
        visitor: Visitor,
        input: OptionalInput<AuthReactivate>,
    ) -> Outcome<Answer<AuthNotice>> {
        let AuthReactivate { email, recaptcha } = input.0;
        let own = visitor.customer.as_ref().map(|customer| customer.email.clone());
        let email = email.or(own).ok_or_else(|| Error::unprocessable("validation_failed").at("email", "required"))?;
        self.auth.ask_for_letter(Purpose::Activation, &email, recaptcha.as_deref(), client(request, None)).await?;
        Ok(self.notice("activation_sent", &visitor))
    }

    /// Ask for a link to set a new password
    ///
    /// The answer is the same whether or not the address has an account.
    #[oai(path = "/restore", method = "post", operation_id = "restore")]
    async fn restore(&self, request: &Request, visitor: Visitor, input: Input<AuthRestore>) -> Outcome<Answer<AuthNotice>> {
        let AuthRestore { email, recaptcha } = input.0;
        self.auth.ask_for_letter(Purpose::Restore, &email, recaptcha.as_deref(), client(request, None)).await?;
        Ok(self.notice("restore_sent", &visitor))
    }

    /// Set a new password
    ///
    /// The token is that of the mailed link: `/recover#token=TOKEN`. It is good once and for half an hour, and only the newest one is. Every
    /// session ends, nobody is signed in by the call, and the owner is told by mail.
    #[oai(path = "/restore/:token", method = "post", operation_id = "finishRestore")]
    async fn finish_restore(
        &self,
        request: &Request,
        visitor: Visitor,
        token: Path<String>,
        input: Input<AuthNewPassword>,
    ) -> Outcome<Answer<AuthNotice>> {
        self.auth.restore(&token.0, input.0.password, client(request, None)).await?;
        Ok(self.notice("restored", &visitor))
    }
}
