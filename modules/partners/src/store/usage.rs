//! How often keys were used, in SQL.

use agio_core::{Result, Tx, execute, fetch_all, fetch_optional, write_one};
use uuid::Uuid;

agio_core::statements! {
    /// Counts a call in its minute, unless the key has had its calls.
    COUNT_CALL = "INSERT INTO partner_minute (key_id, minute, calls) VALUES ($1, $2, 1)
        ON CONFLICT (key_id, minute) DO UPDATE SET calls = partner_minute.calls + 1 WHERE partner_minute.calls < $3";
    COUNT_ON_DAY = "INSERT INTO partner_day (key_id, day, calls) VALUES ($1, $2, 1)
        ON CONFLICT (key_id, day) DO UPDATE SET calls = partner_day.calls + 1";
    CALLS_IN_MINUTE = "SELECT calls FROM partner_minute WHERE key_id = $1 AND minute = $2";
    CALLS_BY_DAY = "SELECT used.key_id, used.day, used.calls FROM partner_day used JOIN partner_key own ON own.id = used.key_id
        WHERE own.partner_id = $1 AND used.day >= $2 ORDER BY used.day, used.key_id";
    FORGET_MINUTES = "DELETE FROM partner_minute WHERE minute < $1";
    FORGET_DAYS = "DELETE FROM partner_day WHERE day < $1";
}

/// How often a key was used on a day, numbered from 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct DayRow {
    pub key_id: Uuid,
    pub day: i64,
    pub calls: i64,
}

/// Counts a call of a key in its minute and on its day.
///
/// # Errors
/// One whose constraint is `Condition` when the key has had its calls of the minute.
pub async fn count(tx: &mut Tx, key: Uuid, minute: i64, day: i64, limit: i64) -> Result<()> {
    write_one!(tx, COUNT_CALL, key, minute, limit)?;
    write_one!(tx, COUNT_ON_DAY, key, day)
}

/// How often a key was used in a minute.
pub async fn in_minute(tx: &mut Tx, key: Uuid, minute: i64) -> Result<i64> {
    Ok(fetch_optional!(tx, (i64,), CALLS_IN_MINUTE, key, minute)?.map_or(0, |(calls,)| calls))
}

/// How often each key of a partner was used on each day since one.
pub async fn by_day(tx: &mut Tx, partner: Uuid, since: i64) -> Result<Vec<DayRow>> {
    fetch_all!(tx, DayRow, CALLS_BY_DAY, partner, since)
}

/// Forgets what is older than a minute and a day.
pub async fn forget(tx: &mut Tx, minute: i64, day: i64) -> Result<()> {
    execute!(tx, FORGET_MINUTES, minute)?;
    execute!(tx, FORGET_DAYS, day).map(drop)
}
