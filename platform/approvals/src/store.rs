//! Approval requests in SQL.

use agio_core::identity::{Actor, AuditActorKind, Staff};
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::ApprovalRequestState;

agio_core::statements! {
    INSERT_APPROVAL = "INSERT INTO approval (id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    APPROVAL = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE id = $1";
    APPROVALS = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE (state = 'waiting') = $1 AND (proposed_at, id) < ($2, $3) ORDER BY proposed_at DESC, id DESC LIMIT $4";
    NEWEST_APPROVAL = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE about_kind = $1 AND about_id = $2 AND kind = $3 ORDER BY proposed_at DESC, id DESC LIMIT 1";
    APPROVALS_WAITING_SINCE = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE state = 'waiting' AND kind = $1 AND proposed_at > $2 ORDER BY proposed_at, id";
    APPROVALS_WAITING_OF = "SELECT id, kind, about_kind, about_id, shown, payload, state, proposed_by, proposed_name, proposed_at, expires_at,
            decided_by, decided_name, decided_at, reason
        FROM approval WHERE state = 'waiting' AND proposed_by = $1 ORDER BY proposed_at, id";
    DECIDE_APPROVAL = "UPDATE approval SET state = $2, decided_by = $3, decided_name = $4, decided_at = $5, reason = $6
        WHERE id = $1 AND state = 'waiting'";
    EXPIRE_APPROVALS = "UPDATE approval SET state = 'expired', decided_at = $1 WHERE state = 'waiting' AND expires_at <= $1 RETURNING id";
    WAITING_APPROVALS_BY_KIND = "SELECT kind, COUNT(*) FROM approval WHERE state = 'waiting' AND proposed_by <> $1 GROUP BY kind";
    WAITING_APPROVALS = "SELECT COUNT(*) FROM approval WHERE state = 'waiting'";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ApprovalRow {
    pub id: Uuid,
    pub kind: String,
    /// Kind of the affected object.
    pub about_kind: String,
    pub about_id: String,
    /// Facts shown to the approver: JSON of [`ApprovalFact`](crate::ApprovalFact)s, sealed.
    pub shown: String,
    /// What the handler needs: JSON.
    pub payload: String,
    pub state: ApprovalRequestState,
    pub proposed_by: Uuid,
    pub proposed_name: String,
    pub proposed_at: Timestamp,
    pub expires_at: Timestamp,
    pub decided_by: Option<Uuid>,
    pub decided_name: Option<String>,
    pub decided_at: Option<Timestamp>,
    /// Why it was rejected.
    pub reason: Option<String>,
}

impl ApprovalRow {
    /// The author, for the audit log.
    pub fn proposer(&self) -> Actor {
        Actor { kind: AuditActorKind::Staff, id: Some(self.proposed_by), name: self.proposed_name.clone(), address: None }
    }

    /// Sets the decision, which [`decide`] stores.
    pub(crate) fn decide(&mut self, state: ApprovalRequestState, by: &Staff, reason: Option<String>, now: Timestamp) {
        self.state = state;
        self.decided_by = Some(by.id);
        self.decided_name = Some(by.name.clone());
        self.decided_at = Some(now);
        self.reason = reason;
    }

    /// Parses the payload.
    ///
    /// # Errors
    /// `internal`: the payload has another form.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.payload).map_err(Error::internal)
    }
}

pub async fn insert(tx: &mut Tx, row: &ApprovalRow) -> Result<()> {
    let inserted = execute!(
        tx,
        INSERT_APPROVAL,
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

pub async fn get(tx: &mut Tx, id: Uuid) -> Result<Option<ApprovalRow>> {
    fetch_optional!(tx, ApprovalRow, APPROVAL, id)
}

/// Requests that wait, or those that do not any more, after a cursor, newest first.
pub async fn list(tx: &mut Tx, waiting: bool, (at, id): (Timestamp, Uuid), size: i64) -> Result<Vec<ApprovalRow>> {
    fetch_all!(tx, ApprovalRow, APPROVALS, waiting, at, id, size)
}

pub async fn newest(tx: &mut Tx, kind: &str, about: (&str, &str)) -> Result<Option<ApprovalRow>> {
    fetch_optional!(tx, ApprovalRow, NEWEST_APPROVAL, about.0, about.1, kind)
}

/// Waiting requests of a kind created after a time, oldest first.
pub async fn list_waiting_since(tx: &mut Tx, kind: &str, since: Timestamp) -> Result<Vec<ApprovalRow>> {
    fetch_all!(tx, ApprovalRow, APPROVALS_WAITING_SINCE, kind, since)
}

/// Waiting requests of an author, oldest first.
pub async fn list_waiting_of(tx: &mut Tx, author: Uuid) -> Result<Vec<ApprovalRow>> {
    fetch_all!(tx, ApprovalRow, APPROVALS_WAITING_OF, author)
}

/// Stores the decision; false if the request is no longer waiting.
pub async fn decide(tx: &mut Tx, row: &ApprovalRow) -> Result<bool> {
    let decided = execute!(
        tx,
        DECIDE_APPROVAL,
        row.id,
        row.state,
        row.decided_by,
        row.decided_name.as_deref(),
        row.decided_at,
        row.reason.as_deref(),
    )?;
    Ok(decided == 1)
}

pub async fn expire(tx: &mut Tx, now: Timestamp) -> Result<Vec<Uuid>> {
    Ok(fetch_all!(tx, (Uuid,), EXPIRE_APPROVALS, now)?.into_iter().map(|(id,)| id).collect())
}

pub async fn count_waiting(tx: &mut Tx) -> Result<i64> {
    Ok(agio_core::fetch_one!(tx, (i64,), WAITING_APPROVALS)?.0)
}

/// Number of waiting requests of each kind that this staff member did not create.
pub async fn count_waiting_by_kind(tx: &mut Tx, other_than: Uuid) -> Result<Vec<(String, i64)>> {
    fetch_all!(tx, (String, i64), WAITING_APPROVALS_BY_KIND, other_than)
}
