//! A provider that speaks reCAPTCHA's protocol: reCAPTCHA itself, hCaptcha, Turnstile and others.

use std::net::IpAddr;
use std::time::Duration;

use agio_core::{BoxFuture, Error, Result};
use agio_outside::{Bounds, Caller};
use hyper::{Request, Uri};
use serde::Deserialize;

use crate::Widget;

/// Somebody else who tells people from programmes.
pub trait Provider: Send + Sync {
    /// Whose widget pages show.
    fn widget(&self) -> Widget;

    /// The key the provider's script takes in a page.
    fn site_key(&self) -> &str;

    /// Whether the answer a page got from the provider is good for a call of this kind.
    ///
    /// # Errors
    /// The provider does not answer, or not in its own way.
    fn verify<'a>(&'a self, answer: &'a str, action: &'a str, address: IpAddr) -> BoxFuture<'a, Result<bool>>;
}

/// How long the provider may take, and how much it may say.
const BOUNDS: Bounds = Bounds { patience: Duration::from_secs(5), body_bytes: 64 * 1024 };

/// The least score of a visitor who is taken for a person, where the provider gives scores from 0 to 1.
const SCORE_LEAST: f64 = 0.5;

/// A provider behind an HTTP call, `siteverify`.
pub struct SiteVerify {
    caller: Caller,
    url: Uri,
    widget: Widget,
    site_key: String,
    secret: String,
    /// The host the answer must have been made on, where the provider says it.
    host: String,
}

/// What the provider says of an answer; what it does not say is not held against it.
#[derive(Deserialize)]
struct Reply {
    success: bool,
    score: Option<f64>,
    action: Option<String>,
    hostname: Option<String>,
}

impl SiteVerify {
    /// The provider with this widget at this address, with the operator's two keys, for the site on this host.
    ///
    /// # Errors
    /// The address is not one of HTTP.
    pub fn new(widget: Widget, url: &str, site_key: &str, secret: &str, host: &str) -> Result<Self> {
        let url: Uri = url.parse().map_err(Error::internal)?;
        if !matches!(url.scheme_str(), Some("https" | "http")) || url.host().is_none() {
            return Err(Error::internal(format!("the captcha's provider must be at a web address, not {url}")));
        }
        // The operator's own configuration names it, so it may be within the house.
        let caller = Caller::new(true)?;
        Ok(Self { caller, url, widget, site_key: site_key.to_owned(), secret: secret.to_owned(), host: host.to_owned() })
    }

    async fn ask(&self, answer: &str, address: IpAddr) -> Result<Reply> {
        let address = address.to_string();
        let form = [("secret", self.secret.as_str()), ("response", answer), ("remoteip", &address)];
        let form = serde_urlencoded::to_string(form).map_err(Error::internal)?;
        let request = Request::post(&self.url)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.into())
            .map_err(Error::internal)?;
        let response = self.caller.call(request, BOUNDS).await.map_err(Error::internal)?;
        if !response.status().is_success() {
            return Err(Error::internal(format!("the captcha's provider answered {}", response.status())));
        }
        serde_json::from_slice(response.body()).map_err(Error::internal)
    }
}

impl Provider for SiteVerify {
    fn widget(&self) -> Widget {
        self.widget
    }

    fn site_key(&self) -> &str {
        &self.site_key
    }

    fn verify<'a>(&'a self, answer: &'a str, action: &'a str, address: IpAddr) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let reply = self.ask(answer, address).await?;
            Ok(reply.success
                && reply.score.is_none_or(|score| score >= SCORE_LEAST)
                && reply.action.is_none_or(|named| named.is_empty() || named == spelled(action))
                && reply.hostname.is_none_or(|host| host == self.host))
        })
    }
}

/// An action as providers spell them: letters, digits and underscores.
fn spelled(action: &str) -> String {
    action.replace('.', "_")
}
