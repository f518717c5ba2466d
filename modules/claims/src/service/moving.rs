//! Moving a claim on: the one way by which its state changes.

use std::sync::Arc;

use agio_core::identity::{self, Staff};
use agio_core::live::Notice;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_ledger::{Batch, Ending, Hold};
use agio_requisites::{Kind, transaction_key};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use crate::model::{Action, Actor, Effect, Need, State, Transition, find};
use crate::rules::books::{Booking, HoldChange, book};
use crate::rules::desk::{due_at, ends_at};
use crate::rules::payment::address_kind;
use crate::rules::sums::{Sums, sums, takes_back_what_arrived};
use crate::rules::terms::check;
use crate::rules::{Claim, Offer};
use crate::store::claims;
use crate::store::history::{self, NewEvent};
use crate::store::requisites;

/// The longest reason, remark and transaction id.
pub(super) const WORDS_MAX: usize = 500;

/// The reason of a claim that is stopped because what is stored with it cannot be read.
pub(super) const UNREADABLE: &str = "data_unreadable";

/// What stands between a transaction that pays several claims and the number of one of them.
pub(super) const SHARED_MARK: char = '№';

/// What is said with an action.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Why: a code or words for the customer.
    pub reason: Option<String>,
    /// By when the customer has an answer.
    pub answer_by: Option<Timestamp>,
    /// The transaction.
    pub tx_id: Option<String>,
    /// The amount that came, or that was paid out so far.
    pub amount: Option<Decimal>,
    /// A remark for the staff.
    pub note: Option<String>,
    /// What came and what is received for it, as an operator was shown.
    pub shown: Option<(Decimal, Decimal)>,
    /// The terms the step puts in the place of the agreed ones, and when these were agreed on.
    pub terms: Option<(Offer, Timestamp)>,
    /// Whether two people agreed that the amount that came passes for the agreed one.
    pub overridden: bool,
    /// When the payment was first seen, or made.
    pub paid_at: Option<Timestamp>,
    /// Whether the customer gets no letter about it: whoever makes the step sees to that.
    pub silent: bool,
}

/// Who moves a claim.
#[derive(Clone, Debug)]
pub(crate) enum Who {
    /// The customer: a visitor, or an account.
    Customer(identity::Actor),
    Staff(Staff),
    Timer,
    /// The watch over a network.
    Watcher,
    /// The house's own rules.
    House,
}

impl Who {
    pub fn actor(&self) -> Actor {
        match self {
            Self::Customer(_) => Actor::Customer,
            Self::Staff(_) => Actor::Operator,
            Self::Timer => Actor::Timer,
            Self::Watcher => Actor::Watcher,
            Self::House => Actor::System,
        }
    }

    /// The same for the audit log.
    pub fn named(&self) -> identity::Actor {
        match self {
            Self::Customer(actor) => actor.clone(),
            Self::Staff(staff) => staff.into(),
            Self::Timer => identity::Actor::house("claims.deadlines"),
            Self::Watcher => identity::Actor::house("payments.watch"),
            Self::House => identity::Actor::house("claims"),
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
            .filter(|row| row.is_allowed_by(claim.books()) && !takes_back_what_arrived(claim, row))
            .ok_or_else(|| Error::conflict("transition_not_allowed").with("action", action).with("state", claim.state))
    }

    /// Moves a claim by a row of the table: its state, the books, its history, the letter about it and its trail in the audit log, in
    /// the caller's transaction.
    ///
    /// # Errors
    /// 422 for what is said with it; 409 `claim_changed` when somebody else was faster, `balance_too_low`,
    /// `requisites_unavailable`.
    pub(super) async fn advance(
        self: &Arc<Self>,
        tx: &mut Tx,
        mut claim: Claim,
        row: &'static Transition,
        who: &Who,
        said: &Said,
    ) -> Result<Claim> {
        let now = self.platform.clock.now();
        if who.staff().is_some() {
            self.payments.before_staff(tx, claim.id).await?;
        }
        self.has_destination(&claim, row)?;
        if goes_by_stored(row) {
            check(&claim, &self.platform.vault)?;
        }
        let (from, before) = (claim.state, self.trace(&claim));
        if let Some((offer, at)) = &said.terms {
            claim.take_terms(offer.clone(), *at);
        }
        let sums = self.take_words(tx, &mut claim, row, who, said, now).await?;
        let to = row
            .destination(claim.stopped_in)
            .ok_or_else(|| Error::internal("a claim on hold does not know where it was stopped"))?;
        claim.stopped_in = (to == State::OnHold).then_some(from);
        claim.state = to;
        self.follow_promo(tx, &mut claim, from, now).await?;
        let is_settled_otherwise = said.overridden || said.terms.is_some();
        let refloated =
            (!is_settled_otherwise && self.refloat(&mut claim, row, now)?) | self.requote(&mut claim, row.action, now)?;
        let mut booking = book(row.money, &mut claim, sums.came, sums.arrived)?;
        if to == State::Paid {
            claim.take_what_came()?;
        }
        if refloated {
            booking.hold = HoldChange::Replace;
        }
        self.make_offer(&mut claim, row.action, now)?;
        let batch = self.post(tx, &mut claim, row.action, booking, who, now).await?;
        if to == State::AwaitingPayment {
            self.give_requisite(tx, &mut claim, now).await?;
        } else if to.is_final() && claim.received_units == 0 {
            give_back_requisite(tx, &mut claim).await?;
        }
        self.settle_in(&mut claim, row.action, who, now);
        if to == State::PaymentClaimed {
            self.wait_for_reported(tx, &mut claim, now).await?;
        }
        claims::update(tx, &mut claim).await?;
        if from == State::Verification {
            self.proofs.end(tx, claim.id).await?;
        }
        let event = NewEvent {
            claim: claim.public_id,
            at: now,
            actor: who.actor(),
            staff: who.staff(),
            action: row.action.name(),
            from: Some(from),
            to: Some(to),
            revision: claim.revision,
            reason: said.reason.as_deref(),
            note: said.note.as_deref(),
            batch,
        };
        history::insert(tx, &event).await?;
        self.payments.moved(tx, claim.id).await?;
        self.tell_followers(tx, &claim, from, now).await?;
        self.tell_partner(tx, &claim, now).await?;
        if !said.silent {
            self.write_letter(tx, &claim, now).await?;
        }
        self.log(tx, &who.named(), row.action.name(), &before, &claim, now).await?;
        self.tell(tx, claim.id);
        Ok(claim)
    }

    /// Whether a refund has somewhere to go before it is sent.
    ///
    /// # Errors
    /// 409 `refund_address_missing`.
    pub(super) fn has_destination(&self, claim: &Claim, row: &Transition) -> Result<()> {
        if row.money == Effect::SendRefund && claim.returns_to(&self.platform.vault)?.is_empty() {
            return Err(Error::conflict("refund_address_missing"));
        }
        Ok(())
    }

    /// Checks what is said with an action and keeps it with the claim.
    async fn take_words(
        &self,
        tx: &mut Tx,
        claim: &mut Claim,
        row: &Transition,
        who: &Who,
        said: &Said,
        now: Timestamp,
    ) -> Result<Sums> {
        are_short(said)?;
        if row.needs.contains(&Need::AnswerBy) && said.answer_by.is_none_or(|moment| moment <= now) {
            return Err(Error::unprocessable("validation_failed").at("answerBy", "moment_in_the_past"));
        }
        if let Some(tx_id) = &said.tx_id {
            match row.action {
                Action::PayoutSent => claim.tx_out = Some(tx_id.clone()),
                Action::RefundSent => claim.tx_refund = Some(tx_id.clone()),
                _ => {
                    // The mark of a transaction that pays several claims is the watcher's alone to make.
                    let named =
                        if matches!(who, Who::Watcher) { tx_id } else { tx_id.split(SHARED_MARK).next().unwrap_or(tx_id) };
                    claims::insert_payment(tx, claim, &self.payment_key(claim, named), tx_id, now).await?;
                    claim.tx_in = Some(tx_id.clone());
                }
            }
        }
        claim.answer_by = said.answer_by;
        claim.paid_at = claim.paid_at.max(said.paid_at);
        // Why a payment is returned is said once and holds to the end of the refund.
        if said.reason.is_some() || !matches!(row.action, Action::RefundSent | Action::RefundDone) {
            claim.reason.clone_from(&said.reason);
        }
        sums(claim, row, matches!(who, Who::Watcher), said.amount, said.overridden)
    }

    /// The form in which the identifiers of a claim's payments are compared.
    pub(super) fn payment_key(&self, claim: &Claim, tx_id: &str) -> String {
        let currency = self.currency(claim.from_id, &claim.from_code);
        transaction_key(address_kind(&currency).unwrap_or(Kind::Text), tx_id)
    }

    /// Writes what a booking moves, and changes the hold. Returns the batch, if anything was moved.
    async fn post(
        &self,
        tx: &mut Tx,
        claim: &mut Claim,
        action: Action,
        booking: Booking,
        who: &Who,
        now: Timestamp,
    ) -> Result<Option<Uuid>> {
        let mut batch = Batch::new(self.platform.random.uuid(), action.name(), claim.id, now);
        batch.actor = who.staff().map(|(_, name)| name.to_owned());
        batch.note = Some(format!("№ {}", claim.public_id));
        for step in booking.moves {
            batch = batch.moving(step.debit, step.credit, step.currency, step.units);
        }
        let id = batch.id;
        let old_hold = || claim.hold_id.ok_or_else(|| Error::internal("the claim holds no reserve"));
        let released = if action == Action::Expire { Ending::Expired } else { Ending::Released };
        match booking.hold {
            HoldChange::Keep if batch.transfers.is_empty() => return Ok(None),
            HoldChange::Keep => self.ledger.post(tx, &batch).await?,
            HoldChange::Set => {
                let hold = self.new_hold(claim);
                self.ledger.hold(tx, hold, batch).await?;
                claim.hold_id = Some(hold.id);
            }
            HoldChange::Release => {
                self.ledger.end_hold(tx, old_hold()?, released, batch).await?;
                claim.hold_id = None;
            }
            HoldChange::Replace => {
                let (ended, hold) = (old_hold()?, self.new_hold(claim));
                self.ledger.replace_hold(tx, ended, hold, batch).await?;
                claim.hold_id = Some(hold.id);
            }
            HoldChange::Post => {
                self.ledger.end_hold(tx, old_hold()?, Ending::Posted, batch).await?;
                claim.hold_id = None;
            }
        }
        Ok(Some(id))
    }

    /// Ends the hold of a claim and sets aside what its present terms need. Returns the batch.
    pub(super) async fn replace_hold(&self, tx: &mut Tx, claim: &mut Claim, who: &Who, now: Timestamp) -> Result<Uuid> {
        let booking = Booking { hold: HoldChange::Replace, moves: Vec::new() };
        let batch = self.post(tx, claim, Action::Confirm, booking, who, now).await?;
        batch.ok_or_else(|| Error::internal("a hold was replaced without a transfer"))
    }

    /// What the claim is to pay out, to be set aside.
    fn new_hold(&self, claim: &Claim) -> Hold {
        Hold { id: self.platform.random.uuid(), currency: claim.to_id, units: claim.receive_units, about: claim.id }
    }

    /// Says where the customer pays.
    async fn give_requisite(&self, tx: &mut Tx, claim: &mut Claim, now: Timestamp) -> Result<()> {
        if let Some(address) = self.payments.give_address(tx, claim.from_id, claim.id).await? {
            (claim.payment_value, claim.payment_memo) = (Some(address.address), address.memo);
            return Ok(());
        }
        let day = day_of(now);
        let mut taken = None;
        // Under a race for the last one a statement may come back empty although another requisite is free; it sees that
        // one when it is run anew.
        for _ in 0..3 {
            taken = requisites::take(tx, claim.from_id, claim.send_units, day, now).await?;
            if taken.is_some() {
                break;
            }
        }
        let taken = taken.ok_or_else(|| Error::conflict("requisites_unavailable"))?;
        claim.requisite_id = Some(taken.id);
        claim.requisite_day = Some(day);
        claim.payment_value = Some(taken.value);
        claim.payment_holder = taken.holder;
        claim.payment_memo = taken.memo;
        Ok(())
    }

    /// What follows from the new state alone: deadlines, and who has the claim in hand.
    fn settle_in(&self, claim: &mut Claim, action: Action, who: &Who, now: Timestamp) {
        let patience = self.patience_of(claim);
        claim.warn_at = None;
        claim.expires_at = ends_at(claim, patience, now);
        claim.due_at = due_at(claim, patience, now);
        claim.updated_at = now;
        if !matches!(claim.state, State::AmountMismatch | State::LatePayment | State::OnHold) {
            claim.offer = None;
        }
        if claim.state.is_final() {
            (claim.holder_id, claim.holder_name) = (None, None);
        } else if let (Action::Take, Some((id, name))) = (action, who.staff()) {
            (claim.holder_id, claim.holder_name) = (Some(id), Some(name.to_owned()));
        }
    }

    /// Tells whoever watches the claim once it is stored.
    pub(super) fn tell(&self, tx: &mut Tx, claim: Uuid) {
        let live = self.platform.live.clone();
        tx.after_commit(move || live.tell(Notice::Claim(claim)));
    }
}

/// Whether the words that are said are not too many.
///
/// # Errors
/// 422 at the field.
pub(super) fn are_short(said: &Said) -> Result<()> {
    for (field, text) in [("reason", &said.reason), ("txId", &said.tx_id), ("note", &said.note)] {
        if text.as_ref().is_some_and(|text| text.chars().count() > WORDS_MAX) {
            return Err(Error::unprocessable("validation_failed").with("max", WORDS_MAX).at(field, "text_too_long"));
        }
    }
    Ok(())
}

/// Whether a step books or pays by what is stored with the claim, or leads there: not where it only takes back what left or was set aside.
fn goes_by_stored(row: &Transition) -> bool {
    let leads_on = matches!(row.action, Action::ReleaseHold | Action::Refund | Action::Take | Action::RetryPayout);
    leads_on || !matches!(row.money, Effect::None | Effect::ReleaseHold | Effect::TakeBackHold | Effect::TakeBackRefund)
}

/// Gives back what a claim that nobody paid had taken of its requisite's day, once.
async fn give_back_requisite(tx: &mut Tx, claim: &mut Claim) -> Result<()> {
    match (claim.requisite_id, claim.requisite_day.take()) {
        (Some(id), Some(day)) => requisites::give_back(tx, id, claim.send_units, day).await,
        _ => Ok(()),
    }
}

/// The number of the calendar day in UTC, counted from 1970-01-01.
pub(super) fn day_of(moment: Timestamp) -> i64 {
    moment.as_seconds().div_euclid(24 * 60 * 60)
}
