//! The trail claims leave in the audit log.

use agio_core::audit::{self, Entry};
use agio_core::identity::Actor;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_requisites::{Kind, mask};
use serde::Serialize;

use super::Claims;
use crate::model::State;
use crate::rules::Claim;
use crate::rules::claim::Requisite;
use crate::rules::payment::address_kind;

/// What the audit log keeps of a claim. Requisites are masked: the log is read by more people than the claim, and for longer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Trace {
    state: State,
    send: String,
    receive: String,
    course: String,
    received: String,
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
    /// A claim as it is now, for the log.
    pub(super) fn trace(&self, claim: &Claim) -> Trace {
        let requisite = claim.payment_value.as_deref().map(|value| {
            let currency = self.currency(claim.from_id, &claim.from_code);
            mask(address_kind(&currency).unwrap_or(Kind::Text), value)
        });
        Trace {
            state: claim.state,
            send: format!("{} {}", claim.send(), claim.from_code),
            receive: format!("{} {}", claim.receive(), claim.to_code),
            course: claim.course.clone(),
            received: claim.sent(claim.received_units).to_string(),
            paid_out: claim.received(claim.paid_out_units).to_string(),
            reason: claim.reason.clone(),
            answer_by: claim.answer_by,
            paid_at: claim.paid_at,
            tx_in: claim.tx_in.clone(),
            tx_out: claim.tx_out.clone(),
            tx_refund: claim.tx_refund.clone(),
            holder: claim.holder_name.clone(),
            requisite,
            refund_to: claim.refund_requisites.as_ref().map(|_| masked(claim.refund_requisites(&self.platform.vault))),
        }
    }

    /// Writes down that a claim was made.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(super) async fn log_new(&self, tx: &mut Tx, by: &Actor, claim: &Claim, now: Timestamp) -> Result<()> {
        let mut after = serde_json::to_value(self.trace(claim)).map_err(Error::internal)?;
        if let Some(after) = after.as_object_mut() {
            after.retain(|_, value| !value.is_null());
        }
        let entry = Entry {
            by,
            action: "claim.create",
            about: "claim",
            id: claim.public_id.to_string(),
            before: None,
            after: Some(after),
        };
        audit::record(tx, entry, now).await
    }

    /// Writes down what was done to a claim.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(super) async fn log(
        &self,
        tx: &mut Tx,
        by: &Actor,
        action: &str,
        before: &Trace,
        claim: &Claim,
        now: Timestamp,
    ) -> Result<()> {
        let (before, after) = audit::difference(before, &self.trace(claim))?;
        log_plain(tx, by, action, claim.public_id, (before, after), now).await
    }
}

/// Writes down what was done beside the own state of the claim with this number.
///
/// # Errors
/// The database cannot be written.
pub(super) async fn log_plain(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    claim: i64,
    (before, after): (Option<serde_json::Value>, Option<serde_json::Value>),
    now: Timestamp,
) -> Result<()> {
    let action = format!("claim.{action}");
    audit::record(tx, Entry { by, action: &action, about: "claim", id: claim.to_string(), before, after }, now).await
}

/// Requisites as they were read, each masked.
fn masked(requisites: Result<Option<Vec<Requisite>>>) -> String {
    // The log says that they were there and cannot be read, and the claim is stopped elsewhere.
    let Ok(Some(requisites)) = requisites else { return "?".to_owned() };
    let masked: Vec<_> = requisites.iter().map(|requisite| mask(requisite.kind, &requisite.value)).collect();
    masked.join(", ")
}
