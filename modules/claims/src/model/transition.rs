//! The transitions between states.

use agio_core::named;

use super::ClaimState;

use ActorKind::{Customer, Operator, System, Timer, Watcher};
use TransitionAction as Action;
use TransitionField::{Amount, AnswerBy, Note, Reason, Terms, TxId};

named! {
    /// Who made a change.
    ActorKind {
        /// The customer, with their browser or account.
        Customer = "customer",
        /// A member of staff, in the console.
        Operator = "operator",
        /// A deadline.
        Timer = "timer",
        /// The payment detection.
        Watcher = "watcher",
        /// Automatic rules: risk, AML, automatic payouts.
        System = "system",
    }
}

named! {
    /// An action that moves a claim to another state.
    TransitionAction {
        /// Creates the claim.
        Create = "create",
        /// Confirms the data and the terms; payment details are assigned and the deadline starts.
        Confirm = "confirm",
        /// Reports the payment as sent.
        Paid = "paid",
        /// Cancels the claim before paying.
        Cancel = "cancel",
        /// Accepts the new terms offered.
        Accept = "accept",
        /// Exchanges the agreed amount and returns the rest of what arrived.
        ReturnSurplus = "return_surplus",
        /// Refunds the payment instead of exchanging it.
        Refund = "refund",
        /// Ends a claim that was not paid in time.
        Expire = "expire",
        /// Escalates to an operator, because the customer did not choose in time.
        NoChoice = "no_choice",
        /// Requires a verification.
        AskVerification = "ask_verification",
        /// Accepts the verification.
        VerifyAccept = "verify_accept",
        /// Rejects the verification.
        VerifyReject = "verify_reject",
        /// Records a payment that is not confirmed yet.
        PaymentSeen = "payment_seen",
        /// Records that the payment is received.
        PaymentReceived = "payment_received",
        /// Exchanges a different amount, at the terms the operator saw.
        Recalculate = "recalculate",
        /// Records that a different amount is received.
        AmountMismatch = "amount_mismatch",
        /// Records a payment after the agreed terms or the claim had ended.
        LatePayment = "late_payment",
        /// Puts the claim on hold.
        Hold = "hold",
        /// Releases the hold: the claim returns to its previous state.
        ReleaseHold = "release_hold",
        /// Rejects the claim.
        Reject = "reject",
        /// Starts processing the payout.
        Take = "take",
        /// Records that the payout is sent.
        PayoutSent = "payout_sent",
        /// Records that the payout was not sent.
        PayoutFailed = "payout_failed",
        /// Retries the payout, when the first one has certainly not left.
        RetryPayout = "retry_payout",
        /// Records that a part of the payout has arrived.
        PayoutPartial = "payout_partial",
        /// Completes the claim.
        Complete = "complete",
        /// Records that the payout of a completed claim came back.
        PayoutReturned = "payout_returned",
        /// Records that the refund is sent.
        RefundSent = "refund_sent",
        /// Records that the refund has arrived.
        RefundDone = "refund_done",
        /// Records that the refund came back.
        RefundBounced = "refund_bounced",
    }
}

named! {
    /// A field that a transition requires. Operators must fill it in; customers, timers and automatic rules need not.
    TransitionField {
        /// The reason: a code, or a text for the customer.
        Reason = "reason",
        /// The time by which the customer gets an answer.
        AnswerBy = "answerBy",
        /// The transaction id on the network, or the bank's reference.
        TxId = "txId",
        /// A note for the staff.
        Note = "note",
        /// The total amount received, or paid out, so far.
        Amount = "amount",
        /// The amounts of the new terms, as the operator saw them.
        Terms = "terms",
        /// What the customer says to collect cash.
        MeetingCode = "meetingCode",
    }
}

/// The target of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    State(ClaimState),
    /// The state before the hold.
    Back,
    /// `owed` while a surplus is owed to the customer, otherwise `settled`.
    BySurplus {
        owed: ClaimState,
        settled: ClaimState,
    },
}

/// What the claim's ledger state must be for a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Anything.
    Always,
    /// The customer's money is held.
    MoneyHeld,
    NoMoneyHeld,
}

/// The effect of a transition on the ledger, in the transaction of the state change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerEffect {
    /// Nothing.
    None,
    /// Holds the receive amount: reserve to hold.
    HoldReserve,
    /// Replaces the hold by one of the new receive amount.
    ReplaceHold,
    /// The same, and what arrived beyond the give amount is owed back. It stays in claim in until it is sent.
    OweSurplus,
    /// Releases the hold, if there is one: hold to reserve. Without an exchange there is no surplus: all of it goes back.
    ReleaseHold,
    /// Books the received amount that is not booked yet: external to claim in.
    ReceivePayment,
    /// The same for a late payment: the hold, if any, is released, because its terms have ended.
    ReceiveLate,
    /// Sends the payout: hold to claim out.
    PostHold,
    /// The payout has arrived: claim out to external; the payment without its surplus moves from claim in to the
    /// reserve, with income.
    SettlePayout,
    /// A part of the payout has arrived and the rest will not follow: the exchanged share of the payment is settled,
    /// the rest of claim out returns to the reserve, and the rest of claim in remains the customer's.
    SettlePart,
    /// The payout came back after it had arrived: its settlement is reversed exactly. The amount returns from external
    /// to the reserve, the payment from the reserve to claim in, and the income is reversed.
    ReversePayout,
    /// The payout came back before it arrived: claim out to reserve, and held again.
    RestoreHold,
    /// Sends the refund: claim in to claim out.
    SendRefund,
    /// The refund came back: claim out to claim in.
    ReverseRefund,
    /// The refund has arrived: claim out to external.
    SettleRefund,
}

/// What the ledger holds for one claim, as far as the table needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LedgerState {
    /// A part of the reserve is held for the payout.
    pub reserve: bool,
    /// The customer's money is in claim in.
    pub money: bool,
    /// The payout is in claim out.
    pub payout: bool,
    /// The refund is in claim out.
    pub refund: bool,
    /// A part of the money, or the refund, is a surplus beside the exchange.
    pub surplus: bool,
}

impl LedgerState {
    /// Whether the ledger holds nothing for the claim.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl LedgerEffect {
    /// The ledger state after the effect; `None` when the effect contradicts it.
    pub fn apply(self, books: LedgerState) -> Option<LedgerState> {
        let is_under_way = books.payout || books.refund;
        let (fits, after) = match self {
            Self::None => (true, books),
            Self::HoldReserve => (!books.reserve && !is_under_way, LedgerState { reserve: true, ..books }),
            Self::ReplaceHold => (books.reserve, books),
            Self::OweSurplus => (books.reserve && books.money && !books.surplus, LedgerState { surplus: true, ..books }),
            Self::ReleaseHold => (!is_under_way, LedgerState { reserve: false, surplus: false, ..books }),
            Self::ReceivePayment => (!is_under_way, LedgerState { money: true, ..books }),
            Self::ReceiveLate => (!is_under_way, LedgerState { reserve: false, money: true, ..books }),
            Self::PostHold => (books.reserve && books.money, LedgerState { reserve: false, payout: true, ..books }),
            Self::RestoreHold => (books.payout && books.money, LedgerState { reserve: true, payout: false, ..books }),
            Self::SettlePayout => (books.payout && books.money, LedgerState { payout: false, money: books.surplus, ..books }),
            Self::SettlePart => (books.payout && books.money, LedgerState { payout: false, surplus: false, ..books }),
            Self::ReversePayout => (books.is_empty(), LedgerState { money: true, ..books }),
            Self::SendRefund => {
                (books.money && !books.reserve && !is_under_way, LedgerState { money: false, refund: true, ..books })
            }
            Self::ReverseRefund => (books.refund, LedgerState { money: true, refund: false, ..books }),
            Self::SettleRefund => (books.refund, LedgerState { refund: false, surplus: false, ..books }),
        };
        fits.then_some(after)
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The state it starts from; `None` for the creation.
    pub from: Option<ClaimState>,
    pub action: Action,
    pub to: Target,
    pub actors: &'static [ActorKind],
    pub only_if: Condition,
    /// The effect on the ledger.
    pub effect: LedgerEffect,
    /// The fields an operator must fill in.
    pub required_fields: &'static [TransitionField],
}

impl Transition {
    const fn new(from: Option<ClaimState>, action: Action, to: Target, actors: &'static [ActorKind]) -> Self {
        Self { from, action, to, actors, only_if: Condition::Always, effect: LedgerEffect::None, required_fields: &[] }
    }

    const fn only_if(mut self, condition: Condition) -> Self {
        self.only_if = condition;
        self
    }

    const fn booking(mut self, effect: LedgerEffect) -> Self {
        self.effect = effect;
        self
    }

    const fn requiring(mut self, fields: &'static [TransitionField]) -> Self {
        self.required_fields = fields;
        self
    }

    /// The state it leads to; `stopped_in` is the state before the last hold, and `books` the claim's ledger state
    /// before the effect.
    pub fn destination(&self, stopped_in: Option<ClaimState>, books: LedgerState) -> Option<ClaimState> {
        match self.to {
            Target::State(state) => Some(state),
            Target::Back => stopped_in,
            Target::BySurplus { owed, settled } => Some(if books.surplus { owed } else { settled }),
        }
    }

    /// Whether the claim's ledger state allows it.
    pub fn is_allowed_by(&self, books: LedgerState) -> bool {
        match self.only_if {
            Condition::Always => true,
            Condition::MoneyHeld => books.money,
            Condition::NoMoneyHeld => !books.money,
        }
    }
}

/// The transitions of a claim in `state` by `actor`, in the order of the table: the usual one first. The ledger
/// state may still forbid a row, see [`Transition::is_allowed_by`].
pub fn allowed(state: ClaimState, actor: ActorKind) -> impl Iterator<Item = &'static Transition> {
    TRANSITIONS.iter().filter(move |row| row.from == Some(state) && row.actors.contains(&actor))
}

/// The row for an action by an actor on a claim in `state`, if any.
pub fn find(state: ClaimState, action: Action, actor: ActorKind) -> Option<&'static Transition> {
    allowed(state, actor).find(|row| row.action == action)
}

const fn creation(action: Action, to: ClaimState, actors: &'static [ActorKind]) -> Transition {
    Transition::new(None, action, Target::State(to), actors)
}

const fn row(from: ClaimState, action: Action, to: ClaimState, actors: &'static [ActorKind]) -> Transition {
    Transition::new(Some(from), action, Target::State(to), actors)
}

const fn back(from: ClaimState, action: Action, actors: &'static [ActorKind]) -> Transition {
    Transition::new(Some(from), action, Target::Back, actors)
}

const fn by_surplus(
    from: ClaimState,
    action: Action,
    [owed, settled]: [ClaimState; 2],
    actors: &'static [ActorKind],
) -> Transition {
    Transition::new(Some(from), action, Target::BySurplus { owed, settled }, actors)
}

/// All transitions of a claim.
#[rustfmt::skip]
pub const TRANSITIONS: &[Transition] = &[
    // Before the payment.
    creation(Action::Create, ClaimState::Created, &[Customer]).booking(LedgerEffect::HoldReserve),
    row(ClaimState::Created, Action::Confirm, ClaimState::AwaitingPayment, &[Customer]),
    row(ClaimState::Created, Action::AskVerification, ClaimState::Verification, &[System]),
    row(ClaimState::Created, Action::Cancel, ClaimState::Cancelled, &[Customer]).booking(LedgerEffect::ReleaseHold),
    row(ClaimState::Created, Action::Expire, ClaimState::Expired, &[Timer]).booking(LedgerEffect::ReleaseHold),
    row(ClaimState::Verification, Action::VerifyAccept, ClaimState::AwaitingPayment, &[Operator]),
    row(ClaimState::Verification, Action::VerifyReject, ClaimState::Rejected, &[Operator]).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    row(ClaimState::Verification, Action::Cancel, ClaimState::Cancelled, &[Customer]).booking(LedgerEffect::ReleaseHold),
    row(ClaimState::Verification, Action::Expire, ClaimState::Expired, &[Timer]).booking(LedgerEffect::ReleaseHold),
    row(ClaimState::AwaitingPayment, Action::Paid, ClaimState::PaymentClaimed, &[Customer]),
    row(ClaimState::AwaitingPayment, Action::PaymentSeen, ClaimState::PaymentSeen, &[Watcher, Operator]).requiring(&[TxId]),
    row(ClaimState::AwaitingPayment, Action::Cancel, ClaimState::Cancelled, &[Customer]).booking(LedgerEffect::ReleaseHold),
    row(ClaimState::AwaitingPayment, Action::Expire, ClaimState::Expired, &[Timer]).booking(LedgerEffect::ReleaseHold),
    // The payment. The customer's report moves no deadline: a payment first seen after the agreed terms ended is late.
    row(ClaimState::PaymentClaimed, Action::PaymentReceived, ClaimState::Paid, &[Operator]).booking(LedgerEffect::ReceivePayment),
    row(ClaimState::PaymentClaimed, Action::PaymentSeen, ClaimState::PaymentSeen, &[Watcher, Operator]).requiring(&[TxId]),
    row(ClaimState::PaymentClaimed, Action::AmountMismatch, ClaimState::AmountMismatch, &[Operator]).booking(LedgerEffect::ReceivePayment).requiring(&[Amount]),
    row(ClaimState::PaymentClaimed, Action::Expire, ClaimState::Expired, &[Timer]).booking(LedgerEffect::ReleaseHold),
    row(ClaimState::PaymentClaimed, Action::Hold, ClaimState::OnHold, &[Operator, System]).requiring(&[Reason, AnswerBy]),
    row(ClaimState::PaymentClaimed, Action::Reject, ClaimState::Rejected, &[Operator]).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    row(ClaimState::PaymentSeen, Action::PaymentReceived, ClaimState::Paid, &[Watcher, Operator]).booking(LedgerEffect::ReceivePayment),
    row(ClaimState::PaymentSeen, Action::AmountMismatch, ClaimState::AmountMismatch, &[System, Operator]).booking(LedgerEffect::ReceivePayment).requiring(&[Amount]),
    row(ClaimState::PaymentSeen, Action::Hold, ClaimState::OnHold, &[Operator, System]).requiring(&[Reason, AnswerBy]),
    // A different amount, or a late payment. Within the tolerance it counts as received; otherwise it needs new terms,
    // or approval.
    row(ClaimState::AmountMismatch, Action::Recalculate, ClaimState::Paid, &[Operator]).booking(LedgerEffect::ReplaceHold).requiring(&[Terms]),
    row(ClaimState::AmountMismatch, Action::PaymentReceived, ClaimState::Paid, &[Operator]),
    row(ClaimState::AmountMismatch, Action::PaymentSeen, ClaimState::PaymentSeen, &[Watcher, Operator]).requiring(&[TxId]),
    row(ClaimState::AmountMismatch, Action::Accept, ClaimState::Paid, &[Customer]).booking(LedgerEffect::ReplaceHold),
    row(ClaimState::AmountMismatch, Action::ReturnSurplus, ClaimState::Paid, &[Customer]).booking(LedgerEffect::OweSurplus),
    row(ClaimState::AmountMismatch, Action::Hold, ClaimState::OnHold, &[System]).requiring(&[Reason, AnswerBy]),
    row(ClaimState::AmountMismatch, Action::NoChoice, ClaimState::OnHold, &[Timer]),
    row(ClaimState::AmountMismatch, Action::Refund, ClaimState::RefundPending, &[Customer, Operator]).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    row(ClaimState::AwaitingPayment, Action::LatePayment, ClaimState::LatePayment, &[Watcher, Operator]).booking(LedgerEffect::ReceiveLate).requiring(&[Amount, TxId]),
    row(ClaimState::PaymentClaimed, Action::LatePayment, ClaimState::LatePayment, &[Watcher, Operator]).booking(LedgerEffect::ReceiveLate).requiring(&[Amount, TxId]),
    row(ClaimState::PaymentSeen, Action::LatePayment, ClaimState::LatePayment, &[Watcher, Operator]).booking(LedgerEffect::ReceiveLate).requiring(&[Amount, TxId]),
    row(ClaimState::Expired, Action::LatePayment, ClaimState::LatePayment, &[Watcher, Operator]).booking(LedgerEffect::ReceiveLate).requiring(&[Amount, TxId]),
    row(ClaimState::Cancelled, Action::LatePayment, ClaimState::LatePayment, &[Watcher, Operator]).booking(LedgerEffect::ReceiveLate).requiring(&[Amount, TxId]),
    row(ClaimState::Rejected, Action::LatePayment, ClaimState::LatePayment, &[Watcher, Operator]).booking(LedgerEffect::ReceiveLate).requiring(&[Amount, TxId]),
    row(ClaimState::LatePayment, Action::Accept, ClaimState::Paid, &[Customer, System]).booking(LedgerEffect::HoldReserve),
    row(ClaimState::LatePayment, Action::Hold, ClaimState::OnHold, &[System]).requiring(&[Reason, AnswerBy]),
    row(ClaimState::LatePayment, Action::NoChoice, ClaimState::OnHold, &[Timer]),
    row(ClaimState::LatePayment, Action::Refund, ClaimState::RefundPending, &[Customer, Operator]).requiring(&[Reason]),
    // On hold.
    back(ClaimState::OnHold, Action::ReleaseHold, &[Operator]).requiring(&[Note]),
    row(ClaimState::OnHold, Action::Refund, ClaimState::RefundPending, &[Operator]).only_if(Condition::MoneyHeld).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    row(ClaimState::OnHold, Action::Reject, ClaimState::Rejected, &[Operator]).only_if(Condition::NoMoneyHeld).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    // The payout.
    row(ClaimState::Paid, Action::Take, ClaimState::Processing, &[Operator, System]),
    row(ClaimState::Paid, Action::Hold, ClaimState::OnHold, &[Operator, System]).requiring(&[Reason, AnswerBy]),
    row(ClaimState::Paid, Action::Refund, ClaimState::RefundPending, &[Operator]).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    row(ClaimState::Processing, Action::PayoutSent, ClaimState::PayoutSent, &[Operator, System]).booking(LedgerEffect::PostHold).requiring(&[TxId]),
    row(ClaimState::Processing, Action::PayoutFailed, ClaimState::PayoutError, &[Operator, System]).requiring(&[Reason]),
    row(ClaimState::Processing, Action::Hold, ClaimState::OnHold, &[Operator, System]).requiring(&[Reason, AnswerBy]),
    row(ClaimState::Processing, Action::Refund, ClaimState::RefundPending, &[Operator]).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    row(ClaimState::PayoutError, Action::RetryPayout, ClaimState::Processing, &[Operator, System]).requiring(&[Note]),
    row(ClaimState::PayoutError, Action::Refund, ClaimState::RefundPending, &[Operator]).booking(LedgerEffect::ReleaseHold).requiring(&[Reason]),
    // A surplus is returned after the exchange, along the rows of a refund.
    by_surplus(ClaimState::PayoutSent, Action::Complete, [ClaimState::RefundPending, ClaimState::Completed], &[Watcher, Operator]).booking(LedgerEffect::SettlePayout),
    // A network may drop a detected transaction: then the money is back.
    row(ClaimState::PayoutSent, Action::PayoutFailed, ClaimState::PayoutError, &[System]).booking(LedgerEffect::RestoreHold).requiring(&[Reason]),
    row(ClaimState::PayoutSent, Action::PayoutPartial, ClaimState::PayoutPartial, &[Operator]).requiring(&[Amount]),
    row(ClaimState::PayoutPartial, Action::PayoutSent, ClaimState::PayoutSent, &[Operator]).requiring(&[TxId]),
    row(ClaimState::PayoutPartial, Action::Refund, ClaimState::RefundPending, &[Operator]).booking(LedgerEffect::SettlePart).requiring(&[Reason]),
    // The refund. A payout that came back is not sent again automatically: its requisites are wrong.
    row(ClaimState::Completed, Action::PayoutReturned, ClaimState::RefundPending, &[Operator]).booking(LedgerEffect::ReversePayout).requiring(&[Reason]),
    row(ClaimState::RefundPending, Action::RefundSent, ClaimState::RefundSent, &[Operator, System]).booking(LedgerEffect::SendRefund).requiring(&[TxId]),
    by_surplus(ClaimState::RefundSent, Action::RefundDone, [ClaimState::Completed, ClaimState::Refunded], &[Watcher, Operator]).booking(LedgerEffect::SettleRefund),
    row(ClaimState::RefundSent, Action::RefundBounced, ClaimState::RefundPending, &[Watcher, Operator]).booking(LedgerEffect::ReverseRefund).requiring(&[Reason]),
];
