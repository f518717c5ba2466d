//! Customer accounts over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod account;
mod account_requests;
mod attempt_limits;
mod bans;
mod captcha;
mod customer_data;
mod email_change;
mod fixtures;
mod nodes;
mod password_reset;
mod refresh;
mod response_parity;
mod second_factor;
mod sign_up;
mod timing;
mod tokens;
