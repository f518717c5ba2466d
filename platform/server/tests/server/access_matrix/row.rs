//! Rows of the access matrix: kinds of callers, expected outcomes, required access and the permissions of roles.

use agio_core::identity::Role;
use reqwest::Method;
use serde_json::Value;

pub use Expected::{Done, Masked, NoToken, Refused, Unmasked};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    Guest,
    /// The customer who owns the object.
    Owner,
    Other,
    /// A customer who has not activated the account.
    Inactive,
    /// A customer who was banned after signing in.
    Banned,
    /// A staff member who has just confirmed the password.
    Staff(Role),
    /// An owner who has not.
    Unconfirmed,
    /// An owner who must set up a second factor first.
    WithoutSecondFactor,
}

impl CallerKind {
    pub const ALL: [Self; 12] = [
        Self::Guest,
        Self::Owner,
        Self::Other,
        Self::Inactive,
        Self::Banned,
        Self::Staff(Role::Owner),
        Self::Staff(Role::Operator),
        Self::Staff(Role::Cashier),
        Self::Staff(Role::Editor),
        Self::Staff(Role::Auditor),
        Self::Unconfirmed,
        Self::WithoutSecondFactor,
    ];

    /// The role of staff.
    fn role(self) -> Option<Role> {
        match self {
            Self::Staff(role) => Some(role),
            Self::Unconfirmed | Self::WithoutSecondFactor => Some(Role::Owner),
            Self::Guest | Self::Owner | Self::Other | Self::Inactive | Self::Banned => None,
        }
    }
}

/// The expected outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Success.
    Done,
    /// Success with the owner's private data.
    Unmasked,
    /// Success without the owner's private data.
    Masked,
    /// 401 `token_not_valid`.
    NoToken,
    /// 403 `forbidden` with the missing permission.
    Forbidden(&'static str),
    /// An error with this status and code.
    Refused(u16, &'static str),
}

pub const fn not_found(code: &'static str) -> Expected {
    Refused(404, code)
}

/// The access that an admin operation requires.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// None: the body has a secret.
    SecretInBody,
    /// Staff, even before setting up a second factor.
    WithoutSecondFactor,
    Staff,
    /// Staff with a recent confirmation.
    FreshStaff,
    Permission(&'static str),
    /// A permission and a recent confirmation.
    FreshPermission(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The operation id, with a suffix after a slash if there are several rows.
    pub name: &'static str,
    pub expectations: Expectations,
}

#[derive(Clone, Copy, Debug)]
pub enum Expectations {
    /// Guest, owner, other customer, not activated, banned, staff of any role.
    Site([Expected; 6]),
    /// The outcome for staff with the access, and for others if none is required.
    Admin { access: Access, done: Expected, outside: Expected },
    /// The outcome for the role that owns the object, and for other roles with the access.
    OwnAdmin { access: Access, whose: Role, done: Expected, others: Expected },
}

/// A row of the public document: guest, owner, other customer, not activated, banned, staff.
pub const fn site(name: &'static str, expectations: [Expected; 6]) -> Row {
    Row { name, expectations: Expectations::Site(expectations) }
}

/// A row of the admin document.
pub const fn admin(name: &'static str, access: Access, done: Expected) -> Row {
    Row { name, expectations: Expectations::Admin { access, done, outside: NoToken } }
}

/// A row of the admin document for an operation without authentication.
pub const fn public_admin(name: &'static str, done: Expected, outside: Expected) -> Row {
    Row { name, expectations: Expectations::Admin { access: Access::SecretInBody, done, outside } }
}

/// A row of the admin document about an object of this role.
pub const fn own_admin(name: &'static str, access: Access, whose: Role, done: Expected, others: Expected) -> Row {
    Row { name, expectations: Expectations::OwnAdmin { access, whose, done, others } }
}

impl Row {
    pub fn operation(&self) -> &'static str {
        self.name.split('/').next().expect("a name has a beginning")
    }

    pub fn expected(&self, kind: CallerKind) -> Expected {
        match self.expectations {
            Expectations::Site(expectations) => match kind {
                CallerKind::Guest => expectations[0],
                CallerKind::Owner => expectations[1],
                CallerKind::Other => expectations[2],
                CallerKind::Inactive => expectations[3],
                CallerKind::Banned => expectations[4],
                CallerKind::Staff(_) | CallerKind::Unconfirmed | CallerKind::WithoutSecondFactor => expectations[5],
            },
            Expectations::Admin { access, done, outside } => {
                access.refusal(kind).unwrap_or(if kind.role().is_some() { done } else { outside })
            }
            Expectations::OwnAdmin { access, whose, done, others } => {
                access.refusal(kind).unwrap_or(if kind == CallerKind::Staff(whose) { done } else { others })
            }
        }
    }
}

impl Access {
    /// The error for callers without the access.
    fn refusal(self, kind: CallerKind) -> Option<Expected> {
        if matches!(self, Self::SecretInBody) {
            return None;
        }
        let Some(role) = kind.role() else { return Some(NoToken) };
        if kind == CallerKind::WithoutSecondFactor && !matches!(self, Self::WithoutSecondFactor) {
            return Some(Refused(403, "second_factor_setup_needed"));
        }
        match self {
            Self::Permission(permission) | Self::FreshPermission(permission) if !has(role, permission) => {
                Some(Expected::Forbidden(permission))
            }
            Self::FreshStaff | Self::FreshPermission(_) if kind == CallerKind::Unconfirmed => {
                Some(Refused(403, "fresh_second_factor_needed"))
            }
            _ => None,
        }
    }
}

#[rustfmt::skip]
pub const PERMISSIONS: &[(&str, [bool; 5])] = &[
    //                       owner  operator cashier editor auditor
    ("approvals.read",      [true,  true,    true,   true,  true]),
    ("audit.read",          [true,  true,    true,   true,  true]),
    ("claims.payments",     [true,  true,    true,   false, false]),
    ("claims.process",      [true,  true,    true,   false, false]),
    ("claims.read",         [true,  true,    true,   true,  true]),
    ("claims.refund",       [true,  true,    true,   false, false]),
    ("claims.verify",       [true,  true,    true,   false, false]),
    ("contact.read",        [true,  true,    true,   true,  true]),
    ("content.change",      [true,  false,   false,  true,  false]),
    ("content.read",        [true,  true,    true,   true,  true]),
    ("contest.edit",        [true,  false,   false,  true,  false]),
    ("contest.pay",         [true,  false,   true,   false, false]),
    ("contest.read",        [true,  true,    true,   true,  true]),
    ("customers.ban",       [true,  true,    false,  false, false]),
    ("customers.read",      [true,  true,    true,   true,  true]),
    ("dashboard.read",      [true,  true,    true,   true,  true]),
    ("discounts.edit",      [true,  false,   false,  true,  false]),
    ("discounts.read",      [true,  true,    true,   true,  true]),
    ("mail.open",           [true,  false,   false,  false, false]),
    ("mail.read",           [true,  true,    true,   true,  true]),
    ("mail.resend",         [true,  true,    true,   false, false]),
    ("market.edit",         [true,  false,   false,  true,  false]),
    ("market.read",         [true,  true,    true,   true,  true]),
    ("aggregators.edit",       [true,  false,   false,  true,  false]),
    ("aggregators.read",       [true,  true,    true,   true,  true]),
    ("notices.read",        [true,  true,    true,   true,  true]),
    ("notices.resend",      [true,  true,    true,   false, false]),
    ("partners.manage",     [true,  false,   false,  false, false]),
    ("partners.pay",        [true,  false,   true,   false, false]),
    ("partners.read",       [true,  true,    true,   true,  true]),
    ("payments.change",     [true,  false,   false,  false, false]),
    ("payments.read",       [true,  true,    true,   true,  true]),
    ("plugins.edit",        [true,  false,   false,  false, false]),
    ("plugins.read",        [true,  true,    true,   true,  true]),
    ("rates.edit",          [true,  false,   false,  true,  false]),
    ("rates.read",          [true,  true,    true,   true,  true]),
    ("rates.release",       [true,  true,    false,  true,  false]),
    ("referral.pay",        [true,  true,    true,   false, false]),
    ("referral.read",       [true,  true,    true,   true,  true]),
    ("referral.review",     [true,  true,    false,  false, false]),
    ("referral.terms",      [true,  false,   false,  true,  false]),
    ("requisites.read",     [true,  true,    true,   true,  true]),
    ("reserves.move",       [true,  false,   true,   false, false]),
    ("reserves.read",       [true,  true,    true,   true,  true]),
    ("reserves.requisites", [true,  false,   true,   false, false]),
    ("reviews.moderate",    [true,  false,   false,  true,  false]),
    ("reviews.read",        [true,  true,    true,   true,  true]),
    ("settings.edit",       [true,  false,   false,  true,  false]),
    ("settings.read",       [true,  true,    true,   true,  true]),
    ("staff.manage",        [true,  false,   false,  false, false]),
    ("staff.read",          [true,  false,   false,  false, true]),
    ("verification.read",   [true,  true,    true,   true,  true]),
    ("waitlist.read",       [true,  true,    true,   true,  true]),
];

pub fn has(role: Role, permission: &str) -> bool {
    let (_, roles) =
        PERMISSIONS.iter().find(|(name, _)| *name == permission).unwrap_or_else(|| panic!("{permission} has no row"));
    let column = Role::ALL.iter().position(|known| *known == role).expect("every role has a column");
    roles[column]
}

#[derive(Clone)]
pub struct Call {
    pub method: Method,
    pub path: String,
    pub body: Body,
    /// Another browser of the same caller, if needed.
    pub by: Option<agio_test_app::TestClient>,
}

#[derive(Clone)]
pub enum Body {
    None,
    Json(Value),
    File(&'static [u8]),
    Csv(&'static str),
}

impl Call {
    fn new(method: Method, path: impl Into<String>, body: Body) -> Self {
        Self { method, path: path.into(), body, by: None }
    }
}

pub fn get(path: impl Into<String>) -> Call {
    Call::new(Method::GET, path, Body::None)
}

pub fn post(path: impl Into<String>, body: Value) -> Call {
    Call::new(Method::POST, path, Body::Json(body))
}

pub fn post_empty(path: impl Into<String>) -> Call {
    Call::new(Method::POST, path, Body::None)
}

pub fn post_csv(path: impl Into<String>, table: &'static str) -> Call {
    Call::new(Method::POST, path, Body::Csv(table))
}

pub fn put(path: impl Into<String>, body: Value) -> Call {
    Call::new(Method::PUT, path, Body::Json(body))
}

pub fn patch(path: impl Into<String>, body: Value) -> Call {
    Call::new(Method::PATCH, path, Body::Json(body))
}

pub fn delete(path: impl Into<String>) -> Call {
    Call::new(Method::DELETE, path, Body::None)
}

pub fn upload(path: impl Into<String>) -> Call {
    Call::new(Method::POST, path, Body::File(crate::examples::RECEIPT))
}
