//! Somebody with a browser.

use futures_util::StreamExt as _;
use reqwest::header::HeaderMap;
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Client, Method, RequestBuilder, StatusCode};
use serde_json::Value;

/// A customer, an operator, or a programme: somebody who calls the house over HTTP and keeps their cookies.
#[derive(Clone)]
pub struct Caller {
    client: Client,
    root: String,
    token: Option<String>,
    address: Option<String>,
}

/// What the house answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as text.
    pub text: String,
}

/// A live stream of events.
pub struct Following {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    response: reqwest::Response,
    /// What came of the next event.
    rest: String,
}

impl Following {
    /// The next event as its name and its data; nothing when the house ended the stream. What only shows that the connection is alive
    /// is passed over.
    ///
    /// # Panics
    /// The connection broke, or the house says nothing for many seconds: a test waits for what must come.
    pub async fn event(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some((block, rest)) = self.rest.split_once("\n\n") {
                let field =
                    |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
                let event = field("event:").zip(field("data:"));
                self.rest = rest.to_owned();
                if let Some((name, data)) = event {
                    return Some((name, serde_json::from_str(&data).expect("the data of an event is JSON")));
                }
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("the stream goes on or ends");
            let chunk = chunk.expect("the connection holds")?;
            self.rest.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

/// For how long something that must come is waited for.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

impl Answer {
    /// The body of a success.
    ///
    /// # Panics
    /// It was no success, or the body is not JSON.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.text);
        self.json()
    }

    /// The problem document of a refusal with this status and code.
    ///
    /// # Panics
    /// It was another answer.
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
    ///
    /// # Panics
    /// It is not JSON.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        if self.text.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl Caller {
    /// Somebody new at this address.
    ///
    /// # Panics
    /// No client can be made.
    #[must_use]
    pub fn at(root: &str) -> Self {
        let client = Client::builder().cookie_store(true).no_proxy().build().expect("a client can be made");
        Self { client, root: root.to_owned(), token: None, address: None }
    }

    /// The same caller with an access token.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// The same caller at another address of the internet.
    #[must_use]
    pub fn from_address(mut self, address: &str) -> Self {
        self.address = Some(address.to_owned());
        self
    }

    /// The same caller, browser and cookies included, before another node of the house.
    #[must_use]
    pub fn before(mut self, root: &str) -> Self {
        root.clone_into(&mut self.root);
        self
    }

    /// A request to be completed and given to [`send`](Self::send).
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

    /// Sends a request and reads the whole answer.
    ///
    /// # Panics
    /// The connection broke.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        self.try_send(request).await.expect("the house answers")
    }

    /// Asks for a live stream of events, and follows it.
    ///
    /// # Panics
    /// The connection broke.
    pub async fn follow(&self, path: &str) -> Following {
        let response = self.request(Method::GET, path).send().await.expect("the house answers");
        let (status, headers) = (response.status(), response.headers().clone());
        Following { status, headers, response, rest: String::new() }
    }

    /// Sends a request that may not be answered.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn try_send(&self, request: RequestBuilder) -> reqwest::Result<Answer> {
        let response = request.send().await?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok(Answer { status, headers, text: response.text().await? })
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// POST of JSON.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    /// POST without a body.
    pub async fn post_empty(&self, path: &str) -> Answer {
        self.send(self.request(Method::POST, path)).await
    }

    /// POST of JSON with an idempotency key.
    pub async fn post_once(&self, path: &str, key: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).header("Idempotency-Key", key).json(&body)).await
    }

    /// POST of bytes that say they are JSON.
    pub async fn post_raw(&self, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
        self.send(self.request(Method::POST, path).header("content-type", content_type).body(body.into())).await
    }

    /// PATCH of JSON.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PATCH, path).json(&body)).await
    }

    /// PUT of JSON.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Uploads a file in the field `file`.
    pub async fn upload(&self, path: &str, name: &str, bytes: Vec<u8>) -> Answer {
        let form = Form::new().part("file", Part::bytes(bytes).file_name(name.to_owned()));
        self.send(self.request(Method::POST, path).multipart(form)).await
    }

    /// Begins to upload a file of a declared length, sends nothing more of it, and reads the answer.
    ///
    /// # Panics
    /// The house waits for the rest of the file.
    pub async fn begin_upload(&self, path: &str, length: usize) -> Answer {
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
        tokio::time::timeout(PATIENCE, answer).await.expect("the house does not wait for what it will not take")
    }
}
