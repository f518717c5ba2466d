//! Queries of the automatic payments.

use agio_core::{Error, Result, Tx, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    CLAIM_BY_NUMBER = "SELECT id FROM claim WHERE public_id = $1";
    /// Unlocked claims that wait for their payout.
    PAID_CLAIMS = "SELECT public_id, id FROM claim WHERE queue = 'ours' AND public_id > $3 AND state = 'paid' AND receive_id = $1
            AND receive_units <= $2 AND holder_id IS NULL
        ORDER BY public_id LIMIT 100";
    /// Unlocked claims whose surplus is to be returned.
    SURPLUS_CLAIMS = "SELECT public_id, id FROM claim WHERE queue = 'refunds' AND public_id > $3 AND state = 'refund_pending'
            AND give_id = $1 AND surplus_units > 0 AND surplus_units <= $2 AND holder_id IS NULL
        ORDER BY public_id LIMIT 100";
}

/// The identifier of a claim by its number.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn id_of(tx: &mut Tx, number: i64) -> Result<Uuid> {
    let found = fetch_optional!(tx, (Uuid,), CLAIM_BY_NUMBER, number)?;
    found.map(|(id,)| id).ok_or_else(|| Error::not_found("claim_not_found"))
}

/// Claims to pay out in a currency, up to this amount, with numbers after one.
pub async fn paid(tx: &mut Tx, currency: i64, most: i64, after: i64) -> Result<Vec<(i64, Uuid)>> {
    fetch_all!(tx, (i64, Uuid), PAID_CLAIMS, currency, most, after)
}

/// Claims with a surplus to return in a currency, up to this amount, with numbers after one.
pub async fn surpluses(tx: &mut Tx, currency: i64, most: i64, after: i64) -> Result<Vec<(i64, Uuid)>> {
    fetch_all!(tx, (i64, Uuid), SURPLUS_CLAIMS, currency, most, after)
}
