//! Trustee's universal provider interface, through which wallets list exchangers, on top of the partner API.
//!
//! An order is a partner claim; the fields that Trustee wants returned are stored beside it ([`store`]). Statuses,
//! fields, numbers and signatures are mapped by pure functions ([`status`], [`sides`], [`number`], [`signing`]). A
//! key needs the scope `trustee`.
//!
//! **Idempotency.** Trustee orders carry no client reference. So an order with the same content from the same key is
//! the same order while it waits for payment: a client that lost the response does not know where to pay and cannot
//! have paid.

mod api;
mod checks;
mod errors;
mod gateway;
mod number;
mod orders;
mod rates;
mod sides;
pub mod signing;
pub mod status;
pub(crate) mod store;

pub use api::TrusteeApi;
pub use api::bodies::TrusteeError;
pub use errors::{TrusteeCall, error_body};
pub use gateway::{ResponseSigner, TrusteeAdmission, TrusteeSignedRequest};
pub use rates::RateList;

pub const ROOT: &str = "/api/partner/v1/trustee";

/// The only unsigned endpoint.
pub const RATES: &str = "/api/partner/v1/trustee/rates.xml";
