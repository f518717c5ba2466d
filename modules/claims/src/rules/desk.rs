//! Where a claim is on the operators' desk: whose turn it is, how far it has come, by when somebody should act.

use std::time::Duration;

use agio_core::{Timestamp, named};

use super::Claim;
use crate::minutes;
use crate::model::{Action, State};

named! {
    /// The tabs of the desk; every state belongs to one.
    Desk {
        /// We act.
        Ours = "ours",
        /// The customer acts.
        Customer = "customer",
        /// A network or bank acts.
        Network = "network",
        /// Something is not as agreed.
        Disputed = "disputed",
        /// Money goes back.
        Refunds = "refunds",
        /// Done.
        Closed = "closed",
    }
}

impl Desk {
    /// The tab of a state.
    #[must_use]
    pub const fn of(state: State) -> Self {
        match state {
            State::Verification | State::PaymentClaimed | State::Paid | State::Processing | State::PayoutPartial => Self::Ours,
            State::Created | State::AwaitingPayment => Self::Customer,
            State::PaymentSeen | State::PayoutSent => Self::Network,
            State::AmountMismatch | State::LatePayment | State::OnHold | State::PayoutError => Self::Disputed,
            State::RefundPending | State::RefundSent => Self::Refunds,
            State::Completed | State::Refunded | State::Cancelled | State::Expired | State::Rejected => Self::Closed,
        }
    }
}

/// Whose turn it is: `ours`, `customer`, `network`, `trouble` or `done`.
#[must_use]
pub const fn turn(state: State) -> &'static str {
    match state {
        State::Verification
        | State::PaymentClaimed
        | State::Paid
        | State::Processing
        | State::PayoutPartial
        | State::RefundPending => "ours",
        State::Created | State::AwaitingPayment | State::AmountMismatch | State::LatePayment => "customer",
        State::PaymentSeen | State::PayoutSent | State::RefundSent => "network",
        State::OnHold | State::PayoutError => "trouble",
        State::Completed | State::Refunded | State::Cancelled | State::Expired | State::Rejected => "done",
    }
}

/// How far a claim has come, from 1 (made) to 5 (done).
#[must_use]
pub const fn step(state: State) -> u8 {
    match state {
        State::Created | State::Verification => 1,
        State::AwaitingPayment | State::PaymentClaimed => 2,
        State::PaymentSeen | State::AmountMismatch | State::LatePayment | State::OnHold | State::Paid => 3,
        State::Processing | State::PayoutSent | State::PayoutError | State::PayoutPartial | State::RefundPending => 4,
        State::RefundSent | State::Completed | State::Refunded | State::Cancelled | State::Expired | State::Rejected => 5,
    }
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Minutes a customer has to confirm a new claim.
    pub confirm_minutes: i64,
    /// Minutes a customer has to send what is verified.
    pub verify_minutes: i64,
    /// Hours a customer has to choose between new terms and a refund.
    pub choice_hours: i64,
    /// Minutes within which an operator answers.
    pub answer_minutes: i64,
    /// Minutes a payment may be reported without anybody seeing it.
    pub reported_minutes: i64,
}

/// How long a network or bank may take before somebody looks.
const NETWORK: Duration = Duration::from_secs(60 * 60);

/// When the state a claim has just come to ends by itself; nothing where only somebody's word ends it.
#[must_use]
pub fn ends_at(claim: &Claim, patience: Patience, now: Timestamp) -> Option<Timestamp> {
    match claim.state {
        State::Created => Some(now.plus(minutes(patience.confirm_minutes))),
        State::Verification => Some(now.plus(minutes(patience.verify_minutes))),
        // What is promised ends when it was promised to end, however late the customer confirms.
        State::AwaitingPayment => Some(claim.promised_until().unwrap_or_else(|| now.plus(minutes(claim.hold_minutes)))),
        State::PaymentClaimed => Some(now.plus(minutes(patience.reported_minutes))),
        State::AmountMismatch | State::LatePayment => Some(now.plus(minutes(patience.choice_hours * 60))),
        _ => None,
    }
}

/// By when somebody should have acted on a claim that has just come to its state.
#[must_use]
pub fn due_at(claim: &Claim, patience: Patience, now: Timestamp) -> Timestamp {
    let ours = now.plus(minutes(patience.answer_minutes));
    match Desk::of(claim.state) {
        Desk::Closed => now,
        Desk::Network => now.plus(NETWORK),
        Desk::Disputed if claim.state == State::OnHold => claim.answer_by.unwrap_or(ours),
        Desk::Ours if claim.state == State::PaymentClaimed => ours,
        _ => claim.expires_at.unwrap_or(ours),
    }
}

/// Whether an action takes something from the customer, so that a button for it asks again.
#[must_use]
pub const fn is_danger(action: Action) -> bool {
    matches!(
        action,
        Action::Reject | Action::VerifyReject | Action::Refund | Action::Hold | Action::PayoutFailed | Action::PayoutReturned
    )
}

/// Whether a customer may send a receipt now. What is verified is sent to whoever verifies it. An expired claim is among these: the receipt is how a customer who was
/// too late says so.
#[must_use]
pub const fn takes_receipts(state: State) -> bool {
    !matches!(
        state,
        State::Created
            | State::Verification
            | State::Completed
            | State::Refunded
            | State::Cancelled
            | State::Rejected
            | State::RefundSent
    )
}
