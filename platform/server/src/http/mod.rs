//! The outer door: everything a request meets before and after its handler.

pub mod built_in;
pub mod client_address;
pub mod docs;
pub mod doors;
pub mod edge;
pub mod filling;
pub mod health;
pub mod limit;
pub mod once;
mod partners;
pub mod site;
pub mod streams;
mod wallets;
