//! The referral plan, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod first_touch;
mod fixtures;
mod happy_path;
mod history;
mod own_exchanges;
mod payout_detail_encryption;
mod plans;
mod reversals;
mod unreadable;
mod withdrawals;
