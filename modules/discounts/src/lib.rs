//! Discounts: volume tiers and promo codes.
//!
//! Both add to the bonus. Volume is counted in the base currency at each claim's own rate, in the transaction that
//! completes the claim. Claims made without an account count for the account that confirms their e-mail address. The
//! calculator caps the bonus when it prices a pair: by the maximum bonus and by the market rate. Nothing is cached:
//! indexed queries give every node the current state.

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_contracts::{ABOVE_MARKET, MAX_BONUS_PERCENT};
use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::{Setting, SettingGuard};
use agio_core::texts::Dictionary;

pub use admin::DiscountsAdminApi;
pub use api::DiscountsApi;
pub use service::{Discounts, NewPromoCode, TierTableUpdate};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Views tiers, promo codes and customer discounts.
pub const DISCOUNTS_READ: Permission = Permission("discounts.read");
pub const DISCOUNTS_EDIT: Permission = Permission("discounts.edit");

/// The calculator's setting of the base currency.
const BASE: &str = "rates.base";

const SETTINGS: &[Setting] = &[
    Setting::number(MAX_BONUS_PERCENT, 0, 50, "5").guarded(SettingGuard::Raising),
    Setting::switch(ABOVE_MARKET, "false").guarded(SettingGuard::Raising),
];

impl Module for Discounts {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[DISCOUNTS_READ, DISCOUNTS_EDIT],
            settings: SETTINGS,
            statements: store::statements(),
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
