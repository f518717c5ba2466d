//! A claim's place in the queue: its tab, who acts next, its progress and its deadlines.

use std::time::Duration;

pub use agio_contracts::CustomerAction;
use agio_core::{Timestamp, Vault, named};

use super::Claim;
use crate::minutes;
use crate::model::{Action, ClaimState};

named! {
    /// The tabs of the queue; every state belongs to one.
    QueueTab {
        /// The staff acts.
        Ours = "ours",
        /// The customer acts.
        Customer = "customer",
        /// A network or bank acts.
        Network = "network",
        /// Something differs from the agreed terms.
        Disputed = "disputed",
        /// A refund is due.
        Refunds = "refunds",
        /// Done.
        Closed = "closed",
    }
}

named! {
    /// Which claims of the queue to list: all open ones, or those of one tab.
    QueueGroup {
        Open = "open",
        Ours = "ours",
        Customer = "customer",
        Network = "network",
        Disputed = "disputed",
        Refunds = "refunds",
        Closed = "closed",
    }
}

impl QueueGroup {
    /// `None` for all open claims.
    pub const fn tab(self) -> Option<QueueTab> {
        match self {
            Self::Open => None,
            Self::Ours => Some(QueueTab::Ours),
            Self::Customer => Some(QueueTab::Customer),
            Self::Network => Some(QueueTab::Network),
            Self::Disputed => Some(QueueTab::Disputed),
            Self::Refunds => Some(QueueTab::Refunds),
            Self::Closed => Some(QueueTab::Closed),
        }
    }
}

named! {
    /// The order of the queue.
    QueueSort {
        /// By due time; closed claims by the time they ended, the last one first.
        Due = "due",
        /// The newest first.
        Created = "created",
    }
}

impl QueueTab {
    /// The tab of a state.
    pub const fn of(state: ClaimState) -> Self {
        match state {
            ClaimState::Verification
            | ClaimState::PaymentClaimed
            | ClaimState::Paid
            | ClaimState::Processing
            | ClaimState::PayoutPartial => Self::Ours,
            ClaimState::Created | ClaimState::AwaitingPayment => Self::Customer,
            ClaimState::PaymentSeen | ClaimState::PayoutSent => Self::Network,
            ClaimState::AmountMismatch | ClaimState::LatePayment | ClaimState::OnHold | ClaimState::PayoutError => Self::Disputed,
            ClaimState::RefundPending | ClaimState::RefundSent => Self::Refunds,
            ClaimState::Completed | ClaimState::Refunded | ClaimState::Cancelled | ClaimState::Expired | ClaimState::Rejected => {
                Self::Closed
            }
        }
    }
}

named! {
    /// Who has to act next.
    ClaimTurn {
        /// The staff.
        Ours = "ours",
        /// The customer.
        Customer = "customer",
        /// A network or a bank.
        Network = "network",
        /// The staff, because something went wrong.
        Trouble = "trouble",
        /// Nobody: the claim has ended.
        Done = "done",
    }
}

/// Who has to act next. A refund without a destination waits for the customer.
pub fn turn(claim: &Claim, vault: &Vault) -> ClaimTurn {
    match claim.state {
        ClaimState::RefundPending if claim.lacks_destination(vault).unwrap_or(false) => ClaimTurn::Customer,
        ClaimState::Verification
        | ClaimState::PaymentClaimed
        | ClaimState::Paid
        | ClaimState::Processing
        | ClaimState::PayoutPartial
        | ClaimState::RefundPending => ClaimTurn::Ours,
        ClaimState::Created | ClaimState::AwaitingPayment | ClaimState::AmountMismatch | ClaimState::LatePayment => {
            ClaimTurn::Customer
        }
        ClaimState::PaymentSeen | ClaimState::PayoutSent | ClaimState::RefundSent => ClaimTurn::Network,
        ClaimState::OnHold | ClaimState::PayoutError => ClaimTurn::Trouble,
        ClaimState::Completed | ClaimState::Refunded | ClaimState::Cancelled | ClaimState::Expired | ClaimState::Rejected => {
            ClaimTurn::Done
        }
    }
}

/// The progress of a claim, from 1 (created) to 5 (ended).
pub const fn step(state: ClaimState) -> u8 {
    match state {
        ClaimState::Created | ClaimState::Verification => 1,
        ClaimState::AwaitingPayment | ClaimState::PaymentClaimed => 2,
        ClaimState::PaymentSeen
        | ClaimState::AmountMismatch
        | ClaimState::LatePayment
        | ClaimState::OnHold
        | ClaimState::Paid => 3,
        ClaimState::Processing
        | ClaimState::PayoutSent
        | ClaimState::PayoutError
        | ClaimState::PayoutPartial
        | ClaimState::RefundPending => 4,
        ClaimState::RefundSent
        | ClaimState::Completed
        | ClaimState::Refunded
        | ClaimState::Cancelled
        | ClaimState::Expired
        | ClaimState::Rejected => 5,
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ClaimTimeouts {
    /// Minutes a customer has to confirm a new claim.
    pub confirm_minutes: i64,
    /// Minutes a customer has to submit a verification.
    pub verify_minutes: i64,
    /// Hours a customer has to choose between new terms and a refund.
    pub choice_hours: i64,
    /// Minutes within which an operator answers.
    pub answer_minutes: i64,
    /// Minutes a reported payment may remain undetected.
    pub reported_minutes: i64,
}

/// How long a network or bank may take before staff should look.
const NETWORK: Duration = Duration::from_secs(60 * 60);

/// When the new state of a claim times out; `None` for a state without a timeout.
pub fn ends_at(claim: &Claim, timeouts: ClaimTimeouts, now: Timestamp) -> Option<Timestamp> {
    match claim.state {
        ClaimState::Created => Some(now.plus(minutes(timeouts.confirm_minutes))),
        ClaimState::Verification => Some(now.plus(minutes(timeouts.verify_minutes))),
        // A guaranteed rate ends at its time, however late the customer confirms.
        ClaimState::AwaitingPayment => {
            Some(claim.promised_until().unwrap_or_else(|| now.plus(minutes(claim.terms.hold_minutes))))
        }
        // A report does not shorten the time in which the customer can pay.
        ClaimState::PaymentClaimed => Some(now.plus(minutes(timeouts.reported_minutes))).max(claim.pay_until()),
        ClaimState::AmountMismatch | ClaimState::LatePayment => Some(now.plus(minutes(timeouts.choice_hours * 60))),
        _ => None,
    }
}

/// When the next action on a claim in a new state is due.
pub fn due_at(claim: &Claim, timeouts: ClaimTimeouts, now: Timestamp) -> Timestamp {
    let ours = now.plus(minutes(timeouts.answer_minutes));
    match QueueTab::of(claim.state) {
        QueueTab::Closed => now,
        QueueTab::Network => now.plus(NETWORK),
        QueueTab::Disputed if claim.state == ClaimState::OnHold => claim.progress.answer_by.unwrap_or(ours),
        QueueTab::Ours if claim.state == ClaimState::PaymentClaimed => ours,
        _ => claim.progress.expires_at.unwrap_or(ours),
    }
}

/// Whether an action acts against the customer, so that the console asks for confirmation.
pub const fn is_destructive(action: Action) -> bool {
    matches!(
        action,
        Action::Reject | Action::VerifyReject | Action::Refund | Action::Hold | Action::PayoutFailed | Action::PayoutReturned
    )
}

/// Whether a customer can upload a receipt. Also for an expired claim: the receipt is how a customer reports a late
/// payment. Verification photos go to the verification module.
pub const fn takes_receipts(state: ClaimState) -> bool {
    !matches!(
        state,
        ClaimState::Created
            | ClaimState::Verification
            | ClaimState::Completed
            | ClaimState::Refunded
            | ClaimState::Cancelled
            | ClaimState::RefundSent
    )
}
