//! A double click is one claim: the same request from the same party within seconds gets the first one's answer.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::idempotency::Key;
use agio_core::{Timestamp, Vault, hex};
use tokio::sync::OnceCell;

use super::create::Made;

/// How long a request counts as the same click.
const SPAN: Duration = Duration::from_secs(5);

/// How many requests are remembered at most; beyond that a double click makes two claims, and one of them expires.
const REMEMBERED_MAX: usize = 20_000;

/// The claim, and the secret of the browser that made it.
type Outcome = Arc<OnceCell<(Made, String)>>;

/// A digest of who asks and what.
pub(super) type Fingerprint = [u8; 32];

/// A key of the request's own, for nodes that share a database and no memory: the same request is the same one within a span that begins by the
/// clock, so that two clicks on either side of its end are two claims there.
pub(super) fn click(vault: &Vault, asked: Fingerprint, now: Timestamp) -> Key {
    // Whoever has the database alone cannot try requisites against it.
    let asked = vault.digest("claim click", &hex::encode(asked));
    let span = now.0.unsigned_abs() / u64::try_from(SPAN.as_micros()).unwrap_or(u64::MAX);
    Key { scope: "claim.click".to_owned(), key: format!("{asked}-{span}"), fingerprint: asked }
}

/// The requests of the last seconds.
#[derive(Default)]
pub(super) struct Recent(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    outcomes: HashMap<Fingerprint, Outcome>,
    /// The same in the order they came, so that the old ones are found without looking at all.
    by_age: VecDeque<(Timestamp, Fingerprint)>,
}

impl Recent {
    /// The place where the outcome of this request is, or will be.
    pub fn outcome(&self, fingerprint: Fingerprint, now: Timestamp) -> Outcome {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requests.forget_before(now);
        if let Some(outcome) = requests.outcomes.get(&fingerprint) {
            return outcome.clone();
        }
        let outcome = Outcome::default();
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
        let recent = Recent::default();
        let now = Timestamp(1_711_627_200_000_000);
        let (one, other) = ([1; 32], [2; 32]);
        let first = recent.outcome(one, now);
        assert!(Arc::ptr_eq(&first, &recent.outcome(one, now.plus(Duration::from_secs(4)))));
        assert!(!Arc::ptr_eq(&first, &recent.outcome(other, now)));
        assert!(!Arc::ptr_eq(&first, &recent.outcome(one, now.plus(Duration::from_secs(5)))));
    }
}
