//! Audit entries of claims.

use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::Actor;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_requisites::{RequisiteKind, mask};
use serde::Serialize;

use super::Claims;
use crate::model::ClaimState;
use crate::rules::Claim;
use crate::rules::claim::Requisite;
use crate::rules::payment::address_kind;

/// A claim in the audit log. Requisites are masked, because the log has more readers and a longer retention.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AuditSnapshot {
    state: ClaimState,
    send: String,
    receive: String,
    rate: String,
    received: String,
    surplus: Option<String>,
    paid_out: String,
    reason: Option<String>,
    answer_by: Option<Timestamp>,
    paid_at: Option<Timestamp>,
    tx_in: Option<String>,
    tx_out: Option<String>,
    tx_refund: Option<String>,
    holder: Option<String>,
    requisite: Option<String>,
    refund_to: Option<String>,
}

impl Claims {
    /// The current values of a claim, for the audit log.
    pub(super) fn audit_snapshot(&self, claim: &Claim) -> AuditSnapshot {
        let requisite = claim.payment.value.as_deref().map(|value| {
            let currency = self.currency(claim.give.currency_id(), &claim.give.code);
            mask(address_kind(&currency).unwrap_or(RequisiteKind::Text), value)
        });
        AuditSnapshot {
            state: claim.state,
            send: format!("{} {}", claim.give.amount, claim.give.code),
            receive: format!("{} {}", claim.receive.amount, claim.receive.code),
            rate: claim.terms.rate.clone(),
            received: claim.balances.received.to_string(),
            surplus: (claim.balances.surplus.units() > 0).then(|| claim.balances.surplus.to_string()),
            paid_out: claim.balances.paid_out.to_string(),
            reason: claim.progress.reason.clone(),
            answer_by: claim.progress.answer_by,
            paid_at: claim.payment.paid_at,
            tx_in: claim.references.tx_in.clone(),
            tx_out: claim.references.tx_out.clone(),
            tx_refund: claim.references.tx_refund.clone(),
            holder: claim.progress.holder_name.clone(),
            requisite,
            refund_to: claim.refund_requisites.as_ref().map(|_| masked(claim.refund_requisites(&self.platform.vault))),
        }
    }

    pub(super) async fn record_creation(&self, tx: &mut Tx, by: &Actor, claim: &Claim, now: Timestamp) -> Result<()> {
        let mut after = serde_json::to_value(self.audit_snapshot(claim)).map_err(Error::internal)?;
        if let Some(after) = after.as_object_mut() {
            after.retain(|_, value| !value.is_null());
        }
        let entry = NewAuditEntry {
            by,
            action: "claim.create",
            about: "claim",
            id: claim.public_id.to_string(),
            before: None,
            after: Some(after),
        };
        audit::record(tx, entry, now).await
    }

    /// Records a change of a claim.
    pub(super) async fn record_audit(
        &self,
        tx: &mut Tx,
        by: &Actor,
        action: &str,
        before: &AuditSnapshot,
        claim: &Claim,
        now: Timestamp,
    ) -> Result<()> {
        let (before, after) = audit::difference(before, &self.audit_snapshot(claim))?;
        record_audit_entry(tx, by, action, claim.public_id, (before, after), now).await
    }
}

/// Records an action that does not change the claim itself.
pub(super) async fn record_audit_entry(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    claim: i64,
    (before, after): (Option<serde_json::Value>, Option<serde_json::Value>),
    now: Timestamp,
) -> Result<()> {
    let action = format!("claim.{action}");
    audit::record(tx, NewAuditEntry { by, action: &action, about: "claim", id: claim.to_string(), before, after }, now).await
}

fn masked(requisites: Result<Option<Vec<Requisite>>>) -> String {
    // The log records that they are unreadable; the claim is put on hold elsewhere.
    let Ok(Some(requisites)) = requisites else { return "?".to_owned() };
    let masked: Vec<_> = requisites.iter().map(|requisite| mask(requisite.kind, &requisite.value)).collect();
    masked.join(", ")
}
