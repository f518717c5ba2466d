//! Key usage in SQL.

use agio_core::{Result, Tx, fetch_all, fetch_optional, write_one};
use uuid::Uuid;

agio_core::statements! {
    /// Counts a request unless the quota is used up.
    COUNT_CALL = "INSERT INTO partner_minute (key_id, minute, calls) VALUES ($1, $2, 1)
        ON CONFLICT (key_id, minute) DO UPDATE SET calls = partner_minute.calls + 1 WHERE partner_minute.calls < $3";
    COUNT_ON_DAY = "INSERT INTO partner_day (key_id, day, calls) VALUES ($1, $2, 1)
        ON CONFLICT (key_id, day) DO UPDATE SET calls = partner_day.calls + 1";
    CALLS_IN_MINUTE = "SELECT calls FROM partner_minute WHERE key_id = $1 AND minute = $2";
    CALLS_BY_DAY = "SELECT used.key_id, used.day, used.calls FROM partner_day used JOIN partner_key own ON own.id = used.key_id
        WHERE own.partner_id = $1 AND used.day >= $2 ORDER BY used.day, used.key_id";
}

/// `day` is counted from 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct KeyUsageRow {
    pub key_id: Uuid,
    pub day: i64,
    pub calls: i64,
}

/// # Errors
/// A `Condition` constraint if the key's quota is used up.
pub async fn count(tx: &mut Tx, key: Uuid, minute: i64, day: i64, limit: i64) -> Result<()> {
    write_one!(tx, COUNT_CALL, key, minute, limit)?;
    write_one!(tx, COUNT_ON_DAY, key, day)
}

pub async fn in_minute(tx: &mut Tx, key: Uuid, minute: i64) -> Result<i64> {
    Ok(fetch_optional!(tx, (i64,), CALLS_IN_MINUTE, key, minute)?.map_or(0, |(calls,)| calls))
}

pub async fn by_day(tx: &mut Tx, partner: Uuid, since: i64) -> Result<Vec<KeyUsageRow>> {
    fetch_all!(tx, KeyUsageRow, CALLS_BY_DAY, partner, since)
}
