//! Second factor endpoints of customers.

use agio_http::caller::CustomerAuth;
use agio_http::{ApiResult, JsonBody, JsonResponse};
use poem::Request;
use poem_openapi::OpenApi;

use super::Tag;
use super::bodies::PasswordAndCodeRequest;
use crate::accounts::{SecondFactorChange, SecondFactorConfirmation};
use crate::api::bodies::{PasswordConfirmationRequest, RecoveryCodesView, TotpCodeRequest, TotpSecretView};
use crate::api::{NoContent, SignInContext};
use crate::audience::Caller;

pub struct SecondFactorApi(pub(super) SignInContext);

impl SecondFactorApi {
    async fn change(
        &self,
        change: SecondFactorChange,
        customer: CustomerAuth,
        input: PasswordAndCodeRequest,
        request: &Request,
    ) -> ApiResult<Vec<String>> {
        let (caller, confirmation) = (Caller::from(&customer.0), SecondFactorConfirmation::code(input.code));
        Ok(self.0.auth.change_second_factor(caller, change, input.password, confirmation, self.0.client(request)).await?)
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me/totp", tag = "Tag::Account")]
impl SecondFactorApi {
    /// Start setting up two-factor authentication
    ///
    /// Returns the secret for an authenticator app. It takes effect once a code is confirmed; starting again returns
    /// another.
    #[oai(path = "/", method = "post", operation_id = "beginTotpSetup")]
    async fn begin(
        &self,
        customer: CustomerAuth,
        input: JsonBody<PasswordConfirmationRequest>,
    ) -> ApiResult<JsonResponse<TotpSecretView>> {
        Ok(JsonResponse(self.0.auth.begin_totp(Caller::from(&customer.0), Some(input.0.password)).await?.into()))
    }

    /// Enable two-factor authentication
    ///
    /// Returns the recovery codes, shown only once. Each replaces a code of the app for one sign-in.
    #[oai(path = "/confirm", method = "post", operation_id = "enableTotp")]
    async fn confirm(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: JsonBody<TotpCodeRequest>,
    ) -> ApiResult<JsonResponse<RecoveryCodesView>> {
        let recovery_codes = self.0.auth.confirm_totp(Caller::from(&customer.0), input.0.code, self.0.client(request)).await?;
        Ok(JsonResponse(RecoveryCodesView { recovery_codes }))
    }

    /// Disable two-factor authentication
    ///
    /// Needs the password and a code.
    #[oai(path = "/remove", method = "post", operation_id = "disableTotp")]
    async fn remove(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: JsonBody<PasswordAndCodeRequest>,
    ) -> ApiResult<NoContent> {
        self.change(SecondFactorChange::Disable, customer, input.0, request).await?;
        Ok(NoContent)
    }

    /// Generate new recovery codes
    ///
    /// The old codes stop working.
    #[oai(path = "/recovery", method = "post", operation_id = "regenerateRecoveryCodes")]
    async fn recovery(
        &self,
        request: &Request,
        customer: CustomerAuth,
        input: JsonBody<PasswordAndCodeRequest>,
    ) -> ApiResult<JsonResponse<RecoveryCodesView>> {
        let recovery_codes = self.change(SecondFactorChange::RenewRecoveryCodes, customer, input.0, request).await?;
        Ok(JsonResponse(RecoveryCodesView { recovery_codes }))
    }
}
