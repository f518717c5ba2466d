//! The console's sign-in calls.

use std::sync::Arc;

use agio_core::identity::{Permission, Staff};
use agio_core::{Error, Kind};
use agio_http::caller::cookie;
use agio_http::{Answer, Failure, Input, Outcome, StaffAuth};
use poem::http::{StatusCode, header};
use poem::{IntoResponse, Request, Response};
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::{ApiResponse, Object, OpenApi, Tags};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::SESSION_LIFE;
use crate::service::{Auth, SignedIn};

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
    secure_cookies: bool,
}

impl StaffSignIn {
    /// The calls, the permissions of all modules, and whether cookies are for HTTPS only.
    #[must_use]
    pub fn new(auth: Arc<Auth>, permissions: Arc<Vec<Permission>>, secure_cookies: bool) -> Self {
        Self { auth, permissions, secure_cookies }
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

/// An opened or renewed session, with the refresh cookie where it changes.
struct SessionOpened {
    body: AuthSession,
    cookie: Option<String>,
}

/// 204, and the refresh cookie is forgotten.
struct SessionEnded {
    cookie: String,
}

#[OpenApi(prefix_path = "/api/admin/v1/auth", tag = "Tag::SignIn")]
impl StaffSignIn {
    /// Sign in
    ///
    /// Gives an access token and sets the refresh cookie.
    #[oai(path = "/login", method = "post", operation_id = "staffLogin")]
    async fn login(&self, input: Input<AuthCredentials>) -> Outcome<SessionOpened> {
        let AuthCredentials { email, password } = input.0;
        Ok(self.opened(self.auth.sign_in(&email, password).await?))
    }

    /// Go on with the session
    ///
    /// Takes the refresh cookie, gives a new access token and replaces the cookie.
    #[oai(path = "/refresh", method = "post", operation_id = "staffRefresh")]
    async fn refresh(&self, request: &Request) -> Outcome<SessionOpened> {
        let shown = self.shown(request)?;
        Ok(self.opened(self.auth.refresh(&shown).await?))
    }

    /// Sign out
    ///
    /// Ends the session of the refresh cookie at once.
    #[oai(path = "/logout", method = "post", operation_id = "staffLogout")]
    async fn logout(&self, request: &Request) -> Outcome<SessionEnded> {
        if let Ok(shown) = self.shown(request) {
            self.auth.sign_out(&shown).await?;
        }
        Ok(SessionEnded { cookie: self.cookie("", 0) })
    }

    /// Who am I
    #[oai(path = "/me", method = "get", operation_id = "staffMe")]
    async fn me(&self, staff: StaffAuth) -> Outcome<Answer<AuthStaff>> {
        let account = self.auth.account(staff.0.id).await?;
        Ok(Answer(self.describe(&staff.0, account.email)))
    }
}

impl StaffSignIn {
    /// The refresh token of a call that comes from our own page: the cookie is SameSite, and a browser that says
    /// where a call comes from must say "same-origin".
    fn shown(&self, request: &Request) -> Result<String, Failure> {
        let site = request.header("sec-fetch-site").unwrap_or("same-origin");
        let shown = cookie(request, COOKIE).filter(|_| matches!(site, "same-origin" | "none"));
        shown.ok_or_else(|| Failure(Error::new(Kind::Unauthorised, "token_not_valid")))
    }

    fn opened(&self, signed_in: SignedIn) -> SessionOpened {
        let cookie = signed_in.refresh_token.as_deref().map(|token| self.cookie(token, SESSION_LIFE.as_secs()));
        let user = self.describe(&signed_in.staff, signed_in.email);
        let body = AuthSession { access_token: signed_in.access_token, expires_in: signed_in.expires_in_seconds, user };
        SessionOpened { body, cookie }
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

    fn cookie(&self, token: &str, seconds: u64) -> String {
        let secure = if self.secure_cookies { "; Secure" } else { "" };
        format!("{COOKIE}={token}; Path={COOKIE_PATH}; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
    }
}

impl IntoResponse for SessionOpened {
    fn into_response(self) -> Response {
        let mut response = Answer(self.body).into_response();
        if let Some(cookie) = self.cookie.and_then(|cookie| cookie.parse().ok()) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

impl ApiResponse for SessionOpened {
    fn meta() -> MetaResponses {
        Answer::<AuthSession>::meta()
    }

    fn register(registry: &mut Registry) {
        Answer::<AuthSession>::register(registry);
    }
}

impl IntoResponse for SessionEnded {
    fn into_response(self) -> Response {
        Response::builder().status(StatusCode::NO_CONTENT).header(header::SET_COOKIE, self.cookie).finish()
    }
}

impl ApiResponse for SessionEnded {
    fn meta() -> MetaResponses {
        let mut meta = <() as ApiResponse>::meta();
        meta.responses[0].status = Some(204);
        meta.responses[0].description = "Signed out.";
        meta
    }

    fn register(_registry: &mut Registry) {}
}
