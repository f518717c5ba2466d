//! Discounts as customers and staff live them, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod desk;
mod money;
mod people;
mod promos;
mod tiers;
