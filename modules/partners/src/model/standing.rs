//! Whether a partner may exchange.

use std::fmt;
use std::str::FromStr;

/// How far a partner's access is.
///
/// ```text
/// requested ─approve→ approved
///     ↑ └────decline→ declined
///     └──── asks again ──┘
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartnerStanding {
    /// A customer asked for it. Their sandbox keys are good.
    Requested,
    /// Every key is good.
    Approved,
    /// Staff declined it. It may be asked for again.
    Declined,
}

impl PartnerStanding {
    const ALL: [Self; 3] = [Self::Requested, Self::Approved, Self::Declined];

    /// The name it is stored and sent under.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Approved => "approved",
            Self::Declined => "declined",
        }
    }
}

impl fmt::Display for PartnerStanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PartnerStanding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|standing| standing.name() == text).ok_or_else(|| format!("{text:?} is no standing"))
    }
}

agio_core::text_column!(PartnerStanding);
