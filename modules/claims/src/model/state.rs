//! What is held for a claim in each state.

use agio_contracts::ClaimState;

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
pub const fn holds_reserve(state: ClaimState) -> Holding {
    match state {
        ClaimState::Created
        | ClaimState::Verification
        | ClaimState::AwaitingPayment
        | ClaimState::PaymentClaimed
        | ClaimState::PaymentSeen
        | ClaimState::AmountMismatch
        | ClaimState::Paid
        | ClaimState::Processing
        | ClaimState::PayoutError => Holding::Always,
        ClaimState::OnHold => Holding::Sometimes,
        ClaimState::LatePayment
        | ClaimState::PayoutSent
        | ClaimState::PayoutPartial
        | ClaimState::RefundPending
        | ClaimState::RefundSent
        | ClaimState::Completed
        | ClaimState::Refunded
        | ClaimState::Cancelled
        | ClaimState::Expired
        | ClaimState::Rejected => Holding::Never,
    }
}

/// Whether the customer's money is held: received, and neither exchanged nor being refunded.
///
/// A detected payment can be a second one, after a first that was too small.
pub const fn money_held(state: ClaimState) -> Holding {
    match state {
        ClaimState::AmountMismatch
        | ClaimState::LatePayment
        | ClaimState::Paid
        | ClaimState::Processing
        | ClaimState::PayoutSent
        | ClaimState::PayoutError
        | ClaimState::PayoutPartial
        | ClaimState::RefundPending => Holding::Always,
        ClaimState::PaymentSeen | ClaimState::OnHold => Holding::Sometimes,
        ClaimState::Created
        | ClaimState::Verification
        | ClaimState::AwaitingPayment
        | ClaimState::PaymentClaimed
        | ClaimState::RefundSent
        | ClaimState::Completed
        | ClaimState::Refunded
        | ClaimState::Cancelled
        | ClaimState::Expired
        | ClaimState::Rejected => Holding::Never,
    }
}
