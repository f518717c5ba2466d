//! Claims per address and e-mail in the last hour. Above a limit a captcha is required.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agio_core::Timestamp;

/// The period in which claims are counted.
const WINDOW: Duration = Duration::from_secs(60 * 60);

/// How often expired entries are removed when the map is full: that scans all of them.
const TIDIED_EVERY: Duration = Duration::from_secs(60);

/// The most addresses and e-mails to remember. When the map is full a captcha is always required.
const REMEMBERED_MAX: usize = 100_000;

/// Counts claims by address and by e-mail over the last hour.
#[derive(Default)]
pub struct RecentClaims(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    times: HashMap<String, VecDeque<Timestamp>>,
    /// When expired entries were last removed.
    tidied_at: Option<Timestamp>,
}

impl RecentClaims {
    /// The highest count of claims among these in the last hour.
    pub fn of(&self, parties: &[&str], now: Timestamp) -> usize {
        let counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.times.len() >= REMEMBERED_MAX {
            return usize::MAX;
        }
        let since = now.minus(WINDOW);
        let recent = |party: &&str| counted.times.get(*party).map_or(0, |times| times.iter().filter(|at| **at > since).count());
        parties.iter().map(recent).max().unwrap_or(0)
    }

    /// Counts a claim for each of these, up to `enough` each.
    pub fn count(&self, parties: &[&str], enough: usize, now: Timestamp) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = now.minus(WINDOW);
        if counted.times.len() >= REMEMBERED_MAX && counted.tidied_at.is_none_or(|at| at.plus(TIDIED_EVERY) <= now) {
            counted.times.retain(|_, times| times.back().is_some_and(|at| *at > since));
            counted.tidied_at = Some(now);
        }
        for party in parties.iter().take(REMEMBERED_MAX.saturating_sub(counted.times.len())) {
            let times = counted.times.entry((*party).to_owned()).or_default();
            times.push_back(now);
            while times.len() > enough.max(1) || times.front().is_some_and(|at| *at <= since) {
                times.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_711_627_200_000_000);

    #[test]
    fn claims_are_counted_for_an_hour() {
        let risk = RecentClaims::default();
        risk.count(&["127.0.0.1", "a@example.com"], 10, NOW);
        risk.count(&["127.0.0.1", "b@example.com"], 10, NOW.plus(Duration::from_secs(1800)));
        assert_eq!(risk.of(&["127.0.0.1", "c@example.com"], NOW.plus(Duration::from_secs(3599))), 2);
        assert_eq!(risk.of(&["127.0.0.1"], NOW.plus(Duration::from_secs(3600))), 1);
        assert_eq!(risk.of(&["c@example.com"], NOW), 0);
    }
}
