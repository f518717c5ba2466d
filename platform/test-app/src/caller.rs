//! HTTP clients.

use futures_util::StreamExt as _;
use reqwest::header::HeaderMap;
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Client, Method, RequestBuilder, StatusCode};
use serde_json::Value;

/// An HTTP client that keeps cookies: a customer, a staff member or a program.
#[derive(Clone)]
pub struct TestClient {
    client: Client,
    root: String,
    token: Option<String>,
    address: Option<String>,
    checks_problem_codes: bool,
    repeats_when_overloaded: bool,
}

/// A response of the server.
#[derive(Clone, Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

/// Reads a stream of server-sent events.
pub struct EventStreamReader {
    pub status: StatusCode,
    pub headers: HeaderMap,
    response: reqwest::Response,
    /// The received part of the next event.
    buffer: String,
}

impl EventStreamReader {
    /// The name and data of the next event, or `None` at the end of the stream. Keep-alive comments are skipped.
    ///
    /// # Panics
    /// If no event arrives within [`TIMEOUT`].
    pub async fn next_event(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let field =
                    |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
                let event = field("event:").zip(field("data:"));
                self.buffer = rest.to_owned();
                if let Some((name, data)) = event {
                    return Some((name, serde_json::from_str(&data).expect("the data of an event is JSON")));
                }
            }
            let chunk = tokio::time::timeout(TIMEOUT, self.response.chunk()).await.expect("an event arrives or the stream ends");
            let chunk = chunk.expect("the connection holds")?;
            self.buffer.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

/// The maximum time to wait for an expected event or response.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);

impl TestResponse {
    /// Asserts success and returns the body.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.text);
        self.json()
    }

    /// Asserts a problem document with this status and code, and returns it.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        let content_type = self.headers.get("content-type").and_then(|value| value.to_str().ok());
        assert_eq!(content_type, Some("application/problem+json"), "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        problem
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        if self.text.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl TestClient {
    /// A new client of the server at this base URL.
    pub fn at(root: &str) -> Self {
        let client = Client::builder().cookie_store(true).no_proxy().build().expect("a client can be created");
        Self {
            client,
            root: root.to_owned(),
            token: None,
            address: None,
            checks_problem_codes: true,
            repeats_when_overloaded: false,
        }
    }

    /// Sets the access token.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sets the IP address of the caller.
    #[must_use]
    pub fn from_address(mut self, address: &str) -> Self {
        self.address = Some(address.to_owned());
        self
    }

    /// Accepts problem codes that the operations do not publish, for a listener without them and for races.
    #[must_use]
    pub fn without_problem_code_check(mut self) -> Self {
        self.checks_problem_codes = false;
        self
    }

    /// Repeats what a busy server refuses with 503 `overloaded`, as clients do. Nothing was written then.
    #[must_use]
    pub fn repeating_when_overloaded(mut self) -> Self {
        self.repeats_when_overloaded = true;
        self
    }

    /// Sends further requests to another node, with the same cookies.
    #[must_use]
    pub fn at_node(mut self, root: &str) -> Self {
        root.clone_into(&mut self.root);
        self
    }

    /// Builds a request for [`send`](Self::send).
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.root));
        let request = match &self.address {
            Some(address) => request.header("x-forwarded-for", address),
            None => request,
        };
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request and reads the whole response.
    pub async fn send(&self, mut request: RequestBuilder) -> TestResponse {
        loop {
            let again = request.try_clone().filter(|_| self.repeats_when_overloaded);
            let response = self.try_send(request).await.expect("the server responds");
            match again {
                Some(again) if response.status == 503 && response.json()["code"] == "overloaded" => request = again,
                _ => return response,
            }
        }
    }

    /// Opens a stream of server-sent events.
    pub async fn open_stream(&self, path: &str) -> EventStreamReader {
        let response = self.request(Method::GET, path).send().await.expect("the server responds");
        let (status, headers) = (response.status(), response.headers().clone());
        EventStreamReader { status, headers, response, buffer: String::new() }
    }

    /// Sends a request whose connection may break.
    pub async fn try_send(&self, request: RequestBuilder) -> reqwest::Result<TestResponse> {
        let (client, request) = request.build_split();
        let request = request?;
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = client.execute(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await?;
        if self.checks_problem_codes {
            crate::problem_codes::check(&method, &path, status, &text);
        }
        Ok(TestResponse { status, headers, text })
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> TestResponse {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn post_empty(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::POST, path)).await
    }

    pub async fn post_idempotent(&self, path: &str, key: &str, body: Value) -> TestResponse {
        self.send(self.request(Method::POST, path).header("Idempotency-Key", key).json(&body)).await
    }

    pub async fn post_raw(&self, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> TestResponse {
        self.send(self.request(Method::POST, path).header("content-type", content_type).body(body.into())).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> TestResponse {
        self.send(self.request(Method::PATCH, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> TestResponse {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Uploads a file in the field `file`.
    pub async fn upload(&self, path: &str, name: &str, bytes: Vec<u8>) -> TestResponse {
        let form = Form::new().part("file", Part::bytes(bytes).file_name(name.to_owned()));
        self.send(self.request(Method::POST, path).multipart(form)).await
    }

    /// Starts uploading a file of this length, never finishes, and reads the response.
    pub async fn begin_upload(&self, path: &str, length: usize) -> TestResponse {
        let body = Body::wrap_stream(
            futures_util::stream::once(async {
                Ok::<_, std::convert::Infallible>(
                    "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n\u{1}PNG".to_owned(),
                )
            })
            .chain(futures_util::stream::pending()),
        );
        let request = self.request(Method::POST, path).header("content-type", "multipart/form-data; boundary=part");
        let answer = self.send(request.header("content-length", length).body(body));
        tokio::time::timeout(TIMEOUT, answer).await.expect("the server refuses the file before it is complete")
    }
}
