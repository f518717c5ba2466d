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

/// Declares an enum whose members have stable names, in the database and in the API.
macro_rules! named {
    ($(#[$about:meta])* $enum:ident { $($(#[$member_about:meta])* $member:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $enum {
            $($(#[$member_about])* #[serde(rename = $name)] $member,)+
        }

        impl $enum {
            /// Every member.
            pub const ALL: &[Self] = &[$(Self::$member,)+];

            /// The stable name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)+
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = String;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let member = Self::ALL.iter().copied().find(|member| member.name() == name);
                member.ok_or_else(|| format!("there is no {name:?} here"))
            }
        }

        agio_core::text_column!($enum);
    };
}

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
