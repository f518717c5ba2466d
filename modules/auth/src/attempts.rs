//! Limits on guessing.
//!
//! Attempts are counted in the database, per account and per network, so that limits hold across restarts and nodes.
//! The first attempts are free, then the delay grows. Attempts are counted before their outcome is known, so that
//! concurrent ones count too, and refunded if they succeed.

use std::time::Duration;

use agio_core::{Db, Error, ErrorKind, Result, Timestamp, Tx, execute, fetch_one, fetch_optional};

use crate::secrets::digest;

agio_core::statements! {
    ATTEMPTS = "SELECT counted, at FROM attempt WHERE counter = $1";
    /// Locks the count until the transaction ends; creates it if there is none.
    LOCK_ATTEMPTS = "INSERT INTO attempt (counter, counted, at) VALUES ($1, 0, $2) ON CONFLICT (counter) DO UPDATE SET counter = excluded.counter
        RETURNING counted, at";
    COUNT_ATTEMPT = "UPDATE attempt SET counted = $2, at = $3 WHERE counter = $1";
    REFUND_ATTEMPT = "UPDATE attempt SET counted = counted - 1 WHERE counter = $1 AND counted > 0";
    RESET_ATTEMPTS = "DELETE FROM attempt WHERE counter = $1";
}

pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_secs(60);
pub const HOUR: Duration = Duration::from_secs(60 * 60);

pub const fn times(count: u32, duration: Duration) -> Duration {
    duration.saturating_mul(count)
}

pub const fn limit(
    name: &'static str,
    free_attempts: i64,
    first_delay: Duration,
    max_delay: Duration,
    decay_interval: Duration,
) -> AttemptLimit {
    AttemptLimit { name, free_attempts, first_delay, max_delay, decay_interval }
}

/// Limit on attempts of one kind.
#[derive(Debug, PartialEq, Eq)]
pub struct AttemptLimit {
    pub name: &'static str,
    pub free_attempts: i64,
    /// Delay after the free attempts; doubles with each further attempt.
    pub first_delay: Duration,
    pub max_delay: Duration,
    /// Time without attempts after which one attempt is forgotten.
    pub decay_interval: Duration,
}

/// Counter of attempts of one kind by one subject.
#[derive(Clone, Debug)]
pub struct AttemptCounter {
    limit: &'static AttemptLimit,
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RetryAfter {
    /// Seconds until the next attempt may be made, rounded up.
    pub seconds: u64,
}

impl RetryAfter {
    pub fn error(self) -> Error {
        Error::new(ErrorKind::TooManyRequests, "too_many_attempts").with("seconds", self.seconds).retry_after(self.seconds)
    }
}

#[derive(Clone, Copy, sqlx::FromRow)]
struct Count {
    counted: i64,
    at: Timestamp,
}

impl AttemptLimit {
    /// The counter for a subject, which is stored as a digest.
    pub fn counter(&'static self, subject: &str) -> AttemptCounter {
        AttemptCounter { limit: self, name: format!("{}:{}", self.name, digest(subject)) }
    }

    /// Attempts that have not decayed yet.
    fn remembered(&self, count: Count, now: Timestamp) -> i64 {
        let quiet = now.0.saturating_sub(count.at.0).max(0).unsigned_abs();
        let forgotten = i64::try_from(u128::from(quiet) / self.decay_interval.as_micros()).unwrap_or(i64::MAX);
        (count.counted - forgotten).max(0)
    }

    fn delay_after(&self, remembered: i64, last: Timestamp, now: Timestamp) -> Option<RetryAfter> {
        let doublings = u32::try_from((remembered - self.free_attempts).min(20)).ok()?;
        let pause = self.first_delay.saturating_mul(1 << doublings).min(self.max_delay);
        let left = last.plus(pause).0.saturating_sub(now.0);
        (left > 0).then(|| RetryAfter { seconds: left.unsigned_abs().div_ceil(1_000_000) })
    }

    fn retry_after(&self, count: Count, now: Timestamp) -> Option<RetryAfter> {
        self.delay_after(self.remembered(count, now), count.at, now)
    }
}

/// The longest delay of these counters, without counting an attempt.
pub async fn check(tx: &mut Tx, counters: &[AttemptCounter], now: Timestamp) -> Result<Option<RetryAfter>> {
    let mut longest = None;
    for counter in counters {
        let count = fetch_optional!(tx, Count, ATTEMPTS, &counter.name)?;
        longest = longest.max(count.and_then(|count| counter.limit.retry_after(count, now)));
    }
    Ok(longest)
}

/// Counts an attempt with all counters, unless one of them requires a delay.
pub async fn record(db: &Db, counters: &[AttemptCounter], now: Timestamp) -> Result<Result<(), RetryAfter>> {
    if let Some(retry_after) = check(&mut db.read().await?, counters, now).await? {
        return Ok(Err(retry_after));
    }
    let mut counters = counters.to_vec();
    // A fixed order prevents deadlocks.
    counters.sort_by(|one, other| one.name.cmp(&other.name));
    db.write(move |tx| {
        let counters = counters.clone();
        Box::pin(async move {
            let mut counts = Vec::with_capacity(counters.len());
            for counter in &counters {
                let count = fetch_one!(tx, Count, LOCK_ATTEMPTS, &counter.name, now)?;
                if let Some(retry_after) = counter.limit.retry_after(count, now) {
                    return Ok(Err(retry_after));
                }
                counts.push((counter, counter.limit.remembered(count, now) + 1));
            }
            for (counter, counted) in counts {
                execute!(tx, COUNT_ATTEMPT, &counter.name, counted, now)?;
            }
            Ok(Ok(()))
        })
    })
    .await
}

/// Takes back what [`record`] counted, because the attempt succeeded.
pub async fn refund(tx: &mut Tx, counters: &[AttemptCounter]) -> Result<()> {
    for counter in counters {
        execute!(tx, REFUND_ATTEMPT, &counter.name)?;
    }
    Ok(())
}

pub async fn reset(tx: &mut Tx, counters: &[AttemptCounter]) -> Result<()> {
    for counter in counters {
        execute!(tx, RESET_ATTEMPTS, &counter.name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: AttemptLimit = AttemptLimit {
        name: "test",
        free_attempts: 3,
        first_delay: Duration::from_secs(2),
        max_delay: Duration::from_secs(60),
        decay_interval: Duration::from_secs(100),
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1_000_000)
    }

    fn wait(counted: i64, quiet: i64) -> Option<u64> {
        RULE.retry_after(Count { counted, at: at(0) }, at(quiet)).map(|retry_after| retry_after.seconds)
    }

    #[test]
    fn delay_doubles_after_the_free_attempts() {
        let waits: Vec<_> = (0..10).map(|counted| wait(counted, 0)).collect();
        assert_eq!(waits, [None, None, None, Some(2), Some(4), Some(8), Some(16), Some(32), Some(60), Some(60)]);
        assert_eq!(wait(i64::MAX, 0), Some(60));
        assert_eq!((wait(4, 3), wait(4, 4)), (Some(1), None));
    }

    #[test]
    fn attempts_decay_one_by_one() {
        let left = |quiet| RULE.remembered(Count { counted: 3, at: at(0) }, at(quiet));
        assert_eq!([left(0), left(99), left(100), left(299), left(300), left(i64::MAX / 2_000_000)], [3, 3, 2, 1, 0, 0]);
        assert_eq!(left(-50), 3, "a clock that is behind changes nothing");
    }
}
