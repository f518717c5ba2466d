//! How a plugin has been.

use std::collections::VecDeque;
use std::time::Duration;

use agio_core::Timestamp;

use super::{Health, Policy, State};

/// How many of the latest rounds tell how quick a plugin is.
const ROUNDS_KEPT: usize = 512;

/// What is remembered of a plugin.
pub struct Record {
    since: Timestamp,
    calls: u64,
    faults: u64,
    restarts: u64,
    process: Option<u32>,
    thought: VecDeque<Duration>,
    recent_faults: VecDeque<Timestamp>,
}

impl Record {
    /// Nothing yet.
    pub fn beginning(since: Timestamp) -> Self {
        let (calls, faults, restarts) = (0, 0, 0);
        Self { since, calls, faults, restarts, process: None, thought: VecDeque::new(), recent_faults: VecDeque::new() }
    }

    /// It is as it is since then.
    pub fn since(&mut self, now: Timestamp) {
        self.since = now;
    }

    /// It runs, or does not.
    pub fn process(&mut self, process: Option<u32>) {
        self.process = process;
    }

    /// It is started again.
    pub fn restarted(&mut self) {
        self.restarts += 1;
    }

    /// It answered a round.
    pub fn answered(&mut self, thought: Duration) {
        self.calls += 1;
        self.thought.truncate(ROUNDS_KEPT - 1);
        self.thought.push_front(thought);
    }

    /// It did wrong. Gives how many faults there were lately, this one included.
    pub fn blame(&mut self, now: Timestamp, policy: &Policy) -> usize {
        self.faults += 1;
        self.recent_faults.push_back(now);
        let begin = now.minus(policy.window);
        self.recent_faults.retain(|fault| *fault > begin);
        // Nobody asks about more than that.
        while self.recent_faults.len() > policy.faults.max(1) {
            self.recent_faults.pop_front();
        }
        self.recent_faults.len()
    }

    /// What it did is past.
    pub fn forgive(&mut self) {
        self.recent_faults.clear();
    }

    /// All of it.
    pub fn health(&self, state: State) -> Health {
        let mut sorted: Vec<_> = self.thought.iter().copied().collect();
        sorted.sort_unstable();
        let quantile = |percent: usize| sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied();
        Health {
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
    use crate::supervisor::Runner;

    #[test]
    fn faults_count_only_within_their_window_and_latencies_are_of_the_latest_rounds() {
        let policy =
            Policy { window: Duration::from_secs(10), ..Policy::new(Runner { program: "x".into(), arguments: Vec::new() }) };
        let second = |second: i64| Timestamp(second * 1_000_000);
        let mut record = Record::beginning(second(0));
        assert_eq!([1, 5, 11, 12].map(|at| record.blame(second(at), &policy)), [1, 2, 2, 3]);
        record.forgive();
        assert_eq!(record.blame(second(12), &policy), 1);
        for millis in 1..=1_000 {
            record.answered(Duration::from_millis(millis));
        }
        let health = record.health(State::Ready);
        assert_eq!((health.calls, health.faults), (1_000, 5));
        assert_eq!((health.p50, health.p99), (Some(Duration::from_millis(745)), Some(Duration::from_millis(995))));
    }
}
