//! What a long command is doing, on the standard error.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// How often a terminal shows it, and a log.
const ON_TERMINAL: Duration = Duration::from_millis(200);
const IN_LOG: Duration = Duration::from_secs(10);

pub struct Progress {
    verb: &'static str,
    started: Instant,
    shown: Instant,
    every: Duration,
    is_terminal: bool,
    rows: u64,
    /// How many rows there are, where that is known.
    total: Option<u64>,
}

impl Progress {
    pub fn new(verb: &'static str, total: Option<u64>) -> Self {
        let (now, is_terminal) = (Instant::now(), stderr().is_terminal());
        let every = if is_terminal { ON_TERMINAL } else { IN_LOG };
        Self { verb, started: now, shown: now, every, is_terminal, rows: 0, total }
    }

    /// Counts rows of a table.
    pub fn add(&mut self, table: &str, rows: usize) {
        self.rows += rows as u64;
        if self.shown.elapsed() < self.every {
            return;
        }
        self.shown = Instant::now();
        let share = self.total.filter(|total| *total > 0).map(|total| format!(" ({}%)", self.rows * 100 / total));
        let end = if self.is_terminal { "\x1b[K\r" } else { "\n" };
        let (verb, rows, share) = (self.verb, self.rows, share.unwrap_or_default());
        let _ = write!(stderr(), "{verb} {rows} rows{share}, {:.0} s: {table}{end}", self.started.elapsed().as_secs_f64());
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Clears the line on a terminal.
    pub fn finish(&self) {
        if self.is_terminal {
            let _ = write!(stderr(), "\x1b[K");
        }
    }
}
