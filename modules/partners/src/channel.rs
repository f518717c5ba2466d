//! Carrying news to partners: a call to an address they named, from the inside of the house's network to the outside alone.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use agio_core::outbox::{Channel, Delivery, Stored};
use agio_core::{BoxFuture, Error, Platform, Result};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;

use crate::model::{signature, target};
use crate::service::{Keyring, News};

/// The channel's name in the outbox.
pub const CHANNEL: &str = "webhook";

/// How many calls may be under way at a time.
const AT_ONCE: i64 = 32;

/// How long a call may last, from the first packet to the answer's head.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest reason that is kept of a failure.
const FAULT_MAX: usize = 300;

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
        connector.set_connect_timeout(Some(PATIENCE));
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(Error::internal)?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { client, allows_private })
    }

    /// Posts a body, and gives the status of the answer. Its body is not read.
    async fn post(&self, url: &str, headers: &[(&'static str, String)], body: String) -> Result<u16, String> {
        // An address in figures is not resolved, so it is looked at here.
        if !target::is_callable(url, self.allows_private) {
            return Err("the address leads inside".to_owned());
        }
        let mut request = Request::builder().method(Method::POST).uri(url).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| error.to_string())?;
        match timeout(PATIENCE, self.client.request(request)).await {
            Ok(Ok(response)) => Ok(response.status().as_u16()),
            Ok(Err(error)) => Err(causes(&error)),
            Err(_) => Err(format!("no answer within {} seconds", PATIENCE.as_secs())),
        }
    }
}

/// The channel to partners.
pub struct WebhookChannel {
    platform: Platform,
    keyring: Keyring,
    caller: Caller,
}

impl WebhookChannel {
    /// The channel, with the partners' secrets and who calls.
    #[must_use]
    pub fn new(platform: &Platform, keyring: &Keyring, caller: Caller) -> Self {
        Self { platform: platform.clone(), keyring: keyring.clone(), caller }
    }

    async fn attempt(&self, message: &Stored) -> Delivery {
        let news = match News::read(&message.payload) {
            Ok(news) => news,
            Err(error) => return Delivery::Never(error.to_string()),
        };
        let Some(partner) = self.keyring.partner(news.partner) else {
            return Delivery::Later("the partner is not known here yet".to_owned());
        };
        let (at, event) = (self.platform.clock.now().as_seconds(), news.event.to_string());
        let signature = signature::of_news(&partner.webhook_secret, at, &event, message.attempts, &news.body);
        let headers = [
            ("user-agent", "Agio".to_owned()),
            ("x-agio-event", event),
            ("x-agio-attempt", message.attempts.to_string()),
            ("x-agio-timestamp", at.to_string()),
            ("x-agio-signature", signature),
        ];
        match self.caller.post(&news.url, &headers, news.body).await {
            Ok(200..=299) => Delivery::Done,
            // The partner says that nobody will ever listen there again.
            Ok(410) => Delivery::Never("answered 410".to_owned()),
            Ok(status) => Delivery::Later(format!("answered {status}")),
            Err(fault) => Delivery::Later(fault.chars().take(FAULT_MAX).collect()),
        }
    }
}

impl Channel for WebhookChannel {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn at_once(&self) -> i64 {
        AT_ONCE
    }

    fn deliver<'a>(&'a self, message: &'a Stored) -> BoxFuture<'a, Delivery> {
        Box::pin(self.attempt(message))
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
            let outcome = caller.post(&format!("https://{host}:{port}/"), &[], String::new()).await;
            assert_eq!(outcome, Err("the address leads inside".to_owned()));
        }
        timeout(Duration::from_millis(20), trap.accept()).await.unwrap_err();
    }
}
