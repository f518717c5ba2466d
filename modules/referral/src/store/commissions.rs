//! Commissions and the referral history in SQL.

use agio_core::{Amount, CurrencyUnit, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use uuid::Uuid;

use super::PageCursor;
use crate::model::{ReferralCommissionState, ReferralHistoryKind, ReferralHistoryStatus, ReferralKind};

agio_core::statements! {
    INSERT_COMMISSION = "INSERT INTO referral_commission
        (id, referrer_id, claim_id, claim_number, customer_id, email, state, flags, reason, plan_id, terms, kind, percent,
         of_currency, of_units, of_scale, volume, is_counted, currency_id, scale, units, available_at, day, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $24)";
    COMMISSION = "SELECT * FROM referral_commission WHERE id = $1";
    COMMISSION_OF_CLAIM = "SELECT * FROM referral_commission WHERE claim_id = $1 AND state <> 'reversed'";
    /// Only if the state has not changed.
    UPDATE_COMMISSION = "UPDATE referral_commission SET state = $3, reason = $4, comment = $5, is_counted = $6, currency_id = $7, scale = $8, units = $9,
            available_at = $10, decided_by = $11, decided_name = $12, decided_at = $13, updated_at = $14
        WHERE id = $1 AND state = $2";
    COMMISSIONS_DUE = "SELECT * FROM referral_commission WHERE state = 'held' AND available_at <= $1 ORDER BY available_at, id LIMIT $2";
    COMMISSIONS_OPEN = "SELECT * FROM referral_commission WHERE state IN ('review', 'unpriced') AND (created_at, id) > ($1, $2)
        ORDER BY created_at, id LIMIT $3";
    COMMISSIONS_BY_AGE = "SELECT * FROM referral_commission WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3";
    COMMISSIONS_OF = "SELECT * FROM referral_commission WHERE referrer_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2";
    COUNT_OPEN_COMMISSIONS = "SELECT COUNT(*) FROM referral_commission WHERE state IN ('review', 'unpriced')";

    COMMISSION_TOTALS = "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN state IN ('held', 'available') THEN units ELSE 0 END), 0) AS BIGINT)
        FROM referral_commission WHERE referrer_id = $1 AND state <> 'reversed'";
    EARNED_BY_DAY = "SELECT day, CAST(SUM(CASE WHEN state IN ('held', 'available') THEN units ELSE 0 END) AS BIGINT), COUNT(*)
        FROM referral_commission WHERE referrer_id = $1 AND state <> 'reversed' AND day >= $2 AND day <= $3 GROUP BY day";
    COMMISSIONS_BY_CUSTOMER = "SELECT COALESCE(customer_id, referrer_id), email, COUNT(*),
            CAST(SUM(CASE WHEN state IN ('held', 'available') THEN units ELSE 0 END) AS BIGINT)
        FROM referral_commission WHERE referrer_id = $1 AND state <> 'reversed' GROUP BY 1, 2";
    MASK_COMMISSIONS = "UPDATE referral_commission SET email = $2 WHERE claim_id = $1";
    ERASE_COMMISSIONS = "UPDATE referral_commission SET email = $3 WHERE customer_id = $1 OR (email = $2 AND customer_id IS NULL)";
    PENDING_BY_REFERRER = "SELECT referrer_id, currency_id, CAST(SUM(units) AS BIGINT) FROM referral_commission
        WHERE state IN ('review', 'held') GROUP BY referrer_id, currency_id";

    REFERRAL_HISTORY = "SELECT id, kind, units, scale, status, created_at FROM (
            SELECT id, 'commission' AS kind, units, scale, state AS status, created_at FROM referral_commission
                WHERE referrer_id = $1 AND units > 0
            UNION ALL
            SELECT id, 'withdrawal' AS kind, units, scale, state AS status, created_at FROM referral_withdrawal WHERE referrer_id = $1
        ) history WHERE created_at >= $2 AND created_at < $3 ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5";
    COUNT_REFERRAL_HISTORY = "SELECT (SELECT COUNT(*) FROM referral_commission
            WHERE referrer_id = $1 AND units > 0 AND created_at >= $2 AND created_at < $3)
        + (SELECT COUNT(*) FROM referral_withdrawal WHERE referrer_id = $1 AND created_at >= $2 AND created_at < $3)";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ReferralCommission {
    pub id: Uuid,
    pub referrer_id: Uuid,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub state: ReferralCommissionState,
    pub flags: String,
    pub reason: Option<String>,
    pub comment: Option<String>,
    pub plan_id: Uuid,
    pub terms: i64,
    pub kind: ReferralKind,
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

impl ReferralCommission {
    /// The commission; `None` while it is not priced.
    pub fn amount(&self) -> Option<Amount> {
        self.currency_id.map(|currency| Amount::of_units(self.units, CurrencyUnit::new(currency, self.scale)))
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct HistoryEntryRow {
    pub id: Uuid,
    pub kind: ReferralHistoryKind,
    pub units: i64,
    pub scale: i64,
    pub status: ReferralHistoryStatus,
    pub created_at: Timestamp,
}

pub async fn insert(tx: &mut Tx, row: &ReferralCommission) -> Result<()> {
    write_one!(
        tx,
        INSERT_COMMISSION,
        row.id,
        row.referrer_id,
        row.claim_id,
        row.claim_number,
        row.customer_id,
        &row.email,
        row.state,
        &row.flags,
        row.reason.as_deref(),
        row.plan_id,
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

pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<ReferralCommission>> {
    fetch_optional!(tx, ReferralCommission, COMMISSION, id)
}

pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Option<ReferralCommission>> {
    fetch_optional!(tx, ReferralCommission, COMMISSION_OF_CLAIM, claim)
}

/// False if the state has changed.
pub async fn update(tx: &mut Tx, before: ReferralCommissionState, row: &ReferralCommission) -> Result<bool> {
    let stored = execute!(
        tx,
        UPDATE_COMMISSION,
        row.id,
        before,
        row.state,
        row.reason.as_deref(),
        row.comment.as_deref(),
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

pub async fn due(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<ReferralCommission>> {
    fetch_all!(tx, ReferralCommission, COMMISSIONS_DUE, now, size)
}

/// Oldest first.
pub async fn open(tx: &mut Tx, after: PageCursor, size: i64) -> Result<Vec<ReferralCommission>> {
    fetch_all!(tx, ReferralCommission, COMMISSIONS_OPEN, after.0, after.1, size)
}

/// Newest first.
pub async fn by_age(tx: &mut Tx, before: PageCursor, size: i64) -> Result<Vec<ReferralCommission>> {
    fetch_all!(tx, ReferralCommission, COMMISSIONS_BY_AGE, before.0, before.1, size)
}

pub async fn of_referrer(tx: &mut Tx, referrer: Uuid, size: i64) -> Result<Vec<ReferralCommission>> {
    fetch_all!(tx, ReferralCommission, COMMISSIONS_OF, referrer, size)
}

pub async fn open_count(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_OPEN_COMMISSIONS)?.0)
}

/// Number of exchanges, units earned.
pub async fn totals(tx: &mut Tx, referrer: Uuid) -> Result<(i64, i64)> {
    fetch_one!(tx, (i64, i64), COMMISSION_TOTALS, referrer)
}

/// Day, units earned, number of exchanges.
pub async fn by_day(tx: &mut Tx, referrer: Uuid, days: (i64, i64)) -> Result<Vec<(i64, i64, i64)>> {
    fetch_all!(tx, (i64, i64, i64), EARNED_BY_DAY, referrer, days.0, days.1)
}

/// Account (the referrer's id for guests), e-mail address, number of exchanges, units earned.
pub async fn by_customer(tx: &mut Tx, referrer: Uuid) -> Result<Vec<(Uuid, String, i64, i64)>> {
    fetch_all!(tx, (Uuid, String, i64, i64), COMMISSIONS_BY_CUSTOMER, referrer)
}

/// Referrer, currency, units.
pub async fn pending(tx: &mut Tx) -> Result<Vec<(Uuid, i64, i64)>> {
    fetch_all!(tx, (Uuid, i64, i64), PENDING_BY_REFERRER)
}

/// Newest first.
pub async fn history(
    tx: &mut Tx,
    referrer: Uuid,
    time: (Timestamp, Timestamp),
    skip: i64,
    size: i64,
) -> Result<Vec<HistoryEntryRow>> {
    fetch_all!(tx, HistoryEntryRow, REFERRAL_HISTORY, referrer, time.0, time.1, size, skip)
}

pub async fn history_length(tx: &mut Tx, referrer: Uuid, time: (Timestamp, Timestamp)) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_REFERRAL_HISTORY, referrer, time.0, time.1)?.0)
}

/// Masks the address of the referred customer of a claim.
pub async fn mask_email(tx: &mut Tx, claim: Uuid, masked: &str) -> Result<()> {
    execute!(tx, MASK_COMMISSIONS, claim, masked).map(drop)
}

/// Erases the address of a referred customer.
pub async fn erase_email(tx: &mut Tx, account: Uuid, email: Option<&str>, placeholder: &str) -> Result<()> {
    execute!(tx, ERASE_COMMISSIONS, account, email, placeholder).map(drop)
}
