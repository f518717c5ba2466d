//! The public status: ten values for wallets, aggregators and partners, instead of the internal states.

use agio_contracts::{ClaimState as State, PublicClaimStatus as PublicStatus};

#[must_use]
pub const fn public_status(state: State) -> PublicStatus {
    match state {
        State::Created | State::Verification | State::AwaitingPayment => PublicStatus::Waiting,
        State::PaymentClaimed | State::PaymentSeen => PublicStatus::Confirming,
        State::AmountMismatch | State::LatePayment | State::OnHold => PublicStatus::Hold,
        State::Paid | State::Processing | State::PayoutError => PublicStatus::Exchanging,
        State::PayoutSent | State::PayoutPartial => PublicStatus::Sending,
        State::RefundPending | State::RefundSent => PublicStatus::Refunding,
        State::Completed => PublicStatus::Finished,
        State::Refunded => PublicStatus::Refunded,
        State::Expired => PublicStatus::Expired,
        State::Cancelled | State::Rejected => PublicStatus::Failed,
    }
}
