//! Discounts over HTTP, on both database engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod admin;
mod fixtures;
mod pricing;
mod promo_codes;
mod tiers;
