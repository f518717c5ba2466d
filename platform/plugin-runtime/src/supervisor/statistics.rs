//! Statistics of a plugin.

use std::collections::VecDeque;
use std::time::Duration;

use agio_core::Timestamp;

use super::{PluginHealth, ProcessState, SupervisorPolicy};

/// Number of latest rounds used for latencies.
const SAMPLES_MAX: usize = 512;

pub struct PluginStatistics {
    since: Timestamp,
    calls: u64,
    faults: u64,
    restarts: u64,
    process: Option<u32>,
    durations: VecDeque<Duration>,
    recent_faults: VecDeque<Timestamp>,
}

impl PluginStatistics {
    pub fn new(since: Timestamp) -> Self {
        let (calls, faults, restarts) = (0, 0, 0);
        Self { since, calls, faults, restarts, process: None, durations: VecDeque::new(), recent_faults: VecDeque::new() }
    }

    /// Records the time of a state change.
    pub fn set_since(&mut self, now: Timestamp) {
        self.since = now;
    }

    pub fn set_process(&mut self, process: Option<u32>) {
        self.process = process;
    }

    pub fn count_restart(&mut self) {
        self.restarts += 1;
    }

    pub fn count_round(&mut self, duration: Duration) {
        self.calls += 1;
        self.durations.truncate(SAMPLES_MAX - 1);
        self.durations.push_front(duration);
    }

    /// Counts a fault. Returns the number of faults in the window, including this one.
    pub fn count_fault(&mut self, now: Timestamp, policy: &SupervisorPolicy) -> usize {
        self.faults += 1;
        self.recent_faults.push_back(now);
        let window_start = now.minus(policy.fault_window);
        self.recent_faults.retain(|fault| *fault > window_start);
        while self.recent_faults.len() > policy.max_faults.max(1) {
            self.recent_faults.pop_front();
        }
        self.recent_faults.len()
    }

    /// Clears the recent faults.
    pub fn clear_faults(&mut self) {
        self.recent_faults.clear();
    }

    pub fn health(&self, state: ProcessState) -> PluginHealth {
        let mut sorted: Vec<_> = self.durations.iter().copied().collect();
        sorted.sort_unstable();
        let quantile = |percent: usize| sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied();
        PluginHealth {
            state,
            since: self.since,
            calls: self.calls,
            faults: self.faults,
            restarts: self.restarts,
            p50: quantile(50),
            p99: quantile(99),
            process: self.process,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervisor::RunnerCommand;

    #[test]
    fn faults_count_within_their_window_and_latencies_are_of_the_latest_rounds() {
        let policy = SupervisorPolicy {
            fault_window: Duration::from_secs(10),
            ..SupervisorPolicy::new(RunnerCommand { program: "x".into(), arguments: Vec::new() })
        };
        let second = |second: i64| Timestamp(second * 1_000_000);
        let mut statistics = PluginStatistics::new(second(0));
        assert_eq!([1, 5, 11, 12].map(|at| statistics.count_fault(second(at), &policy)), [1, 2, 2, 3]);
        statistics.clear_faults();
        assert_eq!(statistics.count_fault(second(12), &policy), 1);
        for millis in 1..=1_000 {
            statistics.count_round(Duration::from_millis(millis));
        }
        let health = statistics.health(ProcessState::Ready);
        assert_eq!((health.calls, health.faults), (1_000, 5));
        assert_eq!((health.p50, health.p99), (Some(Duration::from_millis(745)), Some(Duration::from_millis(995))));
    }
}
