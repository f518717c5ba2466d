//! The edge: one endpoint in front of everything.
//!
//! It numbers and logs the request, finds the language and the caller's address, takes the slash off API paths (the
//! framework registers them without), counts calls per address, sends the request to the API or site it is for, and
//! turns whatever failed into a problem document. A panic is one failed request, not a dead process.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use agio_core::identity::Customer;
use agio_core::needs::{CustomerTokens, Presence, Robots, StaffTokens};
use agio_core::networks::{Networks, limit_key};
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Kind, Platform, Result};
use agio_http::Failure;
use agio_http::problem::Problem;
use agio_ledger::Ledger;
use agio_partners::Partners;
use futures_util::FutureExt as _;
use poem::error::ParseQueryError;
use poem::http::{HeaderValue, Method, StatusCode, Uri, Version, header};
use poem::{Request, Response};
use poem_openapi::error::{AuthorizationError, ContentTypeError, ParseParamError, ParsePathError, ParseRequestPayloadError};
use uuid::Uuid;

use super::client_address::{ProxyHeader, client_address};
use super::docs::Docs;
use super::doors::{Leads, Room, is_at, room};
use super::health;
use super::limit::CallLimit;
use super::once::{Api, Once};
use super::site::Site;
use super::streams::{StreamCaller, StreamLimit, ended_with_session, holding, is_stream};

/// Everything behind the door.
pub struct Edge {
    /// The ground.
    pub platform: Platform,
    /// The books, for readiness.
    pub ledger: Ledger,
    /// All texts.
    pub texts: Arc<Texts>,
    /// Who staff tokens belong to.
    pub staff: Arc<dyn StaffTokens>,
    /// Who customers' tokens belong to.
    pub customers: Arc<dyn CustomerTokens>,
    /// Whether their sessions last.
    pub presence: Arc<dyn Presence>,
    /// The public API.
    pub public_api: Api,
    /// The console's API.
    pub console_api: Api,
    /// Who lets partners in.
    pub partners: Arc<Partners>,
    /// The partners' API.
    pub partner_api: Api,
    /// Keeps calls with an idempotency key from being carried out twice.
    pub once: Once,
    /// The public site.
    pub public_site: Site,
    /// The console.
    pub console_site: Site,
    /// The published documents and their pages.
    pub docs: Docs,
    /// Calls per address.
    pub limit: CallLimit,
    /// Robots whose calls for feeds are not counted.
    pub robots: Arc<dyn Robots>,
    /// Live streams per caller.
    pub streams: StreamLimit,
    /// Proxies that say whom they speak for.
    pub trusted_proxies: Networks,
    /// The header they say it in.
    pub proxy_header: ProxyHeader,
    /// Whether visitors come over HTTPS.
    pub https: bool,
}

impl Edge {
    /// Answers a request that came by a door.
    pub(super) async fn answer(&self, mut request: Request, leads: Leads) -> Response {
        let started = Instant::now();
        let id = self.request_id(&request);
        let locale = self.prepare(&mut request);
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let (token, address) = (bearer(&request).map(str::to_owned), agio_http::caller::address(&request));
        let span = tracing::debug_span!("request", %id);
        let outcome = AssertUnwindSafe(self.dispatch(request, leads, &id)).catch_unwind();
        let outcome = tracing::Instrument::instrument(outcome, span).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Failure(Error::internal("a handler panicked")).into()));
        let outcome = outcome.and_then(|response| self.bounded(response, address, token));
        let mut response = outcome.unwrap_or_else(|error| self.problem(error, locale, &id));
        if response.status() == StatusCode::METHOD_NOT_ALLOWED
            && let Ok(methods) = HeaderValue::from_str(self.docs.allowed(&path))
        {
            response.headers_mut().insert(header::ALLOW, methods);
        }
        self.finish(&mut response, &id);
        let (status, micros) = (response.status().as_u16(), started.elapsed().as_micros());
        if method.is_safe() && status < 400 {
            tracing::debug!(%id, %method, path = without_ids(&path), status, micros);
        } else {
            tracing::info!(%id, %method, path = without_ids(&path), status, micros);
        }
        response
    }

    /// An answer as it may be given: a live stream is counted, and ends with the session it was asked for in.
    fn bounded(&self, response: Response, address: IpAddr, token: Option<String>) -> poem::Result<Response> {
        if !is_stream(&response) {
            return Ok(response);
        }
        let caller = token.clone().map_or_else(|| StreamCaller::Address(limit_key(address)), StreamCaller::Token);
        let response = holding(response, self.streams.open(caller).map_err(Failure)?);
        Ok(match token {
            Some(token) => ended_with_session(response, token, self.presence.clone(), &self.platform.live),
            None => response,
        })
    }

    /// The caller's own number if it is harmless to write down, else a new one.
    fn request_id(&self, request: &Request) -> String {
        let given = request
            .header("x-request-id")
            .filter(|id| (8..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        given.map_or_else(|| self.platform.random.uuid().simple().to_string(), str::to_owned)
    }

    /// Puts what handlers ask for into the request and gives it the path the framework knows.
    fn prepare(&self, request: &mut Request) -> Locale {
        let path = request.uri().path();
        let (mut locale, mut rest) = (Locale::Ru, path);
        if let Some(below) =
            path.strip_prefix("/en").filter(|below| below.starts_with("/api/") || below.starts_with("/front-api/"))
        {
            (locale, rest) = (Locale::En, below);
        }
        let is_by_header = is_at(rest, "/api/admin") || is_at(rest, "/api/partner");
        if is_by_header && request.header(header::ACCEPT_LANGUAGE).is_some_and(|tags| tags.starts_with("en")) {
            locale = Locale::En;
        }
        if rest.starts_with("/api/") || rest.starts_with("/front-api/") {
            rest = rest.trim_end_matches('/');
        }
        if rest.len() != path.len() {
            let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            if let Ok(uri) = format!("{rest}{query}").parse::<Uri>() {
                *request.uri_mut() = uri;
            }
        }
        let address = self.address(request);
        request.set_data(address);
        request.set_data(locale);
        locale
    }

    /// The client's address.
    fn address(&self, request: &Request) -> IpAddr {
        client_address(agio_http::caller::address(request), request.headers(), self.proxy_header, &self.trusted_proxies)
    }

    async fn dispatch(&self, mut request: Request, leads: Leads, id: &str) -> poem::Result<Response> {
        let path = request.uri().path().to_owned();
        let room = room(&path);
        if !has_one_host(&request) {
            return Err(Failure(Error::new(Kind::BadRequest, "host_required")).into());
        }
        if leads == Leads::ToTheConsole && path == "/" {
            return Ok(Response::builder().status(StatusCode::SEE_OTHER).header(header::LOCATION, "/admin/").finish());
        }
        if !leads.to(&room) {
            return Err(Failure(Error::not_found("not_found")).into());
        }
        match room {
            Room::Live | Room::Ready | Room::Docs | Room::ConsoleDocs | Room::DocsStyle
                if !matches!(*request.method(), Method::GET | Method::HEAD) =>
            {
                return Err(Failure(Error::new(Kind::MethodNotAllowed, "method_not_allowed")).into());
            }
            Room::PublicApi | Room::ConsoleApi => {
                let address = agio_http::caller::address(&request);
                if !(is_at(&path, "/export") && self.robots.lets_through(address)) {
                    self.limit.count(address, self.platform.clock.now()).map_err(Failure)?;
                }
            }
            _ => {}
        }
        match room {
            Room::Live => Ok(health::live()),
            Room::Ready => Ok(health::ready(&self.platform.db, &self.ledger).await),
            Room::PublicApi => {
                // A bad token must not quietly turn its bearer into a guest. The sign-in calls know nobody yet, and a page whose
                // token has just ended still has to be able to refresh it.
                if request.headers().contains_key(header::AUTHORIZATION) && !is_at(&path, "/front-api/auth") {
                    let customer = self.customer(&request).await.map_err(Failure)?;
                    request.set_data(customer);
                }
                request.set_data(self.customers.clone());
                let caller = request.data::<Customer>().map(|customer| format!("customer {}", customer.id));
                self.once.answer(&self.public_api, request, caller).await
            }
            Room::PartnerApi => Ok(self.partner(request, id).await),
            Room::ConsoleApi => {
                request.set_data(self.staff.clone());
                // A token that is not valid is for the call to refuse.
                let staff = match bearer(&request) {
                    Some(token) => self.staff.newcomer(token).await.ok(),
                    None => None,
                };
                let caller = staff.map(|session| format!("staff {}", session.staff.id));
                self.once.answer(&self.console_api, request, caller).await
            }
            Room::Docs | Room::ConsoleDocs | Room::DocsStyle => Ok(self.docs.respond(&path)),
            Room::ConsoleSite => {
                let below = path.trim_start_matches("/admin").trim_start_matches('/');
                Ok(self.console_site.respond(&request, below, &self.nonce()))
            }
            Room::PublicSite => Ok(self.public_site.respond(&request, path.trim_start_matches('/'), "")),
        }
    }

    /// The customer whose access token a request carries.
    async fn customer(&self, request: &Request) -> Result<Customer> {
        let customer = self.customers.customer(bearer(request).ok_or_else(Error::token_not_valid)?).await?;
        Ok(Customer { address: Some(agio_http::caller::address(request)), ..customer })
    }

    fn nonce(&self) -> String {
        self.platform.random.uuid().simple().to_string()
    }

    pub(super) fn problem(&self, failed: poem::Error, locale: Locale, id: &str) -> Response {
        if failed.is_from_response() {
            return failed.into_response();
        }
        let error = meaning(failed);
        if error.kind() == Kind::Internal {
            tracing::error!(%id, %error, "a request failed by our fault");
        } else {
            tracing::debug!(%id, %error, "a request was refused");
        }
        Problem::of(&error, &self.texts, locale, id).into_response(error.retry_after_seconds())
    }

    fn finish(&self, response: &mut Response, id: &str) {
        let headers = response.headers_mut();
        if let Ok(id) = HeaderValue::from_str(id) {
            headers.insert("x-request-id", id);
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
        if self.https {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
        }
    }
}

/// The access token a request carries.
fn bearer(request: &Request) -> Option<&str> {
    let (scheme, token) = request.header(header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}

/// Whether a request names the host it is for, once. Before HTTP/1.1 it need not; over HTTP/2 the name may be in the target.
fn has_one_host(request: &Request) -> bool {
    match request.headers().get_all(header::HOST).iter().count() {
        0 => request.version() != Version::HTTP_11,
        count => count == 1,
    }
}

/// What a failure of the framework means in the house's own codes; its words stay inside.
pub(super) fn meaning(failed: poem::Error) -> Error {
    let status = failed.status();
    let failed = match failed.downcast::<Failure>() {
        Ok(Failure(error)) => return error,
        Err(other) => other,
    };
    let parameter = failed.downcast_ref::<ParseParamError>().map(|parameter| parameter.name);
    if let Some(name) = parameter.or_else(|| failed.downcast_ref::<ParsePathError>().map(|part| part.name)) {
        return Error::new(Kind::BadRequest, "malformed_parameter").at(name, "malformed_parameter");
    }
    if failed.is::<AuthorizationError>() {
        return Error::token_not_valid();
    }
    if failed.is::<ParseRequestPayloadError>() {
        return Error::new(Kind::BadRequest, "malformed_body");
    }
    if failed.is::<ContentTypeError>() {
        return Error::new(Kind::UnsupportedMedia, "unsupported_media");
    }
    if failed.is::<ParseQueryError>() {
        return Error::new(Kind::BadRequest, "malformed_parameter");
    }
    match status {
        StatusCode::BAD_REQUEST => Error::new(Kind::BadRequest, "malformed_body"),
        StatusCode::UNAUTHORIZED => Error::token_not_valid(),
        StatusCode::NOT_FOUND => Error::not_found("not_found"),
        StatusCode::METHOD_NOT_ALLOWED => Error::new(Kind::MethodNotAllowed, "method_not_allowed"),
        StatusCode::PAYLOAD_TOO_LARGE => Error::new(Kind::TooLarge, "too_large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Error::new(Kind::UnsupportedMedia, "unsupported_media"),
        _ => Error::internal(failed.to_string()),
    }
}

/// The path with identifiers and secrets blotted out: the identifier of a claim opens it, and a mailed token an account, so they do
/// not belong in a log.
fn without_ids(path: &str) -> String {
    let blot = |part: &str| match part {
        _ if Uuid::try_parse(part).is_ok() => "{id}".to_owned(),
        _ if part.len() > WORD_BYTES_MAX && !part.contains('.') => "{secret}".to_owned(),
        word => word.chars().take(64).collect(),
    };
    path.split('/').map(blot).collect::<Vec<_>>().join("/")
}

/// The longest part of a path that is taken for a word.
const WORD_BYTES_MAX: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claims_identifier_is_not_logged() {
        assert_eq!(without_ids("/api/v1/claim/2f1c5e0a-5b5e-4f5e-9b5e-2f1c5e0a5b5e/status"), "/api/v1/claim/{id}/status");
    }

    #[test]
    fn a_mailed_token_is_not_logged() {
        let path = "/api/v1/users/restore/YWdpby11bmtub3duLXN0YWZmYWdpby11bmtub3duLXN0";
        assert_eq!(without_ids(path), "/api/v1/users/restore/{secret}");
        assert_eq!(without_ids("/assets/index-4f9e2a7b3c1d5e6f.js"), "/assets/index-4f9e2a7b3c1d5e6f.js");
    }
}
