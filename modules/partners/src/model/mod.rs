//! The rules: how calls and news are signed, what a key may do and from where, and what partners earn.

pub mod commission;
pub mod scope;
pub mod signature;
pub mod standing;
