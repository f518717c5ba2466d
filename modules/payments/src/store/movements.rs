//! Incoming payments.

use agio_contracts::DetectedPayment;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::model::{IncomingPayment, PaymentIssue, ScreeningState};

agio_core::statements! {
    /// Stores the current state of a movement. Returns its claim when anything changed, and no row otherwise. One that
    /// is reported with another amount is gone: neither amount is certain.
    PUT_MOVEMENT = "INSERT INTO payment_movement (currency_id, tx_id, output, address, memo, units, confirmations, gone_at, claim_id, booked,
            issue, issue_at, screening, created_at, updated_at, tx_key)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, FALSE, $10, $11, 'none', $12, $12, $13)
        ON CONFLICT (currency_id, tx_key, output) DO UPDATE SET confirmations = excluded.confirmations,
            gone_at = CASE WHEN excluded.gone_at IS NULL AND excluded.units = payment_movement.units THEN NULL
                ELSE COALESCE(payment_movement.gone_at, excluded.gone_at, excluded.updated_at) END,
            issue = CASE WHEN excluded.gone_at IS NULL AND excluded.units = payment_movement.units AND payment_movement.issue = 'gone'
                THEN NULL ELSE payment_movement.issue END,
            updated_at = excluded.updated_at
        WHERE payment_movement.confirmations <> excluded.confirmations
            OR (payment_movement.gone_at IS NULL) <> (excluded.gone_at IS NULL AND excluded.units = payment_movement.units)
        RETURNING claim_id";
    MOVEMENTS_OF_CLAIM = "SELECT * FROM payment_movement WHERE claim_id = $1 ORDER BY id";
    MOVEMENT = "SELECT * FROM payment_movement WHERE id = $1";
    BOOK_MOVEMENT = "UPDATE payment_movement SET booked = TRUE, updated_at = $2 WHERE id = $1";
    HOLD_FOR_MOVEMENT = "UPDATE payment_movement SET screening = 'held', updated_at = $2 WHERE id = $1";
    SCREEN_MOVEMENT = "UPDATE payment_movement SET screening = 'pending', screen_after = $2, updated_at = $2 WHERE id = $1 AND screening = 'none'";
    DATE_MOVEMENT = "UPDATE payment_movement SET created_at = $2, updated_at = $2 WHERE id = $1";
    SET_MOVEMENT_ISSUE = "UPDATE payment_movement SET issue = $2, issue_at = $3, resolved_by = NULL, updated_at = $3 WHERE id = $1";
    TO_SCREEN = "SELECT * FROM payment_movement WHERE screening = 'pending' AND screen_after <= $1 ORDER BY screen_after LIMIT $2";
    SET_SCREENING = "UPDATE payment_movement SET screening = $2, report = $3, screen_after = $4, updated_at = $5 WHERE id = $1 AND screening = 'pending'";
    UNRESOLVED_MOVEMENTS = "SELECT * FROM payment_movement WHERE issue IS NOT NULL AND resolved_by IS NULL ORDER BY issue_at DESC, id DESC LIMIT $1";
    COUNT_ISSUES_SINCE = "SELECT COUNT(*) FROM payment_movement WHERE issue IS NOT NULL AND resolved_by IS NULL AND issue_at > $1";
    ATTACH_MOVEMENT = "UPDATE payment_movement SET claim_id = $2, issue = NULL, issue_at = NULL, updated_at = $3
        WHERE id = $1 AND claim_id IS NULL AND gone_at IS NULL";
    RESOLVE_MOVEMENT = "UPDATE payment_movement SET resolved_by = $2, updated_at = $3 WHERE id = $1 AND issue IS NOT NULL AND resolved_by IS NULL";
    /// Booked payments of a claim that the network no longer has: all, those without an issue yet, and those not
    /// resolved.
    VANISHED_OF_CLAIM = "SELECT COUNT(*), COUNT(CASE WHEN issue IS NULL THEN 1 END), COUNT(CASE WHEN resolved_by IS NULL THEN 1 END)
        FROM payment_movement WHERE claim_id = $1 AND booked AND gone_at IS NOT NULL";
    /// Unbooked payments of a claim on a network that is still watched, the oldest first.
    DETECTED_OF_CLAIM = "SELECT movement.units, movement.created_at
        FROM payment_movement movement JOIN payment_route route ON route.currency_id = movement.currency_id
        WHERE movement.claim_id = $1 AND NOT movement.booked AND movement.gone_at IS NULL AND movement.units > 0
            AND movement.units >= route.dust
        ORDER BY movement.created_at, movement.id";
    /// The fewest confirmations among a claim's payments, and the number required.
    CONFIRMATIONS = "SELECT MIN(movement.confirmations), MAX(route.confirmations)
        FROM payment_movement movement JOIN payment_route route ON route.currency_id = movement.currency_id
        WHERE movement.claim_id = $1 AND movement.gone_at IS NULL AND movement.units >= route.dust";
}

/// An incoming payment.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct MovementRecord {
    pub id: i64,
    pub currency_id: i64,
    pub tx_id: String,
    /// The output of the transaction.
    pub output: i64,
    /// The address it came to.
    pub address: String,
    /// The memo it came with; empty for none.
    pub memo: String,
    /// The amount, in units.
    pub units: i64,
    pub confirmations: i64,
    /// When it disappeared.
    pub gone_at: Option<Timestamp>,
    pub claim_id: Option<Uuid>,
    pub booked: bool,
    /// Its issue for staff.
    pub issue: Option<PaymentIssue>,
    pub screening: ScreeningState,
    /// When it was first detected, or found to be unconfirmed for too long.
    pub created_at: Timestamp,
}

impl MovementRecord {
    pub fn incoming(&self) -> IncomingPayment {
        IncomingPayment {
            id: self.id,
            tx_id: self.tx_id.clone(),
            units: self.units,
            seen_at: self.created_at,
            confirmations: self.confirmations,
            gone_at: self.gone_at,
            booked: self.booked,
            screening: self.screening,
            is_reported: self.issue.is_some(),
        }
    }
}

/// Booked payments of a claim that have disappeared from the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VanishedPayments {
    all: i64,
    /// Those without an issue yet.
    unreported: i64,
    /// Those without a resolved issue.
    unresolved: i64,
}

impl VanishedPayments {
    pub const fn is_any(self) -> bool {
        self.all > 0
    }

    pub const fn has_unreported(self) -> bool {
        self.unreported > 0
    }

    pub const fn is_open(self) -> bool {
        self.unresolved > 0
    }
}

/// A movement as a driver reported it.
#[derive(Clone, Debug)]
pub struct ReportedMovement {
    pub currency: i64,
    pub tx_id: String,
    /// The transaction id in the form its network compares.
    pub tx_key: String,
    /// The output of the transaction.
    pub output: i64,
    pub address: String,
    /// The memo; empty for none.
    pub memo: String,
    /// The amount, in units.
    pub units: i64,
    pub confirmations: i64,
    /// Whether it has disappeared.
    pub gone: bool,
    /// The claim with this address.
    pub claim: Option<Uuid>,
}

/// Stores a reported movement. `None` when nothing changed; otherwise the claim it is for, if any.
pub async fn put(tx: &mut Tx, reported: &ReportedMovement, now: Timestamp) -> Result<Option<Option<Uuid>>> {
    let ReportedMovement { currency, tx_id, tx_key, output, address, memo, units, confirmations, gone, claim } = reported;
    let issue = claim.is_none().then_some(PaymentIssue::Unclaimed);
    let found = fetch_optional!(
        tx,
        (Option<Uuid>,),
        PUT_MOVEMENT,
        currency,
        tx_id,
        output,
        address,
        memo,
        units,
        confirmations,
        gone.then_some(now),
        claim,
        issue,
        issue.map(|_| now),
        now,
        tx_key
    )?;
    Ok(found.map(|(claim,)| claim))
}

/// The movements of a claim, the oldest first.
pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Vec<MovementRecord>> {
    fetch_all!(tx, MovementRecord, MOVEMENTS_OF_CLAIM, claim)
}

pub async fn one(tx: &mut Tx, id: i64) -> Result<Option<MovementRecord>> {
    fetch_optional!(tx, MovementRecord, MOVEMENT, id)
}

pub async fn mark_booked(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    execute!(tx, BOOK_MOVEMENT, id, now).map(drop)
}

/// Makes it one that was detected now.
pub async fn date(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    execute!(tx, DATE_MOVEMENT, id, now).map(drop)
}

/// Records that its claim is on hold for it.
pub async fn mark_held(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    execute!(tx, HOLD_FOR_MOVEMENT, id, now).map(drop)
}

pub async fn request_screening(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    execute!(tx, SCREEN_MOVEMENT, id, now).map(drop)
}

pub async fn set_issue(tx: &mut Tx, id: i64, issue: PaymentIssue, now: Timestamp) -> Result<()> {
    execute!(tx, SET_MOVEMENT_ISSUE, id, issue, now).map(drop)
}

pub async fn to_screen(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<MovementRecord>> {
    fetch_all!(tx, MovementRecord, TO_SCREEN, now, size)
}

/// Records the result of the screening or, while that is pending, when to ask again.
pub async fn set_screening(
    tx: &mut Tx,
    id: i64,
    state: ScreeningState,
    report: Option<&str>,
    again: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    execute!(tx, SET_SCREENING, id, state, report, again, now).map(drop)
}

/// Movements with issues, the newest first.
pub async fn list_unresolved(tx: &mut Tx, size: i64) -> Result<Vec<MovementRecord>> {
    fetch_all!(tx, MovementRecord, UNRESOLVED_MOVEMENTS, size)
}

/// The number of issues since a time.
pub async fn count_issues_since(tx: &mut Tx, since: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_ISSUES_SINCE, since)?.0)
}

/// Attaches it to a claim; false when it has one, or has disappeared.
pub async fn attach(tx: &mut Tx, id: i64, claim: Uuid, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, ATTACH_MOVEMENT, id, claim, now)? == 1)
}

/// Resolves its issue; false when it has none.
pub async fn resolve(tx: &mut Tx, id: i64, by: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, RESOLVE_MOVEMENT, id, by, now)? == 1)
}

/// Booked payments of a claim that have disappeared.
pub async fn vanished(tx: &mut Tx, claim: Uuid) -> Result<VanishedPayments> {
    let (all, unreported, unresolved) = fetch_one!(tx, (i64, i64, i64), VANISHED_OF_CLAIM, claim)?;
    Ok(VanishedPayments { all, unreported, unresolved })
}

/// When unbooked payments of a claim were detected; `due` is the missing amount.
pub async fn detected(tx: &mut Tx, claim: Uuid, due: i64) -> Result<Option<DetectedPayment>> {
    let rows = fetch_all!(tx, (i64, Timestamp), DETECTED_OF_CLAIM, claim)?;
    let (Some((_, first)), Some((_, last))) = (rows.first(), rows.last()) else { return Ok(None) };
    let mut sum = 0_i64;
    let enough = rows.iter().find(|(units, _)| {
        sum = sum.saturating_add(*units);
        sum >= due
    });
    Ok(Some(DetectedPayment { first: *first, whole: enough.map_or(*last, |(_, at)| *at) }))
}

/// The fewest confirmations among a claim's payments, and the number required.
pub async fn confirmations(tx: &mut Tx, claim: Uuid) -> Result<Option<(i64, i64)>> {
    let (fewest, required) = fetch_one!(tx, (Option<i64>, Option<i64>), CONFIRMATIONS, claim)?;
    Ok(fewest.zip(required))
}
