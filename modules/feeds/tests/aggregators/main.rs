//! Aggregators over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

#[path = "../feed/rules.rs"]
mod rules;

mod admin;
mod feeds;
mod unreadable;
