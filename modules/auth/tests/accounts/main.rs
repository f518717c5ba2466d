//! Accounts, as customers meet them over HTTP.

mod account;
mod answers;
mod captcha;
mod limits;
mod nodes;
mod people;
mod refresh;
mod restoring;
mod second_factor;
mod signing_up;
mod timing;
mod tokens;
