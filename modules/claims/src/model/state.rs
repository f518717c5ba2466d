//! The states of a claim.

use agio_core::named;

named! {
    /// Where a claim stands.
    State {
        /// Left by the customer, who checks the data. The reserve is held.
        Created = "created",
        /// A card or a person is to be verified before payment requisites are given.
        Verification = "verification",
        /// Payment requisites are given and the deadline runs.
        AwaitingPayment = "awaiting_payment",
        /// The customer says the payment is made.
        PaymentClaimed = "payment_claimed",
        /// The payment is seen and not yet certain.
        PaymentSeen = "payment_seen",
        /// Another amount came than was agreed; the customer chooses.
        AmountMismatch = "amount_mismatch",
        /// The payment came after the agreed terms or the claim had ended; the customer chooses.
        LatePayment = "late_payment",
        /// Stopped for a reason, with a time by which there will be an answer.
        OnHold = "on_hold",
        /// The payment is here in full.
        Paid = "paid",
        /// An operator is at work on the payout.
        Processing = "processing",
        /// The payout is on its way.
        PayoutSent = "payout_sent",
        /// The payout failed; nothing has left the house.
        PayoutError = "payout_error",
        /// A part of the payout has arrived, the rest follows.
        PayoutPartial = "payout_partial",
        /// The payment is to be returned.
        RefundPending = "refund_pending",
        /// The returned payment is on its way.
        RefundSent = "refund_sent",
        /// Exchanged.
        Completed = "completed",
        /// The payment is returned.
        Refunded = "refunded",
        /// Cancelled by the customer before paying.
        Cancelled = "cancelled",
        /// Not paid in time.
        Expired = "expired",
        /// Refused by the house; no money came or none is kept.
        Rejected = "rejected",
    }
}

/// Whether something is held for a claim in some state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// It is not.
    Never,
    /// It depends on the way the claim came here; the claim's books know.
    Sometimes,
    /// It is.
    Always,
}

impl State {
    /// Whether the claim has ended. Money that still comes for a cancelled, expired or rejected claim opens it again as
    /// [`State::LatePayment`]; a payout that comes back opens a completed one again as [`State::RefundPending`].
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Refunded | Self::Cancelled | Self::Expired | Self::Rejected)
    }

    /// Whether a part of the reserve is held for the payout.
    #[must_use]
    pub const fn holds_reserve(self) -> Holding {
        match self {
            Self::Created
            | Self::Verification
            | Self::AwaitingPayment
            | Self::PaymentClaimed
            | Self::PaymentSeen
            | Self::AmountMismatch
            | Self::Paid
            | Self::Processing
            | Self::PayoutError => Holding::Always,
            Self::OnHold => Holding::Sometimes,
            Self::LatePayment
            | Self::PayoutSent
            | Self::PayoutPartial
            | Self::RefundPending
            | Self::RefundSent
            | Self::Completed
            | Self::Refunded
            | Self::Cancelled
            | Self::Expired
            | Self::Rejected => Holding::Never,
        }
    }

    /// Whether the customer's money is here: received, and neither exchanged nor on its way back.
    ///
    /// A payment that is only seen can be a second one, after a first that was too small.
    #[must_use]
    pub const fn money_held(self) -> Holding {
        match self {
            Self::AmountMismatch
            | Self::LatePayment
            | Self::Paid
            | Self::Processing
            | Self::PayoutSent
            | Self::PayoutError
            | Self::PayoutPartial
            | Self::RefundPending => Holding::Always,
            Self::PaymentSeen | Self::OnHold => Holding::Sometimes,
            Self::Created
            | Self::Verification
            | Self::AwaitingPayment
            | Self::PaymentClaimed
            | Self::RefundSent
            | Self::Completed
            | Self::Refunded
            | Self::Cancelled
            | Self::Expired
            | Self::Rejected => Holding::Never,
        }
    }
}
