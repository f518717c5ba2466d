//! Enums whose members have stable names.

/// An enum that [`named!`](crate::named!) declared.
pub trait Named: Copy + Send + Sync + 'static {
    /// The name of the type, under which the contract publishes it.
    const TYPE_NAME: &'static str;
    /// Its documentation.
    const ABOUT: &'static str;
    /// Every member in the order of declaration.
    const MEMBERS: &'static [Self];

    fn member_name(self) -> &'static str;
}

/// Declares an enum whose members have stable names: in the database (as a [text column](crate::text_column)), in the
/// API and in the keys of texts.
#[macro_export]
macro_rules! named {
    ($(#[doc = $about:literal])* $enum:ident { $($(#[$member_about:meta])* $member:ident = $name:literal,)+ }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $enum {
            $($(#[$member_about])* #[serde(rename = $name)] $member,)+
        }

        impl $enum {
            /// Every member in the order of declaration.
            pub const ALL: [Self; [$($name,)+].len()] = [$(Self::$member,)+];

            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)+
                }
            }
        }

        impl $crate::named::Named for $enum {
            const TYPE_NAME: &'static str = stringify!($enum);
            const ABOUT: &'static str = concat!($($about, "\n"),*);
            const MEMBERS: &'static [Self] = &Self::ALL;

            fn member_name(self) -> &'static str {
                self.name()
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = String;

            fn from_str(name: &str) -> std::result::Result<Self, String> {
                let member = Self::ALL.into_iter().find(|member| member.name() == name);
                member.ok_or_else(|| format!(concat!("no ", stringify!($enum), " is called {:?}"), name))
            }
        }

        $crate::text_column!($enum);
    };
}
