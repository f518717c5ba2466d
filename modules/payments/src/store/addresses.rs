//! Addresses made ahead and given to claims, and the claims that are watched.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use agio_plugin::protocol::Address;
use uuid::Uuid;

agio_core::statements! {
    COUNT_READY_ADDRESSES = "SELECT COUNT(*) FROM payment_address WHERE currency_id = $1 AND driver = $2 AND claim_id IS NULL";
    INSERT_ADDRESS = "INSERT INTO payment_address (currency_id, driver, made_for, address, memo, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT DO NOTHING";
    /// Gives the address that waited longest. The outer condition is checked on the locked row, so no two claims are given one.
    TAKE_ADDRESS = "UPDATE payment_address SET claim_id = $2, taken_at = $3
        WHERE id = (SELECT address.id FROM payment_address address
                JOIN payment_route route ON route.currency_id = address.currency_id AND route.driver = address.driver
                WHERE address.currency_id = $1 AND address.claim_id IS NULL ORDER BY address.id LIMIT 1)
            AND claim_id IS NULL
        RETURNING address, memo";
    CLAIM_OF_ADDRESS = "SELECT claim_id FROM payment_address WHERE currency_id = $1 AND address = $2 AND memo = $3 AND claim_id IS NOT NULL";
    WATCH_CLAIM = "INSERT INTO payment_watch (claim_id, changed, looked_at) VALUES ($1, 1, 0)
        ON CONFLICT (claim_id) DO UPDATE SET changed = payment_watch.changed + 1";
    CLAIM_CHANGED = "UPDATE payment_watch SET changed = changed + 1 WHERE claim_id = $1";
    CHANGED_CLAIMS = "SELECT claim_id FROM payment_watch WHERE changed > looked_at ORDER BY claim_id LIMIT $1";
    DUE_CLAIMS = "SELECT claim_id FROM payment_watch WHERE look_after <= $1 ORDER BY look_after LIMIT $2";
    WATCHED = "SELECT changed FROM payment_watch WHERE claim_id = $1";
    /// What changed since it was read is looked at again.
    LOOKED_AT = "UPDATE payment_watch SET looked_at = $2, look_after = $3 WHERE claim_id = $1";
}

/// How many addresses of a driver wait to be given.
pub async fn ready(tx: &mut Tx, currency: i64, driver: &str) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_READY_ADDRESSES, currency, driver)?.0)
}

/// Keeps an address; one that is known is left alone.
pub async fn insert(tx: &mut Tx, currency: i64, driver: &str, made: &Address, now: Timestamp) -> Result<()> {
    let memo = made.memo.as_deref().unwrap_or_default();
    execute!(tx, INSERT_ADDRESS, currency, driver, &made.key, &made.address, memo, now).map(drop)
}

/// Gives an address to a claim; nothing when none is ready.
pub async fn take(tx: &mut Tx, currency: i64, claim: Uuid, now: Timestamp) -> Result<Option<(String, String)>> {
    fetch_optional!(tx, (String, String), TAKE_ADDRESS, currency, claim, now)
}

/// The claim an address was given to.
pub async fn claim_of(tx: &mut Tx, currency: i64, address: &str, memo: &str) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), CLAIM_OF_ADDRESS, currency, address, memo)?.map(|(claim,)| claim))
}

/// Watches a claim from now on.
pub async fn watch(tx: &mut Tx, claim: Uuid) -> Result<()> {
    execute!(tx, WATCH_CLAIM, claim).map(drop)
}

/// Has a claim looked at again, if it is watched.
pub async fn changed(tx: &mut Tx, claim: Uuid) -> Result<()> {
    execute!(tx, CLAIM_CHANGED, claim).map(drop)
}

/// Claims to be looked at.
pub async fn to_look_at(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Uuid>> {
    let mut claims = fetch_all!(tx, (Uuid,), CHANGED_CLAIMS, size)?;
    claims.extend(fetch_all!(tx, (Uuid,), DUE_CLAIMS, now, size)?);
    let mut claims: Vec<_> = claims.into_iter().map(|(claim,)| claim).collect();
    claims.sort_unstable();
    claims.dedup();
    Ok(claims)
}

/// How often a watched claim has changed.
pub async fn watched(tx: &mut Tx, claim: Uuid) -> Result<Option<i64>> {
    Ok(fetch_optional!(tx, (i64,), WATCHED, claim)?.map(|(changed,)| changed))
}

/// Notes that a claim was looked at as it was after so many changes.
pub async fn looked_at(tx: &mut Tx, claim: Uuid, changed: i64, look_after: Option<Timestamp>) -> Result<()> {
    execute!(tx, LOOKED_AT, claim, changed, look_after).map(drop)
}
