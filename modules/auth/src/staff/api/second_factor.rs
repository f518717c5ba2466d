//! The second factor of one's own account at the console.

use agio_http::{Answer, Input, NewcomerAuth, OptionalInput, Outcome, StaffAuth};
use poem::Request;
use poem_openapi::OpenApi;

use super::bodies::AuthBegin;
use super::{Calls, Tag};
use crate::api::Done;
use crate::customers::api::bodies::{AuthCode, AuthPassword, AuthRecoveryCodes, AuthTotpSecret};

/// The calls.
pub struct StaffFactorApi(pub(super) Calls);

#[OpenApi(prefix_path = "/api/admin/v1/me/second-factor", tag = "Tag::Own")]
impl StaffFactorApi {
    /// Begin to set up a second factor
    ///
    /// Gives the secret for an authenticator app. It holds once a code of it was shown; beginning again gives another one. Also for somebody
    /// who has to set it up first, who need not show the password once more.
    #[oai(path = "/", method = "post", operation_id = "beginStaffTotp")]
    async fn begin(&self, staff: NewcomerAuth, input: OptionalInput<AuthBegin>) -> Outcome<Answer<AuthTotpSecret>> {
        let begun = self.0.auth.begin_staff_totp(staff.0, input.0.password).await?;
        Ok(Answer(AuthTotpSecret { secret: begun.secret, url: begun.url }))
    }

    /// Turn the second factor on
    ///
    /// Gives recovery codes, this once: each counts once in place of the app's code. Every other session ends.
    #[oai(path = "/confirm", method = "post", operation_id = "confirmStaffTotp")]
    async fn confirm(
        &self,
        request: &Request,
        staff: NewcomerAuth,
        input: Input<AuthCode>,
    ) -> Outcome<Answer<AuthRecoveryCodes>> {
        let recovery_codes = self.0.auth.confirm_staff_totp(staff.0, input.0.code, self.0.client(request)).await?;
        Ok(Answer(AuthRecoveryCodes { recovery_codes }))
    }

    /// Turn the second factor off
    ///
    /// Needs a fresh second factor. Every other session ends; where a second factor is required this one too, and the next sign-in begins by
    /// setting a new one up. So one moves to another phone.
    #[oai(path = "/remove", method = "post", operation_id = "removeStaffTotp")]
    async fn remove(&self, request: &Request, staff: StaffAuth, input: Input<AuthPassword>) -> Outcome<Done> {
        self.0.auth.remove_staff_totp(staff.0, input.0.password, self.0.client(request)).await?;
        Ok(Done)
    }

    /// Make new recovery codes
    ///
    /// Needs a fresh second factor. The old ones are good no more.
    #[oai(path = "/recovery", method = "post", operation_id = "renewStaffRecoveryCodes")]
    async fn recovery(
        &self,
        request: &Request,
        staff: StaffAuth,
        input: Input<AuthPassword>,
    ) -> Outcome<Answer<AuthRecoveryCodes>> {
        let client = self.0.client(request);
        let recovery_codes = self.0.auth.renew_staff_recovery_codes(staff.0, input.0.password, client).await?;
        Ok(Answer(AuthRecoveryCodes { recovery_codes }))
    }
}
