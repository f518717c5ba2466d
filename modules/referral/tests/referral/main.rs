//! The referral programme as those who bring, those who come and staff live it, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod first_touch;
mod history;
mod own;
mod people;
mod programmes;
mod sealed;
mod undoing;
mod unreadable;
mod way;
mod withdrawing;
