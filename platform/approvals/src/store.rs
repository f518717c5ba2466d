//! Proposals in SQL.

use agio_core::identity::Staff;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

use crate::{Proposal, State};

agio_core::statements! {
    INSERT_PROPOSAL = "INSERT INTO approval (id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $7, $8, $9, $10)";
    PROPOSAL = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE id = $1";
    PROPOSALS = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE (state = 'waiting') = $1 AND proposed_at < $2 ORDER BY proposed_at DESC, id LIMIT $3";
    DECIDE = "UPDATE approval SET state = $2, decided_by = $3, decided_name = $4, decided_at = $5, reason = $6
        WHERE id = $1 AND state = 'waiting'";
    EXPIRE_PROPOSALS = "UPDATE approval SET state = 'expired', decided_at = $1 WHERE state = 'waiting' AND expires_at <= $1 RETURNING id";
    WAITING_PROPOSALS = "SELECT COUNT(*) FROM approval WHERE state = 'waiting'";
}

/// A proposal as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Stored {
    /// Identifier.
    pub id: Uuid,
    /// What kind of thing is proposed.
    pub kind: String,
    /// The kind of thing it is about.
    pub about_kind: String,
    /// Which one.
    pub about_id: String,
    /// What the approver has to see, as JSON.
    pub shown: String,
    /// What its room needs, as JSON.
    pub payload: String,
    /// What became of it.
    pub state: State,
    /// Who proposed it.
    pub proposed_by: Uuid,
    /// Their name.
    pub proposed_name: String,
    /// When.
    pub proposed_at: Timestamp,
    /// Until when it waits.
    pub expires_at: Timestamp,
    /// Who decided.
    pub decided_by: Option<Uuid>,
    /// Their name.
    pub decided_name: Option<String>,
    /// When.
    pub decided_at: Option<Timestamp>,
    /// Why it was refused.
    pub reason: Option<String>,
}

pub async fn insert(tx: &mut Tx, id: Uuid, proposal: &Proposal, by: &Staff, now: Timestamp, until: Timestamp) -> Result<()> {
    let (kind, id_of) = &proposal.about;
    let (shown, payload) = (proposal.shown.to_string(), proposal.payload.to_string());
    let inserted = execute!(tx, INSERT_PROPOSAL, id, proposal.kind, *kind, id_of, shown, payload, by.id, &by.name, now, until);
    inserted.map(drop).map_err(|error| match error.constraint() {
        Some(agio_core::error::Constraint::Unique) => Error::conflict("approval_waits").caused_by(error),
        _ => error,
    })
}

pub async fn proposal(tx: &mut Tx, id: Uuid) -> Result<Option<Stored>> {
    fetch_optional!(tx, Stored, PROPOSAL, id)
}

/// Proposals that wait, or those that do not any more, made before a moment, the newest first.
pub async fn proposals(tx: &mut Tx, waiting: bool, before: Timestamp, size: i64) -> Result<Vec<Stored>> {
    fetch_all!(tx, Stored, PROPOSALS, waiting, before, size)
}

/// Writes the decision; false when somebody was faster.
pub async fn decide(tx: &mut Tx, proposal: &Stored) -> Result<bool> {
    let decided = execute!(
        tx,
        DECIDE,
        proposal.id,
        proposal.state,
        proposal.decided_by,
        proposal.decided_name.as_deref(),
        proposal.decided_at,
        proposal.reason.as_deref(),
    )?;
    Ok(decided == 1)
}

pub async fn expire(tx: &mut Tx, now: Timestamp) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), EXPIRE_PROPOSALS, now)?.into_iter().map(|(id,)| id).collect())
}

/// How many proposals wait.
pub async fn waiting(tx: &mut Tx) -> Result<i64> {
    Ok(agio_core::fetch_one!(tx, (i64,), WAITING_PROPOSALS)?.0)
}
