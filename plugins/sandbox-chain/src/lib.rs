//! A simulated network for demonstrations and tests, and its driver.
//!
//! It simulates what real networks do to an exchange: blocks and confirmations, reorganisations that drop or re-include transactions, late,
//! partial, excessive and duplicate payments, replaced transactions, and a service that fails before or after it acts, or loses its
//! response. Everything is determined by a seed and can be repeated. Customers pay on the wallet page. A service with a journal survives
//! restarts.

pub mod chain;
mod driver;
#[cfg(feature = "service")]
mod money;
#[cfg(feature = "service")]
mod networks;
#[cfg(feature = "service")]
mod service;
#[cfg(feature = "service")]
mod wallet;

pub use driver::SandboxChain;
#[cfg(feature = "service")]
pub use service::{Faults, Service};

#[cfg(feature = "library")]
agio_plugin_sdk::export!(SandboxChain);
