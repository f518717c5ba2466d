//! Quote requests at a steady pace, without waiting for earlier responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, interval, timeout};

use crate::server::AgioServer;

/// Enough connections that a slow quote does not delay the next ones.
const CONNECTIONS: usize = 16;

/// A quote that takes longer counts as unanswered.
const TIMEOUT: Duration = Duration::from_secs(10);

pub struct QuoteLoad {
    stopped: Arc<AtomicBool>,
    asking: JoinHandle<Vec<Option<Duration>>>,
}

impl QuoteLoad {
    /// Starts sending requests. Latency is measured from the scheduled time.
    pub async fn start(server: &AgioServer, per_second: u32) -> Self {
        let request = format!("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", server.quote().await).into_bytes();
        let (stopped, port) = (Arc::new(AtomicBool::new(false)), server.port);
        let stop = stopped.clone();
        let asking = tokio::spawn(async move {
            let mut lines = Vec::new();
            for _ in 0..CONNECTIONS {
                lines.push(Arc::new(Mutex::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap())));
            }
            let (mut pace, mut requests) = (interval(Duration::from_secs(1) / per_second), JoinSet::new());
            for line in lines.iter().cycle() {
                let due = pace.tick().await;
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let (line, request) = (line.clone(), request.clone());
                requests.spawn(async move {
                    let answered = timeout(TIMEOUT, one(&line, &request)).await;
                    answered.unwrap_or(false).then(|| Instant::now() - due)
                });
            }
            requests.join_all().await
        });
        Self { stopped, asking }
    }

    /// Stops, and returns the latency of each quote: `None` if it was not answered.
    pub async fn stop(self) -> Vec<Option<Duration>> {
        self.stopped.store(true, Ordering::Relaxed);
        self.asking.await.unwrap()
    }

    /// Stops, and asserts that every quote was answered.
    pub async fn assert_all_answered(self) {
        let took = self.stop().await;
        let missing = took.iter().filter(|took| took.is_none()).count();
        assert!(took.len() > 100 && missing == 0, "{missing} of {} quotes were not answered", took.len());
        println!("{} quotes, every one answered", took.len());
    }
}

async fn one(line: &Mutex<TcpStream>, request: &[u8]) -> bool {
    let mut line = line.lock().await;
    if line.write_all(request).await.is_err() {
        return false;
    }
    let mut received = Vec::with_capacity(8 * 1024);
    loop {
        match line.read_buf(&mut received).await {
            Ok(1..) => {}
            _ => return false,
        }
        let Some(head) = received.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&received[..head]).to_ascii_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if received.len() >= head + 4 + length.unwrap_or(0) {
            return text.starts_with("http/1.1 200");
        }
    }
}
