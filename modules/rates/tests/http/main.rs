//! Rates, through HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod adjusting;
mod agreeing;
mod consent;
mod explaining;
mod poisoned;
mod thinning;
mod world;
