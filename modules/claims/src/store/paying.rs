//! What the automatic payments ask of the claims.

use agio_core::{Error, Result, Tx, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    CLAIM_BY_NUMBER = "SELECT id FROM claim WHERE public_id = $1";
    /// Claims that wait for their payout and are in nobody's hand.
    PAID_CLAIMS = "SELECT public_id, id FROM claim WHERE desk = 'ours' AND public_id > $3 AND state = 'paid' AND to_id = $1
            AND receive_units <= $2 AND holder_id IS NULL
        ORDER BY public_id LIMIT 100";
}

/// The identifier of a claim by its number for talk.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn id_of(tx: &mut Tx, number: i64) -> Result<Uuid> {
    let found = fetch_optional!(tx, (Uuid,), CLAIM_BY_NUMBER, number)?;
    found.map(|(id,)| id).ok_or_else(|| Error::not_found("claim_not_found"))
}

/// Claims to be paid out in a currency and not more than this, with numbers after one.
pub async fn paid(tx: &mut Tx, currency: i64, most: i64, after: i64) -> Result<Vec<(i64, Uuid)>> {
    fetch_all!(tx, (i64, Uuid), PAID_CLAIMS, currency, most, after)
}
