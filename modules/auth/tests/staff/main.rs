//! Staff accounts over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod account;
mod approvals;
mod fixtures;
mod invitations;
mod rate_confirmation;
mod second_factor;
mod session_confirmation;
mod staff_admin;
