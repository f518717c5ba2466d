//! Change of the e-mail address, data export and deletion of the account.

use agio_contracts::ReauthenticationRequest;
use agio_http::caller::CustomerAuth;
use agio_http::{ApiResult, JsonBody, JsonResponse, OptionalJsonBody, Visitor};
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::types::Any;

use super::Tag;
use super::bodies::{
    AccountConfirmationRequest, ChangeEmailRequest, CustomerDataExport, EmptyRequest, NewPasswordRequest, NotificationResponse,
};
use crate::api::{NoContent, SignInContext, WithCookies};
use crate::audience::Caller;
use crate::customers::CustomerData;

pub struct CustomerDataApi {
    pub(super) context: SignInContext,
    pub(super) data: CustomerData,
}

impl CustomerDataApi {
    fn notification(&self, what: &str, visitor: &Visitor) -> JsonResponse<NotificationResponse> {
        JsonResponse(NotificationResponse::of(&self.context.auth.texts, what, visitor.locale))
    }
}

#[OpenApi(prefix_path = "/api/v1/users", tag = "Tag::Account")]
impl CustomerDataApi {
    /// Request a change of my address
    ///
    /// E-mails a link to the new address, and a notice to the present one with a link that takes the account back. The
    /// response is the same if the new address has an account. 409 `email_changed_recently` for a week after a change.
    #[oai(path = "/me/email", method = "post", operation_id = "requestEmailChange")]
    async fn request_email_change(
        &self,
        request: &Request,
        visitor: Visitor,
        customer: CustomerAuth,
        input: JsonBody<ChangeEmailRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        let ChangeEmailRequest { email, password, code } = input.0;
        let credentials = ReauthenticationRequest { password, code };
        let client = self.context.client(request);
        self.data.request_email_change(Caller::from(&customer.0), &email, credentials, client).await?;
        Ok(self.notification(self.context.auth.email_notification("email_change_sent"), &visitor))
    }

    /// Confirm my new address
    ///
    /// The token comes from the e-mailed link, `/account/settings#email=TOKEN`. It works once, for one day, and in the
    /// account it was requested for. Revokes every other session. 409 `email_taken` if another account has confirmed the
    /// address.
    #[oai(path = "/me/email/:token", method = "post", operation_id = "confirmEmailChange")]
    async fn confirm_email_change(
        &self,
        request: &Request,
        visitor: Visitor,
        customer: CustomerAuth,
        token: Path<String>,
        _input: OptionalJsonBody<EmptyRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        self.data.confirm_email_change(Caller::from(&customer.0), &token.0, self.context.client(request)).await?;
        Ok(self.notification("email_changed", &visitor))
    }

    /// Undo a change of the address
    ///
    /// The token comes from the notice to the former address, `/recover#undo=TOKEN`. It works once, for a week, and only
    /// the newest one works. Withdraws or reverses the change, revokes every session, removes a second factor that was
    /// set up since, and sets a new password.
    #[oai(path = "/email/:token/undo", method = "post", operation_id = "undoEmailChange")]
    async fn undo_email_change(
        &self,
        request: &Request,
        visitor: Visitor,
        token: Path<String>,
        input: JsonBody<NewPasswordRequest>,
    ) -> ApiResult<JsonResponse<NotificationResponse>> {
        self.data.undo_email_change(&token.0, input.0.password, self.context.client(request)).await?;
        Ok(self.notification("email_change_undone", &visitor))
    }

    /// Export my data
    ///
    /// Everything that is kept about the customer, with full payment details.
    #[oai(path = "/me/export", method = "post", operation_id = "exportMyData")]
    async fn export(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: JsonBody<AccountConfirmationRequest>,
    ) -> ApiResult<JsonResponse<CustomerDataExport>> {
        let caller = Caller::from(&customer.0);
        let data = self.data.export(caller, input.0.into(), self.context.client(request)).await?;
        Ok(JsonResponse(CustomerDataExport { data: Any(data) }))
    }

    /// Delete my account
    ///
    /// Erases what is kept about the customer but the records of exchanges, which lose the e-mail address. The address
    /// can sign up again. 409 `claims_open`, `referral_balance_left`, `referral_withdrawal_open` or
    /// `partner_access_open` while something is open or owed.
    #[oai(path = "/me/delete", method = "post", operation_id = "deleteMyAccount")]
    async fn delete(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: JsonBody<AccountConfirmationRequest>,
    ) -> ApiResult<WithCookies<NoContent>> {
        self.data.delete_account(Caller::from(&customer.0), input.0.into(), self.context.client(request)).await?;
        Ok(self.context.signed_out())
    }
}
