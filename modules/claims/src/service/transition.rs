//! Transitions: the only way in which a claim's state changes.

use std::sync::Arc;

use agio_core::events::ChangeEvent;
use agio_core::identity::{self, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use agio_ledger::{Hold, HoldOutcome, TransferBatch};
use agio_requisites::{RequisiteKind, is_transaction_id, linked_transaction, transaction_key};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::deadline::start_report_timeout;
use super::{Claims, emails};
use crate::model::{Action, Actor, ClaimState, LedgerEffect, Transition, TransitionField, find};
use crate::rules::amounts::{StepAmounts, reverses_delivered_payout, step_amounts};
use crate::rules::ledger_entries::{Booking, HoldChange, book};
use crate::rules::payment::address_kind;
use crate::rules::queue::{due_at, ends_at};
use crate::rules::terms::check;
use crate::rules::{Claim, Offer};
use crate::store::claims;
use crate::store::history::{self, NewClaimEvent};

/// The longest reason, note and transaction id.
pub(super) const WORDS_MAX: usize = 500;

/// The hold reason of an unreadable claim.
pub(super) const UNREADABLE: &str = "data_unreadable";

/// The separator between the id of a transaction that pays several claims and the number of one of them.
pub(super) const SHARED_MARK: char = '№';

/// What a claim cannot do in its state.
pub(super) fn not_allowed(action: impl ToString, state: ClaimState) -> Error {
    Error::conflict("transition_not_allowed").with("action", action).with("state", state)
}

#[derive(Clone, Debug, Default)]
pub struct TransitionInput {
    /// The reason: a code, or a text for the customer.
    pub reason: Option<String>,
    /// The time by which the customer gets an answer.
    pub answer_by: Option<Timestamp>,
    pub tx_id: Option<String>,
    /// What the customer said to collect cash.
    pub meeting_code: Option<String>,
    /// The total amount received, or paid out, so far.
    pub amount: Option<Decimal>,
    pub note: Option<String>,
    /// The give and receive amounts of a recalculation, as the operator saw them.
    pub shown: Option<(Decimal, Decimal)>,
    /// New terms, and the time at which they were agreed.
    pub terms: Option<(Offer, Timestamp)>,
    /// Whether a two-person approval accepts the amount as the agreed one.
    pub overridden: bool,
    /// When the payment was first seen, or made.
    pub paid_at: Option<Timestamp>,
    /// Whether to skip the e-mail: the caller sends one.
    pub silent: bool,
}

/// Who makes a transition.
#[derive(Clone, Debug)]
pub(crate) enum Initiator {
    /// The customer: a visitor, or an account.
    Customer(identity::Actor),
    Staff(Staff),
    Timer,
    /// The payment detection.
    Watcher,
    /// Automatic rules.
    System,
}

impl Initiator {
    pub fn role(&self) -> Actor {
        match self {
            Self::Customer(_) => Actor::Customer,
            Self::Staff(_) => Actor::Operator,
            Self::Timer => Actor::Timer,
            Self::Watcher => Actor::Watcher,
            Self::System => Actor::System,
        }
    }

    pub fn audit_actor(&self) -> identity::Actor {
        match self {
            Self::Customer(actor) => actor.clone(),
            Self::Staff(staff) => staff.into(),
            Self::Timer => identity::Actor::system("claims.deadlines"),
            Self::Watcher => identity::Actor::system("payments.watch"),
            Self::System => identity::Actor::system("claims"),
        }
    }

    pub fn staff(&self) -> Option<(Uuid, &str)> {
        match self {
            Self::Staff(staff) => Some((staff.id, &staff.name)),
            _ => None,
        }
    }
}

impl Claims {
    /// The row of the table for an action.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`.
    pub(super) fn row(claim: &Claim, action: Action, actor: Actor) -> Result<&'static Transition> {
        find(claim.state, action, actor)
            .filter(|row| row.is_allowed_by(claim.ledger_state()) && !reverses_delivered_payout(claim, row))
            .ok_or_else(|| not_allowed(action, claim.state))
    }

    /// Moves a claim by a row of the table, in the caller's transaction. This is the one order of a transition's effects.
    ///
    /// # Errors
    /// 422 for the input; 409 `claim_changed`, `balance_too_low`, `requisites_unavailable`, `refund_address_missing`,
    /// `claim_unreadable`, `payout_under_way`.
    pub(super) async fn advance(
        self: &Arc<Self>,
        tx: &mut Tx,
        mut claim: Claim,
        row: &'static Transition,
        initiator: &Initiator,
        input: &TransitionInput,
    ) -> Result<Claim> {
        let now = self.platform.clock.now();
        // Refusals come first. A payout that is leaving stops staff before anything is decided on the claim.
        if initiator.staff().is_some() {
            self.payments.before_staff(tx, claim.id).await?;
        }
        self.require_refund_destination(&claim, row)?;
        if uses_stored_data(row) {
            check(&claim, &self.platform.vault)?;
        }
        // The audit entry compares with the claim as it was before any change.
        let (from, before) = (claim.state, self.audit_snapshot(&claim));
        // New terms decide which amount is the agreed one, so they precede the input, whose amount is checked against it.
        if let Some((offer, at)) = &input.terms {
            claim.take_terms(offer.clone(), *at);
            self.release_lost_promo(tx, &mut claim, now).await?;
        }
        let amounts = self.record_input(tx, &mut claim, row, initiator, input, now).await?;
        enter_state(&mut claim, row)?;
        // Renewed terms keep the bonus of the promo code only if the code is still the claim's.
        self.update_promo(tx, &mut claim, from, now).await?;
        let terms_changed = self.renew_terms_for(&mut claim, row, input, now)?;
        // The ledger. What is received becomes the give amount once it is settled, and an offer is made while the hold
        // still counts as available for it.
        let received_before = claim.balances.received.units();
        let mut booking = book(row.effect, &mut claim, amounts.received, amounts.paid_out)?;
        if claim.state == ClaimState::Paid {
            claim.settle_give_amount()?;
        }
        if terms_changed {
            booking.hold = HoldChange::Replace;
        }
        self.make_offer(tx, &mut claim, row.action, now).await?;
        let batch = self.post(tx, &mut claim, row.action, booking, initiator, now).await?;
        // The requisite is assigned for the final amount, and its time starts with the deadlines.
        if claim.state == ClaimState::AwaitingPayment {
            self.assign_requisite(tx, &mut claim, now).await?;
        } else {
            self.settle_requisite(tx, &claim, received_before).await?;
        }
        self.set_deadlines(&mut claim, row.action, initiator, now);
        if claim.state == ClaimState::PaymentClaimed {
            start_report_timeout(tx, &mut claim, now).await?;
        }
        // The claim is complete now. Its event carries the revision that storing it gave.
        claims::update(tx, &mut claim).await?;
        if from == ClaimState::Verification {
            self.verifications.cancel(tx, claim.id).await?;
        }
        let event = NewClaimEvent {
            staff: initiator.staff(),
            from: Some(from),
            reason: input.reason.as_deref(),
            note: input.note.as_deref(),
            batch,
            payout_tx: claim.references.tx_out.as_deref().filter(|_| row.action == Action::PayoutSent && input.tx_id.is_some()),
            paid_out: says_paid_out(row).then(|| claim.balances.paid_out.units()),
            ..NewClaimEvent::of(&claim, now, initiator.role(), row.action.name())
        };
        history::insert(tx, &event).await?;
        // Others read the stored claim.
        self.payments.claim_changed(tx, claim.id).await?;
        self.notify_exchange_listeners(tx, &claim, from, now).await?;
        self.notify_partner(tx, &claim, now).await?;
        if !input.silent {
            self.send_email(tx, &claim, now).await?;
        }
        self.record_audit(tx, &initiator.audit_actor(), row.action.name(), &before, &claim, now).await?;
        self.publish_change(tx, claim.id);
        Ok(claim)
    }

    /// Renews the terms: a floating rate is fixed by its payment, and terms that ended during a verification are
    /// replaced. True when the payout changes.
    fn renew_terms_for(&self, claim: &mut Claim, row: &Transition, input: &TransitionInput, now: Timestamp) -> Result<bool> {
        let has_own_terms = input.overridden || input.terms.is_some();
        if input.overridden && claim.terms.floating {
            // Two people decided on the amounts, so no rate replaces them any more.
            claim.terms.agreed_at = now;
        }
        let is_fixed = !has_own_terms && self.fix_floating_rate(claim, row, now)?;
        Ok(self.renew_verified_terms(claim, row.action, now)? | is_fixed)
    }

    /// Refuses to send a refund without a destination.
    ///
    /// # Errors
    /// 409 `refund_address_missing`.
    pub(super) fn require_refund_destination(&self, claim: &Claim, row: &Transition) -> Result<()> {
        if row.effect == LedgerEffect::SendRefund && claim.returns_to(&self.platform.vault)?.is_empty() {
            return Err(Error::conflict("refund_address_missing"));
        }
        Ok(())
    }

    /// Validates the input and sets it on the claim.
    async fn record_input(
        &self,
        tx: &mut Tx,
        claim: &mut Claim,
        row: &Transition,
        initiator: &Initiator,
        input: &TransitionInput,
        now: Timestamp,
    ) -> Result<StepAmounts> {
        check_lengths(input)?;
        self.check_meeting_code(claim, row, initiator, input)?;
        if row.required_fields.contains(&TransitionField::AnswerBy) && input.answer_by.is_none_or(|moment| moment <= now) {
            return Err(Error::unprocessable("validation_failed").at("answerBy", "moment_in_the_past"));
        }
        if let Some(tx_id) = &input.tx_id {
            match row.action {
                Action::PayoutSent => {
                    let to = self.currency(claim.receive.currency_id(), &claim.receive.code);
                    claim.references.tx_out = Some(sent_transaction(address_kind(&to), tx_id));
                }
                Action::RefundSent => {
                    claim.references.tx_refund = Some(sent_transaction(Some(self.payment_kind(claim)), tx_id));
                }
                Action::PaymentSeen | Action::PaymentReceived | Action::AmountMismatch | Action::LatePayment => {
                    // Only the payment detection can mark a transaction that pays several claims.
                    let named = if matches!(initiator, Initiator::Watcher) {
                        tx_id
                    } else {
                        let named = tx_id.split(SHARED_MARK).next().unwrap_or(tx_id);
                        // A letter that looks like another one would make one transaction two.
                        if !is_transaction_id(self.payment_kind(claim), named) {
                            return Err(Error::unprocessable("validation_failed").at("txId", "tx_id_characters"));
                        }
                        named
                    };
                    claims::insert_payment(tx, claim, &self.payment_key(claim, named), tx_id, now).await?;
                    claim.references.tx_in = Some(tx_id.clone());
                }
                _ => return Err(Error::unprocessable("validation_failed").at("txId", "unknown_field")),
            }
        }
        claim.progress.answer_by = input.answer_by;
        claim.payment.paid_at = claim.payment.paid_at.max(input.paid_at);
        claim.progress.reason = match row.action {
            // The reason of a refund stays until its end. That an earlier transfer came back is none.
            Action::RefundSent if input.reason.is_none() => history::refund_reason(tx, claim.public_id).await?,
            Action::RefundDone if input.reason.is_none() => claim.progress.reason.take(),
            _ => input.reason.clone(),
        };
        step_amounts(claim, row, initiator.staff().is_none(), input.amount, input.overridden)
    }

    /// The comparable form of a payment's transaction id.
    pub(super) fn payment_key(&self, claim: &Claim, tx_id: &str) -> String {
        transaction_key(self.payment_kind(claim), tx_id)
    }

    /// The kind of address to which a claim is paid; a text for none.
    fn payment_kind(&self, claim: &Claim) -> RequisiteKind {
        let currency = self.currency(claim.give.currency_id(), &claim.give.code);
        address_kind(&currency).unwrap_or(RequisiteKind::Text)
    }

    /// Posts a booking to the ledger. Returns the batch, if there is one.
    async fn post(
        &self,
        tx: &mut Tx,
        claim: &mut Claim,
        action: Action,
        booking: Booking,
        initiator: &Initiator,
        now: Timestamp,
    ) -> Result<Option<Uuid>> {
        let mut batch = TransferBatch::new(self.platform.random.uuid_at(now), action.name(), claim.id, now);
        batch.actor = initiator.staff().map(|(_, name)| name.to_owned());
        batch.note = Some(format!("№ {}", claim.public_id));
        for step in booking.transfers {
            batch = batch.with_transfer(step.debit, step.credit, step.amount);
        }
        let id = batch.id;
        let old_hold = || claim.balances.hold_id.ok_or_else(|| Error::internal("the claim holds no reserve"));
        let released = if action == Action::Expire { HoldOutcome::Expired } else { HoldOutcome::Released };
        match booking.hold {
            HoldChange::Keep if batch.transfers.is_empty() => return Ok(None),
            HoldChange::Keep => self.ledger.post(tx, &batch).await?,
            HoldChange::Set => {
                let hold = self.new_hold(claim, now);
                self.ledger.hold(tx, hold, batch).await?;
                claim.balances.hold_id = Some(hold.id);
            }
            HoldChange::Release => {
                self.ledger.end_hold(tx, old_hold()?, released, batch).await?;
                claim.balances.hold_id = None;
            }
            HoldChange::Replace => {
                let (ended, hold) = (old_hold()?, self.new_hold(claim, now));
                self.ledger.replace_hold(tx, ended, hold, batch).await?;
                claim.balances.hold_id = Some(hold.id);
            }
            HoldChange::Post => {
                self.ledger.end_hold(tx, old_hold()?, HoldOutcome::Posted, batch).await?;
                claim.balances.hold_id = None;
            }
        }
        Ok(Some(id))
    }

    /// Replaces the hold of a claim by one for its current terms. Returns the batch.
    pub(super) async fn replace_hold(
        &self,
        tx: &mut Tx,
        claim: &mut Claim,
        initiator: &Initiator,
        now: Timestamp,
    ) -> Result<Uuid> {
        let booking = Booking { hold: HoldChange::Replace, transfers: Vec::new() };
        let batch = self.post(tx, claim, Action::Confirm, booking, initiator, now).await?;
        batch.ok_or_else(|| Error::internal("a hold was replaced without a transfer"))
    }

    /// The hold for the payout.
    fn new_hold(&self, claim: &Claim, now: Timestamp) -> Hold {
        Hold { id: self.platform.random.uuid_at(now), amount: claim.receive.amount, about: claim.id }
    }

    /// Sets what follows from the new state: deadlines and the lock.
    fn set_deadlines(&self, claim: &mut Claim, action: Action, initiator: &Initiator, now: Timestamp) {
        let timeouts = self.timeouts_for(claim);
        claim.progress.warn_at = None;
        claim.progress.mail_at = emails::mail_time(claim.state, claim.progress.mail_at, now);
        claim.progress.expires_at = ends_at(claim, timeouts, now);
        claim.progress.due_at = due_at(claim, timeouts, now);
        claim.updated_at = now;
        if !matches!(claim.state, ClaimState::AmountMismatch | ClaimState::LatePayment | ClaimState::OnHold) {
            (claim.progress.offer, claim.progress.surplus_offer) = (None, None);
        }
        // The exchange is made, and its staff member is done with it, also while a surplus is to be returned.
        if claim.state.is_final() || action == Action::Complete {
            (claim.progress.holder_id, claim.progress.holder_name) = (None, None);
        } else if let (Action::Take, Some((id, name))) = (action, initiator.staff()) {
            (claim.progress.holder_id, claim.progress.holder_name) = (Some(id), Some(name.to_owned()));
        }
    }

    /// Publishes the change after the commit.
    pub(super) fn publish_change(&self, tx: &mut Tx, claim: Uuid) {
        let live = self.platform.events.clone();
        tx.after_commit(move || live.publish(ChangeEvent::Claim(claim)));
    }
}

/// A transaction under the name that explorers and the search know: staff paste the link to it.
fn sent_transaction(kind: Option<RequisiteKind>, tx_id: &str) -> String {
    let kind = kind.filter(|kind| kind.is_address());
    kind.and_then(|kind| linked_transaction(kind, tx_id)).unwrap_or_else(|| tx_id.to_owned())
}

/// Limits the length of texts.
///
/// # Errors
/// 422 at the field.
pub(super) fn check_lengths(input: &TransitionInput) -> Result<()> {
    for (field, text) in [("reason", &input.reason), ("txId", &input.tx_id), ("note", &input.note)] {
        if text.as_ref().is_some_and(|text| text.chars().count() > WORDS_MAX) {
            return Err(Error::unprocessable("validation_failed").with("max", WORDS_MAX).at(field, "text_too_long"));
        }
    }
    Ok(())
}

/// Moves the claim to the state the row leads to. A hold remembers where it stopped the claim.
fn enter_state(claim: &mut Claim, row: &Transition) -> Result<()> {
    let to = row.destination(claim.stopped_in, claim.ledger_state());
    let to = to.ok_or_else(|| Error::internal("a claim on hold does not know where it was stopped"))?;
    claim.stopped_in = (to == ClaimState::OnHold).then_some(claim.state);
    claim.state = to;
    Ok(())
}

/// Whether a transition says how much of the payout has arrived, short of all of it.
fn says_paid_out(row: &Transition) -> bool {
    row.action == Action::PayoutPartial || row.effect == LedgerEffect::SettlePart
}

/// Whether a transition uses the stored data of a claim, or leads to one that does. Reversals do not.
fn uses_stored_data(row: &Transition) -> bool {
    let leads_on = matches!(row.action, Action::ReleaseHold | Action::Refund | Action::Take | Action::RetryPayout);
    leads_on
        || !matches!(
            row.effect,
            LedgerEffect::None | LedgerEffect::ReleaseHold | LedgerEffect::RestoreHold | LedgerEffect::ReverseRefund
        )
}
