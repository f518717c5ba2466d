//! What referrers earned, and their history.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use uuid::Uuid;

use super::Place;
use crate::model::{AccrualState, Kind};

agio_core::statements! {
    INSERT_ACCRUAL = "INSERT INTO referral_accrual
        (id, referrer_id, claim_id, claim_number, customer_id, email, state, flags, reason, programme_id, terms, kind, percent,
         of_currency, of_units, of_scale, volume, is_counted, currency_id, scale, units, available_at, day, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $24)";
    ACCRUAL = "SELECT * FROM referral_accrual WHERE id = $1";
    ACCRUAL_OF_CLAIM = "SELECT * FROM referral_accrual WHERE claim_id = $1 AND state <> 'reversed'";
    /// Stores what may change, if it is still in the state it was read in.
    UPDATE_ACCRUAL = "UPDATE referral_accrual SET state = $3, reason = $4, words = $5, is_counted = $6, currency_id = $7, scale = $8, units = $9,
            available_at = $10, decided_by = $11, decided_name = $12, decided_at = $13, updated_at = $14
        WHERE id = $1 AND state = $2";
    ACCRUALS_DUE = "SELECT * FROM referral_accrual WHERE state = 'held' AND available_at <= $1 ORDER BY available_at, id LIMIT $2";
    ACCRUALS_OPEN = "SELECT * FROM referral_accrual WHERE state IN ('review', 'unpriced') AND (created_at, id) > ($1, $2)
        ORDER BY created_at, id LIMIT $3";
    ACCRUALS_BY_AGE = "SELECT * FROM referral_accrual WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3";
    ACCRUALS_OF = "SELECT * FROM referral_accrual WHERE referrer_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2";
    COUNT_OPEN_ACCRUALS = "SELECT COUNT(*) FROM referral_accrual WHERE state IN ('review', 'unpriced')";

    /// How many exchanges were referred, and what was earned by them for good or for now.
    ACCRUAL_TOTALS = "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN state IN ('held', 'available') THEN units ELSE 0 END), 0) AS BIGINT)
        FROM referral_accrual WHERE referrer_id = $1 AND state <> 'reversed'";
    EARNED_BY_DAY = "SELECT day, CAST(SUM(CASE WHEN state IN ('held', 'available') THEN units ELSE 0 END) AS BIGINT), COUNT(*)
        FROM referral_accrual WHERE referrer_id = $1 AND state <> 'reversed' AND day >= $2 AND day <= $3 GROUP BY day";
    ACCRUALS_BY_PERSON = "SELECT COALESCE(customer_id, referrer_id), email, COUNT(*),
            CAST(SUM(CASE WHEN state IN ('held', 'available') THEN units ELSE 0 END) AS BIGINT)
        FROM referral_accrual WHERE referrer_id = $1 AND state <> 'reversed' GROUP BY 1, 2";
    /// What is pending by the accruals and what is on its way by the withdrawals, by currency.
    PENDING_BY_REFERRER = "SELECT referrer_id, currency_id, CAST(SUM(units) AS BIGINT) FROM referral_accrual
        WHERE state IN ('review', 'held') GROUP BY referrer_id, currency_id";

    REFERRAL_HISTORY = "SELECT id, kind, units, scale, status, created_at FROM (
            SELECT id, 'accrual' AS kind, units, scale, state AS status, created_at FROM referral_accrual
                WHERE referrer_id = $1 AND units > 0
            UNION ALL
            SELECT id, 'withdrawal' AS kind, units, scale, state AS status, created_at FROM referral_withdrawal WHERE referrer_id = $1
        ) history WHERE created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5";
    COUNT_REFERRAL_HISTORY = "SELECT (SELECT COUNT(*) FROM referral_accrual
            WHERE referrer_id = $1 AND units > 0 AND created_at >= $2 AND created_at < $3)
        + (SELECT COUNT(*) FROM referral_withdrawal WHERE referrer_id = $1 AND created_at >= $2 AND created_at < $3)";
}

/// What a referrer earned by one exchange, as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Accrual {
    pub id: Uuid,
    pub referrer_id: Uuid,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub state: AccrualState,
    pub flags: String,
    pub reason: Option<String>,
    pub words: Option<String>,
    pub programme_id: Uuid,
    pub terms: i64,
    pub kind: Kind,
    pub percent: String,
    pub of_currency: i64,
    pub of_units: i64,
    pub of_scale: i64,
    pub volume: i64,
    pub is_counted: bool,
    pub currency_id: Option<i64>,
    pub scale: i64,
    pub units: i64,
    pub available_at: Timestamp,
    pub day: i64,
    pub decided_by: Option<Uuid>,
    pub decided_name: Option<String>,
    pub decided_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A line of a referrer's history.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Line {
    /// The accrual's or withdrawal's identifier.
    pub id: Uuid,
    /// `accrual` or `withdrawal`.
    pub kind: String,
    /// How much.
    pub units: i64,
    /// Decimals of the currency.
    pub scale: i64,
    /// Where it stands.
    pub status: String,
    /// When it was.
    pub created_at: Timestamp,
}

/// Stores a new accrual.
pub async fn insert(tx: &mut Tx, row: &Accrual) -> Result<()> {
    write_one!(
        tx,
        INSERT_ACCRUAL,
        row.id,
        row.referrer_id,
        row.claim_id,
        row.claim_number,
        row.customer_id,
        &row.email,
        row.state,
        &row.flags,
        row.reason.as_deref(),
        row.programme_id,
        row.terms,
        row.kind,
        &row.percent,
        row.of_currency,
        row.of_units,
        row.of_scale,
        row.volume,
        row.is_counted,
        row.currency_id,
        row.scale,
        row.units,
        row.available_at,
        row.day,
        row.created_at,
    )
}

/// An accrual.
pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<Accrual>> {
    fetch_optional!(tx, Accrual, ACCRUAL, id)
}

/// The accrual of a claim that was not taken back.
pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Option<Accrual>> {
    fetch_optional!(tx, Accrual, ACCRUAL_OF_CLAIM, claim)
}

/// Stores a changed accrual that was in a state; false when it is not any more.
pub async fn update(tx: &mut Tx, before: AccrualState, row: &Accrual) -> Result<bool> {
    let stored = execute!(
        tx,
        UPDATE_ACCRUAL,
        row.id,
        before,
        row.state,
        row.reason.as_deref(),
        row.words.as_deref(),
        row.is_counted,
        row.currency_id,
        row.scale,
        row.units,
        row.available_at,
        row.decided_by,
        row.decided_name.as_deref(),
        row.decided_at,
        row.updated_at,
    )?;
    Ok(stored == 1)
}

/// Held accruals whose time has come.
pub async fn due(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Accrual>> {
    fetch_all!(tx, Accrual, ACCRUALS_DUE, now, size)
}

/// A page of those that wait for the staff, the oldest first.
pub async fn open(tx: &mut Tx, after: Place, size: i64) -> Result<Vec<Accrual>> {
    fetch_all!(tx, Accrual, ACCRUALS_OPEN, after.0, after.1, size)
}

/// A page of all, the newest first.
pub async fn by_age(tx: &mut Tx, before: Place, size: i64) -> Result<Vec<Accrual>> {
    fetch_all!(tx, Accrual, ACCRUALS_BY_AGE, before.0, before.1, size)
}

/// The newest of a referrer.
pub async fn of_referrer(tx: &mut Tx, referrer: Uuid, size: i64) -> Result<Vec<Accrual>> {
    fetch_all!(tx, Accrual, ACCRUALS_OF, referrer, size)
}

/// How many wait for the staff.
pub async fn open_count(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_OPEN_ACCRUALS)?.0)
}

/// How many exchanges a referrer brought, and what they earned by them, in units.
pub async fn totals(tx: &mut Tx, referrer: Uuid) -> Result<(i64, i64)> {
    fetch_one!(tx, (i64, i64), ACCRUAL_TOTALS, referrer)
}

/// Day, units earned and number of exchanges, for the days that have any.
pub async fn by_day(tx: &mut Tx, referrer: Uuid, days: (i64, i64)) -> Result<Vec<(i64, i64, i64)>> {
    fetch_all!(tx, (i64, i64, i64), EARNED_BY_DAY, referrer, days.0, days.1)
}

/// Account (the referrer's own where a guest exchanged), e-mail address, number of exchanges and units earned, by who exchanged.
pub async fn by_person(tx: &mut Tx, referrer: Uuid) -> Result<Vec<(Uuid, String, i64, i64)>> {
    fetch_all!(tx, (Uuid, String, i64, i64), ACCRUALS_BY_PERSON, referrer)
}

/// What each referrer has pending by the accruals, in each currency.
pub async fn pending(tx: &mut Tx) -> Result<Vec<(Uuid, i64, i64)>> {
    fetch_all!(tx, (Uuid, i64, i64), PENDING_BY_REFERRER)
}

/// A page of a referrer's history in a time, the newest first.
pub async fn history(tx: &mut Tx, referrer: Uuid, time: (Timestamp, Timestamp), skip: i64, size: i64) -> Result<Vec<Line>> {
    fetch_all!(tx, Line, REFERRAL_HISTORY, referrer, time.0, time.1, size, skip)
}

/// How many lines that history has.
pub async fn history_length(tx: &mut Tx, referrer: Uuid, time: (Timestamp, Timestamp)) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_REFERRAL_HISTORY, referrer, time.0, time.1)?.0)
}
