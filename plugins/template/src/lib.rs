//! What `agio plugin new` begins a plugin with: each file is a whole plugin of a kind, and becomes the `lib.rs` of a crate of its own.
#![forbid(unsafe_code)]

pub mod notifier;
pub mod payments;
pub mod rates;
pub mod requisites;
pub mod screening;
