//! The middleware in front of all APIs and sites.
//!
//! It assigns a request id, logs the request, finds the language and the client address, strips the trailing slash of
//! API paths (the framework registers them without it), limits requests per address, dispatches the request, and turns
//! errors into problem documents. A panic fails one request, not the process.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use agio_claims::Claims;
use agio_contracts::{CrawlerAllowlist, CustomerTokens, SessionLookup, StaffTokens};
use agio_core::identity::Customer;
use agio_core::networks::{Networks, limit_key};
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, ErrorKind, Platform, Result};
use agio_http::problem::Problem;
use agio_http::{ApiError, Negotiation, PreparedBody};
use agio_ledger::Ledger;
use agio_partners::Partners;
use futures_util::FutureExt as _;
use poem::error::ParseQueryError;
use poem::http::{HeaderValue, Method, StatusCode, Uri, Version, header};
use poem::{Request, Response};
use poem_openapi::OperationId;
use poem_openapi::error::{AuthorizationError, ContentTypeError, ParseParamError, ParsePathError, ParseRequestPayloadError};
use tracing::Instrument as _;
use uuid::Uuid;

use super::arrival::{self, Arrival, PeerAddress};
use super::brand::BrandPages;
use super::client_address::{ProxyHeader, client_address};
use super::docs::Docs;
use super::health;
use super::idempotency::{Api, IdempotencyMiddleware};
use super::listeners::{ListenerAudience, Route, is_at, route};
use super::rate_limit::RateLimit;
use super::site::Site;
use super::streams::{StreamCaller, StreamLimit, end_with_session, hold_permit, is_stream};
use crate::metrics::Metrics;
use crate::openapi::DeclaredOperations;
use crate::{plugin_callbacks, traces};

pub struct Middleware {
    pub platform: Platform,
    pub claims: Arc<Claims>,
    pub metrics: Arc<Metrics>,
    /// For readiness.
    pub reads: health::ReadCheck,
    /// For readiness.
    pub ledger: Ledger,
    pub texts: Arc<Texts>,
    pub staff: Arc<dyn StaffTokens>,
    pub customers: Arc<dyn CustomerTokens>,
    pub sessions: Arc<dyn SessionLookup>,
    pub public_api: Api,
    pub console_api: Api,
    pub partners: Arc<Partners>,
    pub partner_api: Api,
    pub declared: Arc<DeclaredOperations>,
    pub idempotency: IdempotencyMiddleware,
    pub public_site: Site,
    pub brand: BrandPages,
    pub console_site: Site,
    /// The guides, for staff.
    pub help: Site,
    pub docs: Docs,
    pub rate_limit: RateLimit,
    /// Their requests for feeds are not rate limited.
    pub crawlers: Arc<dyn CrawlerAllowlist>,
    pub streams: StreamLimit,
    pub trusted_proxies: Networks,
    pub proxy_header: ProxyHeader,
    /// Whether the public URL is HTTPS.
    pub https: bool,
}

impl Middleware {
    pub(super) async fn answer(&self, mut request: Request, audience: ListenerAudience) -> Response {
        let started = Instant::now();
        let id = self.request_id(&request);
        let locale = self.prepare(&mut request);
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let (token, address) = (bearer(&request).map(str::to_owned), agio_http::caller::address(&request));
        let is_upload = request.content_type().is_some_and(|kind| kind.starts_with("multipart/"));
        // As an error, so that no filter takes the id from the lines of a request.
        let span = tracing::error_span!("request", request_id = %id);
        let trace = traces::request_span(&span, &id);
        let outcome = AssertUnwindSafe(self.dispatch(request, audience, &id)).catch_unwind();
        let outcome = outcome.instrument(trace.clone().or_current()).instrument(span.clone()).await;
        let _entered = span.enter();
        let outcome = outcome.unwrap_or_else(|_| Err(ApiError(Error::internal("a handler panicked")).into()));
        let outcome = outcome.and_then(|response| self.limit_stream(response, address, token));
        let operation = match &outcome {
            Ok(response) => response.data::<OperationId>(),
            Err(error) => error.data::<OperationId>(),
        };
        let operation = operation.map_or_else(|| route(&path).name(), |operation| operation.0);
        let mut response = outcome.unwrap_or_else(|error| self.problem(error, locale, &id));
        if response.status() == StatusCode::METHOD_NOT_ALLOWED
            && let Ok(methods) = HeaderValue::from_str(self.declared.methods.at(&path))
        {
            response.headers_mut().insert(header::ALLOW, methods);
        }
        // The body of a refused upload may be unread, so the connection closes. A client that is not told could reuse it.
        if response.status() == StatusCode::PAYLOAD_TOO_LARGE || (is_upload && !response.status().is_success()) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        self.finish(&mut response, &id);
        self.metrics.count_request(operation, response.status(), started.elapsed());
        let status = response.status().as_u16();
        // JSON has no 128-bit numbers: they become text.
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        if method.is_safe() && status < 400 {
            tracing::debug!(%method, path = without_ids(&path), status, micros);
        } else {
            tracing::info!(%method, path = without_ids(&path), status, micros);
        }
        traces::end_request(&trace, operation, &method, status);
        response
    }

    /// Limits event streams per caller, and ends them with their session.
    fn limit_stream(&self, response: Response, address: IpAddr, token: Option<String>) -> poem::Result<Response> {
        if !is_stream(&response) {
            return Ok(response);
        }
        let caller = token.clone().map_or_else(|| StreamCaller::Address(limit_key(address)), StreamCaller::Token);
        let response = hold_permit(response, self.streams.open(caller).map_err(ApiError)?);
        Ok(match token {
            Some(token) => end_with_session(response, token, self.sessions.clone(), &self.platform.events),
            None => response,
        })
    }

    /// The request id of the caller if it is safe to log, or else a new one.
    fn request_id(&self, request: &Request) -> String {
        let given = request
            .header("x-request-id")
            .filter(|id| (8..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        given.map_or_else(|| self.platform.random.uuid().simple().to_string(), str::to_owned)
    }

    /// Adds the locale and client address to the request, and normalises its path.
    fn prepare(&self, request: &mut Request) -> Locale {
        let path = request.uri().path();
        let (mut locale, mut rest) = (Locale::Ru, path);
        if let Some(below) =
            path.strip_prefix("/en").filter(|below| below.starts_with("/api/") || below.starts_with("/front-api/"))
        {
            (locale, rest) = (Locale::En, below);
        }
        let is_by_header = is_at(rest, "/api/admin") || is_at(rest, "/api/partner");
        if is_by_header && rest.len() == path.len() {
            locale = request.header(header::ACCEPT_LANGUAGE).and_then(Locale::preferred).unwrap_or_default();
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
        request.set_data(PeerAddress(agio_http::caller::address(request)));
        let address = self.address(request);
        request.set_data(address);
        request.set_data(locale);
        locale
    }

    fn address(&self, request: &Request) -> IpAddr {
        client_address(agio_http::caller::address(request), request.headers(), self.proxy_header, &self.trusted_proxies)
    }

    /// What is rare or waits for the database is boxed: this future is moved several times for each request.
    async fn dispatch(&self, mut request: Request, audience: ListenerAudience, id: &str) -> poem::Result<Response> {
        let path = request.uri().path().to_owned();
        let route = route(&path);
        if !has_one_host(&request) {
            return Err(ApiError(Error::new(ErrorKind::BadRequest, "host_required")).into());
        }
        if audience == ListenerAudience::Staff && path == "/" {
            return Ok(Response::builder().status(StatusCode::SEE_OTHER).header(header::LOCATION, "/admin/").finish());
        }
        if !audience.serves(&route) {
            return Err(ApiError(Error::not_found("not_found")).into());
        }
        match route {
            Route::Live | Route::Ready | Route::AcceptsClaims | Route::Docs | Route::ConsoleDocs | Route::DocsStyle
                if !matches!(*request.method(), Method::GET | Method::HEAD) =>
            {
                return Err(ApiError(Error::new(ErrorKind::MethodNotAllowed, "method_not_allowed")).into());
            }
            Route::PublicApi | Route::ConsoleApi => {
                let address = agio_http::caller::address(&request);
                if !(is_at(&path, "/export") && self.crawlers.allows(address)) {
                    self.rate_limit.count(address, self.platform.clock.now()).map_err(ApiError)?;
                }
            }
            _ => {}
        }
        match route {
            Route::Live => Ok(self.arrival(&request).unwrap_or_else(health::live)),
            Route::Ready => Ok(Box::pin(health::ready(&self.platform.db, &self.reads)).await),
            Route::AcceptsClaims => {
                let Platform { db, settings, .. } = &self.platform;
                Ok(Box::pin(health::accepts_claims(db, &self.reads, &self.ledger, settings)).await)
            }
            Route::PublicApi => {
                // An invalid token must not silently make its bearer a guest. Sign-in operations are exempt: a page
                // with an expired token must be able to refresh it. Callbacks are not from customers.
                let needs_customer = !is_at(&path, "/front-api/auth") && !is_at(&path, plugin_callbacks::PATH);
                if request.headers().contains_key(header::AUTHORIZATION) && needs_customer {
                    let customer = Box::pin(self.customer(&request)).await.map_err(ApiError)?;
                    request.set_data(customer);
                }
                request.set_data(self.customers.clone());
                let caller = request.data::<Customer>().map(|customer| format!("customer {}", customer.id));
                // Answers to a token are the caller's own, and their compressed size could tell a secret.
                let is_shared = caller.is_none();
                let negotiation = Negotiation::of(request.headers());
                let response = self.idempotency.answer(&self.public_api, request, caller).await?;
                match response.data::<Arc<PreparedBody>>().filter(|_| is_shared).cloned() {
                    Some(body) => Ok(body.send(&negotiation, response)),
                    None => Ok(response),
                }
            }
            Route::PartnerApi => Ok(Box::pin(self.partner(request, id)).await),
            Route::ConsoleApi => {
                request.set_data(self.staff.clone());
                // Handlers refuse invalid tokens.
                let staff = match bearer(&request) {
                    Some(token) => self.staff.staff_in_setup(token).await.ok(),
                    None => None,
                };
                let caller = staff.map(|session| format!("staff {}", session.staff.id));
                self.idempotency.answer(&self.console_api, request, caller).await
            }
            Route::Docs | Route::ConsoleDocs | Route::DocsStyle => Ok(self.docs.respond(&path, &self.brand.brands.site_name())),
            Route::ConsoleSite => {
                let below = path.trim_start_matches("/admin").trim_start_matches('/');
                Ok(self.console_site.respond(&request, below, &self.nonce()))
            }
            Route::Help => {
                let below = path.trim_start_matches("/help").trim_start_matches('/');
                Ok(self.help.respond(&request, below, ""))
            }
            Route::PublicSite => {
                let mut response = match self.brand.respond(&request, &path) {
                    Some(response) => response,
                    None => self.public_site.respond(&request, path.trim_start_matches('/'), ""),
                };
                if response.status() == StatusCode::OK && Box::pin(self.is_unknown_claim(&request, &path)).await {
                    response.set_status(StatusCode::NOT_FOUND);
                }
                Ok(response)
            }
        }
    }

    /// Whether a page is that of a claim which does not exist. It counts as a call, and above the limit nobody looks.
    async fn is_unknown_claim(&self, request: &Request, path: &str) -> bool {
        let Some(id) = path.strip_prefix("/en").unwrap_or(path).strip_prefix("/claim/") else { return false };
        let id = id.trim_end_matches('/');
        if ["", "success", "fail"].contains(&id) {
            return false;
        }
        let Ok(id) = id.parse::<Uuid>() else { return true };
        let address = agio_http::caller::address(request);
        if self.rate_limit.count(address, self.platform.clock.now()).is_err() {
            return false;
        }
        matches!(self.claims.claim(id).await, Err(error) if error.kind() == ErrorKind::NotFound)
    }

    /// What arrived of a request of `agio doctor`.
    fn arrival(&self, request: &Request) -> Option<Response> {
        let proof = request.header(arrival::HEADER)?;
        if !arrival::is_valid(proof, &self.platform.vault, self.platform.clock.now()) {
            return None;
        }
        let peer = request.data::<PeerAddress>()?.0;
        let arrival = Arrival::new(peer, agio_http::caller::address(request), request.headers(), self.proxy_header);
        let body = serde_json::to_string(&arrival).ok()?;
        Some(Response::builder().content_type("application/json").header(header::CACHE_CONTROL, "no-store").body(body))
    }

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
        let error = to_error(failed);
        if error.kind() == ErrorKind::Internal {
            tracing::error!(%error, "a request failed with an internal error");
        } else {
            tracing::debug!(%error, "a request was refused");
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

/// The access token of a request.
fn bearer(request: &Request) -> Option<&str> {
    let (scheme, token) = request.header(header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}

/// Whether a request has exactly one host. HTTP/1.0 needs none, and HTTP/2 may have it in the target.
fn has_one_host(request: &Request) -> bool {
    match request.headers().get_all(header::HOST).iter().count() {
        0 => request.version() != Version::HTTP_11,
        count => count == 1,
    }
}

/// Maps an error of the framework to our own codes, and hides its message.
pub(super) fn to_error(failed: poem::Error) -> Error {
    let status = failed.status();
    let failed = match failed.downcast::<ApiError>() {
        Ok(ApiError(error)) => return error,
        Err(other) => other,
    };
    if let Some(parameter) = failed.downcast_ref::<ParseParamError>() {
        return Error::new(ErrorKind::BadRequest, "malformed_parameter").at(parameter.name, "malformed_parameter");
    }
    if failed.is::<AuthorizationError>() {
        return Error::token_not_valid();
    }
    if failed.is::<ParseRequestPayloadError>() {
        return Error::new(ErrorKind::BadRequest, "malformed_body");
    }
    if failed.is::<ContentTypeError>() {
        return Error::new(ErrorKind::UnsupportedMedia, "unsupported_media");
    }
    // The framework has names of its own for the parts of a path.
    if failed.is::<ParsePathError>() || failed.is::<ParseQueryError>() {
        return Error::new(ErrorKind::BadRequest, "malformed_parameter");
    }
    match status {
        StatusCode::BAD_REQUEST => Error::new(ErrorKind::BadRequest, "malformed_body"),
        StatusCode::UNAUTHORIZED => Error::token_not_valid(),
        StatusCode::NOT_FOUND => Error::not_found("not_found"),
        StatusCode::METHOD_NOT_ALLOWED => Error::new(ErrorKind::MethodNotAllowed, "method_not_allowed"),
        StatusCode::PAYLOAD_TOO_LARGE => Error::new(ErrorKind::TooLarge, "too_large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Error::new(ErrorKind::UnsupportedMedia, "unsupported_media"),
        _ => Error::internal(failed.to_string()),
    }
}

/// The path without ids and secrets: a claim id gives access to the claim, and a token from an email to an account, so
/// they must not be logged.
fn without_ids(path: &str) -> String {
    let redact = |part: &str| match part {
        _ if Uuid::try_parse(part).is_ok() => "{id}".to_owned(),
        _ if part.len() > PLAIN_SEGMENT_LENGTH_MAX && !part.contains('.') => "{secret}".to_owned(),
        word => word.chars().take(64).collect(),
    };
    path.split('/').map(redact).collect::<Vec<_>>().join("/")
}

/// Longer path segments without a dot are treated as secrets.
const PLAIN_SEGMENT_LENGTH_MAX: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claim_ids_are_not_logged() {
        assert_eq!(without_ids("/api/v1/claim/2f1c5e0a-5b5e-4f5e-9b5e-2f1c5e0a5b5e/status"), "/api/v1/claim/{id}/status");
    }

    #[test]
    fn tokens_from_emails_are_not_logged() {
        let path = "/api/v1/users/restore/YWdpby11bmtub3duLXN0YWZmYWdpby11bmtub3duLXN0";
        assert_eq!(without_ids(path), "/api/v1/users/restore/{secret}");
        assert_eq!(without_ids("/assets/index-4f9e2a7b3c1d5e6f.js"), "/assets/index-4f9e2a7b3c1d5e6f.js");
    }
}
