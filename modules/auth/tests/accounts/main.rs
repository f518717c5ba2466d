//! Accounts, as customers meet them over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod account;
mod answers;
mod banning;
mod captcha;
mod limits;
mod nodes;
mod people;
mod refresh;
mod requests;
mod restoring;
mod second_factor;
mod signing_up;
mod timing;
mod tokens;
