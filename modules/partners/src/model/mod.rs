//! The rules: how calls and news are signed, what a key may do and from where, and where the house may call.

pub mod network;
pub mod scope;
pub mod signature;
pub mod target;
