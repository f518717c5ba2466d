//! Orders of the contract in SQL.

use agio_core::{Result, Timestamp, Tx, Vault, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    /// The orders of one content, the first first.
    ORDERS_OF_CONTENT = "SELECT * FROM partner_trustee_order WHERE key_id = $1 AND fingerprint = $2 ORDER BY turn";
    ORDER_OF_CLAIM = "SELECT * FROM partner_trustee_order WHERE claim_id = $1 AND partner_id = $2";
    INSERT_ORDER = "INSERT INTO partner_trustee_order
        (claim_id, partner_id, key_id, fingerprint, turn, sandbox, asked, fee_from, fee_to, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
    /// Orders whose wishes former versions stored in the open.
    OPEN_ORDERS = "SELECT claim_id, asked FROM partner_trustee_order WHERE claim_id > $1 AND asked NOT LIKE 'x1.%' ORDER BY claim_id LIMIT $2";
    SEAL_ORDER = "UPDATE partner_trustee_order SET asked = $2, fingerprint = $3 WHERE claim_id = $1";
    /// Forgets orders whose rehearsals are forgotten.
    FORGET_ORDERS = "DELETE FROM partner_trustee_order WHERE sandbox AND created_at < $1
        AND NOT EXISTS (SELECT 1 FROM partner_rehearsal WHERE partner_rehearsal.id = partner_trustee_order.claim_id)";
}

/// An order as it is stored: what was asked for, and the claim that was made of it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OrderRow {
    pub claim_id: Uuid,
    pub partner_id: Uuid,
    pub key_id: Uuid,
    /// A keyed digest of what was asked for.
    pub fingerprint: String,
    pub turn: i64,
    pub sandbox: bool,
    /// What was asked for, sealed.
    pub asked: String,
    pub fee_from: String,
    pub fee_to: String,
    pub created_at: Timestamp,
}

/// What an order's wish is sealed for.
pub fn purpose(claim: Uuid) -> String {
    format!("trustee order {claim}")
}

/// The digests under which orders of one content are known, the present one first.
pub fn fingerprints(vault: &Vault, asked: &str) -> Vec<String> {
    vault.digests("trustee order", asked)
}

/// Orders behind one whose wishes stand in the open.
pub async fn open(tx: &mut Tx, after: Uuid, size: i64) -> Result<Vec<(Uuid, String)>> {
    fetch_all!(tx, (Uuid, String), OPEN_ORDERS, after, size)
}

/// Stores a wish, sealed.
pub async fn seal(tx: &mut Tx, vault: &Vault, claim: Uuid, asked: &str) -> Result<()> {
    let sealed = vault.seal(&purpose(claim), asked.as_bytes());
    execute!(tx, SEAL_ORDER, claim, sealed, fingerprints(vault, asked).swap_remove(0)).map(drop)
}

/// The orders of a key with one content, the first first.
pub async fn of_content(tx: &mut Tx, key: Uuid, fingerprint: &str) -> Result<Vec<OrderRow>> {
    fetch_all!(tx, OrderRow, ORDERS_OF_CONTENT, key, fingerprint)
}

/// The order a claim of a partner was made for.
pub async fn of_claim(tx: &mut Tx, partner: Uuid, claim: Uuid) -> Result<Option<OrderRow>> {
    fetch_optional!(tx, OrderRow, ORDER_OF_CLAIM, claim, partner)
}

/// Stores an order. Of two that made the same claim one is stored.
pub async fn insert(tx: &mut Tx, row: &OrderRow) -> Result<()> {
    let OrderRow { claim_id, partner_id, key_id, fingerprint, turn, sandbox, asked, fee_from, fee_to, created_at } = row;
    execute!(
        tx,
        INSERT_ORDER,
        *claim_id,
        *partner_id,
        *key_id,
        fingerprint,
        *turn,
        *sandbox,
        asked,
        fee_from,
        fee_to,
        *created_at
    )
    .map(drop)
}

/// Forgets orders whose rehearsals are forgotten, of before a moment.
pub async fn forget(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    execute!(tx, FORGET_ORDERS, before)
}
