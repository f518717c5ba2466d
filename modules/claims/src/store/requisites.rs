//! The pool of requisites customers pay to.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

agio_core::statements! {
    /// Takes the requisite that rested longest and may still take the amount today. The update locks the row, and the
    /// limit is checked on the locked row, so that no two claims together go over it.
    TAKE_REQUISITE = "UPDATE requisite SET last_used_at = $2, taken_day = $3,
            taken_units = CASE WHEN taken_day = $3 THEN taken_units ELSE 0 END + $4
        WHERE id = (SELECT id FROM requisite
                WHERE currency_id = $1 AND enabled
                    AND (daily_limit IS NULL OR CASE WHEN taken_day = $3 THEN taken_units ELSE 0 END + $4 <= daily_limit)
                ORDER BY COALESCE(last_used_at, 0), id LIMIT 1)
            AND enabled
            AND (daily_limit IS NULL OR CASE WHEN taken_day = $3 THEN taken_units ELSE 0 END + $4 <= daily_limit)
        RETURNING id, value, holder, memo";
    /// Gives back what a claim that was not paid had taken of the day's limit.
    GIVE_BACK_REQUISITE = "UPDATE requisite SET taken_units = taken_units - $3
        WHERE id = $1 AND taken_day = $2 AND taken_units >= $3";
    REQUISITES = "SELECT id, currency_id, value, holder, memo, enabled, daily_limit, taken_day, taken_units, last_used_at
        FROM requisite ORDER BY currency_id, created_at, id";
    REQUISITE = "SELECT id, currency_id, value, holder, memo, enabled, daily_limit, taken_day, taken_units, last_used_at
        FROM requisite WHERE id = $1";
    INSERT_REQUISITE = "INSERT INTO requisite
        (id, currency_id, value, holder, memo, enabled, daily_limit, taken_day, taken_units, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8, $8)";
    UPDATE_REQUISITE = "UPDATE requisite SET value = $2, holder = $3, memo = $4, enabled = $5, daily_limit = $6, updated_at = $7
        WHERE id = $1";
    INSERT_REQUISITE_EVENT = "INSERT INTO requisite_event (requisite_id, at, actor_id, actor_name, before, after)
        VALUES ($1, $2, $3, $4, $5, $6)";
}

/// A requisite as it is given to a customer.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Taken {
    /// The requisite of the pool.
    pub id: Uuid,
    /// The card, account or address.
    pub value: String,
    /// Who holds it.
    pub holder: Option<String>,
    /// The memo or tag that must go with a payment.
    pub memo: Option<String>,
}

/// A requisite of the pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct PoolRow {
    /// Identifier.
    pub id: Uuid,
    /// The currency it takes.
    pub currency_id: i64,
    /// The card, account or address.
    pub value: String,
    /// Who holds it.
    pub holder: Option<String>,
    /// The memo or tag that must go with a payment.
    pub memo: Option<String>,
    /// Whether it is given out.
    pub enabled: bool,
    /// The most that is asked to be paid here on a day, in units.
    pub daily_limit: Option<i64>,
    /// The day of the count, numbered from 1970-01-01 UTC.
    pub taken_day: i64,
    /// How much was asked on that day, in units.
    pub taken_units: i64,
    /// When it was last given out.
    pub last_used_at: Option<Timestamp>,
}

/// Takes a requisite for an amount; nothing when none is free.
pub async fn take(tx: &mut Tx, currency: i64, units: i64, day: i64, now: Timestamp) -> Result<Option<Taken>> {
    fetch_optional!(tx, Taken, TAKE_REQUISITE, currency, now, day, units)
}

/// Gives back what a claim had taken on a day.
pub async fn give_back(tx: &mut Tx, id: Uuid, units: i64, day: i64) -> Result<()> {
    execute!(tx, GIVE_BACK_REQUISITE, id, day, units).map(drop)
}

/// The whole pool.
pub async fn all(tx: &mut Tx) -> Result<Vec<PoolRow>> {
    fetch_all!(tx, PoolRow, REQUISITES)
}

/// One requisite.
pub async fn requisite(tx: &mut Tx, id: Uuid) -> Result<Option<PoolRow>> {
    fetch_optional!(tx, PoolRow, REQUISITE, id)
}

/// Adds a requisite.
pub async fn insert(tx: &mut Tx, row: &PoolRow, now: Timestamp) -> Result<()> {
    let PoolRow { id, currency_id, value, holder, memo, enabled, daily_limit, .. } = row;
    execute!(tx, INSERT_REQUISITE, id, currency_id, value, holder.as_deref(), memo.as_deref(), enabled, daily_limit, now)
        .map(drop)
}

/// Changes a requisite.
pub async fn update(tx: &mut Tx, row: &PoolRow, now: Timestamp) -> Result<()> {
    let PoolRow { id, value, holder, memo, enabled, daily_limit, .. } = row;
    execute!(tx, UPDATE_REQUISITE, id, value, holder.as_deref(), memo.as_deref(), enabled, daily_limit, now).map(drop)
}

/// Writes down who changed a requisite, and how.
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
