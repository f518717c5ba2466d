//! Callers, actors and the permissions of staff.

use std::net::IpAddr;

use uuid::Uuid;

use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};

/// A permission of staff, such as `claims.process`. Modules declare theirs; roles are sets of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permission(pub &'static str);

/// A staff member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staff {
    pub id: Uuid,
    /// The name shown to other staff.
    pub name: String,
    pub role: Role,
    /// The network address of the request; `None` for the command line.
    pub address: Option<IpAddr>,
}

/// A signed-in staff member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffSession {
    pub staff: Staff,
    pub session: Uuid,
    /// Until when actions that need a fresh second factor are allowed; `None` if that time has passed.
    pub fresh_until: Option<Timestamp>,
}

impl StaffSession {
    /// The staff member, if their role has the permission.
    ///
    /// # Errors
    /// 403 `forbidden` with the permission.
    pub fn require(&self, permission: Permission) -> Result<Staff> {
        if self.staff.role.has(permission) { Ok(self.staff.clone()) } else { Err(Error::forbidden(permission.0)) }
    }

    /// Requires a recent second factor, so that an unattended or stolen session cannot move money. Check the
    /// permission first, so that nobody is asked for a code in vain.
    ///
    /// # Errors
    /// 403 `fresh_second_factor_needed`.
    pub fn require_fresh(&self) -> Result<()> {
        match self.fresh_until {
            Some(_) => Ok(()),
            None => Err(Error::new(ErrorKind::Forbidden, "fresh_second_factor_needed")),
        }
    }
}

/// A signed-in customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    pub id: Uuid,
    /// In lower case.
    pub email: String,
    /// Whether the e-mail address is confirmed.
    pub activated: bool,
    pub session: Uuid,
    /// The network address of the request.
    pub address: Option<IpAddr>,
}

crate::named! {
    /// The kind of actor in the audit log.
    AuditActorKind {
        Staff = "staff",
        /// A customer with an account.
        Customer = "customer",
        /// A visitor without an account.
        Guest = "guest",
        /// A partner by their API key.
        Partner = "partner",
        /// The system itself: a job or the command line.
        System = "system",
    }
}

/// Who acts, and from where, as recorded in the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    pub kind: AuditActorKind,
    /// The account, if there is one.
    pub id: Option<Uuid>,
    /// A staff member's name or a job's name, else empty: customers are identified by their id alone.
    pub name: String,
    /// The network address of the request.
    pub address: Option<IpAddr>,
}

impl Actor {
    /// A visitor without an account.
    #[must_use]
    pub fn guest(address: IpAddr) -> Self {
        Self { kind: AuditActorKind::Guest, id: None, name: String::new(), address: Some(address) }
    }

    /// A partner by their API key.
    #[must_use]
    pub fn partner(id: Uuid, name: &str, address: IpAddr) -> Self {
        Self { kind: AuditActorKind::Partner, id: Some(id), name: name.to_owned(), address: Some(address) }
    }

    /// The system itself: a job or a command.
    #[must_use]
    pub fn system(name: &str) -> Self {
        Self { kind: AuditActorKind::System, id: None, name: name.to_owned(), address: None }
    }
}

impl From<&Staff> for Actor {
    fn from(staff: &Staff) -> Self {
        Self { kind: AuditActorKind::Staff, id: Some(staff.id), name: staff.name.clone(), address: staff.address }
    }
}

impl From<&Customer> for Actor {
    fn from(customer: &Customer) -> Self {
        Self { kind: AuditActorKind::Customer, id: Some(customer.id), name: String::new(), address: customer.address }
    }
}

crate::named! {
    /// Roles of staff.
    Role {
        /// Everything, staff and roles included.
        Owner = "owner",
        /// Processes claims.
        Operator = "operator",
        /// Moves reserves and sends payouts.
        Cashier = "cashier",
        /// Edits content, rates and settings.
        Editor = "editor",
        /// Reads everything, changes nothing.
        Auditor = "auditor",
    }
}

impl Role {
    /// Whether the role has the permission. Every role has the permissions to read, whose names end in `.read`, except
    /// that only owners and auditors may read staff.
    #[must_use]
    pub fn has(self, permission: Permission) -> bool {
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
                let prefixes =
                    ["market.", "settings.", "rates.", "content.", "discounts.", "aggregators.", "contest.", "reviews."];
                name == "referral.terms" || prefixes.iter().any(|prefix| name.starts_with(prefix))
            }
            Self::Auditor => false,
        }
    }
}
