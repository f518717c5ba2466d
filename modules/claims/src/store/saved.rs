//! Requisites that customers keep in their accounts.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    /// Keeps requisites, unless the same ones are kept already or there are as many as there may be.
    KEEP_REQUISITES = "INSERT INTO customer_requisite (id, customer_id, currency_id, sealed, masked, digest, created_at)
        SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT COUNT(*) FROM customer_requisite WHERE customer_id = $2) < $8
        ON CONFLICT (customer_id, currency_id, digest) DO NOTHING";
    KEPT_REQUISITES = "SELECT id, currency_id, sealed, masked, digest, created_at FROM customer_requisite
        WHERE customer_id = $1 AND (currency_id = $2 OR $2 IS NULL) ORDER BY created_at DESC, id";
    KEPT_REQUISITE = "SELECT id, currency_id, sealed, masked, digest, created_at FROM customer_requisite
        WHERE customer_id = $1 AND id = $2";
    FORGET_REQUISITE = "DELETE FROM customer_requisite WHERE customer_id = $1 AND id = $2 RETURNING masked";
}

/// Requisites as they are kept.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SavedRow {
    /// Identifier.
    pub id: Uuid,
    /// The currency they are of.
    pub currency_id: i64,
    /// The values by their fields, sealed.
    pub sealed: String,
    /// The same, masked: JSON of requisites.
    pub masked: String,
    /// Keyed digest of the values.
    pub digest: String,
    /// When they were kept.
    pub created_at: Timestamp,
}

/// Keeps requisites; false when the same are kept, or as many as there may be.
pub async fn insert(tx: &mut Tx, customer: Uuid, row: &SavedRow, most: i64) -> Result<bool> {
    let SavedRow { id, currency_id, sealed, masked, digest, created_at } = row;
    let kept = execute!(tx, KEEP_REQUISITES, id, customer, currency_id, sealed, masked, digest, created_at, most)?;
    Ok(kept == 1)
}

/// What a customer keeps, of one currency or of all, the newest first.
pub async fn of_customer(tx: &mut Tx, customer: Uuid, currency: Option<i64>) -> Result<Vec<SavedRow>> {
    fetch_all!(tx, SavedRow, KEPT_REQUISITES, customer, currency)
}

/// One of what a customer keeps.
pub async fn one(tx: &mut Tx, customer: Uuid, id: Uuid) -> Result<Option<SavedRow>> {
    fetch_optional!(tx, SavedRow, KEPT_REQUISITE, customer, id)
}

/// Forgets requisites and gives what was shown of them; nothing when the customer keeps no such.
pub async fn delete(tx: &mut Tx, customer: Uuid, id: Uuid) -> Result<Option<String>> {
    Ok(fetch_optional!(tx, (String,), FORGET_REQUISITE, customer, id)?.map(|(masked,)| masked))
}
