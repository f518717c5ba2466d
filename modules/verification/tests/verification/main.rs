//! Verifications as customers and staff live them, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod accounts;
mod deciding;
mod people;
mod photos;
mod timers;
mod way;
