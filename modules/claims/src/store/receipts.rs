//! Receipts.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

agio_core::statements! {
    /// Stores a receipt, if its claim is below the limit.
    INSERT_RECEIPT = "INSERT INTO claim_receipt (id, claim_id, name, media_type, size, sha256, created_at, delete_after)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8
        WHERE (SELECT COUNT(*) FROM claim_receipt WHERE claim_id = $2) < $9";
    RECEIPTS = "SELECT receipt.id, receipt.name, receipt.media_type, receipt.size, receipt.sha256, receipt.created_at,
            (SELECT MIN(claim.public_id) FROM claim_receipt other JOIN claim ON claim.id = other.claim_id
                WHERE other.sha256 = receipt.sha256 AND other.claim_id <> receipt.claim_id) AS repeat_of
        FROM claim_receipt receipt
        WHERE receipt.claim_id = $1 AND receipt.deleted_at IS NULL ORDER BY receipt.created_at, receipt.id";
    RECEIPT = "SELECT id, name, media_type, size, sha256, created_at, CAST(NULL AS BIGINT) AS repeat_of
        FROM claim_receipt WHERE claim_id = $1 AND id = $2 AND deleted_at IS NULL";
    RECEIPT_COUNT = "SELECT COUNT(*) FROM claim_receipt WHERE claim_id = $1";
    RECEIPTS_TO_DELETE = "SELECT id FROM claim_receipt WHERE delete_after <= $1 AND deleted_at IS NULL LIMIT $2";
    RECEIPT_IS_DELETED = "UPDATE claim_receipt SET deleted_at = $2 WHERE id = $1";
}

/// A receipt. The file is named after its identifier.
#[derive(Clone, Debug, sqlx::FromRow, Serialize, Deserialize)]
pub struct Receipt {
    pub id: Uuid,
    pub name: String,
    pub media_type: String,
    pub size: i64,
    /// The SHA-256 of the uploaded file.
    pub sha256: String,
    pub created_at: Timestamp,
    /// The number of another claim with the same file.
    pub repeat_of: Option<i64>,
}

/// Stores a receipt; false when the claim is at the limit.
pub async fn insert(tx: &mut Tx, claim: Uuid, receipt: &Receipt, delete_after: Timestamp, most: i64) -> Result<bool> {
    let stored = execute!(
        tx,
        INSERT_RECEIPT,
        receipt.id,
        claim,
        &receipt.name,
        &receipt.media_type,
        receipt.size,
        &receipt.sha256,
        receipt.created_at,
        delete_after,
        most,
    )?;
    Ok(stored == 1)
}

/// The receipts of a claim, the oldest first.
pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Vec<Receipt>> {
    fetch_all!(tx, Receipt, RECEIPTS, claim)
}

pub async fn receipt(tx: &mut Tx, claim: Uuid, id: Uuid) -> Result<Option<Receipt>> {
    fetch_optional!(tx, Receipt, RECEIPT, claim, id)
}

/// The number of receipts a claim ever had.
pub async fn count(tx: &mut Tx, claim: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), RECEIPT_COUNT, claim)?.0)
}

/// Receipts after their retention period.
pub async fn to_delete(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), RECEIPTS_TO_DELETE, now, size)?.into_iter().map(|(id,)| id).collect())
}

/// Records that the file of a receipt is deleted.
pub async fn mark_deleted(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<()> {
    execute!(tx, RECEIPT_IS_DELETED, id, now).map(drop)
}
