//! The history of claims.

use agio_core::{Result, Timestamp, Tx, fetch_all, fetch_one, fetch_optional, write_one};
use agio_ledger::LedgerTransferRow;
use uuid::Uuid;

use crate::model::{Actor, ClaimState};
use crate::rules::Claim;
use crate::rules::payout_parts::PayoutEvent;
use crate::rules::step_times::EnteredState;

agio_core::statements! {
    INSERT_EVENT = "INSERT INTO claim_event
        (claim_number, at, actor, actor_id, actor_name, action, from_state, to_state, revision, reason, note, batch_id,
            tx_id, paid_out_units)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    EVENTS = "SELECT at, actor, actor_name, action, from_state, to_state, reason, note
        FROM claim_event WHERE claim_number = $1 ORDER BY id";
    /// The states of the completed claims of a direction, the newest claims alone, in their order.
    STATES_OF_DIRECTION = "SELECT claim_number, at, to_state FROM claim_event WHERE claim_number IN (
            SELECT public_id FROM claim WHERE give_id = $1 AND receive_id = $2 AND state = 'completed'
            ORDER BY public_id DESC LIMIT $3)
        ORDER BY claim_number, id";
    STATES_OF_CLAIM = "SELECT claim_number, at, to_state FROM claim_event WHERE claim_number = $1 ORDER BY id";
    PAYOUT_EVENTS = "SELECT at, action, tx_id, paid_out_units FROM claim_event WHERE claim_number = $1
        AND (paid_out_units IS NOT NULL OR action IN ('payout_sent', 'payout_failed', 'payout_returned')) ORDER BY id";
    /// Why the claim is refunded: neither a transfer that came back nor a new destination is a reason for that.
    REFUND_REASON = "SELECT reason FROM claim_event WHERE claim_number = $1 AND to_state = 'refund_pending'
        AND from_state NOT IN ('refund_pending', 'refund_sent') ORDER BY id DESC LIMIT 1";
    /// What staff said of money that had left the exchange, or of where it goes.
    RESTS_ON_STAFF = "SELECT COUNT(*) FROM claim_event WHERE claim_number = $1 AND actor = 'operator'
        AND action IN ('payout_partial', 'payout_returned', 'refund_bounced', 'refund_destination')";
    /// The ledger entries of a claim's events.
    BOOKED = "SELECT moved.batch_id, moved.seq, moved.currency_id, moved.debit, moved.credit,
            moved.amount, moved.reason, moved.created_at
        FROM claim_event event JOIN ledger_transfer moved ON moved.batch_id = event.batch_id
        WHERE event.claim_number = $1 ORDER BY event.id, moved.seq";
}

/// An event of a claim to store.
#[derive(Clone, Debug)]
pub struct NewClaimEvent<'a> {
    /// The claim's number. Numbers grow, so events of the same time are stored close together.
    pub claim: i64,
    pub at: Timestamp,
    pub actor: Actor,
    /// The member of staff.
    pub staff: Option<(Uuid, &'a str)>,
    /// The name of a transition action, or of another event, such as `note` or `receipt`.
    pub action: &'a str,
    /// The state before; `None` for a new claim.
    pub from: Option<ClaimState>,
    /// The state after.
    pub to: Option<ClaimState>,
    pub revision: i64,
    pub reason: Option<&'a str>,
    pub note: Option<&'a str>,
    /// The ledger batch that went with it.
    pub batch: Option<Uuid>,
    /// The transaction of a payout.
    pub payout_tx: Option<&'a str>,
    /// What of the payout has arrived, in units; of the events that say it.
    pub paid_out: Option<i64>,
}

impl<'a> NewClaimEvent<'a> {
    /// An event that changes no state.
    pub fn of(claim: &Claim, at: Timestamp, actor: Actor, action: &'a str) -> Self {
        Self {
            claim: claim.public_id,
            at,
            actor,
            staff: None,
            action,
            from: Some(claim.state),
            to: Some(claim.state),
            revision: claim.revision,
            reason: None,
            note: None,
            batch: None,
            payout_tx: None,
            paid_out: None,
        }
    }
}

/// A stored event of a claim.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ClaimEvent {
    pub at: Timestamp,
    pub actor: Actor,
    /// The name of the member of staff.
    pub actor_name: Option<String>,
    pub action: String,
    /// The state before.
    pub from_state: Option<ClaimState>,
    /// The state after.
    pub to_state: Option<ClaimState>,
    pub reason: Option<String>,
    pub note: Option<String>,
}

pub async fn insert(tx: &mut Tx, event: &NewClaimEvent<'_>) -> Result<()> {
    let (staff, name) = event.staff.unzip();
    write_one!(
        tx,
        INSERT_EVENT,
        event.claim,
        event.at,
        event.actor,
        staff,
        name,
        event.action,
        event.from,
        event.to,
        event.revision,
        event.reason,
        event.note,
        event.batch,
        event.payout_tx,
        event.paid_out,
    )
}

/// The events of the claim with this number, the oldest first.
pub async fn of_claim(tx: &mut Tx, claim: i64) -> Result<Vec<ClaimEvent>> {
    fetch_all!(tx, ClaimEvent, EVENTS, claim)
}

/// The events that tell the transfers of a claim's payout, the oldest first.
pub async fn payout_events(tx: &mut Tx, claim: i64) -> Result<Vec<PayoutEvent>> {
    fetch_all!(tx, PayoutEvent, PAYOUT_EVENTS, claim)
}

/// The reason for which the claim with this number is refunded; a surplus has none.
pub async fn refund_reason(tx: &mut Tx, claim: i64) -> Result<Option<String>> {
    Ok(fetch_optional!(tx, (Option<String>,), REFUND_REASON, claim)?.and_then(|(reason,)| reason))
}

/// Whether staff said that money which the claim had paid came back or arrived in part only, or where a refund goes.
pub async fn rests_on_staff(tx: &mut Tx, claim: i64) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), RESTS_ON_STAFF, claim)?.0 > 0)
}

/// The states a claim entered, the oldest first.
pub async fn states_of_claim(tx: &mut Tx, claim: i64) -> Result<Vec<EnteredState>> {
    let rows = fetch_all!(tx, (i64, Timestamp, Option<ClaimState>), STATES_OF_CLAIM, claim)?;
    Ok(by_claim(rows).pop().unwrap_or_default())
}

/// The states of the newest completed claims of a direction.
pub async fn states_of_direction(tx: &mut Tx, (give, receive): (i64, i64), claims: i64) -> Result<Vec<Vec<EnteredState>>> {
    let rows = fetch_all!(tx, (i64, Timestamp, Option<ClaimState>), STATES_OF_DIRECTION, give, receive, claims)?;
    Ok(by_claim(rows))
}

/// Groups events by claim. Events that change no state are left out.
fn by_claim(rows: Vec<(i64, Timestamp, Option<ClaimState>)>) -> Vec<Vec<EnteredState>> {
    let mut claims: Vec<(i64, Vec<EnteredState>)> = Vec::new();
    for (claim, at, state) in rows {
        let Some(state) = state else { continue };
        match claims.last_mut() {
            Some((last, states)) if *last == claim => {
                if states.last().is_none_or(|entered| entered.state != state) {
                    states.push(EnteredState { state, at });
                }
            }
            _ => claims.push((claim, vec![EnteredState { state, at }])),
        }
    }
    claims.into_iter().map(|(_, states)| states).collect()
}

/// Its ledger entries, the oldest first.
pub async fn booked(tx: &mut Tx, claim: i64) -> Result<Vec<LedgerTransferRow>> {
    fetch_all!(tx, LedgerTransferRow, BOOKED, claim)
}
