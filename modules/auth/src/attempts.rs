//! How often something that can be guessed may be tried.
//!
//! What was tried is counted in the database, by account and by household of addresses, so that it holds over restarts and for all
//! nodes together. A few attempts are free; then each has to wait longer after the last one. Attempts are counted before
//! their outcome is known, so that any number sent at one moment counts, and given back when they were right.

use std::time::Duration;

use agio_core::{Db, Error, Kind, Result, Timestamp, Tx, execute, fetch_one, fetch_optional};

use crate::secrets::digest;

agio_core::statements! {
    ATTEMPTS = "SELECT counted, at FROM attempt WHERE gate = $1";
    /// Locks the count until the transaction ends; makes it where there is none.
    LOCK_ATTEMPTS = "INSERT INTO attempt (gate, counted, at) VALUES ($1, 0, $2) ON CONFLICT (gate) DO UPDATE SET gate = excluded.gate
        RETURNING counted, at";
    COUNT_ATTEMPT = "UPDATE attempt SET counted = $2, at = $3 WHERE gate = $1";
    GIVE_ATTEMPT_BACK = "UPDATE attempt SET counted = counted - 1 WHERE gate = $1 AND counted > 0";
    CLEAR_GATE = "DELETE FROM attempt WHERE gate = $1";
    FORGET_ATTEMPTS = "DELETE FROM attempt WHERE at < $1";
}

/// How attempts of one kind are counted.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, which parts it from all others.
    pub name: &'static str,
    /// How many attempts are free.
    pub free: i64,
    /// How long the first attempt after those has to wait; each further one waits twice as long.
    pub first_pause: Duration,
    /// The longest wait.
    pub longest_pause: Duration,
    /// In what time of quiet one attempt is forgotten.
    pub forgets_one_in: Duration,
}

/// A count of attempts: of one kind, by one party.
#[derive(Clone, Debug)]
pub struct Gate {
    rule: &'static Rule,
    name: String,
}

/// A gate is closed for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Closed {
    /// Seconds until the next attempt may be made, rounded up.
    pub seconds: u64,
}

impl Closed {
    /// What the caller is told.
    #[must_use]
    pub fn error(self) -> Error {
        Error::new(Kind::TooManyRequests, "too_many_attempts").with("seconds", self.seconds).retry_after(self.seconds)
    }
}

#[derive(Clone, Copy, sqlx::FromRow)]
struct Count {
    counted: i64,
    at: Timestamp,
}

impl Rule {
    /// The count for one party. What the party is called is kept as a digest.
    #[must_use]
    pub fn gate(&'static self, party: &str) -> Gate {
        Gate { rule: self, name: format!("{}:{}", self.name, digest(party)) }
    }

    /// How many attempts are remembered now.
    fn remembered(&self, count: Count, now: Timestamp) -> i64 {
        let quiet = now.0.saturating_sub(count.at.0).max(0).unsigned_abs();
        let forgotten = i64::try_from(u128::from(quiet) / self.forgets_one_in.as_micros()).unwrap_or(i64::MAX);
        (count.counted - forgotten).max(0)
    }

    /// For how long an attempt has to wait after so many that are remembered, the last of them at this moment.
    fn closed(&self, remembered: i64, last: Timestamp, now: Timestamp) -> Option<Closed> {
        let doublings = u32::try_from((remembered - self.free).min(20)).ok()?;
        let pause = self.first_pause.saturating_mul(1 << doublings).min(self.longest_pause);
        let left = last.plus(pause).0.saturating_sub(now.0);
        (left > 0).then(|| Closed { seconds: left.unsigned_abs().div_ceil(1_000_000) })
    }

    fn closed_by(&self, count: Count, now: Timestamp) -> Option<Closed> {
        self.closed(self.remembered(count, now), count.at, now)
    }
}

/// Whether one of these gates is closed now, without counting anything.
///
/// # Errors
/// The database cannot be read.
pub async fn look(tx: &mut Tx, gates: &[Gate], now: Timestamp) -> Result<Option<Closed>> {
    let mut longest = None;
    for gate in gates {
        let count = fetch_optional!(tx, Count, ATTEMPTS, &gate.name)?;
        longest = longest.max(count.and_then(|count| gate.rule.closed_by(count, now)));
    }
    Ok(longest)
}

/// Counts an attempt at all of these gates if every one of them is open.
///
/// # Errors
/// The database cannot be written.
pub async fn pass(db: &Db, gates: &[Gate], now: Timestamp) -> Result<Result<(), Closed>> {
    if let Some(closed) = look(&mut db.read().await?, gates, now).await? {
        return Ok(Err(closed));
    }
    let mut gates = gates.to_vec();
    // One order for everybody, so that no two transactions wait for each other.
    gates.sort_by(|one, other| one.name.cmp(&other.name));
    db.write(move |tx| {
        let gates = gates.clone();
        Box::pin(async move {
            let mut counts = Vec::with_capacity(gates.len());
            for gate in &gates {
                let count = fetch_one!(tx, Count, LOCK_ATTEMPTS, &gate.name, now)?;
                if let Some(closed) = gate.rule.closed_by(count, now) {
                    return Ok(Err(closed));
                }
                counts.push((gate, gate.rule.remembered(count, now) + 1));
            }
            for (gate, counted) in counts {
                execute!(tx, COUNT_ATTEMPT, &gate.name, counted, now)?;
            }
            Ok(Ok(()))
        })
    })
    .await
}

/// Takes back what [`pass`] counted: the attempt was right.
///
/// # Errors
/// The database cannot be written.
pub async fn give_back(tx: &mut Tx, gates: &[Gate]) -> Result<()> {
    for gate in gates {
        execute!(tx, GIVE_ATTEMPT_BACK, &gate.name)?;
    }
    Ok(())
}

/// Opens these gates: forgets what was counted at them.
///
/// # Errors
/// The database cannot be written.
pub async fn forget(tx: &mut Tx, gates: &[Gate]) -> Result<()> {
    for gate in gates {
        execute!(tx, CLEAR_GATE, &gate.name)?;
    }
    Ok(())
}

/// Forgets counts nobody added to since `moment`.
///
/// # Errors
/// The database cannot be written.
pub async fn forget_before(db: &Db, moment: Timestamp) -> Result<()> {
    db.write(move |tx| Box::pin(async move { execute!(tx, FORGET_ATTEMPTS, moment).map(drop) })).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        name: "test",
        free: 3,
        first_pause: Duration::from_secs(2),
        longest_pause: Duration::from_secs(60),
        forgets_one_in: Duration::from_secs(100),
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1_000_000)
    }

    fn wait(counted: i64, quiet: i64) -> Option<u64> {
        RULE.closed_by(Count { counted, at: at(0) }, at(quiet)).map(|closed| closed.seconds)
    }

    #[test]
    fn the_first_attempts_are_free_and_each_further_one_waits_twice_as_long() {
        let waits: Vec<_> = (0..10).map(|counted| wait(counted, 0)).collect();
        assert_eq!(waits, [None, None, None, Some(2), Some(4), Some(8), Some(16), Some(32), Some(60), Some(60)]);
        assert_eq!(wait(i64::MAX, 0), Some(60));
        assert_eq!((wait(4, 3), wait(4, 4)), (Some(1), None));
    }

    #[test]
    fn quiet_forgets_attempts_one_by_one() {
        let left = |quiet| RULE.remembered(Count { counted: 3, at: at(0) }, at(quiet));
        assert_eq!([left(0), left(99), left(100), left(299), left(300), left(i64::MAX / 2_000_000)], [3, 3, 2, 1, 0, 0]);
        assert_eq!(left(-50), 3, "a clock that is behind forgets nothing");
    }
}
