//! Money rules: amounts, limits, pricing and signed quotes.
//!
//! Everything here is pure: time, keys and observations are passed in. No value passes through a binary float. The
//! site has the same engine ([`engine`]) in TypeScript; `openapi/vectors/money.json` keeps them equal.

pub mod amount;
pub mod cross;
pub mod engine;
pub mod explanation;
pub mod limits;
pub mod observation;
pub mod pricing;
pub mod quote;
pub mod rounding;
