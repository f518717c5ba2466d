//! A visitor who asks for quotes at a steady pace, whether or not the last one was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, interval, timeout};

use crate::site::Site;

/// How many connections there are: a quote that waits holds up none that come after it.
const CONNECTIONS: usize = 16;

/// A quote that takes longer is not answered.
const PATIENCE: Duration = Duration::from_secs(10);

/// Somebody who asks.
pub struct Quotes {
    enough: Arc<AtomicBool>,
    asking: JoinHandle<Vec<Option<Duration>>>,
}

impl Quotes {
    /// Asks from now on, so often in a second. How long an answer took is counted from when it was to be asked for.
    pub async fn ask(site: &Site, per_second: u32) -> Self {
        let request = format!("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", site.quote().await).into_bytes();
        let (enough, port) = (Arc::new(AtomicBool::new(false)), site.port);
        let stop = enough.clone();
        let asking = tokio::spawn(async move {
            let mut lines = Vec::new();
            for _ in 0..CONNECTIONS {
                lines.push(Arc::new(Mutex::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap())));
            }
            let (mut pace, mut asked) = (interval(Duration::from_secs(1) / per_second), JoinSet::new());
            for line in lines.iter().cycle() {
                let due = pace.tick().await;
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let (line, request) = (line.clone(), request.clone());
                asked.spawn(async move {
                    let answered = timeout(PATIENCE, one(&line, &request)).await;
                    answered.unwrap_or(false).then(|| Instant::now() - due)
                });
            }
            asked.join_all().await
        });
        Self { enough, asking }
    }

    /// Stops asking: how long each answer took, nothing for a quote that was not answered.
    pub async fn enough(self) -> Vec<Option<Duration>> {
        self.enough.store(true, Ordering::Relaxed);
        self.asking.await.unwrap()
    }

    /// Stops asking, and makes sure that every quote was answered.
    pub async fn all_answered(self) {
        let took = self.enough().await;
        let missing = took.iter().filter(|took| took.is_none()).count();
        assert!(took.len() > 100 && missing == 0, "{missing} of {} quotes were not answered", took.len());
        println!("{} quotes, every one answered", took.len());
    }
}

/// Whether a quote is answered.
async fn one(line: &Mutex<TcpStream>, request: &[u8]) -> bool {
    let mut line = line.lock().await;
    if line.write_all(request).await.is_err() {
        return false;
    }
    let mut came = Vec::with_capacity(8 * 1024);
    loop {
        match line.read_buf(&mut came).await {
            Ok(1..) => {}
            _ => return false,
        }
        let Some(head) = came.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&came[..head]).to_ascii_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if came.len() >= head + 4 + length.unwrap_or(0) {
            return text.starts_with("http/1.1 200");
        }
    }
}
