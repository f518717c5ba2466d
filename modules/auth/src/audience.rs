//! What differs between the accounts of staff and of customers.

use std::time::Duration;

use agio_core::identity::{Actor, Customer, StaffSession};
use uuid::Uuid;

use crate::passwords::{LENGTH_MIN, STAFF_LENGTH_MIN};

/// Whose account, session or token it is. A token for one is invalid for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// At the console.
    Staff,
    /// At the public site.
    Customers,
}

impl Audience {
    pub fn choose<T>(self, staff: T, customers: T) -> T {
        match self {
            Self::Staff => staff,
            Self::Customers => customers,
        }
    }

    /// The `aud` of tokens.
    pub fn token_name(self) -> &'static str {
        self.choose("agio-console", "agio-site")
    }

    /// What audit entries and e-mails about an account name as their subject. The names of its actions begin with it.
    pub fn subject(self) -> &'static str {
        self.choose("staff", "customer")
    }

    /// Absolute lifetime of a session. Staff: a shift.
    pub fn session_life(self) -> Duration {
        hours(self.choose(12, 30 * 24))
    }

    /// How long a session lasts without a refresh.
    pub fn idle_life(self) -> Duration {
        hours(self.choose(2, 14 * 24))
    }

    /// Minimum length of a password, in characters.
    pub fn password_length_min(self) -> usize {
        self.choose(STAFF_LENGTH_MIN, LENGTH_MIN)
    }
}

const fn hours(count: u64) -> Duration {
    Duration::from_secs(count * 60 * 60)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountRef {
    pub audience: Audience,
    pub id: Uuid,
}

impl AccountRef {
    pub fn staff(id: Uuid) -> Self {
        Self { audience: Audience::Staff, id }
    }

    pub fn customer(id: Uuid) -> Self {
        Self { audience: Audience::Customers, id }
    }

    /// Values of `staff_id` and `customer_id`.
    pub fn columns(self) -> (Option<Uuid>, Option<Uuid>) {
        self.audience.choose((Some(self.id), None), (None, Some(self.id)))
    }
}

/// A signed-in caller.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account: AccountRef,
    pub session: Uuid,
    /// For the audit log.
    pub actor: Actor,
}

impl From<&StaffSession> for Caller {
    fn from(caller: &StaffSession) -> Self {
        Self { account: AccountRef::staff(caller.staff.id), session: caller.session, actor: Actor::from(&caller.staff) }
    }
}

impl From<&Customer> for Caller {
    fn from(caller: &Customer) -> Self {
        Self { account: AccountRef::customer(caller.id), session: caller.session, actor: Actor::from(caller) }
    }
}
