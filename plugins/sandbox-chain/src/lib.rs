//! A made-up network: a driver that speaks to it, and the network itself.
//!
//! The network is for demonstrations and tests. Everything that real networks do to an exchange happens on it: blocks and
//! confirmations, re-organisations that drop transactions or take them up again, payments that are late, partial, too large or made twice,
//! transactions that are replaced, and a service that fails before it acts, after it acted, or loses its answer. All of it follows from a
//! seed, so whatever happened can be made to happen again. People pay on it by a page of its own, the wallet. A service with a journal
//! remembers everything over a restart.

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
agio_plugin::export!(SandboxChain);
