//! A local HTTP server with scripted responses.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Maximum size of a request, in bytes.
const REQUEST_MAX: usize = 1024 * 1024;

/// Maximum chunks of an endless response, in case the client does not close.
const ENDLESS_CHUNKS: usize = 1024;

/// A scripted response.
#[derive(Clone, Debug)]
pub enum FakeResponse {
    /// Status, headers and body.
    Full(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// A body that ends early.
    Truncated(Vec<u8>),
    /// A declared length of ten gigabytes.
    Huge,
    /// An endless body.
    Endless,
    /// A body sent one byte at a time.
    Drip(Vec<u8>),
    /// No response: the connection is closed.
    Close,
}

impl FakeResponse {
    /// A response with status 200.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Full(200, Vec::new(), body.into())
    }

    /// A response with another status.
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Full(status, Vec::new(), body.into())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedRequest {
    /// Method and path.
    pub line: String,
    /// Headers with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl ReceivedRequest {
    /// Value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A local server that runs until it is dropped.
pub struct FakeServer {
    origin: String,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    serving: JoinHandle<()>,
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl FakeServer {
    /// Starts a server that returns these responses in order and repeats the last one.
    ///
    /// # Panics
    /// There are no responses, or no free port.
    pub async fn start(responses: impl IntoIterator<Item = FakeResponse>) -> Self {
        let mut responses: VecDeque<_> = responses.into_iter().collect();
        assert!(!responses.is_empty(), "a response is needed");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let origin = format!("http://{}", listener.local_addr().expect("it has an address"));
        let received = Arc::new(Mutex::new(Vec::new()));
        let log = received.clone();
        let serving = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let next = if responses.len() > 1 { responses.pop_front() } else { responses.front().cloned() };
                let Some(response) = next else { return };
                // The client may close the connection early.
                drop(serve(connection, response, &log).await);
            }
        });
        Self { origin, received, serving }
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Received requests, in order.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn serve(mut connection: TcpStream, response: FakeResponse, log: &Mutex<Vec<ReceivedRequest>>) -> io::Result<()> {
    let received = read_request(&mut connection).await?;
    log.lock().unwrap_or_else(PoisonError::into_inner).push(received);
    match response {
        FakeResponse::Full(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let head =
                format!("HTTP/1.1 {status} Scripted\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
            connection.write_all(head.as_bytes()).await?;
            connection.write_all(&body).await?;
        }
        FakeResponse::Truncated(body) => {
            connection.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes()).await?;
            connection.write_all(&body[..body.len() / 2]).await?;
        }
        FakeResponse::Huge => {
            connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n[").await?;
        }
        FakeResponse::Endless => {
            connection.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await?;
            for _ in 0..ENDLESS_CHUNKS {
                connection.write_all(&[b' '; 64 * 1024]).await?;
            }
        }
        FakeResponse::Drip(body) => {
            connection.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes()).await?;
            let mut drops = tokio::time::interval(Duration::from_millis(20));
            for byte in body {
                drops.tick().await;
                connection.write_all(&[byte]).await?;
            }
        }
        FakeResponse::Close => {}
    }
    connection.shutdown().await
}

async fn read_request(connection: &mut TcpStream) -> io::Result<ReceivedRequest> {
    let mut bytes = Vec::new();
    loop {
        if let Some(received) = parse(&bytes) {
            return Ok(received);
        }
        if bytes.len() > REQUEST_MAX || connection.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// Parses a request; `None` until it is complete.
fn parse(bytes: &[u8]) -> Option<ReceivedRequest> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or(Some(0), |(_, value)| value.parse().ok())?;
    let body = bytes.get(end + 4..end + 4 + length)?;
    Some(ReceivedRequest { line, headers, body: String::from_utf8_lossy(body).into_owned() })
}
