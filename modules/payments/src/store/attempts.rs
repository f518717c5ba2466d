//! Tries to send money.

use std::collections::HashSet;

use agio_core::needs::PayTo;
use agio_core::{Error, Result, Timestamp, Tx, Vault, execute, fetch_all, fetch_one, fetch_optional};
use agio_plugin::protocol::Payout;
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::model::{AttemptKind, AttemptState};

agio_core::statements! {
    INSERT_ATTEMPT = "INSERT INTO payment_attempt (id, claim_id, claim_number, kind, currency_id, driver, address, memo, units, state,
            confirmations, day, asks, ask_after, staff_id, staff_name, staff_role, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', 0, $10, 0, $11, $12, $13, $14, $11, $11)";
    ATTEMPT = "SELECT * FROM payment_attempt WHERE id = $1";
    ATTEMPTS_OF_CLAIM = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1";
    FAILED_PAYOUTS = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1 AND kind = 'payout' AND state = 'never_sent'";
    DUE_ATTEMPTS = "SELECT * FROM payment_attempt WHERE state IN ('queued', 'sending', 'sent', 'unknown') AND ask_after <= $1
        ORDER BY ask_after LIMIT $2";
    /// Begins to ask the driver. Whoever changes the row first asks.
    BEGIN_ATTEMPT = "UPDATE payment_attempt SET state = 'sending', asks = asks + 1, asked_at = $2, ask_after = $3, updated_at = $2
        WHERE id = $1 AND state = 'queued'";
    /// Notes how it stands, if it stands as it did.
    MOVE_ATTEMPT = "UPDATE payment_attempt SET state = $3, tx_id = COALESCE($4, tx_id), confirmations = $5, fee = COALESCE($6, fee), fault = $7,
            ask_after = $8, asks = asks + 1, updated_at = $9
        WHERE id = $1 AND state = $2";
    BOOK_ATTEMPT = "UPDATE payment_attempt SET booked_at = $2 WHERE id = $1 AND booked_at IS NULL";
    CANCEL_QUEUED = "UPDATE payment_attempt SET state = 'cancelled', updated_at = $2 WHERE claim_id = $1 AND state = 'queued'
        RETURNING currency_id, kind, day, units";
    OPEN_REFUNDS = "SELECT COUNT(*) FROM payment_attempt
        WHERE claim_id = $1 AND kind = 'refund' AND state IN ('queued', 'sending', 'sent', 'unknown', 'confirmed')";
    OPEN_QUESTIONS = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1 AND state IN ('sending', 'unknown')";
    MAY_HAVE_LEFT = "SELECT COUNT(*) FROM payment_attempt WHERE claim_id = $1 AND state IN ('sending', 'unknown', 'sent', 'confirmed')";
    /// What is not settled. The first condition is that of the index.
    UNSETTLED_ATTEMPTS = "SELECT * FROM payment_attempt WHERE state IN ('queued', 'sending', 'sent', 'unknown') AND state <> 'sent'
        ORDER BY ask_after LIMIT $1";
    /// What did not leave or came back. The first condition is that of the index.
    FAILED_ATTEMPTS = "SELECT * FROM payment_attempt WHERE state IN ('unknown', 'never_sent', 'returned') AND state <> 'unknown'
        ORDER BY updated_at DESC LIMIT $1";
    NEWEST_ATTEMPTS = "SELECT * FROM payment_attempt ORDER BY created_at DESC, id LIMIT $1";
    /// Tries whose destination former versions stored in the open.
    OPEN_ATTEMPTS = "SELECT id, address, memo FROM payment_attempt WHERE id > $1 AND address NOT LIKE 'x1.%' ORDER BY id LIMIT $2";
    SEAL_ATTEMPT = "UPDATE payment_attempt SET address = $2, memo = $3 WHERE id = $1";
    /// How many tries nobody could settle since a moment: the driver was asked again and again, or the money came back.
    TROUBLED_ATTEMPTS_SINCE = "SELECT COUNT(*) FROM payment_attempt WHERE state IN ('unknown', 'never_sent', 'returned') AND updated_at > $1
        AND (state = 'returned' OR (state = 'unknown' AND asks > 2))";
}

/// A try to send money.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Attempt {
    /// What the driver knows it by.
    pub id: String,
    /// The claim.
    pub claim_id: Uuid,
    /// Its number for talk.
    pub claim_number: i64,
    /// What the money is sent for.
    pub kind: AttemptKind,
    /// The currency.
    pub currency_id: i64,
    /// The driver.
    pub driver: String,
    /// Where to, sealed.
    pub address: String,
    /// The memo or tag, sealed.
    pub memo: Option<String>,
    /// How much, in units.
    pub units: i64,
    /// Where it stands.
    pub state: AttemptState,
    /// The transaction.
    pub tx_id: Option<String>,
    /// Blocks on top of it.
    pub confirmations: i64,
    /// What the network took.
    pub fee: Option<String>,
    /// What was wrong last.
    pub fault: Option<String>,
    /// The day whose limit it counts against.
    pub day: i64,
    /// How often the driver was asked.
    pub asks: i64,
    /// When it was asked to send.
    pub asked_at: Option<Timestamp>,
    /// When it is asked next.
    pub ask_after: Timestamp,
    /// Who let it go, where it was staff.
    pub staff_id: Option<Uuid>,
    /// Their name.
    pub staff_name: Option<String>,
    /// Their role.
    pub staff_role: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the books were told that it left.
    pub booked_at: Option<Timestamp>,
}

impl Attempt {
    /// Where it goes.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn pay_to(&self, vault: &Vault) -> Result<PayTo> {
        let opened = |what, sealed: &str| {
            let unreadable = |why| Error::conflict("claim_unreadable").with("number", self.claim_number).caused_by(why);
            vault.open_text(&purpose(&self.id, what), sealed).map_err(unreadable)
        };
        let memo = self.memo.as_deref().map(|memo| opened(MEMO, memo)).transpose()?;
        Ok(PayTo { address: opened(ADDRESS, &self.address)?, memo })
    }

    /// The same for the driver.
    #[must_use]
    pub fn payout(&self, to: PayTo, code: &str, amount: Decimal) -> Payout {
        Payout { key: self.id.clone(), currency: code.to_owned(), address: to.address, memo: to.memo, amount }
    }
}

/// Where a try goes, sealed: the address and the memo.
#[must_use]
pub fn sealed(vault: &Vault, attempt: &str, to: &PayTo) -> (String, Option<String>) {
    let sealed = |what, text: &str| vault.seal(&purpose(attempt, what), text.as_bytes());
    (sealed(ADDRESS, &to.address), to.memo.as_deref().map(|memo| sealed(MEMO, memo)))
}

const ADDRESS: &str = "address";
const MEMO: &str = "memo";

fn purpose(attempt: &str, what: &str) -> String {
    format!("payment {what} {attempt}")
}

/// How a try stands now.
#[derive(Clone, Debug)]
pub struct Standing<'a> {
    /// The state.
    pub state: AttemptState,
    /// The transaction.
    pub tx_id: Option<&'a str>,
    /// Blocks on top of it.
    pub confirmations: i64,
    /// What the network took.
    pub fee: Option<&'a str>,
    /// What was wrong.
    pub fault: Option<&'a str>,
    /// When the driver is asked next.
    pub ask_after: Timestamp,
}

/// Writes a try down, before anybody is asked.
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

/// A try.
pub async fn one(tx: &mut Tx, id: &str) -> Result<Option<Attempt>> {
    fetch_optional!(tx, Attempt, ATTEMPT, id)
}

/// How many tries a claim has.
pub async fn count(tx: &mut Tx, claim: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), ATTEMPTS_OF_CLAIM, claim)?.0)
}

/// Whether the refund of a claim was asked for and may leave, or has left.
pub async fn is_refunding(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), OPEN_REFUNDS, claim)?.0 > 0)
}

/// How many payouts of a claim never left.
pub async fn failed(tx: &mut Tx, claim: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), FAILED_PAYOUTS, claim)?.0)
}

/// Tries whose driver is to be asked now.
pub async fn due(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Attempt>> {
    fetch_all!(tx, Attempt, DUE_ATTEMPTS, now, size)
}

/// Begins to ask the driver to send; false when somebody else does, or the try was cancelled.
pub async fn begin(tx: &mut Tx, id: &str, settle_after: Timestamp, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, BEGIN_ATTEMPT, id, now, settle_after)? == 1)
}

/// Notes how a try stands; false when it does not stand any more as it was read.
pub async fn advance(tx: &mut Tx, attempt: &Attempt, to: &Standing<'_>, now: Timestamp) -> Result<bool> {
    let Standing { state, tx_id, confirmations, fee, fault, ask_after } = to;
    let moved = execute!(tx, MOVE_ATTEMPT, &attempt.id, attempt.state, state, tx_id, confirmations, fee, fault, ask_after, now)?;
    Ok(moved == 1)
}

/// Notes that the books know that a try left.
pub async fn book(tx: &mut Tx, id: &str, now: Timestamp) -> Result<()> {
    execute!(tx, BOOK_ATTEMPT, id, now).map(drop)
}

/// Cancels what was not asked for yet: currency, kind, day and units of each.
pub async fn cancel_queued(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<Vec<(i64, AttemptKind, i64, i64)>> {
    fetch_all!(tx, (i64, AttemptKind, i64, i64), CANCEL_QUEUED, claim, now)
}

/// Whether money of a claim may be leaving at this moment.
pub async fn is_under_way(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), OPEN_QUESTIONS, claim)?.0 > 0)
}

/// Whether money of a claim has left or may have.
pub async fn may_have_left(tx: &mut Tx, claim: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), MAY_HAVE_LEFT, claim)?.0 > 0)
}

/// Tries as staff look at them: what is not settled, then what failed, then the newest; so many of each at most.
pub async fn shown(tx: &mut Tx, size: i64) -> Result<Vec<Attempt>> {
    let mut shown = fetch_all!(tx, Attempt, UNSETTLED_ATTEMPTS, size)?;
    shown.extend(fetch_all!(tx, Attempt, FAILED_ATTEMPTS, size)?);
    shown.extend(fetch_all!(tx, Attempt, NEWEST_ATTEMPTS, size)?);
    let mut known = HashSet::new();
    shown.retain(|attempt| known.insert(attempt.id.clone()));
    Ok(shown)
}

/// How many tries since a moment nobody could settle.
pub async fn unsettled_since(tx: &mut Tx, since: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), TROUBLED_ATTEMPTS_SINCE, since)?.0)
}

/// Tries behind one whose destination stands in the open.
pub async fn open(tx: &mut Tx, after: &str, size: i64) -> Result<Vec<(String, String, Option<String>)>> {
    fetch_all!(tx, (String, String, Option<String>), OPEN_ATTEMPTS, after, size)
}

/// Stores where a try goes, sealed.
pub async fn seal(tx: &mut Tx, id: &str, (address, memo): (String, Option<String>)) -> Result<()> {
    execute!(tx, SEAL_ATTEMPT, id, address, memo).map(drop)
}
