//! Deciding proposals.

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{Approvable, Approvals, REASON_MAX, State, Stored, record, store};

/// Where proposals are decided: knows who carries out what.
#[derive(Clone)]
pub struct Decisions {
    pub(crate) approvals: Approvals,
    rooms: Arc<HashMap<&'static str, Arc<dyn Approvable>>>,
}

impl Decisions {
    /// Decisions on what these rooms carry out.
    #[must_use]
    pub fn new(approvals: Approvals, rooms: Vec<Arc<dyn Approvable>>) -> Self {
        let rooms: HashMap<_, _> = rooms.into_iter().map(|room| (room.kind(), room)).collect();
        approvals.permissions.get_or_init(|| rooms.iter().map(|(kind, room)| (*kind, room.permission())).collect());
        Self { approvals, rooms: Arc::new(rooms) }
    }

    /// Approves a proposal and has it carried out.
    ///
    /// # Errors
    /// 404 `approval_not_found`; 409 `approval_decided`, `approval_unreadable`; 403 `approval_own`, or `forbidden` without the room's permission; and
    /// whatever the room says when it can no longer be done.
    pub async fn approve(&self, id: Uuid, by: Staff) -> Result<Stored> {
        let this = self.clone();
        let now = self.approvals.platform.clock.now();
        let approved = self
            .approvals
            .platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), by.clone());
                Box::pin(async move {
                    let mut proposal = this.decidable(tx, id, &by, now).await?;
                    // Nobody agrees to what they cannot have seen.
                    this.approvals.facts(&proposal)?;
                    let room = this.room(&proposal)?;
                    decide(tx, &mut proposal, State::Approved, &by, None, now).await?;
                    room.carry_out(tx, &proposal, &by).await?;
                    record(tx, &Actor::from(&by), "approval.approved", id, Value::Null, now).await?;
                    this.approvals.tell(tx);
                    Ok(proposal)
                })
            })
            .await?;
        self.room(&approved)?.settled().await?;
        Ok(approved)
    }

    /// Refuses a proposal, with the reason for its author.
    ///
    /// # Errors
    /// As [`approve`](Self::approve); 422 for a reason that is missing or too long.
    pub async fn reject(&self, id: Uuid, reason: String, by: Staff) -> Result<Stored> {
        if reason.trim().is_empty() {
            return Err(Error::unprocessable("validation_failed").at("reason", "required"));
        }
        if reason.chars().count() > REASON_MAX {
            return Err(Error::unprocessable("validation_failed").with("max", REASON_MAX).at("reason", "text_too_long"));
        }
        self.end(id, State::Rejected, Some(reason), by).await
    }

    /// Takes a proposal of one's own back.
    ///
    /// # Errors
    /// 404 `approval_not_found`; 409 `approval_decided`; 403 `approval_not_own`.
    pub async fn withdraw(&self, id: Uuid, by: Staff) -> Result<Stored> {
        self.end(id, State::Withdrawn, None, by).await
    }

    async fn end(&self, id: Uuid, state: State, reason: Option<String>, by: Staff) -> Result<Stored> {
        let this = self.clone();
        let now = self.approvals.platform.clock.now();
        self.approvals
            .platform
            .db
            .write(move |tx| {
                let (this, by, reason) = (this.clone(), by.clone(), reason.clone());
                Box::pin(async move {
                    let mut proposal = match state {
                        State::Withdrawn => waiting(tx, id, now).await?,
                        _ => this.decidable(tx, id, &by, now).await?,
                    };
                    if state == State::Withdrawn && proposal.proposed_by != by.id {
                        return Err(Error::new(agio_core::Kind::Forbidden, "approval_not_own"));
                    }
                    let said = json!({ "reason": reason });
                    decide(tx, &mut proposal, state, &by, reason, now).await?;
                    let action = if state == State::Rejected { "approval.rejected" } else { "approval.withdrawn" };
                    record(tx, &Actor::from(&by), action, id, said, now).await?;
                    this.approvals.tell(tx);
                    Ok(proposal)
                })
            })
            .await
    }

    /// A proposal that this member of staff may decide.
    async fn decidable(&self, tx: &mut Tx, id: Uuid, by: &Staff, now: Timestamp) -> Result<Stored> {
        let proposal = waiting(tx, id, now).await?;
        let permission = self.room(&proposal)?.permission();
        if !by.role.may(permission) {
            return Err(Error::forbidden(permission.0));
        }
        if proposal.proposed_by == by.id {
            return Err(Error::new(agio_core::Kind::Forbidden, "approval_own"));
        }
        Ok(proposal)
    }

    pub(crate) fn room(&self, proposal: &Stored) -> Result<Arc<dyn Approvable>> {
        let room = self.rooms.get(proposal.kind.as_str()).cloned();
        room.ok_or_else(|| Error::internal(format!("no room carries out {:?}", proposal.kind)))
    }
}

/// A proposal that is still undecided.
async fn waiting(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<Stored> {
    let proposal = store::proposal(tx, id).await?.ok_or_else(|| Error::not_found("approval_not_found"))?;
    if proposal.state != State::Waiting || proposal.expires_at <= now {
        return Err(Error::conflict("approval_decided"));
    }
    Ok(proposal)
}

async fn decide(
    tx: &mut Tx,
    proposal: &mut Stored,
    state: State,
    by: &Staff,
    reason: Option<String>,
    now: Timestamp,
) -> Result<()> {
    proposal.state = state;
    proposal.decided_by = Some(by.id);
    proposal.decided_name = Some(by.name.clone());
    proposal.decided_at = Some(now);
    proposal.reason = reason;
    match store::decide(tx, proposal).await? {
        true => Ok(()),
        false => Err(Error::conflict("approval_decided")),
    }
}
