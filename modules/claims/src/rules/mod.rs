//! What holds for a claim whatever stores it: its money, its terms, its requisites, its place on the desk. All of it
//! is pure: values go in, values come out.

pub mod books;
pub mod claim;
pub mod desk;
pub mod fields;
#[cfg(test)]
mod lives;
pub mod payment;
pub mod payout;
pub mod refund;
pub mod sums;
pub mod terms;

pub use claim::{Claim, Offer, Requisite};
