//! Sign-up, activation and password reset endpoints.

use agio_core::Error;
use agio_http::caller::CustomerAuth;
use agio_http::{ApiResult, JsonBody, JsonResponse, OptionalJsonBody, Visitor};
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::Tag;
use super::bodies::{
    EmptyRequest, NewPasswordRequest, NotificationResponse, PasswordResetRequest, ResendActivationRequest, SignUpRequest,
};
use crate::api::SignInContext;
use crate::audience::Audience;
use crate::customers::store::AccountRequestKind;

pub struct SignUpApi(pub(super) SignInContext);

impl SignUpApi {
    fn notification(&self, what: &str, visitor: &Visitor) -> JsonResponse<NotificationResponse> {
        JsonResponse(NotificationResponse::of(&self.0.auth.texts, what, visitor.locale))
    }
}

#[OpenApi(prefix_path = "/api/v1/users", tag = "Tag::SignUp")]
impl SignUpApi {
    /// Sign up
    ///
    /// The account is created within a second or two, and an activation link is e-mailed. Signing in works before
    /// activation. The response is the same if the address already has an account; its owner gets an e-mail that says
    /// so.
    #[oai(path = "/signup", method = "post", operation_id = "signUp")]
    async fn sign_up(
        &self,
        request: &Request,
        visitor: Visitor,
        input: JsonBody<SignUpRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        self.0.auth.sign_up(input.0.into(), self.0.client(request)).await?;
        Ok(self.notification(self.0.auth.email_notification("signed_up"), &visitor))
    }

    /// Activate my account
    ///
    /// The token comes from the e-mailed link, `/#activate=TOKEN`. It works once, for one day, and only the newest one
    /// works, for the account that is signed in.
    #[oai(path = "/activate/:token", method = "post", operation_id = "activateAccount")]
    async fn activate(
        &self,
        request: &Request,
        visitor: Visitor,
        customer: CustomerAuth,
        token: Path<String>,
        _input: OptionalJsonBody<EmptyRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        self.0.auth.activate(customer.0.id, &token.0, self.0.client(request)).await?;
        Ok(self.notification("activated", &visitor))
    }

    /// Resend the activation link
    ///
    /// A signed-in customer may omit `email`. The response is the same whether or not the address has an inactive
    /// account.
    #[oai(path = "/reactivate", method = "post", operation_id = "resendActivation")]
    async fn reactivate(
        &self,
        request: &Request,
        visitor: Visitor,
        input: OptionalJsonBody<ResendActivationRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        let ResendActivationRequest { email, recaptcha } = input.0;
        let own = visitor.customer.as_ref().map(|customer| customer.email.clone());
        let email = email.or(own).ok_or_else(|| Error::unprocessable("validation_failed").at("email", "required"))?;
        self.0.auth.request_email(AccountRequestKind::Activation, &email, recaptcha.as_deref(), self.0.client(request)).await?;
        Ok(self.notification(self.0.auth.email_notification("activation_sent"), &visitor))
    }

    /// Request a password reset
    ///
    /// The response is the same whether or not the address has an account.
    #[oai(path = "/restore", method = "post", operation_id = "requestPasswordReset")]
    async fn restore(
        &self,
        request: &Request,
        visitor: Visitor,
        input: JsonBody<PasswordResetRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        let PasswordResetRequest { email, recaptcha } = input.0;
        self.0
            .auth
            .request_email(AccountRequestKind::PasswordReset, &email, recaptcha.as_deref(), self.0.client(request))
            .await?;
        Ok(self.notification(self.0.auth.email_notification("restore_sent"), &visitor))
    }

    /// Reset the password
    ///
    /// The token comes from the e-mailed link, `/recover#token=TOKEN`. It works once, for half an hour, and only the
    /// newest one works. Revokes every session, does not sign in, and notifies the customer by e-mail.
    #[oai(path = "/restore/:token", method = "post", operation_id = "resetPassword")]
    async fn finish_restore(
        &self,
        request: &Request,
        visitor: Visitor,
        token: Path<String>,
        input: JsonBody<NewPasswordRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        self.0.auth.reset_password(Audience::Customers, &token.0, input.0.password, self.0.client(request)).await?;
        Ok(self.notification("restored", &visitor))
    }
}
