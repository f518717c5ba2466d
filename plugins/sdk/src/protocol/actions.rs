//! Actions a plugin requests, and their results.

use serde::{Deserialize, Serialize};

use super::calls::CallError;
use super::manifest::HttpMethod;
use super::text;

/// Something the server does for a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Action {
    /// Sends a request to one of the hosts in the manifest.
    Http(HttpRequest),
    /// Stores a value for the plugin. Later requests have it in [`PluginRequest::stored`](super::PluginRequest::stored).
    #[serde(rename = "keep")]
    Store {
        /// Name: at most 64 bytes.
        name: String,
        /// Value: at most 16 KiB; `None` deletes it.
        value: Option<String>,
    },
}

/// An HTTP request. Redirects are not followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// Method.
    pub method: HttpMethod,
    /// Absolute URL.
    pub url: String,
    /// Header names and values. The server sets `host`, `content-length` and the connection headers.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// Body, if any.
    #[serde(default)]
    pub body: Option<Body>,
}

impl HttpRequest {
    /// A GET request.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: HttpMethod::Get, url: url.into(), headers: Vec::new(), body: None }
    }

    /// A POST request with a JSON body.
    #[must_use]
    pub fn post_json(url: impl Into<String>, json: &serde_json::Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { method: HttpMethod::Post, url: url.into(), headers, body: Some(Body::Text(json.to_string())) }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// Content of a request, response or file: text if it is UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Text.
    Text(String),
    /// Bytes; base64 on the wire.
    #[serde(with = "text::bytes")]
    Base64(Vec<u8>),
}

impl Body {
    /// Text if the bytes are UTF-8, otherwise bytes.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Base64(error.into_bytes()), Self::Text)
    }

    /// The content as bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Base64(bytes) => bytes,
        }
    }
}

/// Result of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "came", rename_all = "snake_case")]
pub enum ActionResult {
    /// A response with any status.
    Http(HttpResponse),
    /// There is no response.
    #[serde(rename = "unreached")]
    HttpFailure(HttpFailure),
    /// The value is stored.
    #[serde(rename = "kept")]
    Stored,
}

/// An HTTP response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Headers, with names in lower case. Headers that are not text are left out.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Body,
    /// When the response was complete: microseconds since 1970-01-01 UTC.
    pub received_at: i64,
}

impl HttpResponse {
    /// Parses the body as JSON.
    ///
    /// # Errors
    /// `unreadable`: the body is not JSON.
    pub fn json(&self) -> Result<serde_json::Value, CallError> {
        let unreadable =
            |error: serde_json::Error| CallError::permanent("unreadable", format!("the response is not JSON: {error}"));
        serde_json::from_slice(self.body.bytes()).map_err(unreadable)
    }

    /// The first header with this name, which must be in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why there is no HTTP response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpFailure {
    /// Explanation for people.
    pub why: String,
    /// Whether the other side may have acted on the request.
    pub may_have_acted: bool,
}
