//! Types and pure rules.

mod attempt;
mod decide;

pub use attempt::{AttemptKind, AttemptState, pause};
pub use decide::{Came, Decision, Rules, Screening, Standing, Trouble, decide};

/// Declares an enum whose members have stable names in the database and in the API.
macro_rules! named {
    ($(#[$about:meta])* $enum:ident { $($(#[$member_about:meta])* $member:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $enum {
            $($(#[$member_about])* $member,)+
        }

        impl $enum {
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
                [$(Self::$member,)+].into_iter().find(|member| member.name() == name).ok_or_else(|| format!("unknown name {name:?}"))
            }
        }

        agio_core::text_column!($enum);
    };
}

use named;
