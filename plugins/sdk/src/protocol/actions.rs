//! What a plugin needs done, and what came of it.

use serde::{Deserialize, Serialize};

use super::calls::Refusal;
use super::manifest::Method;
use super::text;

/// Something the house does for a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Action {
    /// Makes a request to one of the hosts of the manifest.
    Http(HttpRequest),
    /// Keeps a value for the plugin, until it keeps another under the name. It is in [`Question::kept`](super::Question::kept) from then on.
    Keep {
        /// The name: at most 64 bytes.
        name: String,
        /// The value: at most 16 KiB; nothing forgets it.
        value: Option<String>,
    },
}

/// A request to be made. Redirects are not followed: they are replies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// How.
    pub method: Method,
    /// Where to, whole.
    pub url: String,
    /// Headers: name and value. `host`, `content-length` and those about the connection are the house's.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// What is sent.
    #[serde(default)]
    pub body: Option<Body>,
}

impl HttpRequest {
    /// A request that reads.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::Get, url: url.into(), headers: Vec::new(), body: None }
    }

    /// A request that sends JSON.
    #[must_use]
    pub fn post_json(url: impl Into<String>, json: &serde_json::Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { method: Method::Post, url: url.into(), headers, body: Some(Body::Text(json.to_string())) }
    }

    /// The same request with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// A body: text where it is UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// As text.
    Text(String),
    /// As bytes; base64 on the wire.
    #[serde(with = "text::bytes")]
    Base64(Vec<u8>),
}

impl Body {
    /// The body of these bytes.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Base64(error.into_bytes()), Self::Text)
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Base64(bytes) => bytes,
        }
    }
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "came", rename_all = "snake_case")]
pub enum Outcome {
    /// A reply, whatever its status.
    Http(HttpResponse),
    /// No reply.
    Unreached(Unreached),
    /// It is kept.
    Kept,
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    /// Its status.
    pub status: u16,
    /// Its headers, names in lower case; those that are not text are left out.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Body,
    /// When it was whole.
    pub received_at: i64,
}

impl HttpResponse {
    /// Its body as JSON.
    ///
    /// # Errors
    /// It is none: a refusal to be passed on.
    pub fn json(&self) -> Result<serde_json::Value, Refusal> {
        let unreadable = |error: serde_json::Error| Refusal::never("unreadable", format!("the reply is no JSON: {error}"));
        serde_json::from_slice(self.body.bytes()).map_err(unreadable)
    }

    /// The first header of this name, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreached {
    /// In words, for people.
    pub why: String,
    /// Whether the other side may have acted on the request all the same.
    pub may_have_acted: bool,
}
