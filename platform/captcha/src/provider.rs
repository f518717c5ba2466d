//! Captcha providers with reCAPTCHA's protocol: reCAPTCHA, hCaptcha, Turnstile and others.

use std::net::IpAddr;
use std::time::Duration;

use agio_core::{BoxFuture, Error, Result};
use agio_outbound_http::{OutboundClient, RequestLimits};
use hyper::{Request, Uri};
use serde::Deserialize;

use crate::CaptchaWidget;

pub trait CaptchaProvider: Send + Sync {
    fn widget(&self) -> CaptchaWidget;

    fn site_key(&self) -> &str;

    /// Whether the answer is valid for the action.
    ///
    /// # Errors
    /// The provider does not answer, or its response is malformed.
    fn verify<'a>(&'a self, answer: &'a str, action: &'a str, address: IpAddr) -> BoxFuture<'a, Result<bool>>;
}

const LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(5), body_bytes: 64 * 1024 };

/// Minimum score of a human, if the provider returns scores from 0 to 1.
const SCORE_MIN: f64 = 0.5;

/// A provider with the HTTP endpoint `siteverify`.
pub struct SiteVerifyProvider {
    client: OutboundClient,
    url: Uri,
    widget: CaptchaWidget,
    site_key: String,
    secret: String,
    /// Expected host name, if the provider returns one.
    host: String,
}

/// Response of the provider. Absent fields are not checked.
#[derive(Deserialize)]
struct SiteVerifyResponse {
    success: bool,
    score: Option<f64>,
    action: Option<String>,
    hostname: Option<String>,
}

impl SiteVerifyProvider {
    /// # Errors
    /// The URL is not an HTTP URL.
    pub fn new(widget: CaptchaWidget, url: &str, site_key: &str, secret: &str, host: &str) -> Result<Self> {
        let url: Uri = url.parse().map_err(Error::internal)?;
        if !matches!(url.scheme_str(), Some("https" | "http")) || url.host().is_none() {
            return Err(Error::internal(format!("the URL of the captcha provider must be an HTTP URL, not {url}")));
        }
        // The operator configures the URL, so it may be private.
        let client = OutboundClient::new(true)?;
        Ok(Self { client, url, widget, site_key: site_key.to_owned(), secret: secret.to_owned(), host: host.to_owned() })
    }

    async fn query(&self, answer: &str, address: IpAddr) -> Result<SiteVerifyResponse> {
        let address = address.to_string();
        let form = [("secret", self.secret.as_str()), ("response", answer), ("remoteip", &address)];
        let form = serde_urlencoded::to_string(form).map_err(Error::internal)?;
        let request = Request::post(&self.url)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.into())
            .map_err(Error::internal)?;
        let response = self.client.send(request, LIMITS).await.map_err(Error::internal)?;
        if !response.status().is_success() {
            return Err(Error::internal(format!("the captcha provider answered {}", response.status())));
        }
        serde_json::from_slice(response.body()).map_err(Error::internal)
    }
}

impl CaptchaProvider for SiteVerifyProvider {
    fn widget(&self) -> CaptchaWidget {
        self.widget
    }

    fn site_key(&self) -> &str {
        &self.site_key
    }

    fn verify<'a>(&'a self, answer: &'a str, action: &'a str, address: IpAddr) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let response = self.query(answer, address).await?;
            Ok(response.success
                && response.score.is_none_or(|score| score >= SCORE_MIN)
                && response.action.is_none_or(|named| named.is_empty() || named == action_name(action))
                && response.hostname.is_none_or(|host| host == self.host))
        })
    }
}

/// An action in the providers' format: letters, digits and underscores.
fn action_name(action: &str) -> String {
    action.replace('.', "_")
}
