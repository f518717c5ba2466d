//! Delivers webhooks. Only public addresses may be called.

use std::time::Duration;

use agio_core::outbox::{DeliveryOutcome, OutboxChannel, OutboxMessage};
use agio_core::{BoxFuture, Platform, Result};
use agio_outbound_http::OutboundError;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request};

use crate::model::signature;
use crate::service::{KeyCache, WebhookEvent};

pub const CHANNEL: &str = "webhook";

const MAX_CONCURRENT_CALLS: i64 = 32;

/// From connecting to the response head.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

const FAULT_MAX: usize = 300;

pub struct WebhookClient(agio_outbound_http::OutboundClient);

impl WebhookClient {
    /// `allows_private` also permits private addresses and plain HTTP.
    ///
    /// # Errors
    /// If TLS cannot be initialised.
    pub fn new(allows_private: bool) -> Result<Self> {
        agio_outbound_http::OutboundClient::new(allows_private).map(Self)
    }

    /// Returns the response status. The response body is not read.
    async fn post(&self, url: &str, headers: &[(&'static str, String)], body: String) -> Result<u16, OutboundError> {
        let mut request = Request::builder().method(Method::POST).uri(url).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request =
            request.body(Full::new(Bytes::from(body))).map_err(|error| OutboundError::InvalidRequest(error.to_string()))?;
        self.0.send_for_status(request, CALL_TIMEOUT).await.map(|status| status.as_u16())
    }
}

pub struct WebhookChannel {
    platform: Platform,
    key_cache: KeyCache,
    caller: WebhookClient,
}

impl WebhookChannel {
    pub fn new(platform: &Platform, key_cache: &KeyCache, caller: WebhookClient) -> Self {
        Self { platform: platform.clone(), key_cache: key_cache.clone(), caller }
    }

    async fn attempt(&self, message: &OutboxMessage) -> DeliveryOutcome {
        let webhook = match WebhookEvent::read(&message.payload) {
            Ok(webhook) => webhook,
            Err(error) => return DeliveryOutcome::Failed(error.to_string()),
        };
        let Some(partner) = self.key_cache.partner(webhook.partner) else {
            return DeliveryOutcome::Retry("the partner is not loaded on this node yet".to_owned());
        };
        let (at, event) = (self.platform.clock.now().as_seconds(), webhook.event.to_string());
        let signature = signature::of_webhook(&partner.webhook_secret, at, &event, message.attempts, &webhook.body);
        let headers = [
            ("user-agent", "Agio".to_owned()),
            ("x-agio-event", event),
            ("x-agio-attempt", message.attempts.to_string()),
            ("x-agio-timestamp", at.to_string()),
            ("x-agio-signature", signature),
        ];
        match self.caller.post(&webhook.url, &headers, webhook.body).await {
            Ok(200..=299) => DeliveryOutcome::Delivered,
            // 410 Gone: the partner wants no further attempts.
            Ok(410) => DeliveryOutcome::Failed("answered 410".to_owned()),
            Ok(status) => DeliveryOutcome::Retry(format!("answered {status}")),
            Err(failure) => DeliveryOutcome::Retry(failure.to_string().chars().take(FAULT_MAX).collect()),
        }
    }
}

impl OutboxChannel for WebhookChannel {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn concurrency(&self) -> i64 {
        MAX_CONCURRENT_CALLS
    }

    fn deliver<'a>(&'a self, message: &'a OutboxMessage) -> BoxFuture<'a, DeliveryOutcome> {
        Box::pin(self.attempt(message))
    }
}
