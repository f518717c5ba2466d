//! Discounts: what customers get on top of the rate.
//!
//! Two things give a bonus, and they add up: the volume an account has exchanged, by a table of tiers, and a promo code. Volume is
//! counted in the house's base currency at each claim's own rate, from the transaction that completes the claim; claims made
//! without an account count for the account that confirms their e-mail address. The bonus is only asked for here. The calculator
//! bounds it when it prices a pair: by the most that bonuses may add, and by the market's rate. Memory holds nothing: who gets what is read by a
//! few indexed queries, so that it is right on every node as soon as it is stored.

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::DiscountsDesk;
pub use api::DiscountsApi;
pub use service::{Discounts, NewPromo, TierChange};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing tiers, promo codes and who has what.
pub const DISCOUNTS_READ: Permission = Permission("discounts.read");
/// Changing tiers and promo codes.
pub const DISCOUNTS_EDIT: Permission = Permission("discounts.edit");

/// The setting that says how much bonuses may add together.
const MOST_PERCENT: &str = "discounts.most_percent";
/// The setting that says whether a bonus may lift a rate above the market's.
const ABOVE_MARKET: &str = "discounts.above_market";
/// The calculator's setting of the ticker the house counts in.
const BASE: &str = "rates.base";

const SETTINGS: &[Setting] = &[Setting::number(MOST_PERCENT, 0, 50, "5"), Setting::switch(ABOVE_MARKET, "false")];

impl Module for Discounts {
    fn name(&self) -> &'static str {
        "discounts"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[DISCOUNTS_READ, DISCOUNTS_EDIT]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::statements()
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
