//! Accounts of customers: sign-up, e-mailed links, captchas, bans, change of the address, data export and deletion.

mod account;
mod account_requests;
pub mod admin;
pub mod api;
mod attempt_limits;
mod data;
mod email_change;
mod emails;
mod sign_up;
pub mod store;

pub use attempt_limits::{CaptchaAction, owner_counters};
pub use data::CustomerData;
