//! Transitions made by the automatic payments, along the same table.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_contracts::{ClaimTransitions, InvoiceDetails, PayableClaim, PaymentStage, PaymentStep};
use agio_core::identity::Staff;
use agio_core::{Amount, BoxFuture, Error, Result, Tx};
use uuid::Uuid;

use super::Claims;
use super::staff_actions::check_lock;
use super::transition::{Initiator, SHARED_MARK, TransitionInput};
use crate::minutes;
use crate::model::{Action, Actor, ClaimState, find};
use crate::rules::Claim;
use crate::rules::claim::ClaimPayment;
use crate::rules::refund::addressed;
use crate::rules::terms::tolerated;
use crate::store::history::{self, NewClaimEvent};
use crate::store::{claims, payments};

/// The event of payment details that came after the confirmation.
const DETAILS_GIVEN: &str = "payment_details";

impl Claims {
    async fn payable_of(&self, tx: &mut Tx, claim: Claim) -> Result<PayableClaim> {
        let leaves = match claim.state {
            ClaimState::RefundPending => find(claim.state, Action::RefundSent, Actor::System),
            _ => find(ClaimState::Processing, Action::PayoutSent, Actor::System),
        };
        let needs_approval = match leaves {
            Some(row) => self.approval_requirement(tx, &claim, row).await?.is_some_and(|consent| consent.is_due),
            None => true,
        };
        Ok(PayableClaim {
            id: claim.id,
            number: claim.public_id,
            stage: stage(claim.state),
            revision: claim.revision,
            from: claim.give.currency_id(),
            give: claim.give.amount,
            terms_end: claim.promised_until(),
            pay_until: claim.pay_until(),
            tolerance: tolerated(&claim)?,
            received: claim.balances.received,
            to: claim.receive.currency_id(),
            receive: claim.receive.amount,
            pay_to: addressed(&claim.receive_requisites(&self.platform.vault)?),
            refund: claim.balances.held,
            refund_to: claim.refund_to(&self.platform.vault)?,
            is_locked: claim.progress.holder_id.is_some(),
            needs_approval,
            is_first_surplus: claim.balances.surplus.units() > 0 && claim.references.tx_refund.is_none(),
        })
    }

    async fn take_step(self: &Arc<Self>, tx: &mut Tx, id: Uuid, step: PaymentStep) -> Result<PayableClaim> {
        let claim = claims::locked(tx, id).await?;
        let as_agreed = matches!(step, PaymentStep::Late { as_agreed: true, .. });
        let (initiator, action, mut input) = self.transition_of(step);
        if let (Action::PaymentSeen | Action::LatePayment, Some(tx_id)) = (action, &input.tx_id) {
            input.tx_id = Some(self.payment_name(tx, &claim, tx_id).await?);
        }
        let row = Self::row(&claim, action, initiator.role())?;
        let claim = if as_agreed {
            self.receive_late_payment(tx, claim, row, &initiator, input).await?
        } else {
            self.advance(tx, claim, row, &initiator, &input).await?
        };
        self.payable_of(tx, claim).await
    }

    /// Tells a claim how it is paid. This is no transition: the claim waits for its payment already.
    async fn take_payment_details(&self, tx: &mut Tx, id: Uuid, details: InvoiceDetails) -> Result<()> {
        let mut claim = claims::locked(tx, id).await?;
        if stage(claim.state) != PaymentStage::Awaiting || claim.payment.value.is_some() {
            return Err(Error::conflict("claim_changed"));
        }
        let (now, before) = (self.platform.clock.now(), self.audit_snapshot(&claim));
        let InvoiceDetails { value, holder, memo, page } = details;
        claim.payment = ClaimPayment { value: Some(value), holder, memo, page, ..claim.payment };
        claim.updated_at = now;
        claims::update(tx, &mut claim).await?;
        history::insert(tx, &NewClaimEvent::of(&claim, now, Actor::System, DETAILS_GIVEN)).await?;
        self.notify_partner(tx, &claim, now).await?;
        self.record_audit(tx, &Initiator::System.audit_actor(), DETAILS_GIVEN, &before, &claim, now).await?;
        self.publish_change(tx, id);
        Ok(())
    }

    fn transition_of(&self, step: PaymentStep) -> (Initiator, Action, TransitionInput) {
        let plain = TransitionInput::default;
        let because = |reason: &str| TransitionInput { reason: Some(reason.to_owned()), ..TransitionInput::default() };
        let of_amount = |came: Amount| TransitionInput { amount: Some(came.value()), ..TransitionInput::default() };
        let of_tx = |tx_id| TransitionInput { tx_id: Some(tx_id), ..TransitionInput::default() };
        match step {
            PaymentStep::Seen(tx_id, at) => {
                (Initiator::Watcher, Action::PaymentSeen, TransitionInput { paid_at: Some(at), ..of_tx(tx_id) })
            }
            PaymentStep::Received(came) => (Initiator::Watcher, Action::PaymentReceived, of_amount(came)),
            PaymentStep::Mismatch(came) => (Initiator::System, Action::AmountMismatch, of_amount(came)),
            PaymentStep::Late { tx_id, seen_at, came, .. } => {
                let input = TransitionInput { amount: Some(came.value()), paid_at: Some(seen_at), ..of_tx(tx_id) };
                (Initiator::Watcher, Action::LatePayment, input)
            }
            PaymentStep::Hold(reason) => {
                let answer_by = self.platform.clock.now().plus(minutes(self.timeouts().answer_minutes));
                (Initiator::System, Action::Hold, TransitionInput { answer_by: Some(answer_by), ..because(reason) })
            }
            PaymentStep::Take => (Initiator::System, Action::Take, plain()),
            PaymentStep::PayoutSent(tx_id) => (Initiator::System, Action::PayoutSent, of_tx(tx_id)),
            PaymentStep::PayoutFailed(note) => (
                Initiator::System,
                Action::PayoutFailed,
                TransitionInput { note: Some(short(&note)), ..because("payout_rejected") },
            ),
            PaymentStep::Retry => (Initiator::System, Action::RetryPayout, plain()),
            PaymentStep::Complete => (Initiator::Watcher, Action::Complete, plain()),
            PaymentStep::RefundSent(tx_id, staff) => {
                (staff.map_or(Initiator::System, Initiator::Staff), Action::RefundSent, of_tx(tx_id))
            }
            PaymentStep::RefundDone => (Initiator::Watcher, Action::RefundDone, plain()),
            PaymentStep::RefundBounced(note) => (
                Initiator::Watcher,
                Action::RefundBounced,
                TransitionInput { note: Some(short(&note)), ..because("refund_returned") },
            ),
        }
    }

    /// The identifier under which a payment is booked. If one transaction pays several claims, the later ones append
    /// their number.
    async fn payment_name(&self, tx: &mut Tx, claim: &Claim, tx_id: &str) -> Result<String> {
        let key = self.payment_key(claim, tx_id);
        let is_others = claims::payment_owner(tx, claim.give.currency_id(), &key).await?.is_some_and(|owner| owner != claim.id);
        Ok(if is_others { format!("{tx_id} {SHARED_MARK}{}", claim.public_id) } else { tx_id.to_owned() })
    }

    async fn ask_for_refund(self: &Arc<Self>, tx: &mut Tx, id: Uuid, staff: &Staff) -> Result<Option<Uuid>> {
        let mut claim = claims::locked(tx, id).await?;
        check_lock(&claim, staff)?;
        let row = Self::row(&claim, Action::RefundSent, Actor::Operator)?;
        self.require_refund_destination(&claim, row)?;
        if !self.approval_requirement(tx, &claim, row).await?.is_some_and(|consent| consent.is_due) {
            // A new revision: the refund is about to leave, so decisions on the old one are outdated.
            claim.updated_at = self.platform.clock.now();
            claims::update(tx, &mut claim).await?;
            self.publish_change(tx, claim.id);
            return Ok(None);
        }
        let proposed = self.propose_payment(tx, &claim, row, &TransitionInput::default(), staff).await?;
        Ok(Some(proposed.id))
    }
}

impl ClaimTransitions for Claims {
    fn give_payment_details<'a>(
        self: Arc<Self>,
        tx: &'a mut Tx,
        claim: Uuid,
        details: InvoiceDetails,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.take_payment_details(tx, claim, details).await })
    }

    fn payable<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<PayableClaim>> {
        Box::pin(async move {
            let claim = claims::locked(tx, claim).await?;
            self.payable_of(tx, claim).await
        })
    }

    fn payer<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        Box::pin(async move {
            let given = claims::locked(tx, claim).await?.payer(&self.platform.vault)?;
            Ok(given.into_iter().map(|requisite| (requisite.name, requisite.value)).collect())
        })
    }

    fn payable_by_number<'a>(&'a self, tx: &'a mut Tx, number: i64) -> BoxFuture<'a, Result<PayableClaim>> {
        Box::pin(async move {
            let id = payments::id_of(tx, number).await?;
            let claim = claims::locked(tx, id).await?;
            self.payable_of(tx, claim).await
        })
    }

    fn step<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, step: PaymentStep) -> BoxFuture<'a, Result<PayableClaim>> {
        Box::pin(async move { self.take_step(tx, claim, step).await })
    }

    fn retry_by<'a>(
        self: Arc<Self>,
        tx: &'a mut Tx,
        claim: Uuid,
        staff: &'a Staff,
        note: String,
    ) -> BoxFuture<'a, Result<PayableClaim>> {
        Box::pin(async move {
            let claim = claims::locked(tx, claim).await?;
            check_lock(&claim, staff)?;
            let row = Self::row(&claim, Action::RetryPayout, Actor::Operator)?;
            let input = TransitionInput { note: Some(note), ..TransitionInput::default() };
            let claim = self.advance(tx, claim, row, &Initiator::Staff(staff.clone()), &input).await?;
            self.payable_of(tx, claim).await
        })
    }

    fn ask_refund<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, staff: &'a Staff) -> BoxFuture<'a, Result<Option<Uuid>>> {
        Box::pin(async move { self.ask_for_refund(tx, claim, staff).await })
    }

    fn paid<'a>(&'a self, tx: &'a mut Tx, currency: i64, most: i64, after: i64) -> BoxFuture<'a, Result<Vec<(i64, Uuid)>>> {
        Box::pin(async move { payments::paid(tx, currency, most, after).await })
    }

    fn surpluses<'a>(&'a self, tx: &'a mut Tx, currency: i64, most: i64, after: i64) -> BoxFuture<'a, Result<Vec<(i64, Uuid)>>> {
        Box::pin(async move { payments::surpluses(tx, currency, most, after).await })
    }
}

/// Cuts a driver's message to the longest note.
fn short(words: &str) -> String {
    words.chars().take(super::transition::WORDS_MAX).collect()
}

fn stage(state: ClaimState) -> PaymentStage {
    match state {
        ClaimState::Created | ClaimState::Verification => PaymentStage::Unconfirmed,
        ClaimState::AwaitingPayment | ClaimState::PaymentClaimed => PaymentStage::Awaiting,
        ClaimState::PaymentSeen => PaymentStage::Seen,
        ClaimState::AmountMismatch => PaymentStage::Mismatch,
        ClaimState::LatePayment => PaymentStage::Late,
        ClaimState::OnHold => PaymentStage::Held,
        ClaimState::Paid => PaymentStage::Paid,
        ClaimState::Processing => PaymentStage::Processing,
        ClaimState::PayoutSent => PaymentStage::PayoutSent,
        ClaimState::PayoutError => PaymentStage::PayoutFailed,
        ClaimState::PayoutPartial => PaymentStage::PayoutPartial,
        ClaimState::RefundPending => PaymentStage::RefundPending,
        ClaimState::RefundSent => PaymentStage::RefundSent,
        ClaimState::Completed => PaymentStage::Completed,
        ClaimState::Refunded => PaymentStage::Refunded,
        ClaimState::Cancelled | ClaimState::Expired | ClaimState::Rejected => PaymentStage::Ended,
    }
}
