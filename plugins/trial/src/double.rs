//! A server on this machine that answers what it was told to.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The longest request that is read, in bytes.
const REQUEST_MAX: usize = 1024 * 1024;

/// How much of an endless answer is sent at most, in case nobody hangs up.
const ENDLESS_PIECES: usize = 1024;

/// What is answered.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer with this status, these headers and this body.
    Whole(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// An answer that breaks off before its end.
    Broken(Vec<u8>),
    /// An answer that says it has ten gigabytes.
    Huge,
    /// An answer without an end.
    Endless,
    /// An answer of which one byte comes at a time.
    Drip(Vec<u8>),
    /// The connection is closed.
    Nothing,
}

impl Reply {
    /// An answer that went well.
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Whole(200, Vec::new(), body.into())
    }

    /// An answer of another status.
    #[must_use]
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Whole(status, Vec::new(), body.into())
    }
}

/// A request that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Method and path.
    pub line: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
}

impl Seen {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A server on this machine, until it is dropped.
pub struct Double {
    origin: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    serving: JoinHandle<()>,
}

impl Drop for Double {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Double {
    /// A server that gives these answers one after the other, and the last one from then on.
    ///
    /// # Panics
    /// There is no port, or no answer.
    pub async fn telling(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: VecDeque<_> = replies.into_iter().collect();
        assert!(!replies.is_empty(), "a server has something to say");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let origin = format!("http://{}", listener.local_addr().expect("it has an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let serving = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let next = if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() };
                let Some(reply) = next else { return };
                // Whoever calls may hang up in the middle.
                drop(serve(connection, reply, &log).await);
            }
        });
        Self { origin, seen, serving }
    }

    /// Where it is.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// What came, in its order.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn serve(mut connection: TcpStream, reply: Reply, log: &Mutex<Vec<Seen>>) -> io::Result<()> {
    let seen = request(&mut connection).await?;
    log.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    match reply {
        Reply::Whole(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let head = format!("HTTP/1.1 {status} Told\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
            connection.write_all(head.as_bytes()).await?;
            connection.write_all(&body).await?;
        }
        Reply::Broken(body) => {
            connection.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes()).await?;
            connection.write_all(&body[..body.len() / 2]).await?;
        }
        Reply::Huge => {
            connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n[").await?;
        }
        Reply::Endless => {
            connection.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await?;
            for _ in 0..ENDLESS_PIECES {
                connection.write_all(&[b' '; 64 * 1024]).await?;
            }
        }
        Reply::Drip(body) => {
            connection.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes()).await?;
            let mut drops = tokio::time::interval(Duration::from_millis(20));
            for byte in body {
                drops.tick().await;
                connection.write_all(&[byte]).await?;
            }
        }
        Reply::Nothing => {}
    }
    connection.shutdown().await
}

async fn request(connection: &mut TcpStream) -> io::Result<Seen> {
    let mut bytes = Vec::new();
    loop {
        if let Some(seen) = parsed(&bytes) {
            return Ok(seen);
        }
        if bytes.len() > REQUEST_MAX || connection.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// The request in these bytes, once it is whole.
fn parsed(bytes: &[u8]) -> Option<Seen> {
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
    Some(Seen { line, headers, body: String::from_utf8_lossy(body).into_owned() })
}
