//! Decisions of staff.

use std::sync::Arc;

use agio_contracts::VerificationEvent;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use serde_json::json;
use uuid::Uuid;

use super::emails::build_email;
use super::registry::record;
use super::{Verification, found};
use crate::model::{VerificationDecision, VerificationReasonCode};
use crate::store::{self, VerificationRow};

/// Longest message, in characters.
const MESSAGE_MAX: usize = 500;

#[derive(Clone, Debug)]
pub struct StaffDecision {
    pub staff: Staff,
    pub decision: VerificationDecision,
    /// The revision the decision is based on.
    pub revision: i64,
    pub reason: Option<VerificationReasonCode>,
    /// Message to the customer in Russian.
    pub message_ru: Option<String>,
    /// Message to the customer in English.
    pub message_en: Option<String>,
}

impl Verification {
    /// Decides a verification. In the same transaction the waiting claim continues, ends or waits for other photos.
    ///
    /// # Errors
    /// 404 `verification_not_found`; 409 `verification_changed` for another revision, `verification_closed`; 422 for
    /// the reason; errors of the claim.
    pub async fn decide(self: &Arc<Self>, id: Uuid, decision: StaffDecision, key: Option<Key>) -> Result<()> {
        check(&decision)?;
        let (this, decision, now) = (self.clone(), Arc::new(decision), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, decision) = (this.clone(), decision.clone());
            Box::pin(async move { this.apply_decision(tx, id, &decision, now).await })
        })
        .await
    }

    async fn apply_decision(&self, tx: &mut Tx, id: Uuid, decision: &StaffDecision, now: Timestamp) -> Result<()> {
        let mut row = found(store::by_id(tx, id).await?)?;
        let before = row.state;
        if row.revision != decision.revision {
            return Err(Error::conflict("verification_changed"));
        }
        row.state = decision.decision.leads_to(before).ok_or_else(|| Error::conflict("verification_closed"))?;
        if decision.decision == VerificationDecision::Again {
            (row.round, row.sent_at) = (row.round + 1, None);
        }
        row.reason = decision.reason;
        row.message_ru.clone_from(&decision.message_ru);
        row.message_en.clone_from(&decision.message_en);
        (row.decided_by, row.decided_name) = (Some(decision.staff.id), Some(decision.staff.name.clone()));
        (row.decided_at, row.updated_at) = (Some(now), now);
        if !store::update(tx, &mut row).await? {
            return Err(Error::conflict("verification_changed"));
        }
        let until = self.notify_claim(tx, &row, decision).await?;
        if until != row.expires_at {
            row.expires_at = until;
            store::update(tx, &mut row).await?;
        }
        if decision.decision == VerificationDecision::Accept {
            self.registry.remember(tx, &row, now).await?;
        }
        self.send_email(tx, &row, decision.decision, now).await?;
        let message =
            row.message_ru.as_ref().or(row.message_en.as_ref()).map(|_| json!({ "ru": row.message_ru, "en": row.message_en }));
        let after = json!({ "state": row.state.name(), "reason": row.reason, "message": message });
        let change = (Some(json!({ "state": before.name() })), Some(after));
        record(tx, &Actor::from(&decision.staff), decision.decision.name(), id, change, now).await
    }

    /// Notifies the waiting claim, if any, and returns its new deadline.
    async fn notify_claim(&self, tx: &mut Tx, row: &VerificationRow, decision: &StaffDecision) -> Result<Option<Timestamp>> {
        let Some(claim) = row.claim_id else { return Ok(None) };
        let staff = decision.staff.clone();
        let event = match decision.decision {
            VerificationDecision::Accept => VerificationEvent::Accepted(staff),
            VerificationDecision::Again => VerificationEvent::RequestedAgain(staff),
            VerificationDecision::Reject => VerificationEvent::Rejected(staff, self.reason(row).unwrap_or_default()),
        };
        self.claims.clone().verification_changed(tx, claim, &event).await
    }

    async fn send_email(&self, tx: &mut Tx, row: &VerificationRow, decision: VerificationDecision, now: Timestamp) -> Result<()> {
        let kind = match decision {
            VerificationDecision::Accept => "verification_accepted",
            VerificationDecision::Again => "verification_again",
            // The e-mail about the rejected claim has the reason.
            VerificationDecision::Reject if row.claim_id.is_some() => return Ok(()),
            VerificationDecision::Reject => "verification_rejected",
        };
        let zone = match row.claim_id {
            Some(claim) => self.claims.time_zone(tx, claim).await?,
            None => None,
        };
        let (to, email) = build_email(&self.mailer, kind, row, zone.as_deref(), self.reason(row).as_ref());
        self.registry.notify_browsers(tx, row, &email, now).await?;
        self.mailer.send(tx, &to, &email, now).await
    }
}

/// Checks that the reason is complete.
fn check(decision: &StaffDecision) -> Result<()> {
    let refused = |field: &str, code| Error::unprocessable("validation_failed").at(field, code);
    for (field, message) in [("message.ru", &decision.message_ru), ("message.en", &decision.message_en)] {
        if message.as_ref().is_some_and(|message| message.chars().count() > MESSAGE_MAX) {
            return Err(refused(field, "text_too_long").with("max", MESSAGE_MAX));
        }
    }
    if !decision.decision.needs_reason() {
        return Ok(());
    }
    match decision.reason {
        None => Err(refused("reason", "required")),
        Some(VerificationReasonCode::Other) if decision.message_ru.is_none() => Err(refused("message.ru", "required")),
        Some(VerificationReasonCode::Other) if decision.message_en.is_none() => Err(refused("message.en", "required")),
        Some(_) => Ok(()),
    }
}
