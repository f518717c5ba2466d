//! Output and events of a plugin.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::{Clock, Timestamp};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep_until};

const LINES_MAX: usize = 200;
const LINE_BYTES_MAX: usize = 1_000;
/// Maximum bytes read per interval. A plugin that prints more has to wait, which counts against its round timeout.
const BYTES_PER_INTERVAL: usize = 256 * 1024;
const INTERVAL: Duration = Duration::from_millis(250);

/// Prefix of the server's own lines.
const EVENT_PREFIX: &str = "agio: ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginLogLine {
    pub at: Timestamp,
    /// Text without control characters.
    pub text: String,
}

/// The latest lines.
pub struct Log {
    clock: Arc<dyn Clock>,
    lines: Mutex<VecDeque<PluginLogLine>>,
}

impl Log {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, lines: Mutex::default() }
    }

    /// The latest lines, oldest first.
    pub fn lines(&self) -> Vec<PluginLogLine> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The last line printed since the last event, without the notes that the Rust runtime adds to a panic.
    pub fn last_output(&self) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut printed = lines.iter().rev().map(|line| &line.text).take_while(|text| !text.starts_with(EVENT_PREFIX));
        printed.find(|text| !text.is_empty() && !text.starts_with("note: ")).cloned()
    }

    /// Adds an event.
    pub fn push_event(&self, text: &str) {
        self.push(format!("{EVENT_PREFIX}{text}").as_bytes());
    }

    pub fn push(&self, text: &[u8]) {
        let text = String::from_utf8_lossy(&text[..text.len().min(LINE_BYTES_MAX)]);
        let text = text.chars().map(|c| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c });
        let line = PluginLogLine { at: self.clock.now(), text: text.collect() };
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Reads a pipe into the log until it is closed.
pub async fn drain(pipe: OwnedFd, log: Arc<Log>) {
    let Ok(mut pipe) = Receiver::from_owned_fd(pipe) else { return };
    let mut chunk = vec![0; 8 * 1024];
    let mut line = Vec::new();
    let (mut started, mut read) = (Instant::now(), 0);
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        for byte in &chunk[..count] {
            match byte {
                b'\n' => log.push(&std::mem::take(&mut line)),
                _ if line.len() < LINE_BYTES_MAX => line.push(*byte),
                _ => {}
            }
        }
        if started.elapsed() >= INTERVAL {
            (started, read) = (Instant::now(), 0);
        }
        read += count;
        if read > BYTES_PER_INTERVAL {
            sleep_until(started + INTERVAL).await;
        }
    }
    if !line.is_empty() {
        log.push(&line);
    }
}
