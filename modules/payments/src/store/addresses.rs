//! Addresses created ahead and assigned to claims, and the claims to process.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use agio_plugin_sdk::protocol::DepositAddress;
use uuid::Uuid;

agio_core::statements! {
    COUNT_READY_ADDRESSES = "SELECT COUNT(*) FROM payment_address WHERE currency_id = $1 AND driver = $2 AND claim_id IS NULL";
    INSERT_ADDRESS = "INSERT INTO payment_address (currency_id, driver, request_key, address, memo, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT DO NOTHING";
    /// Assigns the oldest address. The outer condition is checked on the locked row, so no two claims get the same one.
    ASSIGN_ADDRESS = "UPDATE payment_address SET claim_id = $2, assigned_at = $3
        WHERE id = (SELECT address.id FROM payment_address address
                JOIN payment_route route ON route.currency_id = address.currency_id AND route.driver = address.driver
                WHERE address.currency_id = $1 AND address.claim_id IS NULL ORDER BY address.id LIMIT 1)
            AND claim_id IS NULL
        RETURNING address, memo";
    CLAIM_OF_ADDRESS = "SELECT claim_id FROM payment_address WHERE currency_id = $1 AND address = $2 AND memo = $3 AND claim_id IS NOT NULL";
    WATCH_CLAIM = "INSERT INTO payment_watch (claim_id, changed, processed) VALUES ($1, 1, 0)
        ON CONFLICT (claim_id) DO UPDATE SET changed = payment_watch.changed + 1";
    CLAIM_CHANGED = "UPDATE payment_watch SET changed = changed + 1 WHERE claim_id = $1";
    CHANGED_CLAIMS = "SELECT claim_id FROM payment_watch WHERE changed > processed ORDER BY claim_id LIMIT $1";
    DUE_CLAIMS = "SELECT claim_id FROM payment_watch WHERE process_after <= $1 ORDER BY process_after LIMIT $2";
    CHANGE_COUNT = "SELECT changed FROM payment_watch WHERE claim_id = $1";
    /// Only up to the change that was read: later ones are processed again.
    MARK_PROCESSED = "UPDATE payment_watch SET processed = $2, process_after = $3 WHERE claim_id = $1";
}

/// The number of unassigned addresses of a driver.
pub async fn count_ready(tx: &mut Tx, currency: i64, driver: &str) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_READY_ADDRESSES, currency, driver)?.0)
}

/// Stores an address, unless it is known.
pub async fn insert(tx: &mut Tx, currency: i64, driver: &str, address: &DepositAddress, now: Timestamp) -> Result<()> {
    let memo = address.memo.as_deref().unwrap_or_default();
    execute!(tx, INSERT_ADDRESS, currency, driver, &address.key, &address.address, memo, now).map(drop)
}

/// Assigns an address to a claim; `None` when none is ready.
pub async fn assign(tx: &mut Tx, currency: i64, claim: Uuid, now: Timestamp) -> Result<Option<(String, String)>> {
    fetch_optional!(tx, (String, String), ASSIGN_ADDRESS, currency, claim, now)
}

pub async fn claim_of(tx: &mut Tx, currency: i64, address: &str, memo: &str) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), CLAIM_OF_ADDRESS, currency, address, memo)?.map(|(claim,)| claim))
}

pub async fn watch(tx: &mut Tx, claim: Uuid) -> Result<()> {
    execute!(tx, WATCH_CLAIM, claim).map(drop)
}

/// Queues a claim for processing, if it is watched.
pub async fn mark_changed(tx: &mut Tx, claim: Uuid) -> Result<()> {
    execute!(tx, CLAIM_CHANGED, claim).map(drop)
}

pub async fn changed_claims(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    let mut claims = fetch_all!(tx, (Uuid,), CHANGED_CLAIMS, size)?;
    claims.extend(fetch_all!(tx, (Uuid,), DUE_CLAIMS, now, size)?);
    let mut claims: Vec<_> = claims.into_iter().map(|(claim,)| claim).collect();
    claims.sort_unstable();
    claims.dedup();
    Ok(claims)
}

/// The change counter of a watched claim.
pub async fn change_count(tx: &mut Tx, claim: Uuid) -> Result<Option<i64>> {
    Ok(fetch_optional!(tx, (i64,), CHANGE_COUNT, claim)?.map(|(changed,)| changed))
}

/// Records that a claim was processed up to this change.
pub async fn mark_processed(tx: &mut Tx, claim: Uuid, changed: i64, process_after: Option<Timestamp>) -> Result<()> {
    execute!(tx, MARK_PROCESSED, claim, changed, process_after).map(drop)
}
