//! SQL of promo codes and their redemptions.

use agio_contracts::{BonusCustomer, PromoCodeUse};
use agio_core::error::Constraint;
use agio_core::mailbox::mailbox;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::PromoCodeLimits;

agio_core::statements! {
    PROMO_CODE = "SELECT * FROM promo_code WHERE code = $1";
    PROMO_CODES = "SELECT * FROM promo_code WHERE (created_at, code) < ($1, $2) ORDER BY created_at DESC, code DESC LIMIT $3";
    INSERT_PROMO_CODE = "INSERT INTO promo_code (code, percent_bps, uses_max, per_customer, uses, min_units, min_ticker, starts_at,
            ends_at, note, created_at, created_by, created_name)
        VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (code) DO NOTHING";
    STOP_PROMO_CODE = "UPDATE promo_code SET stopped_at = $2 WHERE code = $1 AND stopped_at IS NULL";
    PROMO_USES_OF = "SELECT COUNT(*) FROM promo_use WHERE code = $1 AND released_at IS NULL
        AND (mailbox = $2 OR customer_id = $3 OR browser = $4 OR payout = $5)";
    PROMO_USES = "SELECT claim_id, claim_number, customer_id, email, redeemed_at, released_at FROM promo_use
        WHERE code = $1 AND (redeemed_at, claim_id) < ($2, $3) ORDER BY redeemed_at DESC, claim_id DESC LIMIT $4";
    /// Counts a use within the code's period and limit. The row stays locked until the transaction ends, which
    /// serializes the per-customer check.
    USE_PROMO_CODE = "UPDATE promo_code SET uses = uses + 1 WHERE code = $1 AND stopped_at IS NULL AND starts_at <= $2
        AND (ends_at IS NULL OR ends_at > $2) AND (uses_max IS NULL OR uses < uses_max)";
    /// Stores the redemption unless the customer has reached the limit.
    INSERT_PROMO_USE = "INSERT INTO promo_use (claim_id, claim_number, code, customer_id, email, mailbox, browser, payout, redeemed_at)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM promo_code WHERE code = $3 AND (per_customer IS NULL OR per_customer >
            (SELECT COUNT(*) FROM promo_use WHERE code = $3 AND released_at IS NULL
                AND (mailbox = $6 OR customer_id = $4 OR browser = $7 OR payout = $8)))";
    PROMO_USES_OF_CUSTOMER = "SELECT claim_id, claim_number, code, redeemed_at, released_at FROM promo_use
        WHERE customer_id = $1 OR (email = $2 AND customer_id IS NULL) ORDER BY redeemed_at DESC, claim_id DESC";
    ERASE_PROMO_USES = "UPDATE promo_use SET email = $3, mailbox = $3
        WHERE customer_id = $1 OR (email = $2 AND customer_id IS NULL)";
    MASK_PROMO_USE = "UPDATE promo_use SET email = $2, mailbox = $2 WHERE claim_id = $1";
    RETURN_PROMO_USE = "UPDATE promo_use SET released_at = $2 WHERE claim_id = $1 AND released_at IS NULL RETURNING code";
    RETURN_PROMO_CODE = "UPDATE promo_code SET uses = uses - 1 WHERE code = $1";
    PROMO_USE_OF_CLAIM = "SELECT code, released_at FROM promo_use WHERE claim_id = $1";
    /// Takes a released use again, unless the customer has reached the limit with other claims.
    TAKE_PROMO_USE_AGAIN = "UPDATE promo_use SET released_at = NULL WHERE claim_id = $1 AND released_at IS NOT NULL AND EXISTS
        (SELECT 1 FROM promo_code WHERE promo_code.code = promo_use.code AND (per_customer IS NULL OR per_customer >
            (SELECT COUNT(*) FROM promo_use other WHERE other.code = promo_use.code AND other.released_at IS NULL
                AND (other.mailbox = promo_use.mailbox OR other.customer_id = promo_use.customer_id
                    OR other.browser = promo_use.browser OR other.payout = promo_use.payout))))";
}

#[derive(Clone, Debug, sqlx::FromRow, Serialize, Deserialize)]
pub struct PromoCodeRow {
    pub code: String,
    pub percent_bps: i64,
    pub uses_max: Option<i64>,
    pub per_customer: Option<i64>,
    pub uses: i64,
    pub min_units: Option<i64>,
    pub min_ticker: Option<String>,
    pub starts_at: Timestamp,
    pub ends_at: Option<Timestamp>,
    pub note: String,
    pub created_at: Timestamp,
    pub created_by: Uuid,
    pub created_name: String,
    pub stopped_at: Option<Timestamp>,
}

impl PromoCodeRow {
    pub fn limits(&self) -> PromoCodeLimits {
        PromoCodeLimits {
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            stopped_at: self.stopped_at,
            uses_max: self.uses_max,
            per_customer: self.per_customer,
        }
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct RedemptionRow {
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub redeemed_at: Timestamp,
    pub released_at: Option<Timestamp>,
}

/// A use of a code by one customer.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct CustomerRedemption {
    pub claim_number: i64,
    pub code: String,
    pub redeemed_at: Timestamp,
    /// When its claim ended without an exchange.
    pub released_at: Option<Timestamp>,
}

/// Uses by an account, and with its address without one.
pub async fn redemptions_of(tx: &mut Tx, account: Uuid, email: Option<&str>) -> Result<Vec<CustomerRedemption>> {
    fetch_all!(tx, CustomerRedemption, PROMO_USES_OF_CUSTOMER, account, email)
}

pub async fn erase_email(tx: &mut Tx, account: Uuid, email: Option<&str>, placeholder: &str) -> Result<()> {
    execute!(tx, ERASE_PROMO_USES, account, email, placeholder).map(drop)
}

/// The customer may then use the code again, unless by the browser or the payout details.
pub async fn mask_email(tx: &mut Tx, claim: Uuid, masked: &str) -> Result<()> {
    execute!(tx, MASK_PROMO_USE, claim, masked).map(drop)
}

pub async fn find(tx: &mut Tx, code: &str) -> Result<Option<PromoCodeRow>> {
    fetch_optional!(tx, PromoCodeRow, PROMO_CODE, code)
}

pub async fn list(tx: &mut Tx, before: (Timestamp, &str), size: i64) -> Result<Vec<PromoCodeRow>> {
    fetch_all!(tx, PromoCodeRow, PROMO_CODES, before.0, before.1, size)
}

/// False if the code exists.
pub async fn insert(tx: &mut Tx, row: &PromoCodeRow) -> Result<bool> {
    let stored = execute!(
        tx,
        INSERT_PROMO_CODE,
        &row.code,
        row.percent_bps,
        row.uses_max,
        row.per_customer,
        row.min_units,
        row.min_ticker.as_deref(),
        row.starts_at,
        row.ends_at,
        &row.note,
        row.created_at,
        row.created_by,
        &row.created_name,
    )?;
    Ok(stored == 1)
}

/// False if already stopped or unknown.
pub async fn stop(tx: &mut Tx, code: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, STOP_PROMO_CODE, code, now)? == 1)
}

/// Uses by a customer, matched by account, mailbox, browser or payout details. Network addresses are shared by too
/// many people.
pub async fn count_redemptions(tx: &mut Tx, code: &str, person: &BonusCustomer<'_>) -> Result<i64> {
    let customer = person.customer.map(|customer| customer.id);
    let email = person.email.or(person.customer.map(|customer| customer.email.as_str()));
    Ok(fetch_one!(tx, (i64,), PROMO_USES_OF, code, email.map(mailbox), customer, person.browser, person.payout)?.0)
}

/// Newest first.
///
/// # Errors
/// 404 `promo_not_found`.
pub async fn redemptions(tx: &mut Tx, code: &str, before: (Timestamp, Uuid), size: i64) -> Result<Vec<RedemptionRow>> {
    fetch_all!(tx, RedemptionRow, PROMO_USES, code, before.0, before.1, size)
}

/// Redeems a code for a claim.
///
/// # Errors
/// 409 `promo_used_up`.
pub async fn redeem(tx: &mut Tx, used: &PromoCodeUse<'_>) -> Result<()> {
    let used_up = |failure: Error| match failure.constraint() {
        Some(Constraint::Condition) => Error::conflict("promo_used_up"),
        _ => failure,
    };
    write_one!(tx, USE_PROMO_CODE, used.code, used.at).map_err(used_up)?;
    let PromoCodeUse { claim, number, code, customer, email, browser, payout, at } = *used;
    write_one!(tx, INSERT_PROMO_USE, claim, number, code, customer, email, mailbox(email), browser, payout, at).map_err(used_up)
}

/// Releases the code of a claim, if any.
pub async fn release(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<()> {
    match fetch_optional!(tx, (String,), RETURN_PROMO_USE, claim, now)? {
        Some((code,)) => execute!(tx, RETURN_PROMO_CODE, code).map(drop),
        None => Ok(()),
    }
}

/// Redeems a released code again, under the conditions of a new use. True as well if the claim still has its use.
pub async fn reclaim(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<bool> {
    let code = match fetch_optional!(tx, (String, Option<Timestamp>), PROMO_USE_OF_CLAIM, claim)? {
        Some((code, Some(_))) => code,
        found => return Ok(found.is_some()),
    };
    if execute!(tx, USE_PROMO_CODE, &code, now)? == 0 {
        return Ok(false);
    }
    if execute!(tx, TAKE_PROMO_USE_AGAIN, claim)? == 1 {
        return Ok(true);
    }
    execute!(tx, RETURN_PROMO_CODE, code)?;
    Ok(false)
}
