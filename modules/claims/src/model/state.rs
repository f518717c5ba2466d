//! What is held for a claim in each state.

use agio_contracts::ClaimState as State;

/// Whether something is held for a claim in some state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    Never,
    /// It depends on the claim's history: see its ledger state.
    Sometimes,
    /// It is.
    Always,
}

/// Whether a part of the reserve is held for the payout.
#[must_use]
pub const fn holds_reserve(state: State) -> Holding {
    match state {
        State::Created
        | State::Verification
        | State::AwaitingPayment
        | State::PaymentClaimed
        | State::PaymentSeen
        | State::AmountMismatch
        | State::Paid
        | State::Processing
        | State::PayoutError => Holding::Always,
        State::OnHold => Holding::Sometimes,
        State::LatePayment
        | State::PayoutSent
        | State::PayoutPartial
        | State::RefundPending
        | State::RefundSent
        | State::Completed
        | State::Refunded
        | State::Cancelled
        | State::Expired
        | State::Rejected => Holding::Never,
    }
}

/// Whether the customer's money is held: received, and neither exchanged nor being refunded.
///
/// A detected payment can be a second one, after a first that was too small.
#[must_use]
pub const fn money_held(state: State) -> Holding {
    match state {
        State::AmountMismatch
        | State::LatePayment
        | State::Paid
        | State::Processing
        | State::PayoutSent
        | State::PayoutError
        | State::PayoutPartial
        | State::RefundPending => Holding::Always,
        State::PaymentSeen | State::OnHold => Holding::Sometimes,
        State::Created
        | State::Verification
        | State::AwaitingPayment
        | State::PaymentClaimed
        | State::RefundSent
        | State::Completed
        | State::Refunded
        | State::Cancelled
        | State::Expired
        | State::Rejected => Holding::Never,
    }
}
