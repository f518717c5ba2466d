//! The rules of money: what a customer receives for what they send, which limits hold, how a
//! pair's rate comes from the market, and what a signed quote says.
//!
//! Everything here is pure. Time, keys and observations are handed in, results are returned, and
//! no value passes through a binary float. The page carries a twin of [`engine`] in TypeScript;
//! both are held together by `openapi/vectors/money.json`.

pub mod amount;
pub mod cross;
mod decimal_text;
pub mod engine;
pub mod explanation;
pub mod limits;
pub mod observation;
pub mod pricing;
pub mod quote;
pub mod rounding;
