//! Actions of staff.

use std::sync::Arc;

use agio_core::idempotency::{self, Key};
use agio_core::identity::Staff;
use agio_core::{Amount, Error, Result, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use super::transition::{Initiator, TransitionInput, not_allowed};
use crate::model::{Action, Actor, Transition, TransitionField};
use crate::rules::Claim;
use crate::rules::terms::passes_for_agreed;
use crate::store::claims;
use crate::store::history::{self, NewClaimEvent};

const NOTE_MAX: usize = 2_000;

/// A transition by a member of staff.
#[derive(Clone, Debug)]
pub struct StaffTransition {
    pub staff: Staff,
    pub action: Action,
    pub revision: i64,
    /// What they say with it.
    pub input: TransitionInput,
}

impl Claims {
    /// Makes a transition for an operator. If it needs approval, creates an approval request and returns its
    /// identifier.
    ///
    /// # Errors
    /// 409 `claim_changed` when it is not the revision the operator saw, `claim_locked` when a staff member has it in hand,
    /// `transition_not_allowed`, `approval_waits` when the same is proposed already; 422 for what must be said with it.
    pub async fn apply_transition(self: &Arc<Self>, id: Uuid, step: StaffTransition, key: Option<Key>) -> Result<Option<Uuid>> {
        let (this, step, now) = (self.clone(), Arc::new(step), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, step) = (this.clone(), step.clone());
            Box::pin(async move {
                let claim = claims::locked(tx, id).await?;
                check_lock(&claim, &step.staff)?;
                if claim.revision != step.revision {
                    return Err(Error::conflict("claim_changed"));
                }
                let initiator = Initiator::Staff(step.staff.clone());
                let row = Self::row(&claim, step.action, Actor::Operator)?;
                if is_verification_decision(row) {
                    return Err(not_allowed(step.action, claim.state));
                }
                this.require_refund_destination(&claim, row)?;
                let is_proposed = this.approval_requirement(tx, &claim, row).await?.is_some_and(|consent| consent.is_due);
                require_fields(&this.required_fields(&claim, row, is_proposed), &step.input)?;
                if is_proposed {
                    let proposed = match row.action {
                        Action::PaymentReceived => this.propose_override(tx, &claim, &step.input, &step.staff).await?,
                        Action::ReleaseHold | Action::Reject => {
                            this.propose_end_of_hold(tx, &claim, row, &step.input, &step.staff).await?
                        }
                        _ => this.propose_payment(tx, &claim, row, &step.input, &step.staff).await?,
                    };
                    return Ok(Some(proposed.id));
                }
                if step.action == Action::Recalculate {
                    this.recalculate(tx, claim, row, &initiator, step.input.clone()).await?;
                    return Ok(None);
                }
                let (row, input) = this.apply_payment_date(tx, &claim, row, &step.input).await?;
                let passes = match input.amount {
                    Some(received) => row.action == Action::LatePayment && passes(&claim, received)?,
                    None => false,
                };
                if passes {
                    this.receive_late_payment(tx, claim, row, &initiator, input).await?;
                } else {
                    this.advance(tx, claim, row, &initiator, &input).await?;
                }
                Ok(None)
            })
        })
        .await
    }

    /// Locks a claim. A staff member's lock is taken over, unless the claim has to be free.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `claim_closed`, and `claim_locked` when a claim that has to be free is not.
    pub async fn lock(self: &Arc<Self>, id: Uuid, staff: Staff, if_free: bool) -> Result<()> {
        let change = if if_free { lock_free } else { lock };
        self.annotate(id, staff, "lock", None, change).await
    }

    /// # Errors
    /// 404 `claim_not_found`; 409 `claim_locked` when a staff member has it in hand.
    pub async fn unlock(self: &Arc<Self>, id: Uuid, staff: Staff) -> Result<()> {
        self.annotate(id, staff, "unlock", None, |claim, staff| {
            check_lock(claim, staff)?;
            (claim.progress.holder_id, claim.progress.holder_name) = (None, None);
            Ok(())
        })
        .await
    }

    /// Adds a note for the staff to the history.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 422 for an empty or endless note.
    pub async fn add_note(self: &Arc<Self>, id: Uuid, staff: Staff, text: &str) -> Result<()> {
        let text = checked_note("text", text)?;
        self.annotate(id, staff, "note", Some(text), |_, _| Ok(())).await
    }

    /// Changes a claim without changing its state, with an event and an audit entry.
    async fn annotate(
        self: &Arc<Self>,
        id: Uuid,
        staff: Staff,
        action: &'static str,
        note: Option<String>,
        change: fn(&mut Claim, &Staff) -> Result<()>,
    ) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, staff, note) = (this.clone(), staff.clone(), note.clone());
                Box::pin(async move {
                    let claim = claims::locked(tx, id).await?;
                    this.annotated(tx, claim, &staff, action, note.as_deref(), change).await
                })
            })
            .await
    }

    async fn annotated(
        &self,
        tx: &mut Tx,
        mut claim: Claim,
        staff: &Staff,
        action: &'static str,
        note: Option<&str>,
        change: fn(&mut Claim, &Staff) -> Result<()>,
    ) -> Result<()> {
        let now = self.platform.clock.now();
        let (holder, before) = (claim.progress.holder_id, self.audit_snapshot(&claim));
        change(&mut claim, staff)?;
        if claim.progress.holder_id != holder {
            claim.updated_at = now;
            claims::update(tx, &mut claim).await?;
        } else if note.is_none() {
            return Ok(());
        }
        let event = NewClaimEvent {
            staff: Some((staff.id, &staff.name)),
            note,
            ..NewClaimEvent::of(&claim, now, Actor::Operator, action)
        };
        history::insert(tx, &event).await?;
        self.record_audit(tx, &staff.into(), action, &before, &claim, now).await?;
        self.publish_change(tx, claim.id);
        Ok(())
    }
}

/// # Errors
/// 422 for an empty or endless one.
pub(super) fn checked_note(field: &'static str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::unprocessable("validation_failed").at(field, "required"));
    }
    if text.chars().count() > NOTE_MAX {
        return Err(Error::unprocessable("validation_failed").with("max", NOTE_MAX).at(field, "text_too_long"));
    }
    Ok(text.to_owned())
}

/// Whether an action belongs to the verification module: a verification is decided where its photos are shown.
pub(super) fn is_verification_decision(row: &Transition) -> bool {
    matches!(row.action, Action::VerifyAccept | Action::VerifyReject)
}

fn lock(claim: &mut Claim, staff: &Staff) -> Result<()> {
    if claim.state.is_final() {
        return Err(Error::conflict("claim_closed"));
    }
    (claim.progress.holder_id, claim.progress.holder_name) = (Some(staff.id), Some(staff.name.clone()));
    Ok(())
}

fn lock_free(claim: &mut Claim, staff: &Staff) -> Result<()> {
    check_lock(claim, staff)?;
    lock(claim, staff)
}

/// Refuses if a staff member has locked the claim.
pub(super) fn check_lock(claim: &Claim, staff: &Staff) -> Result<()> {
    match claim.progress.holder_id {
        Some(holder) if holder != staff.id => {
            Err(Error::conflict("claim_locked").with("name", claim.progress.holder_name.as_deref().unwrap_or("?")))
        }
        _ => Ok(()),
    }
}

/// Whether an amount is within the tolerance of the agreed one.
fn passes(claim: &Claim, received: Decimal) -> Result<bool> {
    let received = Amount::exact(received, claim.give.amount.currency()).ok();
    received.map_or(Ok(false), |received| passes_for_agreed(claim, received))
}

/// Checks that the required fields are filled in.
fn require_fields(fields: &[TransitionField], input: &TransitionInput) -> Result<()> {
    let has_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let is_missing = |need: &TransitionField| match need {
        TransitionField::Reason => !has_text(&input.reason),
        TransitionField::AnswerBy => input.answer_by.is_none(),
        TransitionField::TxId => !has_text(&input.tx_id),
        TransitionField::Note => !has_text(&input.note),
        TransitionField::Amount => input.amount.is_none(),
        TransitionField::Terms => input.shown.is_none(),
        TransitionField::MeetingCode => !has_text(&input.meeting_code),
    };
    let missing: Vec<&TransitionField> = fields.iter().filter(|need| is_missing(need)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(missing.into_iter().fold(Error::unprocessable("validation_failed"), |error, need| error.at(need.name(), "required")))
}
