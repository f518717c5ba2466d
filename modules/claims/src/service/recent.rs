//! A double click is one claim: the same request from the same party within seconds gets the first one's answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::Timestamp;
use tokio::sync::OnceCell;

use super::create::Made;

/// How long a request counts as the same click.
const SPAN: Duration = Duration::from_secs(5);

/// How many requests are remembered at most; beyond that a double click makes two claims, and one of them expires.
const REMEMBERED_MAX: usize = 20_000;

/// The claim, and the secret of the browser that made it.
type Outcome = Arc<OnceCell<(Made, String)>>;

/// The requests of the last seconds.
#[derive(Default)]
pub(super) struct Recent(Mutex<HashMap<String, (Timestamp, Outcome)>>);

impl Recent {
    /// The place where the outcome of this request is, or will be.
    pub fn outcome(&self, fingerprint: String, now: Timestamp) -> Outcome {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |at: Timestamp| at.plus(SPAN) > now;
        if requests.len() >= REMEMBERED_MAX {
            requests.retain(|_, (at, _)| is_fresh(*at));
        }
        match requests.get(&fingerprint) {
            Some((at, outcome)) if is_fresh(*at) => outcome.clone(),
            _ if requests.len() >= REMEMBERED_MAX => Outcome::default(),
            _ => {
                let outcome = Outcome::default();
                requests.insert(fingerprint, (now, outcome.clone()));
                outcome
            }
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
        let first = recent.outcome("a".into(), now);
        assert!(Arc::ptr_eq(&first, &recent.outcome("a".into(), now.plus(Duration::from_secs(4)))));
        assert!(!Arc::ptr_eq(&first, &recent.outcome("b".into(), now)));
        assert!(!Arc::ptr_eq(&first, &recent.outcome("a".into(), now.plus(Duration::from_secs(5)))));
    }
}
