//! What happened to a claim, step by step.

use agio_core::{Result, Timestamp, Tx, fetch_all, write_one};
use agio_ledger::EntryRow;
use uuid::Uuid;

use crate::model::{Actor, State};

agio_core::statements! {
    INSERT_EVENT = "INSERT INTO claim_event
        (claim_number, at, actor, actor_id, actor_name, action, from_state, to_state, revision, reason, note, batch_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    EVENTS = "SELECT at, actor, actor_name, action, from_state, to_state, reason, note
        FROM claim_event WHERE claim_number = $1 ORDER BY id";
    /// What was moved in the books by a claim's steps.
    BOOKED = "SELECT moved.batch_id, moved.seq, moved.currency_id, moved.debit, moved.credit, moved.amount, moved.reason, moved.created_at
        FROM claim_event event JOIN ledger_transfer moved ON moved.batch_id = event.batch_id
        WHERE event.claim_number = $1 ORDER BY event.id, moved.seq";
}

/// A step to be written down.
#[derive(Clone, Debug)]
pub struct NewEvent<'a> {
    /// The claim's number. Numbers grow, so that what happens at a time is written in one place.
    pub claim: i64,
    /// When.
    pub at: Timestamp,
    /// What kind of party did it.
    pub actor: Actor,
    /// Which member of staff.
    pub staff: Option<(Uuid, &'a str)>,
    /// What was done: the name of an action of the table, or `note`, `lock`, `unlock`, `terms`, `receipt`, `agreed`.
    pub action: &'a str,
    /// The state before; nothing for a new claim.
    pub from: Option<State>,
    /// The state after.
    pub to: Option<State>,
    /// The revision after.
    pub revision: i64,
    /// Why.
    pub reason: Option<&'a str>,
    /// A remark for the staff.
    pub note: Option<&'a str>,
    /// The ledger batch that went with it.
    pub batch: Option<Uuid>,
}

/// A step as it was written down.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// What kind of party did it.
    pub actor: Actor,
    /// The name of the member of staff.
    pub actor_name: Option<String>,
    /// What was done.
    pub action: String,
    /// The state before.
    pub from_state: Option<State>,
    /// The state after.
    pub to_state: Option<State>,
    /// Why.
    pub reason: Option<String>,
    /// A remark for the staff.
    pub note: Option<String>,
}

/// Writes a step down.
pub async fn insert(tx: &mut Tx, event: &NewEvent<'_>) -> Result<()> {
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
    )
}

/// Every step of the claim with this number, the oldest first.
pub async fn of_claim(tx: &mut Tx, claim: i64) -> Result<Vec<Event>> {
    fetch_all!(tx, Event, EVENTS, claim)
}

/// Everything its steps moved in the books, the oldest first.
pub async fn booked(tx: &mut Tx, claim: i64) -> Result<Vec<EntryRow>> {
    fetch_all!(tx, EntryRow, BOOKED, claim)
}
