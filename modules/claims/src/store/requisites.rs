//! The requisites that customers pay to.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

agio_core::statements! {
    /// Assigns the least recently used requisite whose daily limit allows the amount. The update locks the row, and the
    /// limit is checked on the locked row, so that two claims together cannot exceed it.
    TAKE_REQUISITE = "UPDATE requisite SET last_used_at = $2, used_day = $3,
            used_units = CASE WHEN used_day = $3 THEN used_units ELSE 0 END + $4
        WHERE id = (SELECT id FROM requisite
                WHERE currency_id = $1 AND enabled
                    AND (daily_limit IS NULL OR CASE WHEN used_day = $3 THEN used_units ELSE 0 END + $4 <= daily_limit)
                ORDER BY COALESCE(last_used_at, 0), id LIMIT 1)
            AND enabled
            AND (daily_limit IS NULL OR CASE WHEN used_day = $3 THEN used_units ELSE 0 END + $4 <= daily_limit)
        RETURNING id, value, holder, memo";
    /// Releases an unpaid claim's share of the daily limit.
    RELEASE_REQUISITE = "UPDATE requisite SET used_units = used_units - $3
        WHERE id = $1 AND used_day = $2 AND used_units >= $3";
    REQUISITES = "SELECT id, currency_id, value, holder, memo, enabled, daily_limit, used_day, used_units, last_used_at
        FROM requisite ORDER BY currency_id, created_at, id";
    ENABLED_CURRENCIES = "SELECT DISTINCT currency_id FROM requisite WHERE enabled";
    REQUISITE = "SELECT id, currency_id, value, holder, memo, enabled, daily_limit, used_day, used_units, last_used_at
        FROM requisite WHERE id = $1";
    INSERT_REQUISITE = "INSERT INTO requisite
        (id, currency_id, value, holder, memo, enabled, daily_limit, used_day, used_units, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8, $8)";
    UPDATE_REQUISITE = "UPDATE requisite SET value = $2, holder = $3, memo = $4, enabled = $5, daily_limit = $6, updated_at = $7
        WHERE id = $1";
    INSERT_REQUISITE_EVENT = "INSERT INTO requisite_event (requisite_id, at, actor_id, actor_name, before, after)
        VALUES ($1, $2, $3, $4, $5, $6)";
}

/// A requisite assigned to a claim.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AssignedRequisite {
    pub id: Uuid,
    /// The card, account or address.
    pub value: String,
    pub holder: Option<String>,
    /// The memo or tag a payment must carry.
    pub memo: Option<String>,
}

/// A requisite that customers pay to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct RequisiteRow {
    pub id: Uuid,
    pub currency_id: i64,
    /// The card, account or address.
    pub value: String,
    pub holder: Option<String>,
    /// The memo or tag a payment must carry.
    pub memo: Option<String>,
    /// Whether new claims get it.
    pub enabled: bool,
    /// The daily limit of payments to it, in units.
    pub daily_limit: Option<i64>,
    /// The day of the count, in days since 1970-01-01 UTC.
    pub used_day: i64,
    /// The amount assigned on that day, in units.
    pub used_units: i64,
    /// When a claim last got it.
    pub last_used_at: Option<Timestamp>,
}

/// Assigns a requisite for an amount; `None` when none is free.
pub async fn take(tx: &mut Tx, currency: i64, units: i64, day: i64, now: Timestamp) -> Result<Option<AssignedRequisite>> {
    fetch_optional!(tx, AssignedRequisite, TAKE_REQUISITE, currency, now, day, units)
}

/// Releases a claim's share of the daily limit.
pub async fn release(tx: &mut Tx, id: Uuid, units: i64, day: i64) -> Result<()> {
    execute!(tx, RELEASE_REQUISITE, id, day, units).map(drop)
}

pub async fn all(tx: &mut Tx) -> Result<Vec<RequisiteRow>> {
    fetch_all!(tx, RequisiteRow, REQUISITES)
}

/// The currencies with a requisite that new claims get.
pub async fn enabled_currencies(tx: &mut Tx) -> Result<Vec<i64>> {
    Ok(fetch_all!(tx, (i64,), ENABLED_CURRENCIES)?.into_iter().map(|(id,)| id).collect())
}

pub async fn requisite(tx: &mut Tx, id: Uuid) -> Result<Option<RequisiteRow>> {
    fetch_optional!(tx, RequisiteRow, REQUISITE, id)
}

pub async fn insert(tx: &mut Tx, row: &RequisiteRow, now: Timestamp) -> Result<()> {
    let RequisiteRow { id, currency_id, value, holder, memo, enabled, daily_limit, .. } = row;
    execute!(tx, INSERT_REQUISITE, id, currency_id, value, holder.as_deref(), memo.as_deref(), enabled, daily_limit, now)
        .map(drop)
}

pub async fn update(tx: &mut Tx, row: &RequisiteRow, now: Timestamp) -> Result<()> {
    let RequisiteRow { id, value, holder, memo, enabled, daily_limit, .. } = row;
    execute!(tx, UPDATE_REQUISITE, id, value, holder.as_deref(), memo.as_deref(), enabled, daily_limit, now).map(drop)
}

/// Records a change of a requisite.
pub async fn insert_event(
    tx: &mut Tx,
    id: Uuid,
    staff: (Uuid, &str),
    before: Option<&str>,
    after: &str,
    now: Timestamp,
) -> Result<()> {
    execute!(tx, INSERT_REQUISITE_EVENT, id, now, staff.0, staff.1, before, after).map(drop)
}
