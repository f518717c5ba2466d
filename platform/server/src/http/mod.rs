//! The outer door: everything a request meets before and after its handler.

pub mod built_in;
pub mod docs;
pub mod doors;
pub mod edge;
pub mod filling;
pub mod health;
pub mod limit;
mod partners;
pub mod site;
mod streams;
mod wallets;
