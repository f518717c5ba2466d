//! What a row is made of: who calls, what becomes of it, what is needed, and which roles have that.

use agio_core::identity::Role;
use reqwest::Method;
use serde_json::Value;

pub use Cell::{Done, Masked, NoToken, Told, Whole};

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Somebody without an account.
    Guest,
    /// The customer whose things are called for.
    Owner,
    /// Another customer.
    Other,
    /// A customer who has not shown that the e-mail address is theirs.
    Inactive,
    /// A customer who was banned after signing in.
    Banned,
    /// A member of staff who confirmed a moment ago that it is they.
    Staff(Role),
    /// An owner of the house who did not.
    Unconfirmed,
    /// An owner of the house who has to set up a second factor before anything else.
    Newcomer,
}

impl Who {
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
        Self::Newcomer,
    ];

    /// The role of somebody who works here.
    fn role(self) -> Option<Role> {
        match self {
            Self::Staff(role) => Some(role),
            Self::Unconfirmed | Self::Newcomer => Some(Role::Owner),
            Self::Guest | Self::Owner | Self::Other | Self::Inactive | Self::Banned => None,
        }
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// It is done.
    Done,
    /// It is answered with what is the owner's alone.
    Whole,
    /// It is answered, and what is the owner's is not in the answer.
    Masked,
    /// 401 `token_not_valid`: nobody is known by this token, or there is none.
    NoToken,
    /// 403 `forbidden` with the permission that is missing.
    Forbidden(&'static str),
    /// It is refused with this status and code.
    Told(u16, &'static str),
}

/// The same as a thing that is not there.
pub const fn missing(code: &'static str) -> Cell {
    Told(404, code)
}

/// What a console's call needs.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// Nothing: whoever knows the secret in the body is meant.
    Nothing,
    /// To work here, and be it before the second factor is set up.
    Newcomer,
    /// To work here.
    Staff,
    /// The same, with a fresh second factor.
    FreshStaff,
    /// A permission.
    May(&'static str),
    /// A permission, and a fresh second factor.
    MayFresh(&'static str),
}

/// What is expected of one operation.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its identifier in the published document, with a word behind a slash where there are several rows.
    pub name: &'static str,
    pub cells: Cells,
}

#[derive(Clone, Copy, Debug)]
pub enum Cells {
    /// Guest, owner, other customer, not activated, banned, staff of any role.
    Site([Cell; 6]),
    /// What is needed, and what becomes of the call of whoever has it; of a `Need::Nothing` also for those who do not work here.
    Desk { need: Need, done: Cell, outside: Cell },
    /// The same for the one role whose thing it is, and another cell for the others who may.
    DeskOwn { need: Need, whose: Role, done: Cell, others: Cell },
}

/// A row of the public document: guest, owner, other customer, not activated, banned, staff.
pub const fn site(name: &'static str, cells: [Cell; 6]) -> Row {
    Row { name, cells: Cells::Site(cells) }
}

/// A row of the console's document.
pub const fn desk(name: &'static str, need: Need, done: Cell) -> Row {
    Row { name, cells: Cells::Desk { need, done, outside: NoToken } }
}

/// A row of the console's document for a call that anybody may make.
pub const fn open_desk(name: &'static str, done: Cell, outside: Cell) -> Row {
    Row { name, cells: Cells::Desk { need: Need::Nothing, done, outside } }
}

/// A row of the console's document for a call about a thing of somebody with this role.
pub const fn own_desk(name: &'static str, need: Need, whose: Role, done: Cell, others: Cell) -> Row {
    Row { name, cells: Cells::DeskOwn { need, whose, done, others } }
}

impl Row {
    /// The operation in the published document.
    pub fn operation(&self) -> &'static str {
        self.name.split('/').next().expect("a name has a beginning")
    }

    pub fn cell(&self, who: Who) -> Cell {
        match self.cells {
            Cells::Site(cells) => match who {
                Who::Guest => cells[0],
                Who::Owner => cells[1],
                Who::Other => cells[2],
                Who::Inactive => cells[3],
                Who::Banned => cells[4],
                Who::Staff(_) | Who::Unconfirmed | Who::Newcomer => cells[5],
            },
            Cells::Desk { need, done, outside } => need.refuses(who).unwrap_or(if who.role().is_some() { done } else { outside }),
            Cells::DeskOwn { need, whose, done, others } => {
                need.refuses(who).unwrap_or(if who == Who::Staff(whose) { done } else { others })
            }
        }
    }
}

impl Need {
    /// The refusal of whoever has not what is needed.
    fn refuses(self, who: Who) -> Option<Cell> {
        if matches!(self, Self::Nothing) {
            return None;
        }
        let Some(role) = who.role() else { return Some(NoToken) };
        if who == Who::Newcomer && !matches!(self, Self::Newcomer) {
            return Some(Told(403, "second_factor_setup_needed"));
        }
        match self {
            Self::May(permission) | Self::MayFresh(permission) if !has(role, permission) => Some(Cell::Forbidden(permission)),
            Self::FreshStaff | Self::MayFresh(_) if who == Who::Unconfirmed => Some(Told(403, "fresh_second_factor_needed")),
            _ => None,
        }
    }
}

/// Which roles have which permission: owner, operator, cashier, editor, auditor.
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
    ("desk.read",           [true,  true,    true,   true,  true]),
    ("discounts.edit",      [true,  false,   false,  true,  false]),
    ("discounts.read",      [true,  true,    true,   true,  true]),
    ("mail.open",           [true,  false,   false,  false, false]),
    ("mail.read",           [true,  true,    true,   true,  true]),
    ("mail.resend",         [true,  true,    true,   false, false]),
    ("market.edit",         [true,  false,   false,  true,  false]),
    ("market.read",         [true,  true,    true,   true,  true]),
    ("monitors.edit",       [true,  false,   false,  true,  false]),
    ("monitors.read",       [true,  true,    true,   true,  true]),
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
    ("settings.edit",       [true,  false,   false,  true,  false]),
    ("settings.read",       [true,  true,    true,   true,  true]),
    ("staff.manage",        [true,  false,   false,  false, false]),
    ("staff.read",          [true,  false,   false,  false, true]),
    ("verification.read",   [true,  true,    true,   true,  true]),
];

/// Whether the table gives a role a permission.
pub fn has(role: Role, permission: &str) -> bool {
    let (_, roles) =
        PERMISSIONS.iter().find(|(name, _)| *name == permission).unwrap_or_else(|| panic!("{permission} has no row"));
    let column = Role::ALL.iter().position(|known| *known == role).expect("every role has a column");
    roles[column]
}

/// A call to be made.
#[derive(Clone)]
pub struct Call {
    pub method: Method,
    pub path: String,
    pub body: Body,
    /// Who makes it in place of whom the cell is about: the same person in another browser.
    pub by: Option<agio_testkit::Caller>,
}

#[derive(Clone)]
pub enum Body {
    None,
    Json(Value),
    File(&'static [u8]),
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
