//! States of commissions and withdrawals.
//!
//! ```text
//! commission:  unpriced ─┐
//!              review ───┼─approve→ held ─time→ available ─┐
//!                        └─refuse→ refused                 ├─exchange reversed→ reversed
//!              none ───────────────────────────────────────┘
//! withdrawal:  requested ─approve→ approved ─pay→ paid
//!                  └──────────refuse──┴→ refused
//! ```

use agio_core::named;

named! {
    /// What the commission is a percentage of.
    ReferralKind {
        /// Our profit.
        Profit = "profit",
        /// The amount given.
        Amount = "amount",
    }
}

named! {
    /// State of a commission.
    ReferralCommissionState {
        /// Possible self-referral; needs a review.
        Review = "review",
        /// No amount for lack of a rate; needs a review.
        Unpriced = "unpriced",
        /// In the holding period.
        Held = "held",
        /// In the balance.
        Available = "available",
        /// No commission: no profit or below the minimum.
        Nothing = "none",
        /// Refused by staff.
        Refused = "refused",
        /// The exchange was reversed.
        Reversed = "reversed",
    }
}

named! {
    /// State of a withdrawal.
    ReferralWithdrawalState {
        /// Requested by the referrer.
        Requested = "requested",
        /// Approved for payment.
        Approved = "approved",
        Paid = "paid",
        /// Refused; the amount is back in the balance.
        Refused = "refused",
    }
}

named! {
    /// Kind of a history entry.
    ReferralHistoryKind {
        Commission = "commission",
        Withdrawal = "withdrawal",
    }
}

named! {
    /// State of a commission with an amount or of a withdrawal.
    ReferralHistoryStatus {
        /// Commission: needs a review.
        Review = "review",
        /// Commission: in the holding period.
        Held = "held",
        /// Commission: in the balance.
        Available = "available",
        /// Commission: the exchange was reversed.
        Reversed = "reversed",
        /// Withdrawal: requested.
        Requested = "requested",
        /// Withdrawal: approved for payment.
        Approved = "approved",
        /// Withdrawal: paid.
        Paid = "paid",
        /// Commission or withdrawal: refused.
        Refused = "refused",
    }
}

named! {
    /// A review decision.
    ReferralCommissionDecision {
        /// Credit the commission.
        Approve = "approve",
        /// Refuse the commission.
        Refuse = "refuse",
    }
}

named! {
    /// An action on a withdrawal.
    ReferralWithdrawalAction {
        /// Approve it for payment.
        Approve = "approve",
        /// Record its payment.
        Pay = "pay",
        /// Refuse it.
        Refuse = "refuse",
    }
}

named! {
    /// Which entries to list.
    ReferralListTab {
        /// Those to review or to process, oldest first.
        Open = "open",
        /// All commissions, or finished withdrawals, newest first.
        Past = "past",
    }
}

impl ReferralCommissionState {
    /// Whether its amount is in the pending account.
    pub const fn is_pending(self) -> bool {
        matches!(self, Self::Review | Self::Held)
    }

    /// Whether it needs a review.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Review | Self::Unpriced)
    }
}

impl ReferralWithdrawalState {
    /// Whether it still has to be paid or refused.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Requested | Self::Approved)
    }

    pub const fn actions(self) -> &'static [ReferralWithdrawalAction] {
        use ReferralWithdrawalAction::{Approve, Pay, Refuse};
        match self {
            Self::Requested => &[Approve, Refuse],
            Self::Approved => &[Pay, Refuse],
            Self::Paid | Self::Refused => &[],
        }
    }
}
