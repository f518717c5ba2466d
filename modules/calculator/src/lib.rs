//! Rates and quotes: which currencies are exchanged for which, at what rate, within what limits.
//!
//! The rules of money are pure ([`model`]), and so is the picture of the [`market`] they are applied to. The service keeps
//! that picture in memory, swaps it when something changes, and answers the public calls from it; other rooms
//! agree on terms through [`agio_core::needs::Quotes`].

mod admin;
mod api;
mod jobs;
pub mod market;
pub mod model;
mod service;
pub mod settings;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::{FarPairChange, MarketDesk};
pub use api::{CalculatorApi, QuoteKeyApi};
pub use market::PairState;
pub use service::{Calculator, Imported, Needs, QuoteKey, QuoteKeys, SettingsChange};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Reads currencies and pairs.
pub const MARKET_READ: Permission = Permission("market.read");
/// Changes currencies and pairs.
pub const MARKET_EDIT: Permission = Permission("market.edit");
/// Reads reserves and their movements.
pub const RESERVES_READ: Permission = Permission("reserves.read");
/// Moves reserves.
pub const RESERVES_MOVE: Permission = Permission("reserves.move");
/// Reads settings and technical mode.
pub const SETTINGS_READ: Permission = Permission("settings.read");
/// Changes settings and technical mode.
pub const SETTINGS_EDIT: Permission = Permission("settings.edit");
/// Reads what the sources of rates said.
pub const RATES_READ: Permission = Permission("rates.read");

impl Module for Calculator {
    fn name(&self) -> &'static str {
        "calculator"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[MARKET_READ, MARKET_EDIT, RESERVES_READ, RESERVES_MOVE, SETTINGS_READ, SETTINGS_EDIT, RATES_READ]
    }

    fn settings(&self) -> &'static [Setting] {
        settings::SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::jobs(&self)
    }
}
