//! Attempts to send money.

use std::time::Duration;

agio_core::named! {
    /// What an attempt sends money for.
    PaymentAttemptKind {
        /// The payout of an exchange.
        Payout = "payout",
        /// The refund of a payment.
        Refund = "refund",
    }
}

agio_core::named! {
    /// The state of an attempt to send money.
    PaymentAttemptState {
        /// The request has not been made to the driver yet.
        Queued = "queued",
        /// The request is being made. After a crash the outcome is unknown.
        Sending = "sending",
        /// The money has left.
        Sent = "sent",
        /// It is not known whether the money has left. The driver is queried for the outcome, and never told to send again.
        Unknown = "unknown",
        /// The money has certainly not left.
        NeverSent = "never_sent",
        /// The money left and came back.
        Returned = "returned",
        /// The money has arrived.
        Confirmed = "confirmed",
        /// Staff took over the claim before the request was made.
        Cancelled = "cancelled",
    }
}

impl PaymentAttemptState {
    /// Whether it is unknown if the money has left.
    pub const fn is_open_question(self) -> bool {
        matches!(self, Self::Sending | Self::Unknown)
    }
}

/// The wait before the next call: doubled each time, ten minutes at most.
pub fn pause(driver_calls: i64) -> Duration {
    let doublings = u32::try_from(driver_calls.clamp(0, 6)).unwrap_or(6);
    Duration::from_secs((10 * 2_u64.pow(doublings)).min(600))
}
