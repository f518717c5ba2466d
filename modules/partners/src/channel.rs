//! Carrying news to partners: a call to an address they named, from the inside of the house's network to the outside alone.

use std::time::Duration;

use agio_core::outbox::{Channel, Delivery, Stored};
use agio_core::{BoxFuture, Platform, Result};
use agio_outside::Failure;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request};

use crate::model::signature;
use crate::service::{Keyring, News};

/// The channel's name in the outbox.
pub const CHANNEL: &str = "webhook";

/// How many calls may be under way at a time.
const AT_ONCE: i64 = 32;

/// How long a call may last, from the first packet to the answer's head.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest reason that is kept of a failure.
const FAULT_MAX: usize = 300;

/// Who calls the partners.
pub struct Caller(agio_outside::Caller);

impl Caller {
    /// Somebody who calls; also private addresses and without TLS, where that is allowed.
    ///
    /// # Errors
    /// TLS cannot be had.
    pub fn new(allows_private: bool) -> Result<Self> {
        agio_outside::Caller::new(allows_private).map(Self)
    }

    /// Posts a body, and gives the status of the answer. Its body is not read.
    async fn post(&self, url: &str, headers: &[(&'static str, String)], body: String) -> Result<u16, Failure> {
        let mut request = Request::builder().method(Method::POST).uri(url).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| Failure::Unmade(error.to_string()))?;
        self.0.status(request, PATIENCE).await.map(|status| status.as_u16())
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
            Err(failure) => Delivery::Later(failure.to_string().chars().take(FAULT_MAX).collect()),
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
