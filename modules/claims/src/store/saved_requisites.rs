//! Requisites saved in customers' accounts.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    /// Saves requisites, unless the same ones are saved or the limit is reached.
    KEEP_REQUISITES = "INSERT INTO customer_requisite (id, customer_id, currency_id, sealed, masked, digest, created_at)
        SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT COUNT(*) FROM customer_requisite WHERE customer_id = $2) < $8
        ON CONFLICT (customer_id, currency_id, digest) DO NOTHING";
    KEPT_REQUISITES = "SELECT id, currency_id, sealed, masked, digest, created_at FROM customer_requisite
        WHERE customer_id = $1 AND (currency_id = $2 OR $2 IS NULL) ORDER BY created_at DESC, id";
    KEPT_REQUISITE = "SELECT id, currency_id, sealed, masked, digest, created_at FROM customer_requisite
        WHERE customer_id = $1 AND id = $2";
    FORGET_REQUISITES = "DELETE FROM customer_requisite WHERE customer_id = $1";
    FORGET_REQUISITES_SINCE = "DELETE FROM customer_requisite WHERE customer_id = $1 AND created_at >= $2";
    FORGET_REQUISITE = "DELETE FROM customer_requisite WHERE customer_id = $1 AND id = $2 RETURNING masked";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SavedRequisitesRow {
    pub id: Uuid,
    pub currency_id: i64,
    /// The encrypted values by field.
    pub sealed: String,
    /// The same, masked: JSON of requisites.
    pub masked: String,
    /// Keyed digest of the values.
    pub digest: String,
    pub created_at: Timestamp,
}

/// Saves requisites; false when the same ones are saved or the limit is reached.
pub async fn insert(tx: &mut Tx, customer: Uuid, row: &SavedRequisitesRow, most: i64) -> Result<bool> {
    let SavedRequisitesRow { id, currency_id, sealed, masked, digest, created_at } = row;
    let kept = execute!(tx, KEEP_REQUISITES, id, customer, currency_id, sealed, masked, digest, created_at, most)?;
    Ok(kept == 1)
}

/// A customer's saved requisites, of one currency or of all, the newest first.
pub async fn of_customer(tx: &mut Tx, customer: Uuid, currency: Option<i64>) -> Result<Vec<SavedRequisitesRow>> {
    fetch_all!(tx, SavedRequisitesRow, KEPT_REQUISITES, customer, currency)
}

/// One set of a customer's saved requisites.
pub async fn one(tx: &mut Tx, customer: Uuid, id: Uuid) -> Result<Option<SavedRequisitesRow>> {
    fetch_optional!(tx, SavedRequisitesRow, KEPT_REQUISITE, customer, id)
}

/// Deletes saved requisites and returns their masked form; `None` when there are none.
pub async fn delete(tx: &mut Tx, customer: Uuid, id: Uuid) -> Result<Option<String>> {
    Ok(fetch_optional!(tx, (String,), FORGET_REQUISITE, customer, id)?.map(|(masked,)| masked))
}

pub async fn delete_since(tx: &mut Tx, customer: Uuid, since: Timestamp) -> Result<()> {
    execute!(tx, FORGET_REQUISITES_SINCE, customer, since).map(drop)
}

pub async fn delete_all(tx: &mut Tx, customer: Uuid) -> Result<()> {
    execute!(tx, FORGET_REQUISITES, customer).map(drop)
}
