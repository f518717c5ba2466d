//! Claims as the automatic payments move them: by what networks and plugins say, in steps of the same table as everybody's.

use std::sync::Arc;

use agio_core::identity::Staff;
use agio_core::needs::{MovesClaims, PayableClaim, PaymentStage, PaymentStep};
use agio_core::{Amount, BoxFuture, Result, Tx};
use uuid::Uuid;

use super::Claims;
use super::moving::{SHARED_MARK, Said, Who};
use super::operator::is_free_for;
use crate::minutes;
use crate::model::{Action, Actor, State, find};
use crate::rules::Claim;
use crate::rules::refund::addressed;
use crate::rules::terms::tolerated;
use crate::store::{claims, paying};

impl Claims {
    async fn payable_of(&self, tx: &mut Tx, claim: Claim) -> Result<PayableClaim> {
        let leaves = find(State::Processing, Action::PayoutSent, Actor::System);
        let needs_consent = match leaves {
            Some(row) => self.consent(tx, &claim, row).await?.is_some_and(|consent| consent.is_due),
            None => true,
        };
        Ok(PayableClaim {
            id: claim.id,
            number: claim.public_id,
            stage: stage(claim.state),
            revision: claim.revision,
            from: claim.from_id,
            send: claim.send(),
            terms_end: claim.promised_until(),
            tolerance: tolerated(&claim)?.map(|units| claim.sent(units)),
            received: claim.sent(claim.received_units),
            to: claim.to_id,
            receive: claim.receive(),
            pay_to: addressed(&claim.to_requisites(&self.platform.vault)?),
            refund: claim.sent(claim.in_units),
            refund_to: claim.refund_to(&self.platform.vault)?,
            in_hand: claim.holder_id.is_some(),
            needs_consent,
        })
    }

    async fn take_step(self: &Arc<Self>, tx: &mut Tx, id: Uuid, step: PaymentStep) -> Result<PayableClaim> {
        let claim = claims::locked(tx, id).await?;
        let as_agreed = matches!(step, PaymentStep::Late { as_agreed: true, .. });
        let (who, action, mut said) = self.said(step);
        if let (Action::PaymentSeen | Action::LatePayment, Some(tx_id)) = (action, &said.tx_id) {
            said.tx_id = Some(self.payment_name(tx, &claim, tx_id).await?);
        }
        let row = Self::row(&claim, action, who.actor())?;
        let claim = if as_agreed {
            self.take_late(tx, claim, row, &who, said).await?
        } else {
            self.advance(tx, claim, row, &who, &said).await?
        };
        self.payable_of(tx, claim).await
    }

    /// A step in the words of the table.
    fn said(&self, step: PaymentStep) -> (Who, Action, Said) {
        let plain = Said::default;
        let because = |reason: &str| Said { reason: Some(reason.to_owned()), ..Said::default() };
        let of_amount = |came: Amount| Said { amount: Some(came.value()), ..Said::default() };
        let of_tx = |tx_id| Said { tx_id: Some(tx_id), ..Said::default() };
        match step {
            PaymentStep::Seen(tx_id, at) => (Who::Watcher, Action::PaymentSeen, Said { paid_at: Some(at), ..of_tx(tx_id) }),
            PaymentStep::Received(came) => (Who::Watcher, Action::PaymentReceived, of_amount(came)),
            PaymentStep::Mismatch(came) => (Who::House, Action::AmountMismatch, of_amount(came)),
            PaymentStep::Late { tx_id, seen_at, came, .. } => {
                let said = Said { amount: Some(came.value()), paid_at: Some(seen_at), ..of_tx(tx_id) };
                (Who::Watcher, Action::LatePayment, said)
            }
            PaymentStep::Hold(reason) => {
                let answer_by = self.platform.clock.now().plus(minutes(self.patience().answer_minutes));
                (Who::House, Action::Hold, Said { answer_by: Some(answer_by), ..because(reason) })
            }
            PaymentStep::Take => (Who::House, Action::Take, plain()),
            PaymentStep::PayoutSent(tx_id) => (Who::House, Action::PayoutSent, of_tx(tx_id)),
            PaymentStep::PayoutFailed(note) => {
                (Who::House, Action::PayoutFailed, Said { note: Some(short(&note)), ..because("payout_rejected") })
            }
            PaymentStep::Retry => (Who::House, Action::RetryPayout, plain()),
            PaymentStep::Complete => (Who::Watcher, Action::Complete, plain()),
            PaymentStep::RefundSent(tx_id, staff) => (Who::Staff(staff), Action::RefundSent, of_tx(tx_id)),
            PaymentStep::RefundDone => (Who::Watcher, Action::RefundDone, plain()),
            PaymentStep::RefundBounced(note) => {
                (Who::Watcher, Action::RefundBounced, Said { note: Some(short(&note)), ..because("refund_returned") })
            }
        }
    }

    /// What a payment is booked under. One transaction may pay several claims: from the second on it is known by the claim as well.
    async fn payment_name(&self, tx: &mut Tx, claim: &Claim, tx_id: &str) -> Result<String> {
        let key = self.payment_key(claim, tx_id);
        let is_others = claims::payment_owner(tx, claim.from_id, &key).await?.is_some_and(|owner| owner != claim.id);
        Ok(if is_others { format!("{tx_id} {SHARED_MARK}{}", claim.public_id) } else { tx_id.to_owned() })
    }

    async fn ask_for_refund(self: &Arc<Self>, tx: &mut Tx, id: Uuid, staff: &Staff) -> Result<Option<Uuid>> {
        let mut claim = claims::locked(tx, id).await?;
        is_free_for(&claim, staff)?;
        let row = Self::row(&claim, Action::RefundSent, Actor::Operator)?;
        self.has_destination(&claim, row)?;
        if !self.consent(tx, &claim, row).await?.is_some_and(|consent| consent.is_due) {
            // Whoever has the claim before them as it was decides anew: the refund is about to leave.
            claim.updated_at = self.platform.clock.now();
            claims::update(tx, &mut claim).await?;
            self.tell(tx, claim.id);
            return Ok(None);
        }
        let proposed = self.propose_payment(tx, &claim, row, &Said::default(), staff).await?;
        Ok(Some(proposed.id))
    }
}

impl MovesClaims for Claims {
    fn payable<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<PayableClaim>> {
        Box::pin(async move {
            let claim = claims::locked(tx, claim).await?;
            self.payable_of(tx, claim).await
        })
    }

    fn payable_by_number<'a>(&'a self, tx: &'a mut Tx, number: i64) -> BoxFuture<'a, Result<PayableClaim>> {
        Box::pin(async move {
            let id = paying::id_of(tx, number).await?;
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
            is_free_for(&claim, staff)?;
            let row = Self::row(&claim, Action::RetryPayout, Actor::Operator)?;
            let said = Said { note: Some(note), ..Said::default() };
            let claim = self.advance(tx, claim, row, &Who::Staff(staff.clone()), &said).await?;
            self.payable_of(tx, claim).await
        })
    }

    fn ask_refund<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, staff: &'a Staff) -> BoxFuture<'a, Result<Option<Uuid>>> {
        Box::pin(async move { self.ask_for_refund(tx, claim, staff).await })
    }

    fn paid<'a>(&'a self, tx: &'a mut Tx, currency: i64, most: i64, after: i64) -> BoxFuture<'a, Result<Vec<(i64, Uuid)>>> {
        Box::pin(async move { paying::paid(tx, currency, most, after).await })
    }
}

/// The words of a driver may be long.
fn short(words: &str) -> String {
    words.chars().take(super::moving::WORDS_MAX).collect()
}

fn stage(state: State) -> PaymentStage {
    match state {
        State::Created | State::Verification => PaymentStage::Unconfirmed,
        State::AwaitingPayment | State::PaymentClaimed => PaymentStage::Awaiting,
        State::PaymentSeen => PaymentStage::Seen,
        State::AmountMismatch => PaymentStage::Mismatch,
        State::LatePayment => PaymentStage::Late,
        State::OnHold => PaymentStage::Held,
        State::Paid => PaymentStage::Paid,
        State::Processing => PaymentStage::Processing,
        State::PayoutSent => PaymentStage::PayoutSent,
        State::PayoutError => PaymentStage::PayoutFailed,
        State::PayoutPartial => PaymentStage::PayoutPartial,
        State::RefundPending => PaymentStage::RefundPending,
        State::RefundSent => PaymentStage::RefundSent,
        State::Completed => PaymentStage::Completed,
        State::Refunded => PaymentStage::Refunded,
        State::Cancelled | State::Expired | State::Rejected => PaymentStage::Ended,
    }
}
