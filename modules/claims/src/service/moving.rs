//! Moving a claim on: the one way by which its state changes.

use std::sync::Arc;

use agio_core::identity::{self, Staff};
use agio_core::live::Notice;
use agio_core::{Amount, Error, Result, Timestamp, Tx};
use agio_ledger::{Batch, Ending, Hold};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use crate::model::{Action, Actor, Effect, Need, State, Transition, find};
use crate::rules::Claim;
use crate::rules::books::{Booking, HoldChange, book};
use crate::rules::desk::{due_at, ends_at};
use crate::store::claims;
use crate::store::history::{self, NewEvent};
use crate::store::requisites;

/// The longest reason, remark and transaction id.
pub(super) const WORDS_MAX: usize = 500;

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

/// What came and what was paid out, in units, as far as an action says.
struct Sums {
    came: i64,
    arrived: i64,
}

impl Claims {
    /// The row of the table for an action.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`.
    pub(super) fn row(claim: &Claim, action: Action, actor: Actor) -> Result<&'static Transition> {
        find(claim.state, action, actor)
            .filter(|row| row.is_allowed_by(claim.books()))
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
        let (from, before) = (claim.state, self.trace(&claim));
        let sums = self.take_words(tx, &mut claim, row, who, said, now).await?;
        let to = row
            .destination(claim.stopped_in)
            .ok_or_else(|| Error::internal("a claim on hold does not know where it was stopped"))?;
        claim.stopped_in = (to == State::OnHold).then_some(from);
        claim.state = to;
        self.follow_promo(tx, &mut claim, from, now).await?;
        let refloated = self.refloat(&mut claim, row.action, now) | self.requote(&mut claim, row.action, now)?;
        let mut booking = book(row.money, &mut claim, sums.came, sums.arrived);
        if refloated {
            booking.hold = HoldChange::Replace;
        }
        self.make_offer(&mut claim, row.action, now);
        let batch = self.post(tx, &mut claim, row.action, booking, who, now).await?;
        if to == State::AwaitingPayment {
            self.give_requisite(tx, &mut claim, now).await?;
        } else if from == State::AwaitingPayment && to.is_final() {
            give_back_requisite(tx, &claim).await?;
        }
        self.settle_in(&mut claim, row.action, who, now);
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
                    claims::insert_payment(tx, claim, tx_id, now).await?;
                    claim.tx_in = Some(tx_id.clone());
                }
            }
        }
        claim.answer_by = said.answer_by;
        // Why a payment is returned is said once and holds to the end of the refund.
        if said.reason.is_some() || !matches!(row.action, Action::RefundSent | Action::RefundDone) {
            claim.reason.clone_from(&said.reason);
        }
        sums(claim, row, matches!(who, Who::Watcher), said.amount)
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
        let patience = self.patience();
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

/// The sums of an action, checked against what the claim knows. What was seen on a network is what came, although it only passes for the agreed
/// amount; a member of staff who says that the payment is there means the agreed amount.
fn sums(claim: &mut Claim, row: &Transition, was_seen: bool, said: Option<Decimal>) -> Result<Sums> {
    let refused = |code| Error::unprocessable("validation_failed").at("amount", code);
    let exact = |amount: Decimal, like: Amount| {
        let amount = Amount::exact(amount, like.scale()).map_err(|error| refused(error.code()))?.units();
        if amount > 0 { Ok(amount) } else { Err(refused("not_an_amount")) }
    };
    let mut sums = Sums { came: claim.received_units, arrived: claim.paid_out_units };
    match (row.action, row.money, said) {
        (Action::PaymentReceived, Effect::ReceivePayment, said) if !was_seen || said.is_none() => {
            sums.came = claim.send_units.max(claim.received_units);
            if said.map(|amount| exact(amount, claim.send())).transpose()?.is_some_and(|said| said != sums.came) {
                return Err(refused("amount_differs"));
            }
        }
        (_, Effect::ReceivePayment, Some(amount)) => {
            sums.came = exact(amount, claim.send())?;
            if sums.came <= claim.received_units {
                return Err(refused("amount_came_before"));
            }
        }
        (Action::PayoutPartial, _, Some(amount)) | (_, Effect::SettlePart, Some(amount)) => {
            sums.arrived = exact(amount, claim.receive())?;
            if sums.arrived >= claim.receive_units {
                return Err(refused("amount_is_whole"));
            }
            claim.paid_out_units = sums.arrived;
        }
        _ => {}
    }
    Ok(sums)
}

async fn give_back_requisite(tx: &mut Tx, claim: &Claim) -> Result<()> {
    match (claim.requisite_id, claim.requisite_day) {
        (Some(id), Some(day)) => requisites::give_back(tx, id, claim.send_units, day).await,
        _ => Ok(()),
    }
}

/// The number of the calendar day in UTC, counted from 1970-01-01.
pub(super) fn day_of(moment: Timestamp) -> i64 {
    moment.as_seconds().div_euclid(24 * 60 * 60)
}
