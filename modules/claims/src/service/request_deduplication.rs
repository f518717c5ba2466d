//! Deduplication of double clicks: the same request by the same requester within seconds gets the first response.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::idempotency::Key;
use agio_core::{Timestamp, Vault, hex};
use tokio::sync::OnceCell;

use super::creation::CreatedClaim;

/// How long a repeated request counts as the same one.
const SPAN: Duration = Duration::from_secs(5);

/// The most requests to remember. Beyond that a double click creates two claims, and one of them expires.
const REMEMBERED_MAX: usize = 20_000;

/// The claim, and the owner's browser secret.
type CreationResult = Arc<OnceCell<(CreatedClaim, String)>>;

/// The digest of a request and its requester.
pub(super) type Fingerprint = [u8; 32];

/// The idempotency key of a request without one, for nodes that share a database: the same request within a fixed time
/// window has the same key. Two clicks across the window's end create two claims.
pub(super) fn request_key(vault: &Vault, fingerprint: Fingerprint, now: Timestamp) -> Key {
    // A keyed digest: the database alone does not allow guessing requisites.
    let fingerprint = vault.digest("claim click", &hex::encode(fingerprint));
    let span = now.0.unsigned_abs() / u64::try_from(SPAN.as_micros()).unwrap_or(u64::MAX);
    Key { scope: "claim.click".to_owned(), key: format!("{fingerprint}-{span}"), fingerprint }
}

/// The requests of the last seconds.
#[derive(Default)]
pub(super) struct RecentRequests(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    outcomes: HashMap<Fingerprint, CreationResult>,
    /// The fingerprints by age, to find the expired ones.
    by_age: VecDeque<(Timestamp, Fingerprint)>,
}

impl RecentRequests {
    /// The cell with the result of this request.
    pub fn outcome(&self, fingerprint: Fingerprint, now: Timestamp) -> CreationResult {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requests.forget_before(now);
        if let Some(outcome) = requests.outcomes.get(&fingerprint) {
            return outcome.clone();
        }
        let outcome = CreationResult::default();
        if requests.outcomes.len() < REMEMBERED_MAX {
            requests.outcomes.insert(fingerprint, outcome.clone());
            requests.by_age.push_back((now, fingerprint));
        }
        outcome
    }
}

impl Requests {
    fn forget_before(&mut self, now: Timestamp) {
        while let Some((_, fingerprint)) = self.by_age.pop_front_if(|(at, _)| at.plus(SPAN) <= now) {
            self.outcomes.remove(&fingerprint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_request_is_the_same_for_some_seconds() {
        let recent = RecentRequests::default();
        let now = Timestamp(1_711_627_200_000_000);
        let (one, other) = ([1; 32], [2; 32]);
        let first = recent.outcome(one, now);
        assert!(Arc::ptr_eq(&first, &recent.outcome(one, now.plus(Duration::from_secs(4)))));
        assert!(!Arc::ptr_eq(&first, &recent.outcome(other, now)));
        assert!(!Arc::ptr_eq(&first, &recent.outcome(one, now.plus(Duration::from_secs(5)))));
    }
}
