//! The public status: ten values for wallets, aggregators and partners, instead of the internal states.

use agio_contracts::{ClaimState, PublicClaimStatus};

pub const fn public_status(state: ClaimState) -> PublicClaimStatus {
    match state {
        ClaimState::Created | ClaimState::Verification | ClaimState::AwaitingPayment => PublicClaimStatus::Waiting,
        ClaimState::PaymentClaimed | ClaimState::PaymentSeen => PublicClaimStatus::Confirming,
        ClaimState::AmountMismatch | ClaimState::LatePayment | ClaimState::OnHold => PublicClaimStatus::Hold,
        ClaimState::Paid | ClaimState::Processing | ClaimState::PayoutError => PublicClaimStatus::Exchanging,
        ClaimState::PayoutSent | ClaimState::PayoutPartial => PublicClaimStatus::Sending,
        ClaimState::RefundPending | ClaimState::RefundSent => PublicClaimStatus::Refunding,
        ClaimState::Completed => PublicClaimStatus::Finished,
        ClaimState::Refunded => PublicClaimStatus::Refunded,
        ClaimState::Expired => PublicClaimStatus::Expired,
        ClaimState::Cancelled | ClaimState::Rejected => PublicClaimStatus::Failed,
    }
}
