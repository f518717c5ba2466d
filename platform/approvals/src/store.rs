//! Proposals in SQL.

use agio_core::identity::{Actor, ActorKind};
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::State;

agio_core::statements! {
    INSERT_PROPOSAL = "INSERT INTO approval (id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    PROPOSAL = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE id = $1";
    PROPOSALS = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE (state = 'waiting') = $1 AND (proposed_at, id) < ($2, $3) ORDER BY proposed_at DESC, id DESC LIMIT $4";
    NEWEST_PROPOSAL = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE about_kind = $1 AND about_id = $2 AND kind = $3 ORDER BY proposed_at DESC, id DESC LIMIT 1";
    /// Proposals that wait and were made since a moment.
    FRESH_PROPOSALS = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE state = 'waiting' AND kind = $1 AND proposed_at > $2 ORDER BY proposed_at, id";
    /// Proposals whose facts former versions stored in the open.
    OPEN_PROPOSALS = "SELECT id, shown FROM approval WHERE id > $1 AND shown NOT LIKE 'x1.%' ORDER BY id LIMIT $2";
    SEAL_PROPOSAL = "UPDATE approval SET shown = $2 WHERE id = $1";
    DECIDE = "UPDATE approval SET state = $2, decided_by = $3, decided_name = $4, decided_at = $5, reason = $6
        WHERE id = $1 AND state = 'waiting'";
    EXPIRE_PROPOSALS = "UPDATE approval SET state = 'expired', decided_at = $1 WHERE state = 'waiting' AND expires_at <= $1 RETURNING id";
    /// How many proposals of each kind wait for somebody else than their author.
    WAITING_FOR = "SELECT kind, COUNT(*) FROM approval WHERE state = 'waiting' AND proposed_by <> $1 GROUP BY kind";
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
    /// What the approver has to see, sealed.
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

impl Stored {
    /// Who proposed it, for the audit log.
    #[must_use]
    pub fn proposer(&self) -> Actor {
        Actor { kind: ActorKind::Staff, id: Some(self.proposed_by), name: self.proposed_name.clone(), address: None }
    }

    /// What its room needs to carry it out.
    ///
    /// # Errors
    /// `internal`: it is not what the room writes.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.payload).map_err(Error::internal)
    }
}

pub async fn insert(tx: &mut Tx, row: &Stored) -> Result<()> {
    let inserted = execute!(
        tx,
        INSERT_PROPOSAL,
        row.id,
        &row.kind,
        &row.about_kind,
        &row.about_id,
        &row.shown,
        &row.payload,
        row.state,
        row.proposed_by,
        &row.proposed_name,
        row.proposed_at,
        row.expires_at,
    );
    inserted.map(drop).map_err(|error| match error.constraint() {
        Some(agio_core::error::Constraint::Unique) => Error::conflict("approval_waits").caused_by(error),
        _ => error,
    })
}

pub async fn proposal(tx: &mut Tx, id: Uuid) -> Result<Option<Stored>> {
    fetch_optional!(tx, Stored, PROPOSAL, id)
}

/// Proposals that wait, or those that do not any more, from behind a place on, the newest first.
pub async fn proposals(tx: &mut Tx, waiting: bool, (at, id): (Timestamp, Uuid), size: i64) -> Result<Vec<Stored>> {
    fetch_all!(tx, Stored, PROPOSALS, waiting, at, id, size)
}

/// The newest proposal of a kind about a thing.
pub async fn newest(tx: &mut Tx, kind: &str, about: (&str, &str)) -> Result<Option<Stored>> {
    fetch_optional!(tx, Stored, NEWEST_PROPOSAL, about.0, about.1, kind)
}

/// Proposals of a kind that wait and were made after a moment, the oldest first.
///
/// # Errors
/// The database cannot be read.
pub async fn fresh(tx: &mut Tx, kind: &str, since: Timestamp) -> Result<Vec<Stored>> {
    fetch_all!(tx, Stored, FRESH_PROPOSALS, kind, since)
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

/// Proposals behind one whose facts stand in the open.
pub async fn open(tx: &mut Tx, after: Uuid, size: i64) -> Result<Vec<(Uuid, String)>> {
    fetch_all!(tx, (Uuid, String), OPEN_PROPOSALS, after, size)
}

/// Stores what a proposal shows, sealed.
pub async fn seal(tx: &mut Tx, id: Uuid, shown: String) -> Result<()> {
    execute!(tx, SEAL_PROPOSAL, id, shown).map(drop)
}

/// How many proposals wait.
pub async fn waiting(tx: &mut Tx) -> Result<i64> {
    Ok(agio_core::fetch_one!(tx, (i64,), WAITING_PROPOSALS)?.0)
}

/// How many proposals of each kind wait for somebody else than this member of staff.
pub async fn waiting_for(tx: &mut Tx, other_than: Uuid) -> Result<Vec<(String, i64)>> {
    fetch_all!(tx, (String, i64), WAITING_FOR, other_than)
}
