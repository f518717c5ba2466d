//! Approving, rejecting and withdrawing requests.

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{ApprovalHandler, ApprovalRequestState, ApprovalRow, Approvals, REASON_MAX, record, store};

/// Decides approval requests with the registered handlers.
#[derive(Clone)]
pub struct ApprovalDecisions {
    pub(crate) approvals: Approvals,
    handlers: Arc<HashMap<&'static str, Arc<dyn ApprovalHandler>>>,
}

impl ApprovalDecisions {
    pub fn new(approvals: Approvals, handlers: Vec<Arc<dyn ApprovalHandler>>) -> Self {
        let handlers: HashMap<_, _> = handlers.into_iter().map(|handler| (handler.handles().0, handler)).collect();
        approvals.permissions.get_or_init(|| handlers.values().map(|handler| handler.handles()).collect());
        Self { approvals, handlers: Arc::new(handlers) }
    }

    /// Approves a request and makes the change.
    ///
    /// # Errors
    /// 404 `approval_not_found`; 409 `approval_decided`, `approval_unreadable`; 403 `approval_own`, or `forbidden` without the
    /// handler's permission; and the handler's own errors.
    pub async fn approve(&self, id: Uuid, by: Staff) -> Result<ApprovalRow> {
        let this = self.clone();
        let now = self.approvals.platform.clock.now();
        let approved = self
            .approvals
            .platform
            .db
            .write(move |tx| {
                let (this, by) = (this.clone(), by.clone());
                Box::pin(async move {
                    let mut row = this.decidable(tx, id, &by, now).await?;
                    // Facts that cannot be read cannot have been seen, so they cannot be approved.
                    this.approvals.facts(&row)?;
                    let handler = this.handler(&row)?;
                    decide(tx, &mut row, ApprovalRequestState::Approved, &by, None, now).await?;
                    handler.execute(tx, &row, &by).await?;
                    record(tx, &Actor::from(&by), "approval.approved", id, Value::Null, now).await?;
                    this.approvals.notify(tx);
                    Ok(row)
                })
            })
            .await?;
        self.handler(&approved)?.after_commit().await?;
        Ok(approved)
    }

    /// Rejects a request, with a reason for its author.
    ///
    /// # Errors
    /// As [`approve`](Self::approve); 422 for a reason that is missing or too long.
    pub async fn reject(&self, id: Uuid, reason: String, by: Staff) -> Result<ApprovalRow> {
        if reason.trim().is_empty() {
            return Err(Error::unprocessable("validation_failed").at("reason", "required"));
        }
        if reason.chars().count() > REASON_MAX {
            return Err(Error::unprocessable("validation_failed").with("max", REASON_MAX).at("reason", "text_too_long"));
        }
        self.end(id, ApprovalRequestState::Rejected, Some(reason), by).await
    }

    /// Withdraws one's own request.
    ///
    /// # Errors
    /// 404 `approval_not_found`; 409 `approval_decided`; 403 `approval_not_own`.
    pub async fn withdraw(&self, id: Uuid, by: Staff) -> Result<ApprovalRow> {
        self.end(id, ApprovalRequestState::Withdrawn, None, by).await
    }

    async fn end(&self, id: Uuid, state: ApprovalRequestState, reason: Option<String>, by: Staff) -> Result<ApprovalRow> {
        let this = self.clone();
        let now = self.approvals.platform.clock.now();
        self.approvals
            .platform
            .db
            .write(move |tx| {
                let (this, by, reason) = (this.clone(), by.clone(), reason.clone());
                Box::pin(async move {
                    let mut row = match state {
                        ApprovalRequestState::Withdrawn => get_waiting(tx, id, now).await?,
                        _ => this.decidable(tx, id, &by, now).await?,
                    };
                    if state == ApprovalRequestState::Withdrawn && row.proposed_by != by.id {
                        return Err(Error::new(agio_core::ErrorKind::Forbidden, "approval_not_own"));
                    }
                    let after = json!({ "reason": reason });
                    decide(tx, &mut row, state, &by, reason, now).await?;
                    let action = if state == ApprovalRequestState::Rejected { "approval.rejected" } else { "approval.withdrawn" };
                    record(tx, &Actor::from(&by), action, id, after, now).await?;
                    this.approvals.notify(tx);
                    Ok(row)
                })
            })
            .await
    }

    /// A waiting request that this staff member may decide.
    async fn decidable(&self, tx: &mut Tx, id: Uuid, by: &Staff, now: Timestamp) -> Result<ApprovalRow> {
        let row = get_waiting(tx, id, now).await?;
        let (_, permission) = self.handler(&row)?.handles();
        if !by.role.has(permission) {
            return Err(Error::forbidden(permission.0));
        }
        if row.proposed_by == by.id {
            return Err(Error::new(agio_core::ErrorKind::Forbidden, "approval_own"));
        }
        Ok(row)
    }

    fn handler(&self, row: &ApprovalRow) -> Result<Arc<dyn ApprovalHandler>> {
        let handler = self.handlers.get(row.kind.as_str()).cloned();
        handler.ok_or_else(|| Error::internal(format!("no approval handler for {:?}", row.kind)))
    }
}

async fn get_waiting(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<ApprovalRow> {
    let row = store::get(tx, id).await?.ok_or_else(|| Error::not_found("approval_not_found"))?;
    if row.state != ApprovalRequestState::Waiting || row.expires_at <= now {
        return Err(Error::conflict("approval_decided"));
    }
    Ok(row)
}

async fn decide(
    tx: &mut Tx,
    row: &mut ApprovalRow,
    state: ApprovalRequestState,
    by: &Staff,
    reason: Option<String>,
    now: Timestamp,
) -> Result<()> {
    row.decide(state, by, reason, now);
    match store::decide(tx, row).await? {
        true => Ok(()),
        false => Err(Error::conflict("approval_decided")),
    }
}
