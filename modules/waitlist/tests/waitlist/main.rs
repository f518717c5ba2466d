//! The waitlist over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod fixtures;
mod limits;
mod notifications;
