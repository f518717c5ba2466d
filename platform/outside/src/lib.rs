//! Calls to the outside: what a stranger or an operator named is called from within the house's network, so where a call leads is looked
//! at when it is made, and how long it lasts and how much it brings is bounded.

pub mod target;

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use agio_core::{BoxFuture, Error, Result};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::{Request, Response, StatusCode};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use thiserror::Error as ThisError;
use tokio::time::timeout;

/// What bounds a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How long it may last, from the first packet to the last.
    pub patience: Duration,
    /// The longest body that is read, in bytes.
    pub body_bytes: usize,
}

/// Why a call brought nothing.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum Failure {
    /// It leads inside, or is no address of the web. Nothing was sent.
    #[error("the address leads inside")]
    Inside,
    /// The request cannot be made. Nothing was sent.
    #[error("the request cannot be made: {0}")]
    Unmade(String),
    /// No connection came about. Nothing was sent.
    #[error("{0}")]
    Unreached(String),
    /// The connection broke. What was sent may have been acted on.
    #[error("{0}")]
    Broken(String),
    /// No whole answer in time. What was sent may have been acted on.
    #[error("no answer within {} seconds", .0.as_secs_f32())]
    Late(Duration),
    /// The answer is longer than is read. What was sent may have been acted on.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
}

impl Failure {
    /// Whether the other side may have acted on what was sent.
    #[must_use]
    pub fn may_have_acted(&self) -> bool {
        matches!(self, Self::Broken(_) | Self::Late(_) | Self::TooLong(_))
    }
}

/// Resolves names, and gives no address that is not public. It is asked at each connection, so a name that has come to stand for
/// something inside is refused then.
#[derive(Clone)]
struct Outward {
    allows_private: bool,
}

impl tower_service::Service<Name> for Outward {
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
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the name leads inside"));
            }
            Ok(found.into_iter())
        })
    }
}

/// Who calls outside. It follows no redirect and keeps no connection.
#[derive(Clone)]
pub struct Caller {
    client: Client<HttpsConnector<HttpConnector<Outward>>, Full<Bytes>>,
    allows_private: bool,
}

impl Caller {
    /// Somebody who calls; also private addresses and without TLS, where that is allowed.
    ///
    /// # Errors
    /// TLS cannot be had.
    pub fn new(allows_private: bool) -> Result<Self> {
        let mut connector = HttpConnector::new_with_resolver(Outward { allows_private });
        connector.enforce_http(false);
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(Error::internal)?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { client, allows_private })
    }

    /// Calls, and gives the answer with its body. A redirect is an answer like any other.
    ///
    /// # Errors
    /// The call may not be made, or brought no whole answer within its bounds.
    pub async fn call(&self, request: Request<Full<Bytes>>, bounds: Bounds) -> Result<Response<Bytes>, Failure> {
        timeout(bounds.patience, self.exchange(request, bounds.body_bytes)).await.unwrap_or(Err(Failure::Late(bounds.patience)))
    }

    /// Calls, and gives the status of the answer. Its body is not read.
    ///
    /// # Errors
    /// The call may not be made, or no answer began in time.
    pub async fn status(&self, request: Request<Full<Bytes>>, patience: Duration) -> Result<StatusCode, Failure> {
        let response = timeout(patience, self.begin(request)).await.unwrap_or(Err(Failure::Late(patience)))?;
        Ok(response.status())
    }

    async fn begin(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failure> {
        // An address in figures is not resolved, so it is looked at here.
        if !target::is_callable(&request.uri().to_string(), self.allows_private) {
            return Err(Failure::Inside);
        }
        self.client.request(request).await.map_err(|error| {
            let told = causes(&error);
            if error.is_connect() { Failure::Unreached(told) } else { Failure::Broken(told) }
        })
    }

    async fn exchange(&self, request: Request<Full<Bytes>>, longest: usize) -> Result<Response<Bytes>, Failure> {
        let (head, body) = self.begin(request).await?.into_parts();
        if body.size_hint().lower() > longest as u64 {
            return Err(Failure::TooLong(longest));
        }
        let body = Limited::new(body, longest).collect().await.map_err(|error| {
            if error.is::<http_body_util::LengthLimitError>() {
                Failure::TooLong(longest)
            } else {
                Failure::Broken(error.to_string())
            }
        })?;
        Ok(Response::from_parts(head, body.to_bytes()))
    }
}

/// An error with what caused it: the library's own words say little.
fn causes(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        told = format!("{told}: {deeper}");
        cause = deeper.source();
    }
    told
}

#[cfg(test)]
mod tests {
    use tower_service::Service as _;

    use super::*;

    /// Names that stand for this machine, in plain words and in forms that only a resolver reads as an address.
    const INSIDE: [&str; 4] = ["localhost", "0x7f.1", "127.1", "2130706433"];

    const BOUNDS: Bounds = Bounds { patience: Duration::from_secs(2), body_bytes: 1024 };

    fn get(url: &str) -> Request<Full<Bytes>> {
        Request::get(url).body(Full::default()).unwrap()
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_resolved() {
        for name in INSIDE {
            let refused = Outward { allows_private: false }.call(name.parse().unwrap()).await.unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "{name}");
            let found = Outward { allows_private: true }.call(name.parse().unwrap()).await.unwrap();
            assert!(found.count() > 0, "{name} stands for nothing here, so that it was refused proves nothing");
        }
    }

    #[tokio::test]
    async fn an_address_in_figures_that_leads_inside_is_not_called() {
        let trap = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = trap.local_addr().unwrap().port();
        let caller = Caller::new(false).unwrap();
        for host in ["127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"] {
            let outcome = caller.call(get(&format!("https://{host}:{port}/")), BOUNDS).await;
            assert_eq!(outcome.unwrap_err(), Failure::Inside);
        }
        timeout(Duration::from_millis(20), trap.accept()).await.unwrap_err();
    }
}
