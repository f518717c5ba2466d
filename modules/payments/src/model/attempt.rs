//! Tries to send money.

use std::time::Duration;

use super::named;

named! {
    /// What money is sent for.
    AttemptKind {
        /// The exchanged money, to the customer.
        Payout = "payout",
        /// The payment, back to the customer.
        Refund = "refund",
    }
}

named! {
    /// Where a try stands.
    AttemptState {
        /// The driver was not asked yet.
        Queued = "queued",
        /// The driver is being asked. After a crash the outcome is unknown.
        Sending = "sending",
        /// It left.
        Sent = "sent",
        /// Nobody can say whether it left. The driver is asked what became of it, and never to send again.
        Unknown = "unknown",
        /// It is certain that nothing left.
        NeverSent = "never_sent",
        /// It left and came back.
        Returned = "returned",
        /// It arrived.
        Confirmed = "confirmed",
        /// Staff took the claim over before the driver was asked.
        Cancelled = "cancelled",
    }
}

impl AttemptState {
    /// Whether the money may have left and nobody knows.
    #[must_use]
    pub const fn is_open_question(self) -> bool {
        matches!(self, Self::Sending | Self::Unknown)
    }
}

/// How long it takes until a driver is asked once more: twice as long each time, ten minutes at most.
#[must_use]
pub fn pause(asks: i64) -> Duration {
    let doublings = u32::try_from(asks.clamp(0, 6)).unwrap_or(6);
    Duration::from_secs((10 * 2_u64.pow(doublings)).min(600))
}
