//! The requisites that customers pay to.

use std::collections::HashSet;

use agio_contracts::ClaimState;
use agio_core::keyset::KeysetPage;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_locked, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::rules::requisite_pool::{RequisiteRotation, RequisiteRow, RequisiteUsage, UsageDate};

/// The columns of a requisite, by a condition and order.
macro_rules! requisites {
    ($condition:literal) => {
        concat!(
            "SELECT id, currency_id, value, holder, memo, enabled, identification, priority, weight,
                operation_min, operation_max, daily_limit, monthly_limit, daily_count, turnover_limit, one_time, cooling_minutes,
                used_day, used_units, used_count, used_month, month_units, total_units, total_count, last_used_at, cooling_from
            FROM requisite ",
            $condition
        )
    };
}

agio_core::statements! {
    REQUISITES = requisites!("ORDER BY currency_id, created_at, id");
    /// One-time requisites that are used would only grow in number.
    ENABLED_REQUISITES = requisites!("WHERE currency_id = $1 AND enabled AND NOT (one_time AND total_count > 0)");
    ENABLED_CURRENCIES = "SELECT DISTINCT currency_id FROM requisite WHERE enabled";
    REQUISITE = requisites!("WHERE id = $1");
    /// Whether another requisite of the currency, enabled or not, leads to the same place.
    ACCOUNT_TAKEN = "SELECT EXISTS (SELECT 1 FROM requisite WHERE currency_id = $1 AND value = $2
        AND COALESCE(memo, '') = COALESCE($3, '') AND id <> $4)";
    INSERT_REQUISITE = "INSERT INTO requisite
        (id, currency_id, value, holder, memo, enabled, identification, priority, weight,
            operation_min, operation_max, daily_limit, monthly_limit, daily_count, turnover_limit, one_time, cooling_minutes,
            used_day, used_units, used_count, used_month, month_units, total_units, total_count, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 0, 0, 0, 0, 0, 0, 0, $18, $18)";
    UPDATE_REQUISITE = "UPDATE requisite SET value = $2, holder = $3, memo = $4, enabled = $5, identification = $6, priority = $7,
            weight = $8, operation_min = $9, operation_max = $10, daily_limit = $11, monthly_limit = $12, daily_count = $13,
            turnover_limit = $14, one_time = $15, cooling_minutes = $16, updated_at = $17
        WHERE id = $1";
    UPDATE_USAGE = "UPDATE requisite SET used_day = $2, used_units = $3, used_count = $4, used_month = $5, month_units = $6,
            total_units = $7, total_count = $8, last_used_at = $9, cooling_from = $10
        WHERE id = $1";
    INSERT_REQUISITE_EVENT = "INSERT INTO requisite_event (requisite_id, at, actor_id, actor_name, before, after)
        VALUES ($1, $2, $3, $4, $5, $6)";
    ROTATION = "SELECT rotation FROM requisite_pool WHERE currency_id = $1";
    ROTATIONS = "SELECT currency_id, rotation FROM requisite_pool";
    SET_ROTATION = "INSERT INTO requisite_pool (currency_id, rotation, updated_at) VALUES ($1, $2, $3)
        ON CONFLICT (currency_id) DO UPDATE SET rotation = excluded.rotation, updated_at = excluded.updated_at";
    INSERT_USE = "INSERT INTO requisite_use (claim_number, requisite_id, currency_id, at, day, month, units, memo)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    USE_OF_CLAIM = "SELECT requisite_id, day, month, units FROM requisite_use WHERE claim_number = $1";
    RECOUNT_USE = "UPDATE requisite_use SET units = $2 WHERE claim_number = $1";
    /// When the last claim that counts got it.
    LAST_COUNTED = "SELECT MAX(at) FROM requisite_use WHERE requisite_id = $1 AND units > 0";
    /// What open claims pay to a requisite.
    OPEN_AMOUNTS = "SELECT claim.give_units FROM requisite_use taken JOIN claim ON claim.public_id = taken.claim_number
        WHERE taken.requisite_id = $1 AND taken.units > 0 AND claim.received_units = 0";
    /// Whether a claim or a requisite of the currency has this memo.
    MEMO_TAKEN = "SELECT EXISTS (SELECT 1 FROM requisite_use WHERE currency_id = $1 AND memo = $2)
        OR EXISTS (SELECT 1 FROM requisite WHERE currency_id = $1 AND memo = $2)";
    USES = "SELECT claim.id, claim.public_id, claim.state, claim.give_units, claim.received_units, taken.at, taken.units, taken.memo
        FROM requisite_use taken JOIN claim ON claim.public_id = taken.claim_number
        WHERE taken.requisite_id = $1 AND (taken.at, taken.claim_number) < ($2, $3)
        ORDER BY taken.at DESC, taken.claim_number DESC LIMIT $4";
    USES_BY_DAY = "SELECT day, CAST(SUM(units) AS BIGINT), COUNT(*) FROM requisite_use WHERE requisite_id = $1 AND units > 0
        GROUP BY day ORDER BY day DESC LIMIT $2";
    USES_BY_MONTH = "SELECT month, CAST(SUM(units) AS BIGINT), COUNT(*) FROM requisite_use WHERE requisite_id = $1 AND units > 0
        GROUP BY month ORDER BY month DESC LIMIT $2";
}

/// A claim's use of a requisite.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct CountedUse {
    pub requisite_id: Uuid,
    #[sqlx(flatten)]
    pub date: UsageDate,
    /// What counts against the limits.
    pub units: i64,
}

/// A line of a requisite's statement: a claim that got it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct RequisiteUseRow {
    pub id: Uuid,
    pub public_id: i64,
    pub state: ClaimState,
    pub give_units: i64,
    pub received_units: i64,
    pub at: Timestamp,
    /// What counts against the limits; 0 if the claim ended unpaid.
    pub units: i64,
    /// The memo of this claim alone.
    pub memo: Option<String>,
}

/// The sort key of a statement: time and claim number, backwards.
pub type UseKey = (Timestamp, i64);

pub async fn all(tx: &mut Tx) -> Result<Vec<RequisiteRow>> {
    fetch_all!(tx, RequisiteRow, REQUISITES)
}

/// The requisites of a currency that claims may get.
pub async fn enabled(tx: &mut Tx, currency: i64) -> Result<Vec<RequisiteRow>> {
    fetch_all!(tx, RequisiteRow, ENABLED_REQUISITES, currency)
}

/// The currencies with a requisite that new claims get.
pub async fn enabled_currencies(tx: &mut Tx) -> Result<Vec<i64>> {
    Ok(fetch_all!(tx, (i64,), ENABLED_CURRENCIES)?.into_iter().map(|(id,)| id).collect())
}

/// Holds the lock of a currency's pool: claims get its requisites one after the other.
pub async fn lock_pool(tx: &mut Tx, currency: i64) -> Result<()> {
    tx.lock("requisite.pool", &currency.to_string()).await
}

pub async fn requisite(tx: &mut Tx, id: Uuid) -> Result<Option<RequisiteRow>> {
    fetch_optional!(tx, RequisiteRow, REQUISITE, id)
}

/// The requisite, locked until the transaction ends.
pub async fn locked(tx: &mut Tx, id: Uuid) -> Result<Option<RequisiteRow>> {
    fetch_locked!(tx, RequisiteRow, "requisite", REQUISITE, id)
}

pub async fn insert(tx: &mut Tx, row: &RequisiteRow, now: Timestamp) -> Result<()> {
    let limits = &row.limits;
    execute!(
        tx,
        INSERT_REQUISITE,
        row.id,
        row.currency_id,
        &row.value,
        row.holder.as_deref(),
        row.memo.as_deref(),
        row.enabled,
        row.identification,
        row.priority,
        row.weight,
        limits.operation_min,
        limits.operation_max,
        limits.daily_limit,
        limits.monthly_limit,
        limits.daily_count,
        limits.turnover_limit,
        limits.one_time,
        limits.cooling_minutes,
        now,
    )
    .map(drop)
}

/// Stores what staff may change; the usage stays.
pub async fn update(tx: &mut Tx, row: &RequisiteRow, now: Timestamp) -> Result<()> {
    let limits = &row.limits;
    execute!(
        tx,
        UPDATE_REQUISITE,
        row.id,
        &row.value,
        row.holder.as_deref(),
        row.memo.as_deref(),
        row.enabled,
        row.identification,
        row.priority,
        row.weight,
        limits.operation_min,
        limits.operation_max,
        limits.daily_limit,
        limits.monthly_limit,
        limits.daily_count,
        limits.turnover_limit,
        limits.one_time,
        limits.cooling_minutes,
        now,
    )
    .map(drop)
}

pub async fn update_usage(tx: &mut Tx, id: Uuid, usage: &RequisiteUsage) -> Result<()> {
    execute!(
        tx,
        UPDATE_USAGE,
        id,
        usage.used_day,
        usage.used_units,
        usage.used_count,
        usage.used_month,
        usage.month_units,
        usage.total_units,
        usage.total_count,
        usage.last_used_at,
        usage.cooling_from,
    )
    .map(drop)
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

/// The rotation of a currency; in turn where staff have set none.
pub async fn rotation(tx: &mut Tx, currency: i64) -> Result<RequisiteRotation> {
    let found = fetch_optional!(tx, (RequisiteRotation,), ROTATION, currency)?;
    Ok(found.map_or(RequisiteRotation::InTurn, |(rotation,)| rotation))
}

/// The rotations that staff have set.
pub async fn rotations(tx: &mut Tx) -> Result<Vec<(i64, RequisiteRotation)>> {
    fetch_all!(tx, (i64, RequisiteRotation), ROTATIONS)
}

pub async fn set_rotation(tx: &mut Tx, currency: i64, rotation: RequisiteRotation, now: Timestamp) -> Result<()> {
    execute!(tx, SET_ROTATION, currency, rotation, now).map(drop)
}

/// Records that a claim got a requisite.
pub async fn insert_use(
    tx: &mut Tx,
    claim: i64,
    row: &RequisiteRow,
    units: i64,
    memo: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let date = UsageDate::of(now);
    execute!(tx, INSERT_USE, claim, row.id, row.currency_id, now, date.day, date.month, units, memo).map(drop)
}

/// The use of a claim, by its number.
pub async fn use_of_claim(tx: &mut Tx, claim: i64) -> Result<Option<CountedUse>> {
    fetch_optional!(tx, CountedUse, USE_OF_CLAIM, claim)
}

/// Sets what a claim counts.
pub async fn recount_use(tx: &mut Tx, claim: i64, units: i64) -> Result<()> {
    if execute!(tx, RECOUNT_USE, claim, units)? == 1 { Ok(()) } else { Err(Error::internal("the claim uses no requisite")) }
}

/// When the last claim that counts got a requisite.
pub async fn last_counted(tx: &mut Tx, id: Uuid) -> Result<Option<Timestamp>> {
    Ok(fetch_one!(tx, (Option<Timestamp>,), LAST_COUNTED, id)?.0)
}

/// What open claims pay to a requisite, in units. Call it under the lock of the pool.
pub async fn open_amounts(tx: &mut Tx, id: Uuid) -> Result<HashSet<i64>> {
    Ok(fetch_all!(tx, (i64,), OPEN_AMOUNTS, id)?.into_iter().map(|(units,)| units).collect())
}

/// Whether another requisite of the currency, enabled or not, has the same value and memo. Call it under the lock of the
/// pool.
pub async fn is_account_taken(tx: &mut Tx, row: &RequisiteRow) -> Result<bool> {
    Ok(fetch_one!(tx, (bool,), ACCOUNT_TAKEN, row.currency_id, &row.value, row.memo.as_deref(), row.id)?.0)
}

/// Whether a claim or a requisite of the currency has this memo. Call it under the lock of the pool.
pub async fn is_memo_taken(tx: &mut Tx, currency: i64, memo: &str) -> Result<bool> {
    Ok(fetch_one!(tx, (bool,), MEMO_TAKEN, currency, memo)?.0)
}

/// A page of the claims that got a requisite, the newest first.
pub async fn uses(tx: &mut Tx, id: Uuid, after: Option<UseKey>, size: i64) -> Result<KeysetPage<RequisiteUseRow, UseKey>> {
    let (at, number) = after.unwrap_or((Timestamp(i64::MAX), i64::MAX));
    let rows = fetch_all!(tx, RequisiteUseRow, USES, id, at, number, size + 1)?;
    Ok(KeysetPage::of(rows, usize::try_from(size).unwrap_or(usize::MAX), |row| (row.at, row.public_id)))
}

/// What counts by day: the day, the amount in units and the number of claims; the newest first.
pub async fn uses_by_day(tx: &mut Tx, id: Uuid, days: i64) -> Result<Vec<(i64, i64, i64)>> {
    fetch_all!(tx, (i64, i64, i64), USES_BY_DAY, id, days)
}

/// The same by month.
pub async fn uses_by_month(tx: &mut Tx, id: Uuid, months: i64) -> Result<Vec<(i64, i64, i64)>> {
    fetch_all!(tx, (i64, i64, i64), USES_BY_MONTH, id, months)
}
