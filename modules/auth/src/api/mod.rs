//! Shared by the endpoints of customers and staff: bodies, cookies, sign-in and the cross-site check.

pub mod bodies;
mod cookies;

use std::sync::Arc;

use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_http::caller::{address, cookie};
use agio_http::{ApiResult, JsonResponse};
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Request, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};

pub use agio_http::NoContent;

use self::cookies::SessionCookies;
use crate::accounts::{Credentials, OpenedSession};
use crate::audience::Audience;
use crate::auth::{Auth, ClientInfo};

/// A response that sets cookies.
#[derive(Debug)]
pub struct WithCookies<R> {
    response: R,
    /// `Set-Cookie` values.
    cookies: Vec<String>,
}

impl<R: IntoResponse> IntoResponse for WithCookies<R> {
    fn into_response(self) -> Response {
        let mut response = self.response.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        for cookie in self.cookies.iter().filter_map(|cookie| HeaderValue::from_str(cookie).ok()) {
            headers.append(header::SET_COOKIE, cookie);
        }
        response
    }
}

impl<R: ApiResponse> ApiResponse for WithCookies<R> {
    fn meta() -> MetaResponses {
        R::meta()
    }

    fn register(registry: &mut Registry) {
        R::register(registry);
    }
}

/// Sign-in, refresh and sign-out as HTTP.
#[derive(Clone)]
pub struct SignInContext {
    pub auth: Arc<Auth>,
    audience: Audience,
    /// Base URL of the pages that may use the cookies.
    site: String,
}

impl SignInContext {
    pub fn new(auth: &Arc<Auth>, audience: Audience, site: &str) -> Self {
        Self { auth: auth.clone(), audience, site: site.to_owned() }
    }

    fn cookies(&self) -> SessionCookies {
        SessionCookies::of(self.audience, &self.site)
    }

    /// The client of a request, with the secret of its device cookie.
    pub fn client(&self, request: &Request) -> ClientInfo {
        let agent = request.header(header::USER_AGENT).unwrap_or_default();
        let locale = request.data::<Locale>().copied().unwrap_or_default();
        ClientInfo::new(address(request), agent, locale, cookie(request, self.cookies().device()))
    }

    /// # Errors
    /// 401 `token_not_valid` for pages of others.
    pub fn require_own_page(&self, request: &Request) -> Result<()> {
        from_our_pages(request, &self.site)
    }

    pub async fn sign_in(&self, request: &Request, credentials: Credentials, client: ClientInfo) -> Result<OpenedSession> {
        self.require_own_page(request)?;
        self.auth.sign_in(self.audience, credentials, client).await
    }

    pub async fn refresh(&self, request: &Request) -> Result<OpenedSession> {
        self.require_own_page(request)?;
        let token = cookie(request, self.cookies().refresh()).ok_or_else(Error::token_not_valid)?;
        self.auth.refresh(self.audience, &token, self.client(request)).await
    }

    pub async fn sign_out(&self, request: &Request) -> ApiResult<WithCookies<NoContent>> {
        self.require_own_page(request)?;
        if let Some(token) = cookie(request, self.cookies().refresh()) {
            self.auth.sign_out(self.audience, &token, self.client(request)).await?;
        }
        Ok(self.signed_out())
    }

    /// A response that removes the cookies of a session.
    pub fn signed_out(&self) -> WithCookies<NoContent> {
        WithCookies { response: NoContent, cookies: self.cookies().closed() }
    }

    /// A response that sets the cookies of a session.
    pub fn respond<T>(&self, session: &OpenedSession, body: T) -> WithCookies<JsonResponse<T>> {
        WithCookies { response: JsonResponse(body), cookies: self.cookies().opened(session) }
    }
}

/// Rejects cross-site requests of browsers, in addition to the `SameSite` cookies. Browsers send `Sec-Fetch-Site` or
/// `Origin`; clients that send neither are not browsers.
///
/// # Errors
/// 401 `token_not_valid`, as if the request had no cookie.
fn from_our_pages(request: &Request, site: &str) -> Result<()> {
    let is_ours = match (request.header("sec-fetch-site"), request.header(header::ORIGIN)) {
        (Some(relation), _) => relation == "same-origin",
        (None, Some(origin)) => origin == site || request.header(header::HOST).is_some_and(|host| host_of(origin) == Some(host)),
        (None, None) => true,
    };
    if is_ours { Ok(()) } else { Err(Error::token_not_valid()) }
}

/// Host, and port if any, of an origin.
fn host_of(origin: &str) -> Option<&str> {
    origin.split_once("://").map(|(_, host)| host)
}
