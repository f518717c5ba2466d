//! The names of things: states and kinds.
//!
//! ```text
//! accrual:     unpriced ─┐
//!              review ───┼─approve→ held ─time→ available ─┐
//!                        └─refuse→ refused                 ├─exchange undone→ reversed
//!              none ───────────────────────────────────────┘
//! withdrawal:  requested ─approve→ approved ─pay→ paid
//!                  └──────────refuse──┴→ refused
//! ```

use agio_core::named;

named! {
    /// What a referrer gets a share of.
    Kind {
        /// Of what the house earned.
        Profit = "profit",
        /// Of what was sent.
        Amount = "amount",
    }
}

named! {
    /// What became of what a referrer earned by one exchange.
    AccrualState {
        /// Something speaks for the referrer having exchanged themselves: staff decide.
        Review = "review",
        /// It could not be told how much it is: staff decide.
        Unpriced = "unpriced",
        /// It is theirs and cannot be asked for yet.
        Held = "held",
        /// It is theirs.
        Available = "available",
        /// It is nothing: too little, or the house earned nothing.
        Nothing = "none",
        /// Staff refused it.
        Refused = "refused",
        /// The exchange was undone.
        Reversed = "reversed",
    }
}

named! {
    /// Where a withdrawal stands.
    WithdrawalState {
        /// The referrer asked for it.
        Requested = "requested",
        /// It may be paid.
        Approved = "approved",
        /// It is paid.
        Paid = "paid",
        /// It is refused; the money is the referrer's again.
        Refused = "refused",
    }
}

impl AccrualState {
    /// Whether its amount is among what the referrer cannot ask for yet.
    #[must_use]
    pub const fn is_pending(self) -> bool {
        matches!(self, Self::Review | Self::Held)
    }

    /// Whether it waits for the staff.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Review | Self::Unpriced)
    }
}

impl WithdrawalState {
    /// Whether its amount is on its way.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Requested | Self::Approved)
    }
}
