//! Requests per key in the current minute.
//!
//! Each node also counts in memory, so that excess requests are cheap to reject; the exact count across nodes is in
//! the database ([`store::usage`](crate::store::usage)).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use agio_core::{Error, ErrorKind, Result, Timestamp};
use uuid::Uuid;

const MINUTE_SECONDS: i64 = 60;
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// The number of a minute from 1970-01-01 UTC.
pub(super) fn minute_of(time: Timestamp) -> i64 {
    time.as_seconds().div_euclid(MINUTE_SECONDS)
}

/// The number of a day from 1970-01-01 UTC.
pub(super) fn day_of(time: Timestamp) -> i64 {
    time.as_seconds().div_euclid(DAY_SECONDS)
}

/// Remaining quota as far as this node knows, for the rate limit headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub limit: u32,
    pub remaining: u32,
    /// Seconds until the minute ends.
    pub reset: u64,
}

#[derive(Default)]
pub(super) struct UsageMeter(Mutex<HashMap<Uuid, (i64, u32)>>);

impl UsageMeter {
    /// # Errors
    /// 429 `too_many_requests` with the seconds to wait.
    pub fn count(&self, key: Uuid, limit: u32, now: Timestamp) -> (Usage, Result<()>) {
        let seconds = now.as_seconds();
        let minute = minute_of(now);
        let reset = (MINUTE_SECONDS - seconds.rem_euclid(MINUTE_SECONDS)).unsigned_abs();
        let mut meters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, used) = meters.entry(key).or_insert((minute, 0));
        if *at != minute {
            (*at, *used) = (minute, 0);
        }
        if *used >= limit {
            let refused = Error::new(ErrorKind::TooManyRequests, "too_many_requests").retry_after(reset);
            return (Usage { limit, remaining: 0, reset }, Err(refused));
        }
        *used += 1;
        (Usage { limit, remaining: limit - *used, reset }, Ok(()))
    }

    /// Marks the key's quota as used up on all nodes and returns the error.
    pub fn exhausted(&self, key: Uuid, limit: u32, now: Timestamp) -> Error {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (minute_of(now), limit));
        self.count(key, limit, now).1.expect_err("a full meter refuses")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_applies_per_minute() {
        let meter = UsageMeter::default();
        let at = |second: i64| Timestamp(second * 1_000_000);
        let (key, other) = (Uuid::nil(), Uuid::max());
        let (usage, outcome) = meter.count(key, 2, at(15));
        assert_eq!(usage, Usage { limit: 2, remaining: 1, reset: 45 });
        outcome.unwrap();
        meter.count(key, 2, at(16)).1.unwrap();
        let (usage, refused) = meter.count(key, 2, at(50));
        assert_eq!((usage.remaining, refused.unwrap_err().retry_after_seconds()), (0, Some(10)));
        meter.count(other, 2, at(50)).1.unwrap();
        meter.count(key, 2, at(60)).1.unwrap();
    }
}
