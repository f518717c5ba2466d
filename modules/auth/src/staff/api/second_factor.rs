//! Second factor endpoints of staff.

use agio_http::{ApiResult, JsonBody, JsonResponse, OptionalJsonBody, StaffAuth, StaffSetupAuth};
use poem::Request;
use poem_openapi::OpenApi;

use super::bodies::BeginTotpRequest;
use super::{ApiContext, Tag};
use crate::accounts::{SecondFactorChange, SecondFactorConfirmation};
use crate::api::NoContent;
use crate::api::bodies::{PasswordConfirmationRequest, RecoveryCodesView, TotpCodeRequest, TotpSecretView};
use crate::audience::Caller;

pub struct StaffSecondFactorApi(pub(super) ApiContext);

impl StaffSecondFactorApi {
    async fn change(
        &self,
        change: SecondFactorChange,
        staff: StaffAuth,
        input: PasswordConfirmationRequest,
        request: &Request,
    ) -> ApiResult<Vec<String>> {
        let (caller, confirmation) = (Caller::from(&staff.0), SecondFactorConfirmation::fresh(&staff.0)?);
        let client = self.0.sign_in.client(request);
        Ok(self.0.auth().change_second_factor(caller, change, input.password, confirmation, client).await?)
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/me/second-factor", tag = "Tag::Own")]
impl StaffSecondFactorApi {
    /// Start setting up a second factor
    ///
    /// Returns the secret for an authenticator app. It takes effect once a code is confirmed; starting again returns
    /// another. Also available before a required second factor is set up, without a password.
    #[oai(path = "/", method = "post", operation_id = "beginStaffTotpSetup")]
    async fn begin(
        &self,
        staff: StaffSetupAuth,
        input: OptionalJsonBody<BeginTotpRequest>,
    ) -> ApiResult<JsonResponse<TotpSecretView>> {
        let password = input.0.password.filter(|password| !password.is_empty());
        Ok(JsonResponse(self.0.auth().begin_totp(Caller::from(&staff.0), password).await?.into()))
    }

    /// Enable the second factor
    ///
    /// Returns the recovery codes, shown only once. Each replaces a code of the app once. Revokes every other session.
    #[oai(path = "/confirm", method = "post", operation_id = "enableStaffTotp")]
    async fn confirm(
        &self,
        request: &Request,
        staff: StaffSetupAuth,
        input: JsonBody<TotpCodeRequest>,
    ) -> ApiResult<JsonResponse<RecoveryCodesView>> {
        let (caller, client) = (Caller::from(&staff.0), self.0.sign_in.client(request));
        let recovery_codes = self.0.auth().confirm_totp(caller, input.0.code, client).await?;
        Ok(JsonResponse(RecoveryCodesView { recovery_codes }))
    }

    /// Disable the second factor
    ///
    /// For moving to another phone. Needs a fresh second factor. Revokes every other session; if a second factor is
    /// required, this one too, and the next sign-in starts with setting up a new one.
    #[oai(path = "/remove", method = "post", operation_id = "disableStaffTotp")]
    async fn remove(
        &self,
        request: &Request,
        staff: StaffAuth,
        input: JsonBody<PasswordConfirmationRequest>,
    ) -> ApiResult<NoContent> {
        self.change(SecondFactorChange::Disable, staff, input.0, request).await?;
        Ok(NoContent)
    }

    /// Generate new recovery codes
    ///
    /// Needs a fresh second factor. The old codes stop working.
    #[oai(path = "/recovery", method = "post", operation_id = "regenerateStaffRecoveryCodes")]
    async fn recovery(
        &self,
        request: &Request,
        staff: StaffAuth,
        input: JsonBody<PasswordConfirmationRequest>,
    ) -> ApiResult<JsonResponse<RecoveryCodesView>> {
        let recovery_codes = self.change(SecondFactorChange::RenewRecoveryCodes, staff, input.0, request).await?;
        Ok(JsonResponse(RecoveryCodesView { recovery_codes }))
    }
}
