//! Sign-in, refresh and sign-out endpoints of customers.

use agio_captcha::api::CaptchaCheck;
use agio_http::{ApiEnum, ApiResult, JsonBody, JsonResponse, Visitor};
use agio_mail::is_time_zone;
use poem::Request;
use poem_openapi::OpenApi;
use poem_openapi::param::Query;

use super::Tag;
use super::bodies::{SignInRequest, SignInResponse};
use crate::accounts::OpenedSession;
use crate::api::{NoContent, SignInContext, WithCookies};
use crate::auth::ClientInfo;
use crate::customers::CaptchaAction;
use crate::tokens::ACCESS_LIFE;

pub struct SignInApi(pub(super) SignInContext);

impl SignInApi {
    async fn respond(&self, session: OpenedSession) -> ApiResult<WithCookies<JsonResponse<SignInResponse>>> {
        let user = self.0.auth.profile(session.account.id).await?.into();
        let access_token = session.tokens.access.clone();
        Ok(self.0.respond(&session, SignInResponse { access_token, expires_in: ACCESS_LIFE.as_secs(), user }))
    }
}

#[OpenApi(prefix_path = "/front-api/auth", tag = "Tag::SignIn")]
impl SignInApi {
    /// Sign in
    ///
    /// Returns an access token and sets the refresh cookie, which the browser sends to the sign-in endpoints only. Also
    /// sets the cookie `agio_session=1`, which scripts can read: while it exists, a refresh can restore the session.
    /// 401 `otp_required` if the password is correct and the account needs a code. After too many wrong passwords the
    /// response is 429; if it names the field `recaptcha`, the same request with a captcha solution is accepted at
    /// once.
    #[oai(path = "/login", method = "post", operation_id = "signIn")]
    async fn login(
        &self,
        request: &Request,
        input: JsonBody<SignInRequest>,
        /// Language of the customer's e-mails from now on: `ru` or `en`.
        locale: Query<Option<String>>,
    ) -> ApiResult<WithCookies<JsonResponse<SignInResponse>>> {
        let client = self.0.client(request);
        let locale = locale.0.and_then(|name| name.parse().ok()).unwrap_or(client.locale);
        let mut credentials = input.0;
        let time_zone = credentials.time_zone.take().filter(|zone| is_time_zone(zone));
        let session = self.0.sign_in(request, credentials.into(), ClientInfo { locale, time_zone, ..client }).await?;
        self.respond(session).await
    }

    /// Refresh the session
    ///
    /// Reads the refresh cookie, returns a new access token and replaces the cookie. Two tabs can refresh at the same
    /// time and keep the same session. A cookie that was replaced long ago counts as stolen, and its session is
    /// revoked. Accepted from our own pages only.
    #[oai(path = "/refresh", method = "get", operation_id = "refreshSession")]
    async fn refresh(&self, request: &Request) -> ApiResult<WithCookies<JsonResponse<SignInResponse>>> {
        self.respond(self.0.refresh(request).await?).await
    }

    /// Sign out
    ///
    /// Revokes the session of the refresh cookie immediately. Accepted from our own pages only.
    #[oai(path = "/logout", method = "post", operation_id = "signOut")]
    async fn logout(&self, request: &Request) -> ApiResult<WithCookies<NoContent>> {
        self.0.sign_out(request).await
    }

    /// Get the captcha for an action
    ///
    /// Tells whether the action requires a captcha now. A challenge is always included: a request that was refused for
    /// too many attempts is accepted with a solution.
    #[oai(path = "/captcha", method = "get", operation_id = "getSignInCaptcha")]
    async fn captcha(
        &self,
        visitor: Visitor,
        /// The action to solve the captcha for.
        action: Query<ApiEnum<CaptchaAction>>,
    ) -> ApiResult<JsonResponse<CaptchaCheck>> {
        Ok(JsonResponse(self.0.auth.captcha_for(action.0.0, visitor.address).await?.into()))
    }
}
