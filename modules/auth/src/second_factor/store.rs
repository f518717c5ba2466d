//! SQL of second factors.

use agio_core::{Result, Timestamp, Tx, execute, fetch_one, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    SECOND_FACTOR = "SELECT sealed, confirmed_at FROM second_factor WHERE account_id = $1";
    /// An enabled one stays as it is.
    PUT_SECOND_FACTOR = "INSERT INTO second_factor (account_id, sealed, last_step) VALUES ($1, $2, 0)
        ON CONFLICT (account_id) DO UPDATE SET sealed = excluded.sealed, last_step = 0 WHERE second_factor.confirmed_at IS NULL";
    CONFIRM_SECOND_FACTOR = "UPDATE second_factor SET confirmed_at = $3, last_step = $2 WHERE account_id = $1";
    ADVANCE_SECOND_FACTOR = "UPDATE second_factor SET last_step = $2 WHERE account_id = $1 AND last_step < $2";
    DELETE_SECOND_FACTOR = "DELETE FROM second_factor WHERE account_id = $1";
    IS_CONFIRMED_SINCE = "SELECT COUNT(*) FROM second_factor WHERE account_id = $1 AND confirmed_at >= $2";
    INSERT_RECOVERY_CODE = "INSERT INTO recovery_code (account_id, digest) VALUES ($1, $2)";
    USE_RECOVERY_CODE = "DELETE FROM recovery_code WHERE account_id = $1 AND digest = $2";
    DELETE_RECOVERY_CODES = "DELETE FROM recovery_code WHERE account_id = $1";
    COUNT_RECOVERY_CODES = "SELECT COUNT(*) FROM recovery_code WHERE account_id = $1";
}

#[derive(sqlx::FromRow)]
pub struct SecondFactorRow {
    /// Encrypted secret.
    pub sealed: String,
    /// Null until the setup is confirmed.
    pub confirmed_at: Option<Timestamp>,
}

pub async fn get(tx: &mut Tx, account: Uuid) -> Result<Option<SecondFactorRow>> {
    fetch_optional!(tx, SecondFactorRow, SECOND_FACTOR, account)
}

/// Whether it was set up at this time or later.
pub async fn is_confirmed_since(tx: &mut Tx, account: Uuid, since: Timestamp) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), IS_CONFIRMED_SINCE, account, since)?.0 > 0)
}

/// Stores an unconfirmed second factor; false if there is a confirmed one.
pub async fn put(tx: &mut Tx, account: Uuid, sealed: &str) -> Result<bool> {
    Ok(execute!(tx, PUT_SECOND_FACTOR, account, sealed)? == 1)
}

pub async fn confirm(tx: &mut Tx, account: Uuid, step: i64, now: Timestamp) -> Result<()> {
    execute!(tx, CONFIRM_SECOND_FACTOR, account, step, now).map(drop)
}

/// Stores the period of an accepted code; false if it or a later one was used before.
pub async fn advance(tx: &mut Tx, account: Uuid, step: i64) -> Result<bool> {
    Ok(execute!(tx, ADVANCE_SECOND_FACTOR, account, step)? == 1)
}

pub async fn delete(tx: &mut Tx, account: Uuid) -> Result<()> {
    execute!(tx, DELETE_SECOND_FACTOR, account).map(drop)
}

pub async fn insert_recovery_code(tx: &mut Tx, account: Uuid, digest: &str) -> Result<()> {
    execute!(tx, INSERT_RECOVERY_CODE, account, digest).map(drop)
}

/// Deletes a recovery code; false if there is none.
pub async fn use_recovery_code(tx: &mut Tx, account: Uuid, digest: &str) -> Result<bool> {
    Ok(execute!(tx, USE_RECOVERY_CODE, account, digest)? == 1)
}

pub async fn delete_recovery_codes(tx: &mut Tx, account: Uuid) -> Result<()> {
    execute!(tx, DELETE_RECOVERY_CODES, account).map(drop)
}

pub async fn recovery_codes(tx: &mut Tx, account: Uuid) -> Result<i64> {
    let (count,) = fetch_one!(tx, (i64,), COUNT_RECOVERY_CODES, account)?;
    Ok(count)
}
