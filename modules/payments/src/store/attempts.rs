//! Attempts to send money.

use std::collections::HashSet;

use agio_contracts::PaymentDestination;
use agio_core::{Error, Result, Timestamp, Tx, Vault, execute, fetch_all, fetch_one, fetch_optional};
use agio_plugin_sdk::protocol::PayoutRequest;
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::model::{PaymentAttemptKind, PaymentAttemptState};

agio_core::statements! {
    INSERT_ATTEMPT = "INSERT INTO payment_attempt (id, claim_id, claim_number, kind, currency_id, driver, address, memo, units, state,
            confirmations, day, driver_calls, next_call_at, staff_id, staff_name, staff_role, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', 0, $10, 0, $11, $12, $13, $14, $11, $11)";
    ATTEMPT = "SELECT * FROM payment_attempt WHERE id = $1";
    ATTEMPTS_OF_CLAIM = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1";
    FAILED_PAYOUTS = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1 AND kind = 'payout' AND state = 'never_sent'";
    /// Queued ones only while payouts are open ($2).
    DUE_ATTEMPTS = "SELECT * FROM payment_attempt WHERE state IN ('queued', 'sending', 'sent', 'unknown') AND next_call_at <= $1
        AND (state <> 'queued' OR $2) ORDER BY next_call_at LIMIT $3";
    /// Attempts of a driver ($1) whose outcome it can report. A request that may still be under way ($2) has none yet; the
    /// first condition is that of the index.
    REPORTABLE_ATTEMPTS = "SELECT * FROM payment_attempt WHERE state IN ('queued', 'sending', 'sent', 'unknown') AND driver = $1
        AND (state = 'sent' OR (state = 'unknown' AND requested_at <= $2)) ORDER BY next_call_at LIMIT $3";
    /// Marks an attempt as being sent. Only the node that changes the row sends.
    BEGIN_ATTEMPT = "UPDATE payment_attempt SET state = 'sending', driver_calls = driver_calls + 1, requested_at = $2, next_call_at = $3, updated_at = $2
        WHERE id = $1 AND state = 'queued'";
    /// Records its state, if it has not changed since it was read.
    UPDATE_ATTEMPT = "UPDATE payment_attempt SET state = $3, tx_id = COALESCE($4, tx_id), confirmations = $5, fee = COALESCE($6, fee), fault = $7,
            next_call_at = $8, driver_calls = driver_calls + 1, updated_at = $9
        WHERE id = $1 AND state = $2";
    BOOK_ATTEMPT = "UPDATE payment_attempt SET booked_at = $2 WHERE id = $1 AND booked_at IS NULL";
    CANCEL_QUEUED = "UPDATE payment_attempt SET state = 'cancelled', updated_at = $2 WHERE claim_id = $1 AND state = 'queued'
        RETURNING currency_id, day, CASE WHEN kind = 'payout' OR staff_id IS NULL THEN units ELSE 0 END";
    OPEN_REFUNDS = "SELECT COUNT(*) FROM payment_attempt
        WHERE claim_id = $1 AND kind = 'refund' AND state IN ('queued', 'sending', 'sent', 'unknown', 'confirmed')";
    TRIED_REFUNDS = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1 AND kind = 'refund' AND state <> 'cancelled'";
    COUNT_UNDER_WAY = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1 AND state IN ('sending', 'unknown')";
    MAY_HAVE_LEFT = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1 AND state IN ('sending', 'unknown', 'sent', 'confirmed')";
    /// Unsettled attempts. The first condition is that of the index.
    UNSETTLED_ATTEMPTS = "SELECT * FROM payment_attempt WHERE state IN ('queued', 'sending', 'sent', 'unknown') AND state <> 'sent'
        ORDER BY next_call_at LIMIT $1";
    /// Attempts that did not leave or came back. The first condition is that of the index.
    FAILED_ATTEMPTS = "SELECT * FROM payment_attempt WHERE state IN ('unknown', 'never_sent', 'returned') AND state <> 'unknown'
        ORDER BY updated_at DESC LIMIT $1";
    NEWEST_ATTEMPTS = "SELECT * FROM payment_attempt ORDER BY created_at DESC, id LIMIT $1";
    /// The number of attempts since a time that need staff: unresolved after several calls, or returned.
    COUNT_UNSETTLED_SINCE = "SELECT COUNT(*) FROM payment_attempt WHERE state IN ('unknown', 'never_sent', 'returned') AND updated_at > $1
        AND (state = 'returned' OR (state = 'unknown' AND driver_calls > 2))";
}

/// An attempt to send money.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Attempt {
    /// The idempotency key for the driver.
    pub id: String,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub kind: PaymentAttemptKind,
    pub currency_id: i64,
    pub driver: String,
    /// The encrypted address.
    pub address: String,
    /// The encrypted memo or tag.
    pub memo: Option<String>,
    /// The amount, in units.
    pub units: i64,
    pub state: PaymentAttemptState,
    pub tx_id: Option<String>,
    pub confirmations: i64,
    /// The network fee.
    pub fee: Option<String>,
    /// The last error.
    pub fault: Option<String>,
    /// The day whose limit it counts against.
    pub day: i64,
    /// How often the driver was called.
    pub driver_calls: i64,
    /// When the driver was told to send.
    pub requested_at: Option<Timestamp>,
    pub next_call_at: Timestamp,
    /// The staff member who sent it, if any.
    pub staff_id: Option<Uuid>,
    pub staff_name: Option<String>,
    pub staff_role: Option<String>,
    pub created_at: Timestamp,
    pub booked_at: Option<Timestamp>,
}

impl Attempt {
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn destination(&self, vault: &Vault) -> Result<PaymentDestination> {
        let opened = |what, sealed: &str| {
            let unreadable = |why| Error::conflict("claim_unreadable").with("number", self.claim_number).caused_by(why);
            vault.open_text(&purpose(&self.id, what), sealed).map_err(unreadable)
        };
        let memo = self.memo.as_deref().map(|memo| opened(MEMO, memo)).transpose()?;
        Ok(PaymentDestination { address: opened(ADDRESS, &self.address)?, memo })
    }

    /// Whether it counts against the limits of its route: all that no staff member decided on, and every payout.
    pub fn is_limited(&self) -> bool {
        self.kind == PaymentAttemptKind::Payout || self.staff_id.is_none()
    }

    pub fn payout_request(&self, to: PaymentDestination, code: &str, amount: Decimal) -> PayoutRequest {
        PayoutRequest { key: self.id.clone(), currency: code.to_owned(), address: to.address, memo: to.memo, amount }
    }
}

/// The encrypted destination of an attempt: address and memo.
pub fn seal(vault: &Vault, attempt: &str, to: &PaymentDestination) -> (String, Option<String>) {
    let sealed = |what, text: &str| vault.seal(&purpose(attempt, what), text.as_bytes());
    (sealed(ADDRESS, &to.address), to.memo.as_deref().map(|memo| sealed(MEMO, memo)))
}

pub const ADDRESS: &str = "address";
pub const MEMO: &str = "memo";

pub fn purpose(attempt: &str, what: &str) -> String {
    format!("payment {what} {attempt}")
}

/// The new state of an attempt.
#[derive(Clone, Debug)]
pub struct AttemptUpdate<'a> {
    pub state: PaymentAttemptState,
    pub tx_id: Option<&'a str>,
    pub confirmations: i64,
    pub fee: Option<&'a str>,
    pub fault: Option<&'a str>,
    pub next_call_at: Timestamp,
}

/// Stores an attempt, before the driver is called.
pub async fn insert(tx: &mut Tx, attempt: &Attempt) -> Result<()> {
    let Attempt { id, claim_id, claim_number, kind, currency_id, driver, address, memo, units, day, .. } = attempt;
    let Attempt { staff_id, staff_name, staff_role, created_at, .. } = attempt;
    let (memo, staff_name, staff_role) = (memo.as_deref(), staff_name.as_deref(), staff_role.as_deref());
    execute!(
        tx,
        INSERT_ATTEMPT,
        id,
        claim_id,
        claim_number,
        kind,
        currency_id,
        driver,
        address,
        memo,
        units,
        day,
        created_at,
        staff_id,
        staff_name,
        staff_role
    )
    .map(drop)
}

pub async fn one(tx: &mut Tx, id: &str) -> Result<Option<Attempt>> {
    fetch_optional!(tx, Attempt, ATTEMPT, id)
}

pub async fn count(tx: &mut Tx, claim: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), ATTEMPTS_OF_CLAIM, claim)?.0)
}

/// Whether a refund of a claim was requested and may leave, or has left.
pub async fn is_refunding(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), OPEN_REFUNDS, claim)?.0 > 0)
}

/// Whether a refund of a claim was attempted, whatever became of it.
pub async fn was_refund_tried(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), TRIED_REFUNDS, claim)?.0 > 0)
}

/// The number of payout attempts of a claim that never left.
pub async fn count_failed_payouts(tx: &mut Tx, claim: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), FAILED_PAYOUTS, claim)?.0)
}

pub async fn due(tx: &mut Tx, now: Timestamp, closed: bool, size: i64) -> Result<Vec<Attempt>> {
    fetch_all!(tx, Attempt, DUE_ATTEMPTS, now, !closed, size)
}

/// The attempts of a driver whose outcome it can report, of requests made until a time.
pub async fn reportable(tx: &mut Tx, driver: &str, until: Timestamp, size: i64) -> Result<Vec<Attempt>> {
    fetch_all!(tx, Attempt, REPORTABLE_ATTEMPTS, driver, until, size)
}

/// Marks an attempt as being sent; false when another node has started it, or it was cancelled.
pub async fn begin(tx: &mut Tx, id: &str, settle_after: Timestamp, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, BEGIN_ATTEMPT, id, now, settle_after)? == 1)
}

/// Records the state of an attempt; false when it has changed since it was read.
pub async fn advance(tx: &mut Tx, attempt: &Attempt, to: &AttemptUpdate<'_>, now: Timestamp) -> Result<bool> {
    let AttemptUpdate { state, tx_id, confirmations, fee, fault, next_call_at } = to;
    let updated =
        execute!(tx, UPDATE_ATTEMPT, &attempt.id, attempt.state, state, tx_id, confirmations, fee, fault, next_call_at, now)?;
    Ok(updated == 1)
}

pub async fn mark_booked(tx: &mut Tx, id: &str, now: Timestamp) -> Result<()> {
    execute!(tx, BOOK_ATTEMPT, id, now).map(drop)
}

/// Cancels queued attempts: currency and day of each, and the units it counts against the limits.
pub async fn cancel_queued(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<Vec<(i64, i64, i64)>> {
    fetch_all!(tx, (i64, i64, i64), CANCEL_QUEUED, claim, now)
}

/// Whether money of a claim may be leaving at this moment.
pub async fn is_under_way(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), COUNT_UNDER_WAY, claim)?.0 > 0)
}

/// Whether money of a claim has left, or may have.
pub async fn may_have_left(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), MAY_HAVE_LEFT, claim)?.0 > 0)
}

/// Attempts for staff: unsettled, then failed, then the newest; at most so many of each.
pub async fn list(tx: &mut Tx, size: i64) -> Result<Vec<Attempt>> {
    let mut attempts = fetch_all!(tx, Attempt, UNSETTLED_ATTEMPTS, size)?;
    attempts.extend(fetch_all!(tx, Attempt, FAILED_ATTEMPTS, size)?);
    attempts.extend(fetch_all!(tx, Attempt, NEWEST_ATTEMPTS, size)?);
    let mut known = HashSet::new();
    attempts.retain(|attempt| known.insert(attempt.id.clone()));
    Ok(attempts)
}

/// The number of attempts since a time that need staff.
pub async fn count_unsettled_since(tx: &mut Tx, since: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_UNSETTLED_SINCE, since)?.0)
}
