//! What the sign-in calls of customers and of staff share: cookies, and the proof that a call comes from our own page.

use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_http::Answer;
use agio_http::caller::{address, cookie};
use poem::http::{HeaderValue, StatusCode, header};
use poem::{IntoResponse, Request, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::Type;
use serde::Serialize;

pub use agio_http::Done;

use crate::auth::Client;

/// A cookie to be set.
#[derive(Clone, Copy, Debug)]
pub struct Cookie<'a> {
    /// Its name.
    pub name: &'a str,
    /// The paths it is sent to.
    pub path: &'a str,
    /// What it holds.
    pub value: &'a str,
    /// For how many seconds the browser keeps it; none to forget it.
    pub seconds: u64,
    /// Whether it is for HTTPS only.
    pub secure: bool,
    /// Whether the page's own code may read it.
    pub readable: bool,
}

impl Cookie<'_> {
    /// The header's value.
    pub fn text(&self) -> String {
        let Self { name, path, value, seconds, .. } = self;
        let hidden = if self.readable { "" } else { "; HttpOnly" };
        let secure = if self.secure { "; Secure" } else { "" };
        format!("{name}={value}; Path={path}; Max-Age={seconds}; SameSite=Strict{hidden}{secure}")
    }
}

/// A JSON answer, or none, with cookies to be set.
#[derive(Debug)]
pub struct WithCookies<T> {
    /// The body; none makes it 204.
    pub body: Option<T>,
    /// `Set-Cookie` values.
    pub cookies: Vec<String>,
}

impl<T: Serialize + Send> IntoResponse for WithCookies<T> {
    fn into_response(self) -> Response {
        let mut response = match self.body {
            Some(body) => Answer(body).into_response(),
            None => StatusCode::NO_CONTENT.into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        for cookie in self.cookies.iter().filter_map(|cookie| HeaderValue::from_str(cookie).ok()) {
            headers.append(header::SET_COOKIE, cookie);
        }
        response
    }
}

impl<T: Type> ApiResponse for WithCookies<T> {
    fn meta() -> MetaResponses {
        Answer::<T>::meta()
    }

    fn register(registry: &mut Registry) {
        Answer::<T>::register(registry);
    }
}

/// 204 with cookies to be set.
#[derive(Debug)]
pub struct DoneWithCookies(pub Vec<String>);

impl IntoResponse for DoneWithCookies {
    fn into_response(self) -> Response {
        WithCookies::<()> { body: None, cookies: self.0 }.into_response()
    }
}

impl ApiResponse for DoneWithCookies {
    fn meta() -> MetaResponses {
        Done::meta()
    }

    fn register(_registry: &mut Registry) {}
}

/// Who calls, with the secret of the browser in this cookie, if there is one.
pub fn client(request: &Request, device_cookie: Option<&str>) -> Client {
    let agent = request.header(header::USER_AGENT).unwrap_or_default();
    let locale = request.data::<Locale>().copied().unwrap_or_default();
    Client::new(address(request), agent, locale, device_cookie.and_then(|name| cookie(request, name)))
}

/// Lets a call through that comes from our own pages, and not one that another site makes a browser send. The cookies are
/// SameSite as well; this is the second lock. A browser says where a call comes from, by one of two headers; what sends neither
/// is no browser, and nobody makes it send anything.
///
/// # Errors
/// 401 `token_not_valid`: such a call is treated as if it had no cookie.
pub fn from_our_pages(request: &Request, site: &str) -> Result<()> {
    let is_ours = match (request.header("sec-fetch-site"), request.header(header::ORIGIN)) {
        (Some(relation), _) => relation == "same-origin",
        (None, Some(origin)) => origin == site || request.header(header::HOST).is_some_and(|host| host_of(origin) == Some(host)),
        (None, None) => true,
    };
    if is_ours { Ok(()) } else { Err(Error::token_not_valid()) }
}

/// The host, and port where there is one, of an origin.
fn host_of(origin: &str) -> Option<&str> {
    origin.split_once("://").map(|(_, host)| host)
}
