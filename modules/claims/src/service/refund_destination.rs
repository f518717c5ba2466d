//! The destination of a refund, when it is set after the refund was decided.

use std::sync::Arc;

use agio_core::identity::{self, Staff};
use agio_core::{Error, Result, Tx};
use uuid::Uuid;

use super::Claims;
use super::staff_actions::check_lock;
use super::transition::{Initiator, not_allowed};
use crate::model::{Action, ClaimState};
use crate::rules::Claim;
use crate::rules::claim::REFUND_REQUISITES;
use crate::rules::fields::{RequisiteValues, checked};
use crate::store::claims;
use crate::store::history::{self, NewClaimEvent};

const ACTION: &str = "refund_destination";

impl Claims {
    /// Validates and encrypts a refund destination.
    ///
    /// # Errors
    /// 422 with the fields.
    pub(super) async fn checked_destination(&self, claim: &Claim, given: &RequisiteValues) -> Result<String> {
        let currency = self.currency(claim.give.currency_id(), &claim.give.code);
        let wanted = currency.inputs.iter().filter(|input| input.receive);
        let requisites = checked("requisites", wanted, given).map_err(Error::invalid)?;
        let [requisites] = self.apply_validators([(claim.give.currency_id(), "requisites", requisites)]).await?;
        claim.sealed(&self.platform.vault, REFUND_REQUISITES, &requisites)
    }

    /// The claim, if what is returned goes to this encrypted destination. The first one given holds, and a customer who asks
    /// again with another must not believe that it was taken.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`.
    pub(super) fn require_destination(&self, claim: Claim, action: Action, sealed: &str) -> Result<Claim> {
        if claim.returns_to(&self.platform.vault)? == claim.opened(&self.platform.vault, REFUND_REQUISITES, sealed)? {
            return Ok(claim);
        }
        Err(not_allowed(action, claim.state))
    }

    /// Sets the destination of a pending refund, if it has none.
    pub(super) async fn complete_refund(self: &Arc<Self>, id: Uuid, sealed: String, by: &identity::Actor) -> Result<Claim> {
        let (this, initiator) = (self.clone(), Initiator::Customer(by.clone()));
        self.platform
            .db
            .write(move |tx| {
                let (this, initiator, sealed) = (this.clone(), initiator.clone(), sealed.clone());
                Box::pin(async move {
                    let claim = claims::locked(tx, id).await?;
                    if !claim.lacks_destination(&this.platform.vault)? {
                        return Ok(claim);
                    }
                    this.store_refund_destination(tx, claim, sealed, &initiator, None).await
                })
            })
            .await
    }

    /// Sets the refund destination the customer gave to staff. It replaces the previous one.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `claim_changed`, `claim_locked`, `transition_not_allowed`, `payout_under_way`; 422
    /// with the fields.
    pub async fn set_refund_destination(
        self: &Arc<Self>,
        id: Uuid,
        revision: i64,
        given: RequisiteValues,
        note: String,
        staff: Staff,
    ) -> Result<Claim> {
        let claim = self.claim(id).await?;
        let sealed = self.checked_destination(&claim, &given).await?;
        let note = super::staff_actions::checked_note("note", &note)?;
        let (this, initiator) = (self.clone(), Initiator::Staff(staff.clone()));
        self.platform
            .db
            .write(move |tx| {
                let (this, initiator, sealed, note, staff) =
                    (this.clone(), initiator.clone(), sealed.clone(), note.clone(), staff.clone());
                Box::pin(async move {
                    let claim = claims::locked(tx, id).await?;
                    check_lock(&claim, &staff)?;
                    if claim.revision != revision {
                        return Err(Error::conflict("claim_changed"));
                    }
                    if claim.state != ClaimState::RefundPending {
                        return Err(not_allowed(ACTION, claim.state));
                    }
                    this.payments.before_staff(tx, id).await?;
                    this.store_refund_destination(tx, claim, sealed, &initiator, Some(&note)).await
                })
            })
            .await
    }

    async fn store_refund_destination(
        self: &Arc<Self>,
        tx: &mut Tx,
        mut claim: Claim,
        sealed: String,
        initiator: &Initiator,
        note: Option<&str>,
    ) -> Result<Claim> {
        let (now, before) = (self.platform.clock.now(), self.audit_snapshot(&claim));
        claim.refund_requisites = Some(sealed);
        claim.updated_at = now;
        claims::update(tx, &mut claim).await?;
        let event = NewClaimEvent { staff: initiator.staff(), note, ..NewClaimEvent::of(&claim, now, initiator.role(), ACTION) };
        history::insert(tx, &event).await?;
        self.payments.claim_changed(tx, claim.id).await?;
        self.notify_partner(tx, &claim, now).await?;
        self.send_email(tx, &claim, now).await?;
        self.record_audit(tx, &initiator.audit_actor(), ACTION, &before, &claim, now).await?;
        self.publish_change(tx, claim.id);
        Ok(claim)
    }
}
