//! Trustee orders in SQL.

use std::fmt::Display;

use agio_core::{Result, Timestamp, Tx, Vault, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    ORDERS_OF_CONTENT = "SELECT * FROM partner_trustee_order WHERE key_id = $1 AND fingerprint = $2 ORDER BY turn";
    ORDER_OF_CLAIM = "SELECT * FROM partner_trustee_order WHERE claim_id = $1 AND partner_id = $2";
    INSERT_ORDER = "INSERT INTO partner_trustee_order
        (claim_id, partner_id, key_id, fingerprint, turn, sandbox, request, fee_from, fee_to, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct TrusteeOrderRow {
    pub claim_id: Uuid,
    pub partner_id: Uuid,
    pub key_id: Uuid,
    /// Keyed digest of the request.
    pub fingerprint: String,
    pub turn: i64,
    pub sandbox: bool,
    /// The encrypted request.
    pub request: String,
    pub fee_from: String,
    pub fee_to: String,
    pub created_at: Timestamp,
}

/// Encryption context of the request.
pub fn purpose(claim: impl Display) -> String {
    format!("trustee order {claim}")
}

/// Digests of a request under all keys, the current one first.
pub fn fingerprints(vault: &Vault, request: &str) -> Vec<String> {
    vault.digests("trustee order", request)
}

/// Oldest first.
pub async fn of_content(tx: &mut Tx, key: Uuid, fingerprint: &str) -> Result<Vec<TrusteeOrderRow>> {
    fetch_all!(tx, TrusteeOrderRow, ORDERS_OF_CONTENT, key, fingerprint)
}

pub async fn of_claim(tx: &mut Tx, partner: Uuid, claim: Uuid) -> Result<Option<TrusteeOrderRow>> {
    fetch_optional!(tx, TrusteeOrderRow, ORDER_OF_CLAIM, claim, partner)
}

/// Ignored if the claim already has an order.
pub async fn insert(tx: &mut Tx, row: &TrusteeOrderRow) -> Result<()> {
    let TrusteeOrderRow { claim_id, partner_id, key_id, fingerprint, turn, sandbox, request, fee_from, fee_to, created_at } = row;
    execute!(
        tx,
        INSERT_ORDER,
        *claim_id,
        *partner_id,
        *key_id,
        fingerprint,
        *turn,
        *sandbox,
        request,
        fee_from,
        fee_to,
        *created_at
    )
    .map(drop)
}
