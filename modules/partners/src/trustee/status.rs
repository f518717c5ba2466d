//! Trustee order statuses.

use agio_contracts::{ClaimState, PublicClaimStatus};

agio_core::named! {
    /// Status of an order.
    TrusteeOrderStatus {
        /// Waiting for the payment.
        Waiting = "WAITING",
        /// The payment has arrived or been seen.
        Received = "RECEIVED",
        /// The exchange is in progress.
        Exchanging = "EXCHANGING",
        /// The payout has been sent.
        Sending = "SENDING",
        Completed = "COMPLETED",
        /// A part of the payout has arrived.
        NotEntireWithdraw = "NOT_ENTIRE_WITHDRAW",
        /// The payment has been refunded.
        Refunded = "REFUNDED",
        /// Not paid in time.
        Expired = "EXPIRED",
        /// Cancelled before payment.
        Canceled = "CANCELED",
        /// Ended without an exchange.
        Failed = "FAILED",
        /// On hold until a decision.
        Holded = "HOLDED",
    }
}

/// Trustee has no status for a payment that was only reported, nor for a refund in transit: such an order is waiting
/// or on hold.
pub const fn status_of(state: ClaimState, public_status: PublicClaimStatus) -> TrusteeOrderStatus {
    match state {
        // The exchange is done, and what arrived beyond it is on its way back.
        ClaimState::RefundPending | ClaimState::RefundSent if matches!(public_status, PublicClaimStatus::Sending) => {
            TrusteeOrderStatus::Sending
        }
        ClaimState::Created | ClaimState::AwaitingPayment | ClaimState::PaymentClaimed => TrusteeOrderStatus::Waiting,
        ClaimState::PaymentSeen | ClaimState::Paid => TrusteeOrderStatus::Received,
        ClaimState::Processing | ClaimState::PayoutError => TrusteeOrderStatus::Exchanging,
        ClaimState::PayoutSent => TrusteeOrderStatus::Sending,
        ClaimState::PayoutPartial => TrusteeOrderStatus::NotEntireWithdraw,
        ClaimState::Completed => TrusteeOrderStatus::Completed,
        ClaimState::Refunded => TrusteeOrderStatus::Refunded,
        ClaimState::Cancelled => TrusteeOrderStatus::Canceled,
        ClaimState::Expired => TrusteeOrderStatus::Expired,
        ClaimState::Rejected => TrusteeOrderStatus::Failed,
        ClaimState::Verification
        | ClaimState::AmountMismatch
        | ClaimState::LatePayment
        | ClaimState::OnHold
        | ClaimState::RefundPending
        | ClaimState::RefundSent => TrusteeOrderStatus::Holded,
    }
}

/// While unpaid, a repeated order is the same order.
pub const fn is_unpaid(state: ClaimState) -> bool {
    matches!(state, ClaimState::Created | ClaimState::Verification | ClaimState::AwaitingPayment)
}
