//! A bad line: connections that break before, between and after.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agio_core::random::{Random as _, SeededRandom};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What becomes of a connection.
#[derive(Clone, Copy)]
enum Fate {
    /// It breaks before anything is passed on.
    Refused,
    /// What is asked arrives, and the answer is lost.
    AnswerLost,
    /// The answer breaks off in the middle.
    AnswerCut,
    /// All goes well.
    Passed,
}

/// A line to somewhere that breaks now and then, as its seed has it.
pub struct BadLine {
    pub address: String,
    pub broken: Arc<AtomicU64>,
    serving: JoinHandle<()>,
}

impl BadLine {
    pub async fn to(upstream: String, seed: u64) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let random = SeededRandom::new(seed);
        let broken: Arc<AtomicU64> = Arc::default();
        let counts = broken.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                let fate = draw(&random);
                if !matches!(fate, Fate::Passed) {
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

impl Drop for BadLine {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// One connection in five breaks.
fn draw(random: &SeededRandom) -> Fate {
    let mut byte = [0];
    random.fill(&mut byte);
    match byte[0] {
        0..=16 => Fate::Refused,
        17..=36 => Fate::AnswerLost,
        37..=51 => Fate::AnswerCut,
        _ => Fate::Passed,
    }
}

async fn pass(mut near: TcpStream, upstream: &str, fate: Fate) -> std::io::Result<()> {
    if matches!(fate, Fate::Refused) {
        return Ok(());
    }
    let mut far = TcpStream::connect(upstream).await?;
    if matches!(fate, Fate::Passed) {
        return copy_bidirectional(&mut near, &mut far).await.map(drop);
    }
    let (mut asked, mut answered) = ([0; 16_384], [0; 16_384]);
    loop {
        tokio::select! {
            read = near.read(&mut asked) => match read? {
                0 => return Ok(()),
                length => far.write_all(&asked[..length]).await?,
            },
            read = far.read(&mut answered) => {
                let half = read? / 2;
                if matches!(fate, Fate::AnswerCut) {
                    near.write_all(&answered[..half]).await?;
                }
                return Ok(());
            }
        }
    }
}
