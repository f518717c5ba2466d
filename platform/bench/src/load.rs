//! Load: connections that send the next request as soon as they get a response, with a minimal client.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

pub struct Load {
    pub port: u16,
    pub connections: usize,
    /// The bytes of the n-th request.
    pub request: Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>,
}

#[derive(Default)]
pub struct Measurement {
    pub per_second: f64,
    /// Responses without a success status.
    pub failed: u64,
    /// All requests, including those of the warm-up.
    pub requests: u64,
    /// Of the responses with a success status, including those of the warm-up, sorted.
    pub latencies: Vec<Duration>,
}

impl Measurement {
    /// The latency that so many percent of the responses do not exceed, in milliseconds.
    pub fn percentile_millis(&self, percent: usize) -> f64 {
        self.latencies.get(self.latencies.len() * percent / 100).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e3)
    }
}

/// Sends requests for `warm_up`, then measures for `time`.
pub async fn run(load: Load, warm_up: Duration, time: Duration) -> Measurement {
    let (sent, done, failed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let stop = Arc::new(AtomicBool::new(false));
    let mut connections = Vec::new();
    for _ in 0..load.connections {
        let (request, sent, done, failed, stop) =
            (load.request.clone(), sent.clone(), done.clone(), failed.clone(), stop.clone());
        let mut stream = connect(load.port).await;
        connections.push(tokio::spawn(async move {
            let (mut buffer, mut latencies) = (Vec::with_capacity(64 * 1024), Vec::new());
            while !stop.load(Ordering::Relaxed) {
                let (bytes, started) = (request(sent.fetch_add(1, Ordering::Relaxed)), Instant::now());
                stream.write_all(&bytes).await.expect("the server reads");
                if (200..300).contains(&answer(&mut stream, &mut buffer).await.0) {
                    done.fetch_add(1, Ordering::Relaxed);
                    latencies.push(started.elapsed());
                } else {
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            }
            latencies
        }));
    }
    tokio::time::sleep(warm_up).await;
    let (before, started) = (done.load(Ordering::Relaxed), Instant::now());
    tokio::time::sleep(time).await;
    let per_second = (done.load(Ordering::Relaxed) - before) as f64 / started.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let mut latencies = Vec::new();
    for connection in connections {
        latencies.extend(connection.await.expect("a connection does not panic"));
    }
    latencies.sort_unstable();
    Measurement { per_second, failed: failed.load(Ordering::Relaxed), requests: sent.load(Ordering::Relaxed), latencies }
}

/// Sends at least this many requests, which must succeed, and returns their number.
pub async fn send_count(load: Load, count: u64) -> u64 {
    let sent = Arc::new(AtomicU64::new(0));
    let mut connections = JoinSet::new();
    for _ in 0..load.connections {
        let (request, sent, mut stream) = (load.request.clone(), sent.clone(), connect(load.port).await);
        connections.spawn(async move {
            let (mut buffer, mut done) = (Vec::with_capacity(64 * 1024), 0_u64);
            loop {
                let number = sent.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return done;
                }
                stream.write_all(&request(number)).await.expect("the server reads");
                let (status, body) = answer(&mut stream, &mut buffer).await;
                assert!((200..300).contains(&status), "{}", String::from_utf8_lossy(&body));
                done += 1;
            }
        });
    }
    connections.join_all().await.into_iter().sum()
}

/// Sends requests at a steady pace, without waiting for earlier responses. Returns the sorted latencies, measured from
/// the scheduled time.
pub async fn run_paced(load: Load, per_second: u32, time: Duration) -> Vec<Duration> {
    let mut lines = Vec::new();
    for _ in 0..load.connections {
        lines.push(Arc::new(Mutex::new((connect(load.port).await, Vec::with_capacity(64 * 1024)))));
    }
    let (mut pace, mut requests) = (tokio::time::interval(Duration::from_secs(1) / per_second), JoinSet::new());
    let count = u64::from(per_second) * time.as_secs();
    for (number, line) in (0..count).zip(lines.iter().cycle()) {
        let due = pace.tick().await;
        let (line, bytes) = (line.clone(), (load.request)(number));
        requests.spawn(async move {
            let (stream, buffer) = &mut *line.lock().await;
            stream.write_all(&bytes).await.expect("the server reads");
            assert_eq!(answer(stream, buffer).await.0, 200, "a request failed, so the result is invalid");
            due.elapsed()
        });
    }
    let mut latencies = requests.join_all().await;
    latencies.sort_unstable();
    latencies
}

pub fn get_request(path: &str) -> Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync> {
    let bytes = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").into_bytes();
    Arc::new(move |_| bytes.clone())
}

/// Requests of this text, in which `X-REQUEST-NUMBER` becomes a number that no other request on this machine has.
pub fn numbered_request(text: String) -> Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync> {
    let process = std::process::id();
    Arc::new(move |number| text.replace("X-REQUEST-NUMBER", &format!("{process:08}{number:08}")).into_bytes())
}

/// An idempotency key. The next one is nowhere near it, as with those of browsers.
pub fn random_key() -> String {
    let part = || RandomState::new().hash_one(());
    format!("{:016x}{:016x}", part(), part())
}

pub async fn get(port: u16, path: &str) -> Vec<u8> {
    let (status, body) = send(port, &get_request(path)(0)).await;
    assert_eq!(status, 200, "GET {path}: {}", String::from_utf8_lossy(&body));
    body
}

pub async fn send(port: u16, request: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = connect(port).await;
    stream.write_all(request).await.expect("the server reads");
    answer(&mut stream, &mut Vec::new()).await
}

async fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("the server listens");
    stream.set_nodelay(true).expect("a socket takes options");
    stream
}

/// Reads one response: its status and body. A chunked body is returned with its chunks' heads.
async fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> (u16, Vec<u8>) {
    buffer.clear();
    loop {
        let read = stream.read_buf(buffer).await.expect("the server answers");
        assert!(read > 0, "the server hung up");
        let Some(head) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&buffer[..head]).to_ascii_lowercase();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        if text.contains("\r\ntransfer-encoding: chunked") {
            // JSON does not contain the line of the last chunk.
            while !buffer.ends_with(b"\r\n0\r\n\r\n") {
                assert!(stream.read_buf(buffer).await.expect("the server answers") > 0, "the server hung up");
            }
            return (status, buffer[head + 4..].to_vec());
        }
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .map_or(0, |length| length.trim().parse().expect("a length"));
        while buffer.len() < head + 4 + length {
            assert!(stream.read_buf(buffer).await.expect("the server answers") > 0, "the server hung up");
        }
        return (status, buffer[head + 4..head + 4 + length].to_vec());
    }
}
