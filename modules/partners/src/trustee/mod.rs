//! Trustee's universal provider interface: the contract by which wallets list exchangers, spoken on top of what partners do otherwise.
//!
//! An order is a claim of the partner, made in its transaction like any other; what the contract wants told again is kept beside it
//! ([`store`]). The contract's words for where an order stands, what is asked of customers and how numbers and signatures are written are
//! tables and pure functions ([`status`], [`sides`], [`number`], [`signing`]). A key speaks it that has its scope.
//!
//! **Once.** The contract gives an order no name of the wallet's own. So an order with the same content from the same key is the same order
//! for as long as that one waits for its payment: whoever lost the answer does not know where to pay, and cannot have paid.

mod api;
mod checks;
mod door;
mod number;
mod orders;
mod rates;
mod sealing;
mod sides;
pub mod signing;
pub mod status;
pub(crate) mod store;
mod words;

pub use api::TrusteeApi;
pub use api::bodies::TrusteeRefusal;
pub use door::{Seal, TrusteeAdmission, TrusteeSigned};
pub use rates::RateList;
pub use words::{TrusteeCall, refusal};

/// Below this address the contract is spoken.
pub const ROOT: &str = "/api/partner/v1/trustee";

/// The one call of it that is not signed.
pub const RATES: &str = "/api/partner/v1/trustee/rates.xml";
