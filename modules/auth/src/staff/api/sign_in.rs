//! Sign-in, refresh and sign-out endpoints of staff.

use agio_http::{ApiEnum, ApiResult, DateTime, JsonBody, JsonResponse, StaffSetupAuth};
use poem::Request;
use poem_openapi::OpenApi;

use super::bodies::{StaffProfileView, StaffSignInRequest, StaffSignInResponse};
use super::{ApiContext, Tag};
use crate::accounts::OpenedSession;
use crate::api::{NoContent, WithCookies};
use crate::staff::account::StaffProfile;
use crate::tokens::ACCESS_LIFE;

pub struct StaffSignInApi(pub(super) ApiContext);

#[OpenApi(prefix_path = "/api/admin/v1/auth", tag = "Tag::SignIn")]
impl StaffSignInApi {
    /// Sign in
    ///
    /// Returns an access token and sets the refresh cookie. 401 `otp_required` if the password is correct and the
    /// account needs a code: repeat the request with `otp`. If the installation requires a second factor and the
    /// account has none, `setupNeeded` is true and every request except its setup fails with 403
    /// `second_factor_setup_needed`.
    #[oai(path = "/login", method = "post", operation_id = "staffSignIn")]
    async fn login(
        &self,
        request: &Request,
        input: JsonBody<StaffSignInRequest>,
    ) -> ApiResult<WithCookies<JsonResponse<StaffSignInResponse>>> {
        let client = self.0.sign_in.client(request);
        self.0.respond(self.0.sign_in.sign_in(request, input.0.into(), client).await?).await
    }

    /// Refresh the session
    ///
    /// Reads the refresh cookie, returns a new access token and replaces the cookie.
    #[oai(path = "/refresh", method = "post", operation_id = "refreshStaffSession")]
    async fn refresh(&self, request: &Request) -> ApiResult<WithCookies<JsonResponse<StaffSignInResponse>>> {
        self.0.respond(self.0.sign_in.refresh(request).await?).await
    }

    /// Sign out
    ///
    /// Revokes the session of the refresh cookie immediately. Accepted from our own pages only.
    #[oai(path = "/logout", method = "post", operation_id = "staffSignOut")]
    async fn logout(&self, request: &Request) -> ApiResult<WithCookies<NoContent>> {
        self.0.sign_in.sign_out(request).await
    }

    /// Get my account
    ///
    /// Also available before a required second factor is set up.
    #[oai(path = "/me", method = "get", operation_id = "getMyStaffAccount")]
    async fn me(&self, staff: StaffSetupAuth) -> ApiResult<JsonResponse<StaffProfileView>> {
        let profile = self.0.auth().staff_profile(staff.0.staff.id, staff.0.session).await?;
        Ok(JsonResponse(self.0.describe(profile)))
    }
}

impl ApiContext {
    pub(super) async fn respond(&self, session: OpenedSession) -> ApiResult<WithCookies<JsonResponse<StaffSignInResponse>>> {
        let user = self.describe(self.auth().staff_profile(session.account.id, session.session).await?);
        let access_token = session.tokens.access.clone();
        let body = StaffSignInResponse { access_token, expires_in: ACCESS_LIFE.as_secs(), user };
        Ok(self.sign_in.respond(&session, body))
    }

    fn describe(&self, profile: StaffProfile) -> StaffProfileView {
        let StaffProfile { account, staff, second_factor, setup_needed, fresh_until } = profile;
        let granted = self.permissions.iter().filter(|permission| !setup_needed && staff.role.has(**permission));
        StaffProfileView {
            id: account.id,
            permissions: granted.map(|permission| permission.0.to_owned()).collect(),
            role: ApiEnum(staff.role),
            language: account.locale.into(),
            email: account.email,
            name: staff.name,
            second_factor: second_factor.enabled,
            second_factor_required: self.auth().console.second_factor_required,
            setup_needed,
            recovery_codes: second_factor.recovery_codes,
            fresh_until: fresh_until.map(DateTime).into(),
        }
    }
}
