//! What a key may do.

use std::fmt;
use std::str::FromStr;

/// One thing a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// See currencies, pairs and one's claims.
    Read,
    /// Have quotes made.
    Quote,
    /// Make claims and act for their customers.
    Claim,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 3] = [Self::Read, Self::Quote, Self::Claim];

    /// The name it is stored and sent under.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Quote => "quote",
            Self::Claim => "claim",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|scope| scope.name() == text).ok_or_else(|| format!("{text:?} is no scope"))
    }
}
