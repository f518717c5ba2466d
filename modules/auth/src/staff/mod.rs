//! Accounts of staff: invitations, confirmation of sessions, administration by owners.

mod account;
mod admin;
pub mod api;
mod approval;
mod confirmation;
mod emails;
pub mod invitation_store;
mod invitations;
pub mod store;

use agio_core::Error;
use agio_core::identity::{Permission, Role};

pub use approval::StaffChangeApproval;

/// Lists staff and their sessions.
pub const STAFF_READ: Permission = Permission("staff.read");
/// Manages staff; owners only.
pub const STAFF_MANAGE: Permission = Permission("staff.manage");

/// Configuration of the console. Not a setting, so that a stolen session cannot change it.
#[derive(Clone, Debug)]
pub struct ConsoleSettings {
    /// Base URL of the console's host, without a trailing slash.
    pub url: String,
    pub second_factor_required: bool,
}

/// A staff member with an initial password, for the demo and tests.
#[derive(Clone, Debug)]
pub struct NewStaff {
    pub email: String,
    pub name: String,
    pub role: Role,
    pub password: String,
}

fn email_taken(error: Error) -> Error {
    match error.constraint() {
        Some(_) => Error::unprocessable("validation_failed").at("email", "email_taken"),
        None => error,
    }
}

fn staff_not_found() -> Error {
    Error::not_found("staff_not_found")
}
