//! Visits in SQL.

use agio_core::{Result, Tx, execute, fetch_all, fetch_one};
use uuid::Uuid;

agio_core::statements! {
    COUNT_VISITOR = "INSERT INTO referral_visitor (day, digest, referrer_id, visits) VALUES ($1, $2, $3, 1)
        ON CONFLICT (day, digest, referrer_id) DO UPDATE SET visits = referral_visitor.visits + 1 WHERE referral_visitor.visits < $4";
    COUNT_VISIT = "INSERT INTO referral_visit (referrer_id, day, visits) VALUES ($1, $2, 1)
        ON CONFLICT (referrer_id, day) DO UPDATE SET visits = referral_visit.visits + 1";
    VISITS = "SELECT CAST(COALESCE(SUM(visits), 0) AS BIGINT) FROM referral_visit WHERE referrer_id = $1";
    VISITS_BY_DAY = "SELECT day, visits FROM referral_visit WHERE referrer_id = $1 AND day >= $2 AND day <= $3";
}

/// Ignored above the limit per network and day.
pub async fn count(tx: &mut Tx, referrer: Uuid, day: i64, digest: &str, max: i64) -> Result<()> {
    if execute!(tx, COUNT_VISITOR, day, digest, referrer, max)? == 1 {
        execute!(tx, COUNT_VISIT, referrer, day)?;
    }
    Ok(())
}

pub async fn of(tx: &mut Tx, referrer: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), VISITS, referrer)?.0)
}

pub async fn by_day(tx: &mut Tx, referrer: Uuid, days: (i64, i64)) -> Result<Vec<(i64, i64)>> {
    fetch_all!(tx, (i64, i64), VISITS_BY_DAY, referrer, days.0, days.1)
}
