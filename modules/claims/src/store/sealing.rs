//! Claims whose requisites former versions stored in the open.

use agio_core::{Result, Tx, execute, fetch_all};
use uuid::Uuid;

agio_core::statements! {
    OPEN_REQUISITES = "SELECT public_id, id, from_requisites, to_requisites, refund_requisites, from_digest, to_digest FROM claim
        WHERE public_id > $1 AND from_requisites NOT LIKE 'x1.%' ORDER BY public_id LIMIT $2";
    SEAL_REQUISITES = "UPDATE claim SET from_requisites = $2, to_requisites = $3, refund_requisites = $4, from_digest = $5, to_digest = $6
        WHERE id = $1";
}

/// What of a claim is sealed. Of a row in the open the digests are the values themselves.
#[derive(sqlx::FromRow)]
pub struct Details {
    pub public_id: i64,
    pub id: Uuid,
    pub from_requisites: String,
    pub to_requisites: String,
    pub refund_requisites: Option<String>,
    pub from_digest: Option<String>,
    pub to_digest: Option<String>,
}

/// Rows in the open of claims with numbers after one.
pub async fn open(tx: &mut Tx, after: i64, size: i64) -> Result<Vec<Details>> {
    fetch_all!(tx, Details, OPEN_REQUISITES, after, size)
}

/// Stores the same, sealed.
pub async fn seal(tx: &mut Tx, row: &Details) -> Result<()> {
    let Details { id, from_requisites, to_requisites, refund_requisites, from_digest, to_digest, .. } = row;
    let refund = refund_requisites.as_deref();
    let (from, to) = (from_digest.as_deref(), to_digest.as_deref());
    execute!(tx, SEAL_REQUISITES, id, from_requisites, to_requisites, refund, from, to).map(drop)
}
