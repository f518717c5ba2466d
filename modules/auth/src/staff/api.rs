//! The console's sign-in calls.

use std::sync::Arc;

use agio_core::Error;
use agio_core::identity::{Permission, Staff};
use agio_http::caller::cookie;
use agio_http::{Answer, Failure, Input, Outcome, StaffAuth};
use poem::Request;
use poem_openapi::{Object, OpenApi, Tags};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::StaffSignedIn;
use crate::api::{Cookie, DoneWithCookies, WithCookies, client, from_our_pages};
use crate::auth::Auth;
use crate::tokens::ACCESS_LIFE;

/// The cookie that carries the refresh token; only the sign-in calls see it.
const COOKIE: &str = "agio_staff";
const COOKIE_PATH: &str = "/api/admin/v1/auth";

#[derive(Tags)]
enum Tag {
    /// Signing in to the console.
    #[oai(rename = "Sign-in")]
    SignIn,
}

/// The sign-in calls.
pub struct StaffSignIn {
    auth: Arc<Auth>,
    permissions: Arc<Vec<Permission>>,
    site: String,
}

impl StaffSignIn {
    /// The calls, the permissions of all modules, and the address visitors know the house under.
    #[must_use]
    pub fn new(auth: Arc<Auth>, permissions: Arc<Vec<Permission>>, site: &str) -> Self {
        Self { auth, permissions, site: site.to_owned() }
    }
}

/// E-mail and password.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
struct AuthCredentials {
    /// The address the account is under.
    email: String,
    /// The password.
    password: String,
}

impl poem_openapi::types::Example for AuthCredentials {
    fn example() -> Self {
        Self { email: "operator@agio.example".into(), password: "correct horse battery".into() }
    }
}

/// A member of staff and what they may do.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AuthStaff {
    /// Identifier.
    id: Uuid,
    /// E-mail address.
    email: String,
    /// The name colleagues see.
    name: String,
    /// The role.
    role: String,
    /// Names of what they may do.
    permissions: Vec<String>,
}

/// An access token and whose it is.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AuthSession {
    /// Send it as `Authorization: Bearer`.
    access_token: String,
    /// Seconds until it ends; refresh before.
    expires_in: u64,
    /// Who signed in.
    user: AuthStaff,
}

#[OpenApi(prefix_path = "/api/admin/v1/auth", tag = "Tag::SignIn")]
impl StaffSignIn {
    /// Sign in
    ///
    /// Gives an access token and sets the refresh cookie.
    #[oai(path = "/login", method = "post", operation_id = "staffLogin")]
    async fn login(&self, request: &Request, input: Input<AuthCredentials>) -> Outcome<WithCookies<AuthSession>> {
        let AuthCredentials { email, password } = input.0;
        Ok(self.opened(self.auth.staff_sign_in(&email, password, client(request, None)).await?))
    }

    /// Go on with the session
    ///
    /// Takes the refresh cookie, gives a new access token and replaces the cookie.
    #[oai(path = "/refresh", method = "post", operation_id = "staffRefresh")]
    async fn refresh(&self, request: &Request) -> Outcome<WithCookies<AuthSession>> {
        let shown = self.shown(request)?;
        Ok(self.opened(self.auth.staff_refresh(&shown, client(request, None)).await?))
    }

    /// Sign out
    ///
    /// Ends the session of the refresh cookie at once.
    #[oai(path = "/logout", method = "post", operation_id = "staffLogout")]
    async fn logout(&self, request: &Request) -> Outcome<DoneWithCookies> {
        if let Ok(shown) = self.shown(request) {
            self.auth.staff_sign_out(&shown).await?;
        }
        Ok(DoneWithCookies(vec![self.cookie("", 0)]))
    }

    /// Who am I
    #[oai(path = "/me", method = "get", operation_id = "staffMe")]
    async fn me(&self, staff: StaffAuth) -> Outcome<Answer<AuthStaff>> {
        let account = self.auth.staff_account(staff.0.id).await?;
        Ok(Answer(self.describe(&staff.0, account.email)))
    }
}

impl StaffSignIn {
    /// The refresh token of a call that comes from our own page.
    fn shown(&self, request: &Request) -> Result<String, Failure> {
        from_our_pages(request, &self.site)?;
        cookie(request, COOKIE).ok_or_else(|| Failure(Error::token_not_valid()))
    }

    fn opened(&self, signed_in: StaffSignedIn) -> WithCookies<AuthSession> {
        let StaffSignedIn { tokens, staff, email } = signed_in;
        let cookies = vec![self.cookie(&tokens.refresh, tokens.cookie_seconds)];
        let user = self.describe(&staff, email);
        let body = AuthSession { access_token: tokens.access, expires_in: ACCESS_LIFE.as_secs(), user };
        WithCookies { body: Some(body), cookies }
    }

    fn describe(&self, staff: &Staff, email: String) -> AuthStaff {
        let may = self.permissions.iter().filter(|permission| staff.role.may(**permission));
        AuthStaff {
            id: staff.id,
            email,
            name: staff.name.clone(),
            role: staff.role.to_string(),
            permissions: may.map(|permission| permission.0.to_owned()).collect(),
        }
    }

    fn cookie(&self, value: &str, seconds: u64) -> String {
        let secure = self.site.starts_with("https:");
        Cookie { name: COOKIE, path: COOKIE_PATH, value, seconds, secure, readable: false }.text()
    }
}
