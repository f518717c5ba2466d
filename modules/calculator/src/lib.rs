//! Rates and quotes: which currencies can be exchanged, at what rate and within which limits.
//!
//! The money rules ([`model`]) and the [`market`] snapshot they apply to are pure. The service keeps the snapshot in
//! memory, replaces it on changes and answers public calls from it. Other modules get quotes through
//! [`agio_contracts::QuoteProvider`].

mod admin;
mod api;
mod catalogue;
mod jobs;
pub mod market;
pub mod model;
mod service;
pub mod settings;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::texts::Dictionary;

pub use admin::{ApprovedPairUpdate, MarketAdminApi};
pub use api::{CalculatorApi, QuoteKeyApi};
pub use market::PairStatus;
pub use service::{
    ApprovedSettingsUpdate, Calculator, CalculatorDependencies, ImportedRates, MARKET_FILE_MAX, MarketFile, MarketParts,
    MarketPlan, QuoteKey, QuoteKeys,
};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

pub const MARKET_READ: Permission = Permission("market.read");
pub const MARKET_EDIT: Permission = Permission("market.edit");
pub const RESERVES_READ: Permission = Permission("reserves.read");
pub const RESERVES_MOVE: Permission = Permission("reserves.move");
pub const SETTINGS_READ: Permission = Permission("settings.read");
pub const SETTINGS_EDIT: Permission = Permission("settings.edit");
pub const RATES_READ: Permission = Permission("rates.read");

impl Module for Calculator {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[MARKET_READ, MARKET_EDIT, RESERVES_READ, RESERVES_MOVE, SETTINGS_READ, SETTINGS_EDIT, RATES_READ],
            settings: settings::SETTINGS,
            statements: store::STATEMENTS,
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("quote_signing_key", "id": Text, "sealed", |vault, id, sealed| vault.reseal(&service::quote_keys::purpose(id), sealed)),
                ]
            },
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::jobs(&self)
    }
}
