//! Promo codes and who uses them.

use agio_core::error::Constraint;
use agio_core::mailbox::mailbox;
use agio_core::needs::{Person, PromoUse};
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::Bounds;

agio_core::statements! {
    PROMO_CODE = "SELECT * FROM promo_code WHERE code = $1";
    PROMO_CODES = "SELECT * FROM promo_code WHERE (created_at, code) < ($1, $2) ORDER BY created_at DESC, code DESC LIMIT $3";
    INSERT_PROMO_CODE = "INSERT INTO promo_code (code, percent_e2, uses_max, per_customer, uses, least_units, least_ticker, starts_at,
            ends_at, note, created_at, created_by, created_name)
        VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (code) DO NOTHING";
    STOP_PROMO_CODE = "UPDATE promo_code SET stopped_at = $2 WHERE code = $1 AND stopped_at IS NULL";
    PROMO_USES_OF = "SELECT COUNT(*) FROM promo_use WHERE code = $1 AND returned_at IS NULL
        AND (mailbox = $2 OR customer_id = $3 OR browser = $4 OR payout = $5)";
    PROMO_USES = "SELECT claim_id, claim_number, customer_id, email, taken_at, returned_at FROM promo_use
        WHERE code = $1 AND (taken_at, claim_id) < ($2, $3) ORDER BY taken_at DESC, claim_id DESC LIMIT $4";
    /// Counts a use within the code's period and limit. The row stays locked to the end of the transaction, so that what follows
    /// counts a customer's uses one after the other.
    USE_PROMO_CODE = "UPDATE promo_code SET uses = uses + 1 WHERE code = $1 AND stopped_at IS NULL AND starts_at <= $2
        AND (ends_at IS NULL OR ends_at > $2) AND (uses_max IS NULL OR uses < uses_max)";
    /// Notes who uses the code, if they have not used it as often as one customer may.
    INSERT_PROMO_USE = "INSERT INTO promo_use (claim_id, claim_number, code, customer_id, email, mailbox, browser, payout, taken_at)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM promo_code WHERE code = $3 AND (per_customer IS NULL OR per_customer >
            (SELECT COUNT(*) FROM promo_use WHERE code = $3 AND returned_at IS NULL
                AND (mailbox = $6 OR customer_id = $4 OR browser = $7 OR payout = $8)))";
    RETURN_PROMO_USE = "UPDATE promo_use SET returned_at = $2 WHERE claim_id = $1 AND returned_at IS NULL RETURNING code";
    RETURN_PROMO_CODE = "UPDATE promo_code SET uses = uses - 1 WHERE code = $1";
    RETURNED_PROMO_USE = "SELECT code FROM promo_use WHERE claim_id = $1 AND returned_at IS NOT NULL";
    /// The claim was made in the code's period, so only its limit counts now.
    USE_PROMO_CODE_AGAIN = "UPDATE promo_code SET uses = uses + 1 WHERE code = $1 AND (uses_max IS NULL OR uses < uses_max)";
    TAKE_PROMO_USE_AGAIN = "UPDATE promo_use SET returned_at = NULL WHERE claim_id = $1 AND returned_at IS NOT NULL";
}

/// A promo code, whole.
#[derive(Clone, Debug, sqlx::FromRow, Serialize, Deserialize)]
pub struct PromoRow {
    pub code: String,
    pub percent_e2: i64,
    pub uses_max: Option<i64>,
    pub per_customer: Option<i64>,
    pub uses: i64,
    pub least_units: Option<i64>,
    pub least_ticker: Option<String>,
    pub starts_at: Timestamp,
    pub ends_at: Option<Timestamp>,
    pub note: String,
    pub created_at: Timestamp,
    pub created_by: Uuid,
    pub created_name: String,
    pub stopped_at: Option<Timestamp>,
}

impl PromoRow {
    /// What bounds its use.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            stopped_at: self.stopped_at,
            uses_max: self.uses_max,
            per_customer: self.per_customer,
        }
    }
}

/// A claim that uses a code.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct UseRow {
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub customer_id: Option<Uuid>,
    pub email: String,
    pub taken_at: Timestamp,
    pub returned_at: Option<Timestamp>,
}

/// A code in its normal form.
pub async fn one(tx: &mut Tx, code: &str) -> Result<Option<PromoRow>> {
    fetch_optional!(tx, PromoRow, PROMO_CODE, code)
}

/// A page of codes, the newest first.
pub async fn newest(tx: &mut Tx, before: (Timestamp, &str), size: i64) -> Result<Vec<PromoRow>> {
    fetch_all!(tx, PromoRow, PROMO_CODES, before.0, before.1, size)
}

/// Stores a new code; false when there is one like it.
pub async fn insert(tx: &mut Tx, row: &PromoRow) -> Result<bool> {
    let stored = execute!(
        tx,
        INSERT_PROMO_CODE,
        &row.code,
        row.percent_e2,
        row.uses_max,
        row.per_customer,
        row.least_units,
        row.least_ticker.as_deref(),
        row.starts_at,
        row.ends_at,
        &row.note,
        row.created_at,
        row.created_by,
        &row.created_name,
    )?;
    Ok(stored == 1)
}

/// Stops a code; false when it is stopped already, or unknown.
pub async fn stop(tx: &mut Tx, code: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, STOP_PROMO_CODE, code, now)? == 1)
}

/// How often a customer uses a code, by whatever they are known by: an account, a mailbox, a browser, where they are paid to. A network address
/// is shared by too many to refuse anybody for.
pub async fn uses_of(tx: &mut Tx, code: &str, person: &Person<'_>) -> Result<i64> {
    let customer = person.customer.map(|customer| customer.id);
    let email = person.email.or(person.customer.map(|customer| customer.email.as_str()));
    Ok(fetch_one!(tx, (i64,), PROMO_USES_OF, code, email.map(mailbox), customer, person.browser, person.payout)?.0)
}

/// A page of the claims that use a code, the newest first.
pub async fn uses(tx: &mut Tx, code: &str, before: (Timestamp, Uuid), size: i64) -> Result<Vec<UseRow>> {
    fetch_all!(tx, UseRow, PROMO_USES, code, before.0, before.1, size)
}

/// Uses a code up for a claim. Nothing is read.
///
/// # Errors
/// 409 `promo_used_up`.
pub async fn take(tx: &mut Tx, used: &PromoUse<'_>) -> Result<()> {
    let refused = |failure: Error| match failure.constraint() {
        Some(Constraint::Condition) => Error::conflict("promo_used_up"),
        _ => failure,
    };
    write_one!(tx, USE_PROMO_CODE, used.code, used.at).map_err(refused)?;
    let PromoUse { claim, number, code, customer, email, browser, payout, at } = *used;
    write_one!(tx, INSERT_PROMO_USE, claim, number, code, customer, email, mailbox(email), browser, payout, at).map_err(refused)
}

/// Gives the code of a claim back, if it uses one.
pub async fn give_back(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<()> {
    match fetch_optional!(tx, (String,), RETURN_PROMO_USE, claim, now)? {
        Some((code,)) => execute!(tx, RETURN_PROMO_CODE, code).map(drop),
        None => Ok(()),
    }
}

/// Takes the code again that a claim gave back; false when none is left.
pub async fn take_again(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    let Some((code,)) = fetch_optional!(tx, (String,), RETURNED_PROMO_USE, claim)? else { return Ok(false) };
    if execute!(tx, USE_PROMO_CODE_AGAIN, code)? == 0 {
        return Ok(false);
    }
    Ok(execute!(tx, TAKE_PROMO_USE_AGAIN, claim)? == 1)
}
