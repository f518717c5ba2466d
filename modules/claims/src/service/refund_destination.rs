//! Where a payment goes back to, asked for when it is to be returned and nobody said.

use std::sync::Arc;

use agio_core::identity::{self, Staff};
use agio_core::{Error, Result, Tx};
use uuid::Uuid;

use super::Claims;
use super::moving::Who;
use super::operator::is_free_for;
use crate::model::State;
use crate::rules::Claim;
use crate::rules::claim::REFUND;
use crate::rules::fields::{Given, checked};
use crate::store::claims;
use crate::store::history::{self, NewEvent};

/// How the step is called in the history and in the audit log.
const ACTION: &str = "refund_destination";

impl Claims {
    /// What was given to return a claim's payment to, checked as everything is that money is sent to, and sealed.
    ///
    /// # Errors
    /// 422 with the fields.
    pub(super) async fn checked_destination(&self, claim: &Claim, given: &Given) -> Result<String> {
        let currency = self.currency(claim.from_id, &claim.from_code);
        let wanted = currency.inputs.iter().filter(|input| input.receive);
        let requisites = checked("requisites", wanted, given).map_err(Error::invalid)?;
        let [requisites] = self.with_opinions([(claim.from_id, "requisites", requisites)]).await?;
        claim.sealed(&self.platform.vault, REFUND, &requisites)
    }

    /// Keeps where the customer wants a payment that is to be returned already. What was said once holds.
    pub(super) async fn complete_refund(self: &Arc<Self>, id: Uuid, sealed: String, by: &identity::Actor) -> Result<Claim> {
        let (this, who) = (self.clone(), Who::Customer(by.clone()));
        self.platform
            .db
            .write(move |tx| {
                let (this, who, sealed) = (this.clone(), who.clone(), sealed.clone());
                Box::pin(async move {
                    let claim = claims::locked(tx, id).await?;
                    if !claim.lacks_destination(&this.platform.vault)? {
                        return Ok(claim);
                    }
                    this.keep_destination(tx, claim, sealed, &who, None).await
                })
            })
            .await
    }

    /// Keeps where the customer told staff that they want a payment that is to be returned, in the place of what was known before.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `claim_changed`, `claim_locked`, `transition_not_allowed`, `payout_under_way`; 422 with the fields.
    pub async fn set_refund_destination(
        self: &Arc<Self>,
        id: Uuid,
        revision: i64,
        given: Given,
        note: String,
        staff: Staff,
    ) -> Result<Claim> {
        let claim = self.claim(id).await?;
        let sealed = self.checked_destination(&claim, &given).await?;
        let note = super::operator::remark("note", &note)?;
        let (this, who) = (self.clone(), Who::Staff(staff.clone()));
        self.platform
            .db
            .write(move |tx| {
                let (this, who, sealed, note, staff) = (this.clone(), who.clone(), sealed.clone(), note.clone(), staff.clone());
                Box::pin(async move {
                    let claim = claims::locked(tx, id).await?;
                    is_free_for(&claim, &staff)?;
                    if claim.revision != revision {
                        return Err(Error::conflict("claim_changed"));
                    }
                    if claim.state != State::RefundPending {
                        return Err(Error::conflict("transition_not_allowed").with("action", ACTION).with("state", claim.state));
                    }
                    this.payments.before_staff(tx, id).await?;
                    this.keep_destination(tx, claim, sealed, &who, Some(&note)).await
                })
            })
            .await
    }

    async fn keep_destination(
        self: &Arc<Self>,
        tx: &mut Tx,
        mut claim: Claim,
        sealed: String,
        who: &Who,
        note: Option<&str>,
    ) -> Result<Claim> {
        let (now, before) = (self.platform.clock.now(), self.trace(&claim));
        claim.refund_requisites = Some(sealed);
        claim.updated_at = now;
        claims::update(tx, &mut claim).await?;
        let event = NewEvent {
            claim: claim.public_id,
            at: now,
            actor: who.actor(),
            staff: who.staff(),
            action: ACTION,
            from: Some(claim.state),
            to: Some(claim.state),
            revision: claim.revision,
            reason: None,
            note,
            batch: None,
        };
        history::insert(tx, &event).await?;
        self.payments.moved(tx, claim.id).await?;
        self.tell_partner(tx, &claim, now).await?;
        self.write_letter(tx, &claim, now).await?;
        self.log(tx, &who.named(), ACTION, &before, &claim, now).await?;
        self.tell(tx, claim.id);
        Ok(claim)
    }
}
