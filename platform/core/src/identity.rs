//! Who is calling, and what staff may do.

use uuid::Uuid;

/// A thing staff may be allowed to do, such as `claims.process`. Modules list theirs; roles are sets of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permission(pub &'static str);

/// A member of staff, as far as other rooms need to know them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staff {
    /// Identifier of the account.
    pub id: Uuid,
    /// The name colleagues see.
    pub name: String,
    /// The role's name.
    pub role: Role,
}

/// The roles. What each may do is a set of permissions, chosen from those the modules bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Everything, staff and roles included.
    Owner,
    /// Works the claims.
    Operator,
    /// Moves reserves and pays out.
    Cashier,
    /// Keeps texts, rates and settings.
    Editor,
    /// Reads everything and changes nothing.
    Auditor,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 5] = [Self::Owner, Self::Operator, Self::Cashier, Self::Editor, Self::Auditor];

    /// The name it is stored and sent under.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Operator => "operator",
            Self::Cashier => "cashier",
            Self::Editor => "editor",
            Self::Auditor => "auditor",
        }
    }

    /// Whether the role has the permission. Names of permissions that only read end in `.read`.
    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        let Permission(name) = permission;
        if name.ends_with(".read") {
            return true;
        }
        match self {
            Self::Owner => true,
            Self::Operator => name.starts_with("claims."),
            Self::Cashier => name.starts_with("claims.") || name.starts_with("reserves."),
            Self::Editor => {
                ["market.", "settings.", "rates."].iter().any(|room| name.starts_with(room))
            }
            Self::Auditor => false,
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| format!("there is no role {text:?}"))
    }
}

crate::text_column!(Role);
