//! How a plugin does, as far as this process has asked it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agio_core::Timestamp;
use agio_plugin_host::Fault;

/// How many of the last answers the latencies are of.
const REMEMBERED: usize = 256;

/// Counts of one plugin.
#[derive(Default)]
pub struct Tally(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    asked: u64,
    faults: u64,
    answered_at: Option<Timestamp>,
    last_fault: Option<(Timestamp, String)>,
    latencies: VecDeque<Duration>,
}

/// What the counts say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// How often it was asked.
    pub asked: u64,
    /// How often it did not answer.
    pub faults: u64,
    /// When it answered last.
    pub answered_at: Option<Timestamp>,
    /// When it last did not, and why.
    pub last_fault: Option<(Timestamp, String)>,
    /// How long half of its last answers took at most, from the question to the answer with all that had to be done for it.
    pub half: Option<Duration>,
    /// The same of 99 in 100.
    pub most: Option<Duration>,
}

impl Tally {
    /// Counts an answer.
    pub fn count(&self, now: Timestamp, took: Duration, fault: Option<&Fault>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.asked += 1;
        match fault {
            Some(fault) => {
                counts.faults += 1;
                counts.last_fault = Some((now, fault.to_string()));
            }
            None => {
                counts.answered_at = Some(now);
                if counts.latencies.len() == REMEMBERED {
                    counts.latencies.pop_front();
                }
                counts.latencies.push_back(took);
            }
        }
    }

    /// What the counts say.
    #[must_use]
    pub fn doing(&self) -> Doing {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<_> = counts.latencies.iter().copied().collect();
        sorted.sort_unstable();
        let at = |hundredth: usize| sorted.get((sorted.len() * hundredth / 100).min(sorted.len().saturating_sub(1))).copied();
        Doing {
            asked: counts.asked,
            faults: counts.faults,
            answered_at: counts.answered_at,
            last_fault: counts.last_fault.clone(),
            half: at(50),
            most: at(99),
        }
    }
}
