//! Signing in, staying signed in, signing out.

use std::sync::Arc;

use agio_captcha::api::CaptchaCheck;
use agio_core::Error;
use agio_http::caller::cookie;
use agio_http::{Answer, Failure, Input, Outcome, Visitor};
use poem::Request;
use poem_openapi::param::Query;
use poem_openapi::{Enum, OpenApi};

use super::Tag;
use super::bodies::{AuthCustomerSession, AuthLogin};
use super::cookies::Cookies;
use crate::api::{DoneWithCookies, WithCookies, client, from_our_pages};
use crate::auth::{Auth, Client};
use crate::customers::CustomerSignedIn;
use crate::customers::gates::Call;
use crate::customers::sign_in::language;

/// The sign-in calls.
pub struct SignInApi {
    auth: Arc<Auth>,
    site: String,
    cookies: Cookies,
}

impl SignInApi {
    /// The calls, for the site at this address.
    pub fn new(auth: Arc<Auth>, site: &str) -> Self {
        Self { auth, site: site.to_owned(), cookies: Cookies::of(site) }
    }

    fn client(&self, request: &Request) -> Client {
        client(request, Some(self.cookies.device()))
    }

    fn opened(&self, signed_in: CustomerSignedIn) -> WithCookies<AuthCustomerSession> {
        WithCookies { cookies: self.cookies.opened(&signed_in), body: Some(signed_in.into()) }
    }
}

/// A call that a captcha may be asked for.
#[derive(Enum)]
#[oai(rename_all = "lowercase")]
enum AuthCall {
    /// Signing in.
    Login,
    /// Signing up.
    SignUp,
    /// Asking for a link to set a new password.
    Restore,
    /// Asking for another activation link.
    Reactivate,
    /// Asking for links to one's claims.
    FindClaim,
}

#[OpenApi(prefix_path = "/front-api/auth", tag = "Tag::SignIn")]
impl SignInApi {
    /// Sign in
    ///
    /// Gives an access token and sets the refresh cookie, which only these calls see, and beside it the cookie `agio_session=1`, which a page
    /// may read: while it is there, a session can be restored by refreshing. 401 `otp_required` when the password is right
    /// and the account needs a code. After too many wrong passwords the answer is 429; if it names `recaptcha`, the same call
    /// with a captcha's answer is let through at once.
    #[oai(path = "/login", method = "post", operation_id = "login")]
    async fn login(
        &self,
        request: &Request,
        input: Input<AuthLogin>,
        /// The language of the customer's letters from now on: `ru` or `en`.
        locale: Query<Option<String>>,
    ) -> Outcome<WithCookies<AuthCustomerSession>> {
        from_our_pages(request, &self.site)?;
        let client = self.client(request);
        let client = Client { locale: language(locale.0, client.locale), ..client };
        Ok(self.opened(self.auth.customer_sign_in(input.0.into(), client).await?))
    }

    /// Go on with the session
    ///
    /// Takes the refresh cookie, gives a new access token and replaces the cookie. Two tabs may do so at one moment and get the same session
    /// on. A cookie that was replaced long before is a copy: its session ends. The call is only taken from our own pages.
    #[oai(path = "/refresh", method = "get", operation_id = "refresh")]
    async fn refresh(&self, request: &Request) -> Outcome<WithCookies<AuthCustomerSession>> {
        let shown = self.shown(request)?;
        Ok(self.opened(self.auth.customer_refresh(&shown, self.client(request)).await?))
    }

    /// Sign out
    ///
    /// Ends the session of the refresh cookie at once. The call is only taken from our own pages.
    #[oai(path = "/logout", method = "post", operation_id = "logout")]
    async fn logout(&self, request: &Request) -> Outcome<DoneWithCookies> {
        from_our_pages(request, &self.site)?;
        if let Ok(shown) = self.shown(request) {
            self.auth.customer_sign_out(&shown, self.client(request)).await?;
        }
        Ok(DoneWithCookies(self.cookies.closed()))
    }

    /// The captcha of a call
    ///
    /// Says whether the call needs an answer now. A challenge is given in any case: a call that was refused for its number goes through
    /// with an answer.
    #[oai(path = "/captcha", method = "get", operation_id = "getSignInCaptcha")]
    async fn captcha(
        &self,
        visitor: Visitor,
        /// The call the answer is for.
        action: Query<AuthCall>,
    ) -> Outcome<Answer<CaptchaCheck>> {
        let call = match action.0 {
            AuthCall::Login => Call::Login,
            AuthCall::SignUp => Call::SignUp,
            AuthCall::Restore => Call::Restore,
            AuthCall::Reactivate => Call::Reactivate,
            AuthCall::FindClaim => Call::FindClaim,
        };
        Ok(Answer(self.auth.captcha_for(call, visitor.address).await?.into()))
    }
}

impl SignInApi {
    /// The refresh token of a call that comes from our own page.
    fn shown(&self, request: &Request) -> Result<String, Failure> {
        from_our_pages(request, &self.site)?;
        cookie(request, self.cookies.refresh()).ok_or_else(|| Failure(Error::token_not_valid()))
    }
}
