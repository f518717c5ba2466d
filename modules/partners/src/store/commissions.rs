//! Commissions and payouts in SQL.

use agio_core::{Amount, CurrencyUnit, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use agio_requisites::{RequisiteKind, transaction_key};
use uuid::Uuid;

use super::PartnerRow;
use crate::model::commission::PartnerCommissionKind;

agio_core::statements! {
    /// Locks the partner's money until the transaction ends.
    LOCK_PARTNER = "UPDATE partner SET moves = moves + 1 WHERE id = $1 RETURNING *";
    INSERT_COMMISSION = "INSERT INTO partner_commission (id, partner_id, claim_id, claim_number, state, kind, percent, currency_id, scale,
            of_units, units, set_off, short, created_at, updated_at)
        VALUES ($1, $2, $3, $4, 'accrued', $5, $6, $7, $8, $9, $10, $11, 0, $12, $12)";
    COMMISSION_OF_CLAIM = "SELECT id, partner_id, currency_id, scale, units FROM partner_commission WHERE claim_id = $1 AND state = 'accrued'";
    REVERSE_COMMISSION = "UPDATE partner_commission SET state = 'reversed', short = $2, updated_at = $3 WHERE id = $1 AND state = 'accrued'";
    /// Shortfalls of reversed commissions less what was set off since.
    DEBT = "SELECT CAST(COALESCE(SUM(short), 0) - COALESCE(SUM(set_off), 0) AS BIGINT) FROM partner_commission
        WHERE partner_id = $1 AND currency_id = $2";
    EARNED = "SELECT currency_id, MAX(scale) AS scale,
            CAST(COALESCE(SUM(CASE WHEN state = 'accrued' THEN units ELSE 0 END), 0) AS BIGINT) AS units,
            CAST(COALESCE(SUM(CASE WHEN state = 'accrued' THEN 1 ELSE 0 END), 0) AS BIGINT) AS claims,
            CAST(COALESCE(SUM(short), 0) - COALESCE(SUM(set_off), 0) AS BIGINT) AS debt
        FROM partner_commission WHERE partner_id = $1 GROUP BY currency_id ORDER BY currency_id";
    /// Balances derived from commissions and payouts.
    EXPECTED_BALANCES = "SELECT earned.partner_id, earned.currency_id, CAST(earned.units
            - COALESCE((SELECT SUM(paid.units) FROM partner_payout paid
                WHERE paid.partner_id = earned.partner_id AND paid.currency_id = earned.currency_id), 0) AS BIGINT)
        FROM (SELECT partner_id, currency_id, SUM(CASE WHEN state = 'accrued' THEN units ELSE 0 END) + SUM(short) - SUM(set_off) AS units
            FROM partner_commission GROUP BY partner_id, currency_id) earned";
    INSERT_PAYOUT = "INSERT INTO partner_payout (id, partner_id, currency_id, scale, units, tx, paid_by, paid_name, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    PAYOUT_TXS = "SELECT tx FROM partner_payout WHERE partner_id = $1 AND currency_id = $2";
    PAYOUTS_SINCE = "SELECT currency_id, scale, units FROM partner_payout WHERE partner_id = $1 AND created_at > $2";
    PAYOUTS = "SELECT * FROM partner_payout WHERE partner_id = $1 ORDER BY created_at DESC, id LIMIT $2";
}

#[derive(Clone, Debug)]
pub struct PartnerCommission {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub kind: PartnerCommissionKind,
    pub percent: String,
    pub currency_id: i64,
    pub scale: i64,
    pub of_units: i64,
    pub units: i64,
    pub set_off: i64,
    pub at: Timestamp,
}

#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct EarnedCommission {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub currency_id: i64,
    pub scale: i64,
    pub units: i64,
}

#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct EarnedTotal {
    pub currency_id: i64,
    pub scale: i64,
    pub units: i64,
    pub claims: i64,
    pub debt: i64,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct PayoutRow {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub currency_id: i64,
    pub scale: i64,
    pub units: i64,
    pub tx: String,
    pub paid_by: Uuid,
    pub paid_name: String,
    pub created_at: Timestamp,
}

/// Locks the partner's money until the transaction ends.
pub async fn lock(tx: &mut Tx, partner: Uuid) -> Result<Option<PartnerRow>> {
    fetch_optional!(tx, PartnerRow, LOCK_PARTNER, partner)
}

pub async fn insert(tx: &mut Tx, row: &PartnerCommission) -> Result<()> {
    write_one!(
        tx,
        INSERT_COMMISSION,
        row.id,
        row.partner_id,
        row.claim_id,
        row.claim_number,
        row.kind,
        &row.percent,
        row.currency_id,
        row.scale,
        row.of_units,
        row.units,
        row.set_off,
        row.at,
    )
}

pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Option<EarnedCommission>> {
    fetch_optional!(tx, EarnedCommission, COMMISSION_OF_CLAIM, claim)
}

/// `short` is the part that was no longer in the balance. Returns false if it was already reversed.
pub async fn reverse(tx: &mut Tx, id: Uuid, short: i64, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, REVERSE_COMMISSION, id, short, now)? == 1)
}

pub async fn debt(tx: &mut Tx, partner: Uuid, currency: i64) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), DEBT, partner, currency)?.0)
}

pub async fn earned(tx: &mut Tx, partner: Uuid) -> Result<Vec<EarnedTotal>> {
    fetch_all!(tx, EarnedTotal, EARNED, partner)
}

/// Partner, currency, units.
pub async fn expected(tx: &mut Tx) -> Result<Vec<(Uuid, i64, i64)>> {
    fetch_all!(tx, (Uuid, i64, i64), EXPECTED_BALANCES)
}

pub async fn insert_payout(tx: &mut Tx, row: &PayoutRow) -> Result<()> {
    let PayoutRow { id, partner_id, currency_id, scale, units, tx: by, paid_by, paid_name, created_at } = row;
    write_one!(tx, INSERT_PAYOUT, *id, *partner_id, *currency_id, *scale, *units, by, *paid_by, paid_name, *created_at)
}

/// Whether a transaction to the partner is recorded, in any spelling. The partner is locked.
pub async fn is_tx_recorded(tx: &mut Tx, partner: Uuid, currency: i64, kind: RequisiteKind, name: &str) -> Result<bool> {
    let key = transaction_key(kind, name);
    let recorded = fetch_all!(tx, (String,), PAYOUT_TXS, partner, currency)?;
    Ok(recorded.iter().any(|(other,)| transaction_key(kind, other) == key))
}

/// What was paid after a time.
pub async fn payouts_since(tx: &mut Tx, partner: Uuid, since: Timestamp) -> Result<Vec<Amount>> {
    let rows = fetch_all!(tx, (i64, i64, i64), PAYOUTS_SINCE, partner, since)?;
    Ok(rows.into_iter().map(|(currency, scale, units)| Amount::of_units(units, CurrencyUnit::new(currency, scale))).collect())
}

/// Newest first.
pub async fn payouts(tx: &mut Tx, partner: Uuid, size: i64) -> Result<Vec<PayoutRow>> {
    fetch_all!(tx, PayoutRow, PAYOUTS, partner, size)
}
