//! HTTP requests to URLs that customers or staff chose. The server sends them from its own network, so the target address is checked on
//! every connection (SSRF protection), and time and response size are limited.

pub mod target;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Duration;

use agio_core::{BoxFuture, Error, Result};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::{Request, Response, StatusCode};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use thiserror::Error as ThisError;
use tokio::time::timeout;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// Timeout of the whole request.
    pub timeout: Duration,
    /// Maximum size of the response body.
    pub body_bytes: usize,
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum OutboundError {
    /// The URL leads to a private address or is not an HTTP URL. Nothing was sent.
    #[error("the URL is not public")]
    PrivateAddress,
    /// The request is malformed. Nothing was sent.
    #[error("malformed request: {0}")]
    InvalidRequest(String),
    /// No connection. Nothing was sent.
    #[error("{0}")]
    ConnectFailed(String),
    /// The connection broke. The other side may have acted on the request.
    #[error("{0}")]
    ConnectionLost(String),
    /// No complete response in time. The other side may have acted on the request.
    #[error("no answer within {} seconds", .0.as_secs_f32())]
    Timeout(Duration),
    /// The response exceeds the limit. The other side may have acted on the request.
    #[error("the answer is longer than {0} bytes")]
    ResponseTooLarge(usize),
}

impl OutboundError {
    /// Whether the other side may have acted on the request.
    pub fn may_have_acted(&self) -> bool {
        matches!(self, Self::ConnectionLost(_) | Self::Timeout(_) | Self::ResponseTooLarge(_))
    }
}

/// DNS resolver that rejects private addresses. It runs on every connection, so a name that now resolves to a private address is
/// rejected too (DNS rebinding).
#[derive(Clone)]
struct PublicResolver {
    allows_private: bool,
}

impl tower_service::Service<Name> for PublicResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let allows_private = self.allows_private;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if !allows_private && found.iter().any(|address| !target::is_public(address.ip())) {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the name resolves to a private address"));
            }
            Ok(found.into_iter())
        })
    }
}

/// Trusts the certificate authorities of this machine, so that the operator can add one, or Mozilla's if it has none.
static TLS: LazyLock<std::result::Result<ClientConfig, rustls::Error>> = LazyLock::new(|| {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = config.clone().with_native_roots().unwrap_or_else(|_| config.with_webpki_roots());
    Ok(config.with_no_client_auth())
});

/// HTTP client. It follows no redirects and keeps no connections open.
#[derive(Clone)]
pub struct OutboundClient {
    client: Client<HttpsConnector<HttpConnector<PublicResolver>>, Full<Bytes>>,
    allows_private: bool,
}

impl OutboundClient {
    /// `allows_private` also allows private addresses and plain HTTP.
    ///
    /// # Errors
    /// TLS is not available.
    pub fn new(allows_private: bool) -> Result<Self> {
        let mut connector = HttpConnector::new_with_resolver(PublicResolver { allows_private });
        connector.enforce_http(false);
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(TLS.clone().map_err(Error::internal)?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { client, allows_private })
    }

    /// Sends a request and reads the response body. A redirect is returned as a response.
    pub async fn send(&self, request: Request<Full<Bytes>>, limits: RequestLimits) -> Result<Response<Bytes>, OutboundError> {
        timeout(limits.timeout, self.exchange(request, limits.body_bytes))
            .await
            .unwrap_or(Err(OutboundError::Timeout(limits.timeout)))
    }

    /// Sends a request and returns the response status without reading the body.
    pub async fn send_for_status(&self, request: Request<Full<Bytes>>, limit: Duration) -> Result<StatusCode, OutboundError> {
        let response = timeout(limit, self.begin(request)).await.unwrap_or(Err(OutboundError::Timeout(limit)))?;
        Ok(response.status())
    }

    async fn begin(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, OutboundError> {
        // A literal IP address is not resolved, so it is checked here.
        if !target::is_callable(&request.uri().to_string(), self.allows_private) {
            return Err(OutboundError::PrivateAddress);
        }
        self.client.request(request).await.map_err(|error| {
            let message = describe(&error);
            if error.is_connect() { OutboundError::ConnectFailed(message) } else { OutboundError::ConnectionLost(message) }
        })
    }

    async fn exchange(&self, request: Request<Full<Bytes>>, max_bytes: usize) -> Result<Response<Bytes>, OutboundError> {
        let (head, body) = self.begin(request).await?.into_parts();
        if body.size_hint().lower() > max_bytes as u64 {
            return Err(OutboundError::ResponseTooLarge(max_bytes));
        }
        let body = Limited::new(body, max_bytes).collect().await.map_err(|error| {
            if error.is::<http_body_util::LengthLimitError>() {
                OutboundError::ResponseTooLarge(max_bytes)
            } else {
                OutboundError::ConnectionLost(error.to_string())
            }
        })?;
        Ok(Response::from_parts(head, body.to_bytes()))
    }
}

/// An error with its causes: the library's own message says little.
fn describe(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        message = format!("{message}: {deeper}");
        cause = deeper.source();
    }
    message
}

#[cfg(test)]
mod tests {
    use tower_service::Service as _;

    use super::*;

    /// Names of this machine, some in forms that only a resolver reads as an address.
    const LOCAL_NAMES: [&str; 4] = ["localhost", "0x7f.1", "127.1", "2130706433"];

    const LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(2), body_bytes: 1024 };

    fn get(url: &str) -> Request<Full<Bytes>> {
        Request::get(url).body(Full::default()).unwrap()
    }

    #[tokio::test]
    async fn names_of_private_addresses_are_not_resolved() {
        for name in LOCAL_NAMES {
            let rejected = PublicResolver { allows_private: false }.call(name.parse().unwrap()).await.unwrap_err();
            assert_eq!(rejected.kind(), io::ErrorKind::PermissionDenied, "{name}");
            let found = PublicResolver { allows_private: true }.call(name.parse().unwrap()).await.unwrap();
            assert!(found.count() > 0, "{name} does not resolve here, so its rejection proves nothing");
        }
    }

    #[tokio::test]
    async fn private_ip_addresses_are_not_called() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = OutboundClient::new(false).unwrap();
        for host in ["127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"] {
            let outcome = client.send(get(&format!("https://{host}:{port}/")), LIMITS).await;
            assert_eq!(outcome.unwrap_err(), OutboundError::PrivateAddress);
        }
        timeout(Duration::from_millis(20), listener.accept()).await.unwrap_err();
    }
}
