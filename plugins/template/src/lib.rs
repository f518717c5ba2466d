//! Templates for `agio plugin new`: each file is a complete plugin of one kind and becomes the `lib.rs` of a new crate.
#![forbid(unsafe_code)]

pub mod notifier;
pub mod payments;
pub mod rates;
pub mod requisites;
pub mod screening;
