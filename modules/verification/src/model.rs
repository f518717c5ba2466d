//! The life of a verification.
//!
//! ```text
//! asked ─photos→ sent ─accept→ accepted
//!   ↑              ├─again→ asked
//!   └──────────────┘
//! ```
//!
//! A member of staff may reject it in both open states, and it ends by itself when its claim waits no longer.

use agio_core::named;
use agio_core::needs::Proof;

named! {
    /// Where a verification stands.
    State {
        /// The customer is to send photos.
        Asked = "asked",
        /// Photos are here; a member of staff is to look at them.
        Sent = "sent",
        /// Taken as given.
        Accepted = "accepted",
        /// Refused.
        Rejected = "rejected",
        /// Not needed any more: the claim it was for went on or ended without it.
        Ended = "ended",
    }
}

impl State {
    /// Whether photos are taken and something is to be decided.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Asked | Self::Sent)
    }
}

/// What a member of staff decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// It is taken as given.
    Accept,
    /// It is refused.
    Reject,
    /// The customer is to send other photos.
    Again,
}

impl Decision {
    /// Every decision, the usual one first.
    pub const ALL: [Self; 3] = [Self::Accept, Self::Again, Self::Reject];

    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Again => "again",
        }
    }

    /// Where it leads from a state; nothing where it cannot be decided so.
    #[must_use]
    pub const fn leads_to(self, from: State) -> Option<State> {
        match (self, from) {
            (Self::Accept, State::Sent) => Some(State::Accepted),
            (Self::Reject, State::Asked | State::Sent) => Some(State::Rejected),
            (Self::Again, State::Sent) => Some(State::Asked),
            _ => None,
        }
    }

    /// Whether the customer is told why.
    #[must_use]
    pub const fn needs_reason(self) -> bool {
        !matches!(self, Self::Accept)
    }
}

/// Why photos are not enough: codes with a text each, and [`OTHER`].
pub const REASONS: [&str; 8] =
    ["unreadable", "cropped", "no_claim_number", "wrong_card", "name_differs", "edited", "expired_document", OTHER];

/// A reason that the words beside it say.
pub const OTHER: &str = "other";

/// How many photos one round needs before they are looked at: the card; or a document, and its owner with it.
#[must_use]
pub const fn photos_needed(proof: Proof) -> i64 {
    match proof {
        Proof::Card => 1,
        Proof::Identity => 2,
    }
}

/// How many photos one round takes at most.
pub const PHOTOS_MAX: i64 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decided_stays_decided() {
        for state in State::ALL {
            let open_ways = Decision::ALL.into_iter().filter(|decision| decision.leads_to(state).is_some()).count();
            assert_eq!(open_ways > 0, state.is_open(), "{state}");
            assert_eq!(state.name().parse(), Ok(state));
        }
    }

    #[test]
    fn nothing_is_accepted_unseen() {
        assert_eq!(Decision::Accept.leads_to(State::Asked), None);
        assert_eq!(Decision::Reject.leads_to(State::Asked), Some(State::Rejected));
    }
}
