//! The ten words outsiders know: wallets, monitors and partners read these instead of the house's own states.

use agio_core::named;

use super::State;

named! {
    /// Where a claim stands, in the words common to exchange services.
    PublicStatus {
        /// The customer has not paid yet.
        Waiting = "waiting",
        /// The payment is being looked for or confirmed.
        Confirming = "confirming",
        /// Paid; the house is at work.
        Exchanging = "exchanging",
        /// The payout is on its way.
        Sending = "sending",
        /// Exchanged.
        Finished = "finished",
        /// Something must be decided first.
        Hold = "hold",
        /// The payment is on its way back.
        Refunding = "refunding",
        /// The payment is returned.
        Refunded = "refunded",
        /// Not paid in time.
        Expired = "expired",
        /// Ended without an exchange.
        Failed = "failed",
    }
}

/// The outsiders' word for a state.
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
