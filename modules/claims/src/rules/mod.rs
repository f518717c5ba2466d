//! The rules of claims: money, terms, requisites, queue.
//! All of them are pure.

pub mod amounts;
pub mod claim;
pub mod fields;
pub mod ledger_entries;
#[cfg(test)]
mod lifecycles;
pub mod payment;
pub mod payout;
pub mod payout_parts;
pub mod queue;
pub mod refund;
pub mod requisite_pool;
pub mod search;
pub mod step_times;
pub mod terms;

pub use claim::{Claim, Offer, OfferedAmount, Requisite};
