//! Lifecycle of a verification.
//!
//! ```text
//! asked ─photos→ sent ─accept→ accepted
//!   ↑              ├─again→ asked
//!   └──────────────┘
//! ```
//!
//! Staff can reject it in both open states. It ends when its claim no longer waits for it.

use agio_contracts::VerificationSubject;
use agio_core::named;

named! {
    /// State of a verification.
    VerificationState {
        /// Waiting for photos.
        Asked = "asked",
        /// Photos received; waiting for a decision.
        Sent = "sent",
        Accepted = "accepted",
        Rejected = "rejected",
        /// No longer needed: its claim continued or ended without it.
        Ended = "ended",
    }
}

impl VerificationState {
    /// Whether it accepts photos and decisions.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Asked | Self::Sent)
    }
}

named! {
    /// A decision on a verification.
    VerificationDecision {
        Accept = "accept",
        /// The customer has to send other photos.
        Again = "again",
        Reject = "reject",
    }
}

impl VerificationDecision {
    /// The next state; `None` if the decision is not possible in `from`.
    pub const fn leads_to(self, from: VerificationState) -> Option<VerificationState> {
        match (self, from) {
            (Self::Accept, VerificationState::Sent) => Some(VerificationState::Accepted),
            (Self::Reject, VerificationState::Asked | VerificationState::Sent) => Some(VerificationState::Rejected),
            (Self::Again, VerificationState::Sent) => Some(VerificationState::Asked),
            _ => None,
        }
    }

    pub const fn needs_reason(self) -> bool {
        !matches!(self, Self::Accept)
    }
}

named! {
    /// Why a verification was rejected or other photos are needed. Each has a text but `other`, whose text staff write.
    VerificationReasonCode {
        Unreadable = "unreadable",
        Cropped = "cropped",
        NoClaimNumber = "no_claim_number",
        WrongCard = "wrong_card",
        NameDiffers = "name_differs",
        Edited = "edited",
        ExpiredDocument = "expired_document",
        Other = "other",
    }
}

named! {
    /// Why a verification is required.
    VerificationCause {
        /// The direction requires it.
        Direction = "direction",
        /// A large first claim.
        FirstClaim = "first_claim",
        /// Staff requested it.
        Staff = "staff",
    }
}

named! {
    /// A queue of verifications.
    VerificationQueue {
        /// Waiting for a decision.
        Sent = "sent",
        /// Waiting for photos.
        Asked = "asked",
        /// Decided or no longer needed.
        Closed = "closed",
    }
}

/// Photos required per round: the card; or the document, and the customer holding it.
pub const fn photos_needed(subject: VerificationSubject) -> i64 {
    match subject {
        VerificationSubject::Card => 1,
        VerificationSubject::Identity => 2,
    }
}

/// Maximum photos per round.
pub const PHOTOS_MAX: i64 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_states_allow_no_decision() {
        for state in VerificationState::ALL {
            let is_decidable = VerificationDecision::ALL.into_iter().any(|decision| decision.leads_to(state).is_some());
            assert_eq!(is_decidable, state.is_open(), "{state}");
            assert_eq!(state.name().parse(), Ok(state));
        }
    }

    #[test]
    fn acceptance_needs_photos() {
        assert_eq!(VerificationDecision::Accept.leads_to(VerificationState::Asked), None);
        assert_eq!(VerificationDecision::Reject.leads_to(VerificationState::Asked), Some(VerificationState::Rejected));
    }
}
