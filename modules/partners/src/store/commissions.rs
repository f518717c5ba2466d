//! What partners earn and are paid, in SQL.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use uuid::Uuid;

use super::PartnerRow;
use crate::model::commission::CommissionKind;

agio_core::statements! {
    /// Keeps whoever else would move the partner's money waiting until the transaction ends.
    LOCK_PARTNER = "UPDATE partner SET moves = moves + 1 WHERE id = $1 RETURNING *";
    INSERT_ACCRUAL = "INSERT INTO partner_accrual (id, partner_id, claim_id, claim_number, state, kind, percent, currency_id, scale,
            of_units, units, set_off, short, created_at, updated_at)
        VALUES ($1, $2, $3, $4, 'accrued', $5, $6, $7, $8, $9, $10, $11, 0, $12, $12)";
    ACCRUAL_OF_CLAIM = "SELECT id, partner_id, currency_id, units FROM partner_accrual WHERE claim_id = $1 AND state = 'accrued'";
    REVERSE_ACCRUAL = "UPDATE partner_accrual SET state = 'reversed', short = $2, updated_at = $3 WHERE id = $1 AND state = 'accrued'";
    /// What a partner owes the house: what was not there when it was taken back, less what was set off since.
    DEBT = "SELECT CAST(COALESCE(SUM(short), 0) - COALESCE(SUM(set_off), 0) AS BIGINT) FROM partner_accrual
        WHERE partner_id = $1 AND currency_id = $2";
    /// By currency: what was earned and not taken back, by how many claims, and what is owed.
    EARNED = "SELECT currency_id, MAX(scale) AS scale,
            CAST(COALESCE(SUM(CASE WHEN state = 'accrued' THEN units ELSE 0 END), 0) AS BIGINT) AS units,
            CAST(COALESCE(SUM(CASE WHEN state = 'accrued' THEN 1 ELSE 0 END), 0) AS BIGINT) AS claims,
            CAST(COALESCE(SUM(short), 0) - COALESCE(SUM(set_off), 0) AS BIGINT) AS debt
        FROM partner_accrual WHERE partner_id = $1 GROUP BY currency_id ORDER BY currency_id";
    /// What every partner has in every currency, by what was earned, taken back and paid out.
    EXPECTED_BALANCES = "SELECT earned.partner_id, earned.currency_id, CAST(earned.units
            - COALESCE((SELECT SUM(paid.units) FROM partner_payout paid
                WHERE paid.partner_id = earned.partner_id AND paid.currency_id = earned.currency_id), 0) AS BIGINT)
        FROM (SELECT partner_id, currency_id, SUM(CASE WHEN state = 'accrued' THEN units ELSE 0 END) + SUM(short) - SUM(set_off) AS units
            FROM partner_accrual GROUP BY partner_id, currency_id) earned";
    INSERT_PAYOUT = "INSERT INTO partner_payout (id, partner_id, currency_id, scale, units, tx, paid_by, paid_name, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    PAYOUTS = "SELECT * FROM partner_payout WHERE partner_id = $1 ORDER BY created_at DESC, id LIMIT $2";
}

/// What was earned by a claim.
#[derive(Clone, Debug)]
pub struct Accrual {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub kind: CommissionKind,
    pub percent: String,
    pub currency_id: i64,
    pub scale: i64,
    pub of_units: i64,
    pub units: i64,
    pub set_off: i64,
    pub at: Timestamp,
}

/// What of an accrual is needed to take it back.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Accrued {
    pub id: Uuid,
    pub partner_id: Uuid,
    pub currency_id: i64,
    pub units: i64,
}

/// What was earned in a currency.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Earned {
    pub currency_id: i64,
    pub scale: i64,
    pub units: i64,
    pub claims: i64,
    pub debt: i64,
}

/// A payout.
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

/// The partner, whose money nobody else moves until the transaction ends.
pub async fn lock(tx: &mut Tx, partner: Uuid) -> Result<Option<PartnerRow>> {
    fetch_optional!(tx, PartnerRow, LOCK_PARTNER, partner)
}

/// Stores what was earned.
pub async fn insert(tx: &mut Tx, row: &Accrual) -> Result<()> {
    let Accrual { id, partner_id, claim_id, claim_number, kind, percent, currency_id, scale, of_units, units, set_off, at } = row;
    write_one!(
        tx,
        INSERT_ACCRUAL,
        *id,
        *partner_id,
        *claim_id,
        *claim_number,
        kind.to_string(),
        percent,
        *currency_id,
        *scale,
        *of_units,
        *units,
        *set_off,
        *at,
    )
}

/// What stands as earned by a claim.
pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Option<Accrued>> {
    fetch_optional!(tx, Accrued, ACCRUAL_OF_CLAIM, claim)
}

/// Takes an accrual back, of which so much was not there any more; false when it was.
pub async fn reverse(tx: &mut Tx, id: Uuid, short: i64, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, REVERSE_ACCRUAL, id, short, now)? == 1)
}

/// What a partner owes in a currency.
pub async fn debt(tx: &mut Tx, partner: Uuid, currency: i64) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), DEBT, partner, currency)?.0)
}

/// What a partner earned, by currency.
pub async fn earned(tx: &mut Tx, partner: Uuid) -> Result<Vec<Earned>> {
    fetch_all!(tx, Earned, EARNED, partner)
}

/// What every partner has: the partner, the currency and units.
pub async fn expected(tx: &mut Tx) -> Result<Vec<(Uuid, i64, i64)>> {
    fetch_all!(tx, (Uuid, i64, i64), EXPECTED_BALANCES)
}

/// Stores a payout.
pub async fn insert_payout(tx: &mut Tx, row: &PayoutRow) -> Result<()> {
    let PayoutRow { id, partner_id, currency_id, scale, units, tx: by, paid_by, paid_name, created_at } = row;
    write_one!(tx, INSERT_PAYOUT, *id, *partner_id, *currency_id, *scale, *units, by, *paid_by, paid_name, *created_at)
}

/// The last payouts of a partner, the newest first.
pub async fn payouts(tx: &mut Tx, partner: Uuid, size: i64) -> Result<Vec<PayoutRow>> {
    fetch_all!(tx, PayoutRow, PAYOUTS, partner, size)
}
