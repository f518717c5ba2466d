//! What a plugin prints.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::{Clock, Timestamp};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep_until};

/// How many lines are kept, and how much of each.
const LINES_MAX: usize = 200;
const LINE_BYTES_MAX: usize = 1_000;
/// How much is read in a while. Whoever prints more waits for the reader, which counts as thinking.
const BYTES_A_WHILE: usize = 256 * 1024;
const WHILE: Duration = Duration::from_millis(250);

/// What lines of the house begin with.
const HOUSE: &str = "agio: ";

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When it came.
    pub at: Timestamp,
    /// What it says, without control characters.
    pub text: String,
}

/// The latest lines.
pub struct Log {
    clock: Arc<dyn Clock>,
    lines: Mutex<VecDeque<LogLine>>,
}

impl Log {
    /// No lines.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, lines: Mutex::default() }
    }

    /// The latest lines, the oldest first.
    pub fn lines(&self) -> Vec<LogLine> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The last line that was printed since the house itself had something to say, but for what a run time adds to every such line.
    pub fn last_words(&self) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut printed = lines.iter().rev().map(|line| &line.text).take_while(|text| !text.starts_with(HOUSE));
        printed.find(|text| !text.is_empty() && !text.starts_with("note: ")).cloned()
    }

    /// One more line, of the house.
    pub fn say(&self, text: &str) {
        self.push(format!("{HOUSE}{text}").as_bytes());
    }

    /// One more line.
    pub fn push(&self, text: &[u8]) {
        let text = String::from_utf8_lossy(&text[..text.len().min(LINE_BYTES_MAX)]);
        let text = text.chars().map(|sign| if sign.is_control() && sign != '\t' { char::REPLACEMENT_CHARACTER } else { sign });
        let line = LogLine { at: self.clock.now(), text: text.collect() };
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Reads what is printed until nobody can print any more.
pub async fn drain(pipe: OwnedFd, log: Arc<Log>) {
    let Ok(mut pipe) = Receiver::from_owned_fd(pipe) else { return };
    let mut chunk = vec![0; 8 * 1024];
    let mut line = Vec::new();
    let (mut begun, mut read) = (Instant::now(), 0);
    while let Ok(came @ 1..) = pipe.read(&mut chunk).await {
        for byte in &chunk[..came] {
            match byte {
                b'\n' => log.push(&std::mem::take(&mut line)),
                _ if line.len() < LINE_BYTES_MAX => line.push(*byte),
                _ => {}
            }
        }
        if begun.elapsed() >= WHILE {
            (begun, read) = (Instant::now(), 0);
        }
        read += came;
        if read > BYTES_A_WHILE {
            sleep_until(begun + WHILE).await;
        }
    }
    if !line.is_empty() {
        log.push(&line);
    }
}
