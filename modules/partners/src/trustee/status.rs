//! Where an order stands, in the contract's words.

agio_core::named! {
    /// A status of the contract.
    OrderStatus {
        /// The customer's payment is waited for.
        Waiting = "WAITING",
        /// The payment is here, or seen.
        Received = "RECEIVED",
        /// The exchange is under way.
        Exchanging = "EXCHANGING",
        /// The payout is on its way.
        Sending = "SENDING",
        /// Exchanged.
        Completed = "COMPLETED",
        /// A part of the payout has arrived.
        NotEntireWithdraw = "NOT_ENTIRE_WITHDRAW",
        /// The payment is returned.
        Refunded = "REFUNDED",
        /// Not paid in time.
        Expired = "EXPIRED",
        /// Given up before it was paid.
        Canceled = "CANCELED",
        /// Ended without an exchange.
        Failed = "FAILED",
        /// Stopped until something is decided.
        Holded = "HOLDED",
    }
}

/// The contract's status for each state of a claim. It knows no word for a payment that somebody only says they made, nor for a refund that
/// has not arrived: such an order waits, or is stopped, until the house knows.
pub const STATUSES: [(&str, OrderStatus); 20] = [
    ("created", OrderStatus::Waiting),
    ("verification", OrderStatus::Holded),
    ("awaiting_payment", OrderStatus::Waiting),
    ("payment_claimed", OrderStatus::Waiting),
    ("payment_seen", OrderStatus::Received),
    ("amount_mismatch", OrderStatus::Holded),
    ("late_payment", OrderStatus::Holded),
    ("on_hold", OrderStatus::Holded),
    ("paid", OrderStatus::Received),
    ("processing", OrderStatus::Exchanging),
    ("payout_sent", OrderStatus::Sending),
    ("payout_error", OrderStatus::Exchanging),
    ("payout_partial", OrderStatus::NotEntireWithdraw),
    ("refund_pending", OrderStatus::Holded),
    ("refund_sent", OrderStatus::Holded),
    ("completed", OrderStatus::Completed),
    ("refunded", OrderStatus::Refunded),
    ("cancelled", OrderStatus::Canceled),
    ("expired", OrderStatus::Expired),
    ("rejected", OrderStatus::Failed),
];

/// The contract's status for a state; none for a state there is not.
#[must_use]
pub fn status_of(state: &str) -> Option<OrderStatus> {
    STATUSES.iter().find(|(name, _)| *name == state).map(|(_, status)| *status)
}

/// Whether nobody has paid so far, so that whoever sends the same order again means the same order.
#[must_use]
pub fn is_unpaid(state: &str) -> bool {
    matches!(state, "created" | "verification" | "awaiting_payment")
}
