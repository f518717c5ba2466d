//! The moves between states.

use agio_core::named;

use super::State;

use Actor::{Customer, Operator, System, Timer, Watcher};
use Need::{Amount, AnswerBy, Note, Reason, Terms, TxId};

named! {
    /// Who moves a claim.
    Actor {
        /// The customer, by their browser or account.
        Customer = "customer",
        /// A member of the staff, from the console.
        Operator = "operator",
        /// A deadline that has passed.
        Timer = "timer",
        /// The watch over a network or a bank account.
        Watcher = "watcher",
        /// The house's own rules: risk, anti-money-laundering, automatic payout.
        System = "system",
    }
}

named! {
    /// What is done to a claim.
    Action {
        /// Leaves the claim.
        Create = "create",
        /// Agrees to the data and the terms; payment requisites are given and the deadline starts.
        Confirm = "confirm",
        /// Says that the payment is made.
        Paid = "paid",
        /// Gives the claim up before paying.
        Cancel = "cancel",
        /// Agrees to the new terms offered.
        Accept = "accept",
        /// Sends the payment back instead of exchanging it.
        Refund = "refund",
        /// Lets a claim go that was not paid in time.
        Expire = "expire",
        /// Calls an operator, since the customer chose nothing in time.
        NoChoice = "no_choice",
        /// Asks for a verification first.
        AskVerification = "ask_verification",
        /// Takes the verification as done.
        VerifyAccept = "verify_accept",
        /// Refuses the verification.
        VerifyReject = "verify_reject",
        /// Notes a payment that is not certain yet.
        PaymentSeen = "payment_seen",
        /// Establishes that the payment is here.
        PaymentReceived = "payment_received",
        /// Exchanges the other amount that came, at the terms an operator was shown for it.
        Recalculate = "recalculate",
        /// Establishes that another amount is here.
        AmountMismatch = "amount_mismatch",
        /// Establishes that money came after the agreed terms or the claim had ended.
        LatePayment = "late_payment",
        /// Stops the claim.
        Hold = "hold",
        /// Lets the claim go on from where it was stopped.
        ReleaseHold = "release_hold",
        /// Refuses the claim.
        Reject = "reject",
        /// Takes the claim to pay it out.
        Take = "take",
        /// Notes that the payout has left.
        PayoutSent = "payout_sent",
        /// Notes that the payout did not leave.
        PayoutFailed = "payout_failed",
        /// Starts the payout anew, once it is certain that nothing left.
        RetryPayout = "retry_payout",
        /// Notes that a part of the payout arrived.
        PayoutPartial = "payout_partial",
        /// Ends the claim as exchanged.
        Complete = "complete",
        /// Notes that the payout of a claim that had ended came back.
        PayoutReturned = "payout_returned",
        /// Notes that the refund has left.
        RefundSent = "refund_sent",
        /// Ends the claim as refunded.
        RefundDone = "refund_done",
        /// Notes that the refund came back.
        RefundBounced = "refund_bounced",
    }
}

named! {
    /// What an operator must say with an action. Customers, timers and the house's rules are not asked.
    Need {
        /// Why, as a code and in words for the customer.
        Reason = "reason",
        /// By when the customer has an answer.
        AnswerBy = "answerBy",
        /// The transaction: its id on the network, where there is one, or the bank's reference.
        TxId = "txId",
        /// A remark for the staff.
        Note = "note",
        /// The amount that came, or that was paid out so far.
        Amount = "amount",
        /// The amounts of the new terms, as they were shown.
        Terms = "terms",
    }
}

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this state.
    State(State),
    /// To the state the claim was stopped in.
    Back,
}

/// What the claim's books must show for a transition to be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing in particular.
    Anyway,
    /// The customer's money is here.
    MoneyHeld,
    /// It is not.
    NoMoneyHeld,
}

/// What a transition does to the books, in one batch with the change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Sets the receive amount aside: reserve to hold.
    HoldReserve,
    /// Ends the hold and sets the amount of the new terms aside.
    ReplaceHold,
    /// Ends the hold, if the claim has one: hold to reserve.
    ReleaseHold,
    /// Books what has come from the customer and is not booked yet: external to claim in.
    ReceivePayment,
    /// The same for what came too late: the hold ends, if the claim has one, for its terms hold no longer.
    ReceiveLate,
    /// Sends the payout: the hold is posted to claim out.
    PostHold,
    /// The payout has arrived: claim out to external; the payment becomes the house's, claim in to reserve, with income.
    SettlePayout,
    /// A part of the payout has arrived and the rest will not follow: the share of the payment that was exchanged is
    /// settled, the rest of claim out returns to the reserve, the rest of claim in stays the customer's.
    SettlePart,
    /// The payout came back after it had arrived: what settled it is booked the other way, to the last unit. The amount is the house's
    /// again, external to reserve; the payment is the customer's again, reserve to claim in; nothing was earned.
    TakeBackPayout,
    /// The payout left and came back before it arrived: claim out to reserve, and set aside again.
    TakeBackHold,
    /// Sends the payment back: claim in to claim out.
    SendRefund,
    /// The refund came back: claim out to claim in.
    TakeBackRefund,
    /// The refund has arrived: claim out to external.
    SettleRefund,
}

/// What the ledger holds for one claim, as far as the table needs to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Books {
    /// A part of the reserve is held for the payout.
    pub reserve: bool,
    /// The customer's money is in claim in.
    pub money: bool,
    /// The payout is in claim out.
    pub payout: bool,
    /// The refund is in claim out.
    pub refund: bool,
}

impl Books {
    /// Nothing of the claim is left in the books.
    #[must_use]
    pub fn are_empty(self) -> bool {
        self == Self::default()
    }
}

impl Effect {
    /// The books after the effect, or nothing when the books it is applied to contradict it.
    #[must_use]
    pub fn apply(self, books: Books) -> Option<Books> {
        let is_under_way = books.payout || books.refund;
        let (fits, after) = match self {
            Self::None => (true, books),
            Self::HoldReserve => (!books.reserve && !is_under_way, Books { reserve: true, ..books }),
            Self::ReplaceHold => (books.reserve, books),
            Self::ReleaseHold => (!is_under_way, Books { reserve: false, ..books }),
            Self::ReceivePayment => (!is_under_way, Books { money: true, ..books }),
            Self::ReceiveLate => (!is_under_way, Books { reserve: false, money: true, ..books }),
            Self::PostHold => (books.reserve && books.money, Books { reserve: false, payout: true, ..books }),
            Self::TakeBackHold => (books.payout && books.money, Books { reserve: true, payout: false, ..books }),
            Self::SettlePayout => (books.payout && books.money, Books { payout: false, money: false, ..books }),
            Self::SettlePart => (books.payout && books.money, Books { payout: false, ..books }),
            Self::TakeBackPayout => (books.are_empty(), Books { money: true, ..books }),
            Self::SendRefund => (books.money && !books.reserve && !is_under_way, Books { money: false, refund: true, ..books }),
            Self::TakeBackRefund => (books.refund, Books { money: true, refund: false, ..books }),
            Self::SettleRefund => (books.refund, Books { refund: false, ..books }),
        };
        fits.then_some(after)
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The state it leaves; nothing for the row that makes the claim.
    pub from: Option<State>,
    /// What is done.
    pub action: Action,
    /// Where it leads.
    pub to: Target,
    /// Who may do it.
    pub actors: &'static [Actor],
    /// What the books must show for it.
    pub only_if: Condition,
    /// What it does to the books.
    pub money: Effect,
    /// What an operator must say with it.
    pub needs: &'static [Need],
}

impl Transition {
    const fn new(from: Option<State>, action: Action, to: Target, actors: &'static [Actor]) -> Self {
        Self { from, action, to, actors, only_if: Condition::Anyway, money: Effect::None, needs: &[] }
    }

    const fn only_if(mut self, condition: Condition) -> Self {
        self.only_if = condition;
        self
    }

    const fn booking(mut self, effect: Effect) -> Self {
        self.money = effect;
        self
    }

    const fn needing(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    /// The state it leads to; `stopped_in` is the state the claim was in when it was last put on hold.
    #[must_use]
    pub fn destination(&self, stopped_in: Option<State>) -> Option<State> {
        match self.to {
            Target::State(state) => Some(state),
            Target::Back => stopped_in,
        }
    }

    /// Whether the claim's books allow it.
    #[must_use]
    pub fn is_allowed_by(&self, books: Books) -> bool {
        match self.only_if {
            Condition::Anyway => true,
            Condition::MoneyHeld => books.money,
            Condition::NoMoneyHeld => !books.money,
        }
    }
}

/// What `actor` may do to a claim in `state`, in the order of the table: the usual next step comes first. The claim's
/// books may still forbid a row, see [`Transition::is_allowed_by`].
pub fn allowed(state: State, actor: Actor) -> impl Iterator<Item = &'static Transition> {
    TRANSITIONS.iter().filter(move |row| row.from == Some(state) && row.actors.contains(&actor))
}

/// The row for this action by this actor on a claim in `state`, or nothing when the table has none.
#[must_use]
pub fn find(state: State, action: Action, actor: Actor) -> Option<&'static Transition> {
    allowed(state, actor).find(|row| row.action == action)
}

const fn creation(action: Action, to: State, actors: &'static [Actor]) -> Transition {
    Transition::new(None, action, Target::State(to), actors)
}

const fn row(from: State, action: Action, to: State, actors: &'static [Actor]) -> Transition {
    Transition::new(Some(from), action, Target::State(to), actors)
}

const fn back(from: State, action: Action, actors: &'static [Actor]) -> Transition {
    Transition::new(Some(from), action, Target::Back, actors)
}

/// Every move a claim can make.
#[rustfmt::skip]
pub const TRANSITIONS: &[Transition] = &[
    // Before the payment.
    creation(Action::Create, State::Created, &[Customer]).booking(Effect::HoldReserve),
    row(State::Created, Action::Confirm, State::AwaitingPayment, &[Customer]),
    row(State::Created, Action::AskVerification, State::Verification, &[System]),
    row(State::Created, Action::Cancel, State::Cancelled, &[Customer]).booking(Effect::ReleaseHold),
    row(State::Created, Action::Expire, State::Expired, &[Timer]).booking(Effect::ReleaseHold),
    row(State::Verification, Action::VerifyAccept, State::AwaitingPayment, &[Operator]),
    row(State::Verification, Action::VerifyReject, State::Rejected, &[Operator]).booking(Effect::ReleaseHold).needing(&[Reason]),
    row(State::Verification, Action::Cancel, State::Cancelled, &[Customer]).booking(Effect::ReleaseHold),
    row(State::Verification, Action::Expire, State::Expired, &[Timer]).booking(Effect::ReleaseHold),
    row(State::AwaitingPayment, Action::Paid, State::PaymentClaimed, &[Customer]),
    row(State::AwaitingPayment, Action::PaymentSeen, State::PaymentSeen, &[Watcher, Operator]).needing(&[TxId]),
    row(State::AwaitingPayment, Action::Cancel, State::Cancelled, &[Customer]).booking(Effect::ReleaseHold),
    row(State::AwaitingPayment, Action::Expire, State::Expired, &[Timer]).booking(Effect::ReleaseHold),
    // The payment. What the customer says of it moves no deadline: what is first seen after the agreed terms ended is late.
    row(State::PaymentClaimed, Action::PaymentReceived, State::Paid, &[Operator]).booking(Effect::ReceivePayment),
    row(State::PaymentClaimed, Action::PaymentSeen, State::PaymentSeen, &[Watcher, Operator]).needing(&[TxId]),
    row(State::PaymentClaimed, Action::AmountMismatch, State::AmountMismatch, &[Operator]).booking(Effect::ReceivePayment).needing(&[Amount]),
    row(State::PaymentClaimed, Action::Expire, State::Expired, &[Timer]).booking(Effect::ReleaseHold),
    row(State::PaymentClaimed, Action::Hold, State::OnHold, &[Operator, System]).needing(&[Reason, AnswerBy]),
    row(State::PaymentClaimed, Action::Reject, State::Rejected, &[Operator]).booking(Effect::ReleaseHold).needing(&[Reason]),
    row(State::PaymentSeen, Action::PaymentReceived, State::Paid, &[Watcher, Operator]).booking(Effect::ReceivePayment),
    row(State::PaymentSeen, Action::AmountMismatch, State::AmountMismatch, &[System, Operator]).booking(Effect::ReceivePayment).needing(&[Amount]),
    row(State::PaymentSeen, Action::Hold, State::OnHold, &[Operator, System]).needing(&[Reason, AnswerBy]),
    // Another amount, or money after the end. What passes for the agreed amount is received; else it takes new terms, or two people.
    row(State::AmountMismatch, Action::Recalculate, State::Paid, &[Operator]).booking(Effect::ReplaceHold).needing(&[Terms]),
    row(State::AmountMismatch, Action::PaymentReceived, State::Paid, &[Operator]),
    row(State::AmountMismatch, Action::PaymentSeen, State::PaymentSeen, &[Watcher, Operator]).needing(&[TxId]),
    row(State::AmountMismatch, Action::Accept, State::Paid, &[Customer]).booking(Effect::ReplaceHold),
    row(State::AmountMismatch, Action::Hold, State::OnHold, &[System]).needing(&[Reason, AnswerBy]),
    row(State::AmountMismatch, Action::NoChoice, State::OnHold, &[Timer]),
    row(State::AmountMismatch, Action::Refund, State::RefundPending, &[Customer, Operator]).booking(Effect::ReleaseHold).needing(&[Reason]),
    row(State::AwaitingPayment, Action::LatePayment, State::LatePayment, &[Watcher, Operator]).booking(Effect::ReceiveLate).needing(&[Amount, TxId]),
    row(State::PaymentClaimed, Action::LatePayment, State::LatePayment, &[Watcher, Operator]).booking(Effect::ReceiveLate).needing(&[Amount, TxId]),
    row(State::PaymentSeen, Action::LatePayment, State::LatePayment, &[Watcher, Operator]).booking(Effect::ReceiveLate).needing(&[Amount, TxId]),
    row(State::Expired, Action::LatePayment, State::LatePayment, &[Watcher, Operator]).booking(Effect::ReceiveLate).needing(&[Amount, TxId]),
    row(State::Cancelled, Action::LatePayment, State::LatePayment, &[Watcher, Operator]).booking(Effect::ReceiveLate).needing(&[Amount, TxId]),
    row(State::Rejected, Action::LatePayment, State::LatePayment, &[Watcher, Operator]).booking(Effect::ReceiveLate).needing(&[Amount, TxId]),
    row(State::LatePayment, Action::Accept, State::Paid, &[Customer, System]).booking(Effect::HoldReserve),
    row(State::LatePayment, Action::Hold, State::OnHold, &[System]).needing(&[Reason, AnswerBy]),
    row(State::LatePayment, Action::NoChoice, State::OnHold, &[Timer]),
    row(State::LatePayment, Action::Refund, State::RefundPending, &[Customer, Operator]).needing(&[Reason]),
    // Stopped.
    back(State::OnHold, Action::ReleaseHold, &[Operator]).needing(&[Note]),
    row(State::OnHold, Action::Refund, State::RefundPending, &[Operator]).only_if(Condition::MoneyHeld).booking(Effect::ReleaseHold).needing(&[Reason]),
    row(State::OnHold, Action::Reject, State::Rejected, &[Operator]).only_if(Condition::NoMoneyHeld).booking(Effect::ReleaseHold).needing(&[Reason]),
    // The payout.
    row(State::Paid, Action::Take, State::Processing, &[Operator, System]),
    row(State::Paid, Action::Hold, State::OnHold, &[Operator, System]).needing(&[Reason, AnswerBy]),
    row(State::Paid, Action::Refund, State::RefundPending, &[Operator]).booking(Effect::ReleaseHold).needing(&[Reason]),
    row(State::Processing, Action::PayoutSent, State::PayoutSent, &[Operator, System]).booking(Effect::PostHold).needing(&[TxId]),
    row(State::Processing, Action::PayoutFailed, State::PayoutError, &[Operator, System]).needing(&[Reason]),
    row(State::Processing, Action::Hold, State::OnHold, &[Operator, System]).needing(&[Reason, AnswerBy]),
    row(State::Processing, Action::Refund, State::RefundPending, &[Operator]).booking(Effect::ReleaseHold).needing(&[Reason]),
    row(State::PayoutError, Action::RetryPayout, State::Processing, &[Operator, System]).needing(&[Note]),
    row(State::PayoutError, Action::Refund, State::RefundPending, &[Operator]).booking(Effect::ReleaseHold).needing(&[Reason]),
    row(State::PayoutSent, Action::Complete, State::Completed, &[Watcher, Operator]).booking(Effect::SettlePayout),
    // A network may drop a transaction that was seen on it: then the money is here again.
    row(State::PayoutSent, Action::PayoutFailed, State::PayoutError, &[System]).booking(Effect::TakeBackHold).needing(&[Reason]),
    row(State::PayoutSent, Action::PayoutPartial, State::PayoutPartial, &[Operator]).needing(&[Amount]),
    row(State::PayoutPartial, Action::PayoutSent, State::PayoutSent, &[Operator]).needing(&[TxId]),
    row(State::PayoutPartial, Action::Refund, State::RefundPending, &[Operator]).booking(Effect::SettlePart).needing(&[Reason]),
    // The refund. A payout that came back is not sent again unasked: its requisites have just proved wrong.
    row(State::Completed, Action::PayoutReturned, State::RefundPending, &[Operator]).booking(Effect::TakeBackPayout).needing(&[Reason]),
    row(State::RefundPending, Action::RefundSent, State::RefundSent, &[Operator]).booking(Effect::SendRefund).needing(&[TxId]),
    row(State::RefundSent, Action::RefundDone, State::Refunded, &[Watcher, Operator]).booking(Effect::SettleRefund),
    row(State::RefundSent, Action::RefundBounced, State::RefundPending, &[Watcher, Operator]).booking(Effect::TakeBackRefund).needing(&[Reason]),
];
