//! A proxy whose connections break before, between and after.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agio_core::random::{Random as _, SeededRandom};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Clone, Copy)]
enum ConnectionFate {
    /// Breaks before anything is forwarded.
    Refused,
    /// The request arrives, the response is lost.
    AnswerLost,
    /// The response is cut off.
    AnswerCut,
    /// Works.
    Passed,
}

/// A proxy that breaks some connections, by its seed.
pub struct UnreliableProxy {
    pub address: String,
    pub broken: Arc<AtomicU64>,
    serving: JoinHandle<()>,
}

impl UnreliableProxy {
    pub async fn to(upstream: String, seed: u64) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let random = SeededRandom::new(seed);
        let broken: Arc<AtomicU64> = Arc::default();
        let counts = broken.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                let fate = draw(&random);
                if !matches!(fate, ConnectionFate::Passed) {
                    counts.fetch_add(1, Ordering::Relaxed);
                }
                let upstream = upstream.clone();
                tokio::spawn(async move {
                    let _ = pass(stream, &upstream, fate).await;
                });
            }
        });
        Self { address, broken, serving }
    }
}

impl Drop for UnreliableProxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// One connection in five breaks.
fn draw(random: &SeededRandom) -> ConnectionFate {
    let mut byte = [0];
    random.fill(&mut byte);
    match byte[0] {
        0..=16 => ConnectionFate::Refused,
        17..=36 => ConnectionFate::AnswerLost,
        37..=51 => ConnectionFate::AnswerCut,
        _ => ConnectionFate::Passed,
    }
}

async fn pass(mut near: TcpStream, upstream: &str, fate: ConnectionFate) -> std::io::Result<()> {
    if matches!(fate, ConnectionFate::Refused) {
        return Ok(());
    }
    let mut far = TcpStream::connect(upstream).await?;
    if matches!(fate, ConnectionFate::Passed) {
        return copy_bidirectional(&mut near, &mut far).await.map(drop);
    }
    let (mut request, mut answered) = ([0; 16_384], [0; 16_384]);
    loop {
        tokio::select! {
            read = near.read(&mut request) => match read? {
                0 => return Ok(()),
                length => far.write_all(&request[..length]).await?,
            },
            read = far.read(&mut answered) => {
                let half = read? / 2;
                if matches!(fate, ConnectionFate::AnswerCut) {
                    near.write_all(&answered[..half]).await?;
                }
                return Ok(());
            }
        }
    }
}
