//! Contests over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod admin;
mod fixtures;
mod happy_path;
