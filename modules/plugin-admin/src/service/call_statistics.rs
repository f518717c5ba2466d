//! Call statistics of a plugin in this process.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agio_core::Timestamp;
use agio_plugin_runtime::PluginError;

/// Number of latest calls used for latencies.
const SAMPLES_MAX: usize = 256;

#[derive(Default)]
pub struct CallStatistics(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    calls: u64,
    faults: u64,
    answered_at: Option<Timestamp>,
    last_fault: Option<(Timestamp, String)>,
    latencies: VecDeque<Duration>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallStatisticsSummary {
    pub calls: u64,
    /// Failed calls.
    pub faults: u64,
    /// Time of the last successful call.
    pub answered_at: Option<Timestamp>,
    /// Time and error of the last failed call.
    pub last_fault: Option<(Timestamp, String)>,
    /// Median duration of the latest calls, including their actions.
    pub p50: Option<Duration>,
    /// 99th percentile of the duration of the latest calls.
    pub p99: Option<Duration>,
}

impl CallStatistics {
    pub fn count(&self, now: Timestamp, duration: Duration, fault: Option<&PluginError>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.calls += 1;
        match fault {
            Some(fault) => {
                counts.faults += 1;
                counts.last_fault = Some((now, fault.to_string()));
            }
            None => {
                counts.answered_at = Some(now);
                if counts.latencies.len() == SAMPLES_MAX {
                    counts.latencies.pop_front();
                }
                counts.latencies.push_back(duration);
            }
        }
    }

    pub fn summary(&self) -> CallStatisticsSummary {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<_> = counts.latencies.iter().copied().collect();
        sorted.sort_unstable();
        let at = |percent: usize| sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied();
        CallStatisticsSummary {
            calls: counts.calls,
            faults: counts.faults,
            answered_at: counts.answered_at,
            last_fault: counts.last_fault.clone(),
            p50: at(50),
            p99: at(99),
        }
    }
}
