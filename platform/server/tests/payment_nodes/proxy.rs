//! A proxy between the server and a node that can swallow an answer: the node acts, and nobody learns of it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub struct Proxy {
    pub url: String,
    faults: Arc<Mutex<Faults>>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct Faults {
    /// The answer to the next request that contains this text is swallowed.
    swallow: Option<String>,
    /// How many requests contained the text of [`Proxy::count`].
    counted: Option<(String, usize)>,
}

impl Proxy {
    /// Serves a node. Requests are not repeated, and connections are not reused.
    pub async fn start(node: String) -> Self {
        let (listener, url) = Self::reserve().await;
        Self::start_at(listener, url, node)
    }

    /// An address for [`Proxy::start_at`], for a server that is told its address before it has one.
    pub async fn reserve() -> (TcpListener, String) {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        (listener, url)
    }

    pub fn start_at(listener: TcpListener, url: String, node: String) -> Self {
        let faults = Arc::<Mutex<Faults>>::default();
        let shared = faults.clone();
        let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (node, faults, client) = (node.clone(), shared.clone(), client.clone());
                let service = service_fn(move |request| forward(request, node.clone(), faults.clone(), client.clone()));
                tokio::spawn(http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { url, faults, serving }
    }

    /// Swallows the answer to the next request that contains a text.
    pub fn swallow_answer(&self, text: &str) {
        self.faults.lock().unwrap().swallow = Some(text.to_owned());
    }

    /// Counts the requests that contain a text, from now on.
    pub fn count(&self, text: &str) {
        self.faults.lock().unwrap().counted = Some((text.to_owned(), 0));
    }

    pub fn counted(&self) -> usize {
        self.faults.lock().unwrap().counted.as_ref().map_or(0, |(_, count)| *count)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Passes a request on. An error closes the connection without an answer.
async fn forward(
    request: Request<Incoming>,
    node: String,
    faults: Arc<Mutex<Faults>>,
    client: reqwest::Client,
) -> Result<Response<Full<Bytes>>, Box<dyn std::error::Error + Send + Sync>> {
    let method = request.method().clone();
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let authorization = request.headers().get("authorization").cloned();
    let body = request.into_body().collect().await?.to_bytes();
    let is_swallowed = {
        let text = format!("{path} {}", String::from_utf8_lossy(&body));
        let mut faults = faults.lock().unwrap();
        if let Some((counted, count)) = &mut faults.counted {
            *count += usize::from(text.contains(counted.as_str()));
        }
        let is_swallowed = faults.swallow.as_ref().is_some_and(|swallowed| text.contains(swallowed.as_str()));
        if is_swallowed {
            faults.swallow = None;
        }
        is_swallowed
    };
    let mut passed = client
        .request(method, format!("{}{path}", node.trim_end_matches('/')))
        .header("content-type", "application/json")
        .body(body);
    if let Some(authorization) = authorization {
        passed = passed.header("authorization", authorization);
    }
    let answer = passed.send().await?;
    let status = answer.status();
    let body = answer.bytes().await?;
    if is_swallowed {
        return Err("the answer is swallowed".into());
    }
    Ok(Response::builder().status(status).header("content-type", "application/json").body(Full::new(body))?)
}
