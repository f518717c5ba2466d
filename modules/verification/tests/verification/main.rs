//! Verifications over HTTP, on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod account_verification;
mod deadlines;
mod decisions;
mod fixtures;
mod happy_path;
mod photos;
