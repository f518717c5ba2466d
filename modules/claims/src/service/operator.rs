//! What an operator does with a claim.

use std::sync::Arc;

use agio_core::idempotency::{self, Key};
use agio_core::identity::Staff;
use agio_core::{Amount, Error, Result, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use super::moving::{Said, Who};
use crate::model::{Action, Actor, Need, Transition};
use crate::rules::Claim;
use crate::rules::terms::passes_for_agreed;
use crate::store::claims;
use crate::store::history::{self, NewEvent};

/// The longest remark.
const NOTE_MAX: usize = 2_000;

/// A step of a member of staff.
#[derive(Clone, Debug)]
pub struct Staffed {
    /// Who.
    pub staff: Staff,
    /// What.
    pub action: Action,
    /// The revision they saw.
    pub revision: i64,
    /// What they say with it.
    pub said: Said,
}

impl Claims {
    /// Moves a claim by an operator's word. Where a colleague has to agree first, proposes that and gives the proposal's identifier.
    ///
    /// # Errors
    /// 409 `claim_changed` when it is not the revision the operator saw, `claim_locked` when a colleague has it in hand,
    /// `transition_not_allowed`, `approval_waits` when the same is proposed already; 422 for what must be said with it.
    pub async fn transit(self: &Arc<Self>, id: Uuid, step: Staffed, key: Option<Key>) -> Result<Option<Uuid>> {
        let (this, step, now) = (self.clone(), Arc::new(step), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, step) = (this.clone(), step.clone());
            Box::pin(async move {
                let claim = claims::locked(tx, id).await?;
                is_free_for(&claim, &step.staff)?;
                if claim.revision != step.revision {
                    return Err(Error::conflict("claim_changed"));
                }
                let who = Who::Staff(step.staff.clone());
                let row = Self::row(&claim, step.action, Actor::Operator)?;
                if is_decided_elsewhere(row) {
                    return Err(Error::conflict("transition_not_allowed").with("action", step.action).with("state", claim.state));
                }
                this.has_destination(&claim, row)?;
                if this.consent(tx, &claim, row).await?.is_some_and(|consent| consent.is_due) {
                    let proposed = match row.action {
                        Action::PaymentReceived => this.propose_override(tx, &claim, &step.said, &step.staff).await?,
                        _ => this.propose_payment(tx, &claim, row, &step.said, &step.staff).await?,
                    };
                    return Ok(Some(proposed.id));
                }
                is_said(row, &step.said)?;
                if step.action == Action::Recalculate {
                    this.recalculate(tx, claim, row, &who, step.said.clone()).await?;
                    return Ok(None);
                }
                let (row, said) = this.dated(tx, &claim, row, &step.said).await?;
                let passes = match said.amount {
                    Some(came) => row.action == Action::LatePayment && passes(&claim, came)?,
                    None => false,
                };
                if passes {
                    this.take_late(tx, claim, row, &who, said).await?;
                } else {
                    this.advance(tx, claim, row, &who, &said).await?;
                }
                Ok(None)
            })
        })
        .await
    }

    /// Takes a claim in hand. It may be in a colleague's: taking it over is allowed and written down.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `claim_closed`.
    pub async fn lock(self: &Arc<Self>, id: Uuid, staff: Staff) -> Result<()> {
        self.annotate(id, staff, "lock", None, |claim, staff| {
            if claim.state.is_final() {
                return Err(Error::conflict("claim_closed"));
            }
            (claim.holder_id, claim.holder_name) = (Some(staff.id), Some(staff.name.clone()));
            Ok(())
        })
        .await
    }

    /// Puts a claim back on the desk.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `claim_locked` when a colleague has it in hand.
    pub async fn unlock(self: &Arc<Self>, id: Uuid, staff: Staff) -> Result<()> {
        self.annotate(id, staff, "unlock", None, |claim, staff| {
            is_free_for(claim, staff)?;
            (claim.holder_id, claim.holder_name) = (None, None);
            Ok(())
        })
        .await
    }

    /// Writes a remark for the staff into the history.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 422 for an empty or endless remark.
    pub async fn note(self: &Arc<Self>, id: Uuid, staff: Staff, text: &str) -> Result<()> {
        let text = remark("text", text)?;
        self.annotate(id, staff, "note", Some(text), |_, _| Ok(())).await
    }

    /// Changes what is beside a claim's state and writes that down.
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
        let (holder, before) = (claim.holder_id, self.trace(&claim));
        change(&mut claim, staff)?;
        if claim.holder_id != holder {
            claim.updated_at = now;
            claims::update(tx, &mut claim).await?;
        } else if note.is_none() {
            return Ok(());
        }
        let event = NewEvent {
            claim: claim.public_id,
            at: now,
            actor: Actor::Operator,
            staff: Some((staff.id, &staff.name)),
            action,
            from: Some(claim.state),
            to: Some(claim.state),
            revision: claim.revision,
            reason: None,
            note,
            batch: None,
        };
        history::insert(tx, &event).await?;
        self.log(tx, &staff.into(), action, &before, &claim, now).await?;
        self.tell(tx, claim.id);
        Ok(())
    }
}

/// A remark for the staff.
///
/// # Errors
/// 422 for an empty or endless one.
pub(super) fn remark(field: &'static str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::unprocessable("validation_failed").at(field, "required"));
    }
    if text.chars().count() > NOTE_MAX {
        return Err(Error::unprocessable("validation_failed").with("max", NOTE_MAX).at(field, "text_too_long"));
    }
    Ok(text.to_owned())
}

/// Whether the desk leaves an action to others: a verification is decided where its photos are looked at.
pub(super) fn is_decided_elsewhere(row: &Transition) -> bool {
    matches!(row.action, Action::VerifyAccept | Action::VerifyReject)
}

/// Whether a claim is in nobody's hand but theirs.
pub(super) fn is_free_for(claim: &Claim, staff: &Staff) -> Result<()> {
    match claim.holder_id {
        Some(holder) if holder != staff.id => {
            Err(Error::conflict("claim_locked").with("name", claim.holder_name.as_deref().unwrap_or("?")))
        }
        _ => Ok(()),
    }
}

/// Whether an amount somebody named passes for the agreed one.
fn passes(claim: &Claim, came: Decimal) -> Result<bool> {
    let came = Amount::exact(came, claim.send().scale()).ok();
    came.map_or(Ok(false), |came| passes_for_agreed(claim, came.units()))
}

/// Whether everything the row needs is said.
fn is_said(row: &Transition, said: &Said) -> Result<()> {
    let has_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let is_missing = |need: &Need| match need {
        Need::Reason => !has_text(&said.reason),
        Need::AnswerBy => said.answer_by.is_none(),
        Need::TxId => !has_text(&said.tx_id),
        Need::Note => !has_text(&said.note),
        Need::Amount => said.amount.is_none(),
        Need::Terms => said.shown.is_none(),
    };
    let missing: Vec<&Need> = row.needs.iter().filter(|need| is_missing(need)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(missing.into_iter().fold(Error::unprocessable("validation_failed"), |error, need| error.at(need.name(), "required")))
}
