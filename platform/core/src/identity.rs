//! Who is calling, and what staff may do.

use std::net::IpAddr;

use uuid::Uuid;

use crate::clock::Timestamp;
use crate::error::{Error, Kind, Result};

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
    /// The role.
    pub role: Role,
    /// Where the call comes from; nothing for what the command line does.
    pub address: Option<IpAddr>,
}

/// A member of staff in a session of theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffSession {
    /// Who it is.
    pub staff: Staff,
    /// The session of the call.
    pub session: Uuid,
    /// Until when they may do what asks for a fresh second factor; nothing where that moment has passed.
    pub fresh_until: Option<Timestamp>,
}

impl StaffSession {
    /// The member of staff, if they may do this.
    ///
    /// # Errors
    /// 403 `forbidden` with the permission.
    pub fn may(&self, permission: Permission) -> Result<Staff> {
        if self.staff.role.may(permission) { Ok(self.staff.clone()) } else { Err(Error::forbidden(permission.0)) }
    }

    /// Makes sure that they showed their second factor a short while ago: a session that was left open, or taken, does not move money.
    /// Ask for the permission first, so that nobody is asked for a code in vain.
    ///
    /// # Errors
    /// 403 `fresh_second_factor_needed`.
    pub fn require_fresh(&self) -> Result<()> {
        match self.fresh_until {
            Some(_) => Ok(()),
            None => Err(Error::new(Kind::Forbidden, "fresh_second_factor_needed")),
        }
    }
}

/// A customer with an account, signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// Identifier of the account.
    pub id: Uuid,
    /// The e-mail address, in lower case.
    pub email: String,
    /// Whether the address was shown to be theirs.
    pub activated: bool,
    /// The session of the call.
    pub session: Uuid,
    /// Where the call comes from.
    pub address: Option<IpAddr>,
}

crate::named! {
    /// What kind of somebody acts.
    ActorKind {
        /// A member of staff.
        Staff = "staff",
        /// A customer with an account.
        Customer = "customer",
        /// A visitor without one.
        Guest = "guest",
        /// A partner by their key.
        Partner = "partner",
        /// The house itself: a job, or the command line.
        House = "house",
    }
}

/// Who does something, and from where: what the audit log keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// What kind of somebody.
    pub kind: ActorKind,
    /// Whose account, where there is one.
    pub id: Option<Uuid>,
    /// The name colleagues see of staff, the name of a job, else empty: customers are known by their identifier alone.
    pub name: String,
    /// Where the call comes from.
    pub address: Option<IpAddr>,
}

impl Actor {
    /// A visitor without an account.
    #[must_use]
    pub fn guest(address: IpAddr) -> Self {
        Self { kind: ActorKind::Guest, id: None, name: String::new(), address: Some(address) }
    }

    /// A partner, by a key of theirs.
    #[must_use]
    pub fn partner(id: Uuid, name: &str, address: IpAddr) -> Self {
        Self { kind: ActorKind::Partner, id: Some(id), name: name.to_owned(), address: Some(address) }
    }

    /// The house itself, in the person of a job or a command.
    #[must_use]
    pub fn house(name: &str) -> Self {
        Self { kind: ActorKind::House, id: None, name: name.to_owned(), address: None }
    }
}

impl From<&Staff> for Actor {
    fn from(staff: &Staff) -> Self {
        Self { kind: ActorKind::Staff, id: Some(staff.id), name: staff.name.clone(), address: staff.address }
    }
}

impl From<&Customer> for Actor {
    fn from(customer: &Customer) -> Self {
        Self { kind: ActorKind::Customer, id: Some(customer.id), name: String::new(), address: customer.address }
    }
}

crate::named! {
    /// The roles. What each may do is a set of permissions, chosen from those the modules bring.
    Role {
        /// Everything, staff and roles included.
        Owner = "owner",
        /// Works the claims.
        Operator = "operator",
        /// Moves reserves and pays out.
        Cashier = "cashier",
        /// Keeps texts, rates and settings.
        Editor = "editor",
        /// Reads everything and changes nothing.
        Auditor = "auditor",
    }
}

impl Role {
    /// Whether the role has the permission. Names of permissions that only read end in `.read`; everybody has those, but for who
    /// else works here, which is for those who answer for it.
    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        let Permission(name) = permission;
        if name.ends_with(".read") {
            return name != "staff.read" || matches!(self, Self::Owner | Self::Auditor);
        }
        match self {
            Self::Owner => true,
            Self::Operator => {
                name.starts_with("claims.")
                    || matches!(
                        name,
                        "mail.resend" | "notices.resend" | "customers.ban" | "referral.review" | "referral.pay" | "rates.release"
                    )
            }
            Self::Cashier => {
                name.starts_with("claims.")
                    || name.starts_with("reserves.")
                    || matches!(name, "mail.resend" | "notices.resend" | "contest.pay" | "referral.pay" | "partners.pay")
            }
            Self::Editor if name == "contest.pay" => false,
            Self::Editor => {
                let rooms = ["market.", "settings.", "rates.", "content.", "discounts.", "monitors.", "contest."];
                name == "referral.terms" || rooms.iter().any(|room| name.starts_with(room))
            }
            Self::Auditor => false,
        }
    }
}
