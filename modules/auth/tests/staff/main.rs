//! Who works here, as they meet the console over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod account;
mod colleagues;
mod fresh;
mod invitations;
mod people;
mod rates;
mod second_factor;
