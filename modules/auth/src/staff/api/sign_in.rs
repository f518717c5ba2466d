//! Signing in, staying signed in, signing out.

use agio_core::Error;
use agio_http::caller::cookie;
use agio_http::{Answer, Failure, Input, NewcomerAuth, Outcome};
use poem::Request;
use poem_openapi::OpenApi;

use super::bodies::{AuthCredentials, AuthSession, AuthStaff};
use super::cookies::Cookies;
use super::{Calls, Tag};
use crate::api::{DoneWithCookies, WithCookies, client, from_our_pages};
use crate::auth::Client;
use crate::staff::{StaffProfile, StaffSignedIn};
use crate::tokens::ACCESS_LIFE;

/// The sign-in calls.
pub struct StaffSignInApi(pub(super) Calls);

#[OpenApi(prefix_path = "/api/admin/v1/auth", tag = "Tag::SignIn")]
impl StaffSignInApi {
    /// Sign in
    ///
    /// Gives an access token and sets the refresh cookie. 401 `second_factor_needed` when the password is right and the account needs a code:
    /// the same call with `otp` goes on. Where the installation requires a second factor and the account has none yet, `setupNeeded` is true,
    /// and every call but those that set it up is refused with 403 `second_factor_setup_needed`.
    #[oai(path = "/login", method = "post", operation_id = "staffLogin")]
    async fn login(&self, request: &Request, input: Input<AuthCredentials>) -> Outcome<WithCookies<AuthSession>> {
        from_our_pages(request, &self.0.site)?;
        Ok(self.0.opened(self.0.auth.staff_sign_in(input.0.into(), self.0.client(request)).await?))
    }

    /// Go on with the session
    ///
    /// Takes the refresh cookie, gives a new access token and replaces the cookie.
    #[oai(path = "/refresh", method = "post", operation_id = "staffRefresh")]
    async fn refresh(&self, request: &Request) -> Outcome<WithCookies<AuthSession>> {
        let shown = self.shown(request)?;
        Ok(self.0.opened(self.0.auth.staff_refresh(&shown, self.0.client(request)).await?))
    }

    /// Sign out
    ///
    /// Ends the session of the refresh cookie at once. The call is only taken from our own pages.
    #[oai(path = "/logout", method = "post", operation_id = "staffLogout")]
    async fn logout(&self, request: &Request) -> Outcome<DoneWithCookies> {
        from_our_pages(request, &self.0.site)?;
        if let Ok(shown) = self.shown(request) {
            self.0.auth.staff_sign_out(&shown, self.0.client(request)).await?;
        }
        Ok(DoneWithCookies(self.0.cookies().closed()))
    }

    /// Who am I
    ///
    /// Also for somebody who has to set up a second factor first.
    #[oai(path = "/me", method = "get", operation_id = "staffMe")]
    async fn me(&self, staff: NewcomerAuth) -> Outcome<Answer<AuthStaff>> {
        let profile = self.0.auth.staff_profile(staff.0.staff.id, staff.0.session).await?;
        Ok(Answer(self.0.describe(profile)))
    }
}

impl StaffSignInApi {
    /// The refresh token of a call that comes from our own page.
    fn shown(&self, request: &Request) -> Result<String, Failure> {
        from_our_pages(request, &self.0.site)?;
        cookie(request, self.0.cookies().refresh()).ok_or_else(|| Failure(Error::token_not_valid()))
    }
}

impl Calls {
    pub(super) fn cookies(&self) -> Cookies {
        Cookies::of(&self.site)
    }

    /// Who calls, with the secret of their browser.
    pub(super) fn client(&self, request: &Request) -> Client {
        client(request, Some(self.cookies().device()))
    }

    /// The answer to somebody who is signed in from now on.
    pub(super) fn opened(&self, signed_in: StaffSignedIn) -> WithCookies<AuthSession> {
        let cookies = self.cookies().opened(&signed_in);
        let StaffSignedIn { tokens, profile, .. } = signed_in;
        let user = self.describe(profile);
        let body = AuthSession { access_token: tokens.access, expires_in: ACCESS_LIFE.as_secs(), user };
        WithCookies { body: Some(body), cookies }
    }

    pub(super) fn describe(&self, profile: StaffProfile) -> AuthStaff {
        let StaffProfile { row, second_factor, recovery_codes, setup_needed, fresh_until } = profile;
        let may = self.permissions.iter().filter(|permission| !setup_needed && row.role.may(**permission));
        AuthStaff {
            id: row.id,
            permissions: may.map(|permission| permission.0.to_owned()).collect(),
            role: row.role.to_string(),
            language: row.locale().to_string(),
            email: row.email,
            name: row.name,
            second_factor,
            second_factor_required: self.auth.console.second_factor_required,
            setup_needed,
            recovery_codes,
            fresh_until: fresh_until.map(agio_http::Moment).into(),
        }
    }
}
