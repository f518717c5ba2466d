//! The state of a claim, as customers, partners and staff see it.

use agio_core::named;

named! {
    /// The state of a claim.
    ClaimState {
        /// Created; the customer reviews the data. The reserve is held.
        Created = "created",
        /// A card or an identity must be verified before payment details are assigned.
        Verification = "verification",
        /// Payment details are assigned and the deadline is running.
        AwaitingPayment = "awaiting_payment",
        /// The customer has reported the payment.
        PaymentClaimed = "payment_claimed",
        /// The payment is detected and not yet confirmed.
        PaymentSeen = "payment_seen",
        /// A different amount arrived; the customer chooses.
        AmountMismatch = "amount_mismatch",
        /// The payment arrived after the agreed terms or the claim had ended; the customer chooses.
        LatePayment = "late_payment",
        /// On hold for a reason, with a time by which the customer gets an answer.
        OnHold = "on_hold",
        /// The payment is received in full.
        Paid = "paid",
        /// An operator is processing the payout.
        Processing = "processing",
        /// The payout is on its way.
        PayoutSent = "payout_sent",
        /// The payout failed; no money has left.
        PayoutError = "payout_error",
        /// A part of the payout has arrived.
        PayoutPartial = "payout_partial",
        /// A refund is due.
        RefundPending = "refund_pending",
        /// The refund is on its way.
        RefundSent = "refund_sent",
        /// Exchanged.
        Completed = "completed",
        /// The payment is refunded.
        Refunded = "refunded",
        /// Cancelled by the customer before paying.
        Cancelled = "cancelled",
        /// Not paid in time.
        Expired = "expired",
        /// Rejected by staff; no money is held.
        Rejected = "rejected",
    }
}

impl ClaimState {
    /// Whether the claim has ended. A payment for a cancelled, expired or rejected claim reopens it as
    /// [`ClaimState::LatePayment`]; a payout that comes back reopens a completed one as [`ClaimState::RefundPending`].
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Refunded | Self::Cancelled | Self::Expired | Self::Rejected)
    }
}

named! {
    /// The state of a claim in the terms that exchange services share.
    PublicClaimStatus {
        /// The customer has not paid yet.
        Waiting = "waiting",
        /// The payment is being detected or confirmed.
        Confirming = "confirming",
        /// Paid; the exchange is in progress.
        Exchanging = "exchanging",
        /// The payout is on its way.
        Sending = "sending",
        /// Exchanged.
        Finished = "finished",
        /// A decision is pending.
        Hold = "hold",
        /// The payment is being refunded.
        Refunding = "refunding",
        /// The payment is refunded.
        Refunded = "refunded",
        /// Not paid in time.
        Expired = "expired",
        /// Ended without an exchange.
        Failed = "failed",
    }
}

named! {
    /// What the customer can do with a claim. `refund_to` names the destination of a refund, by the same call as `refund`;
    /// `upload` sends a receipt.
    CustomerAction {
        Confirm = "confirm",
        Paid = "paid",
        Cancel = "cancel",
        Accept = "accept",
        /// Exchanging the agreed amount and getting the rest of what arrived back.
        ReturnSurplus = "return_surplus",
        Refund = "refund",
        /// Naming the destination of a refund.
        RefundTo = "refund_to",
        /// Sending a receipt.
        Upload = "upload",
    }
}
