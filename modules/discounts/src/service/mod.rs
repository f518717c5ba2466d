//! The use cases: one function, one transaction.

mod bonuses;
mod following;
mod promos;
mod tiers;
mod viewing;

use std::sync::Arc;

use agio_core::Platform;
use agio_core::needs::Worths;
use rust_decimal::Decimal;

use crate::{ABOVE_MARKET, BASE, MOST_PERCENT};

pub use promos::NewPromo;
pub use tiers::TierChange;
pub use viewing::{Mine, Table};

/// What customers get on top of the rate.
pub struct Discounts {
    pub(crate) platform: Platform,
    worths: Arc<dyn Worths>,
}

impl Discounts {
    /// The room, with whoever knows what money is worth.
    #[must_use]
    pub fn new(platform: &Platform, worths: Arc<dyn Worths>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), worths })
    }

    /// The ticker of the currency the house counts in.
    #[must_use]
    pub fn base(&self) -> String {
        self.platform.settings.text(BASE)
    }

    /// The most percent that bonuses add together.
    #[must_use]
    pub fn most(&self) -> Decimal {
        Decimal::from(self.platform.settings.int(MOST_PERCENT))
    }

    fn is_above_market(&self) -> bool {
        self.platform.settings.is_on(ABOVE_MARKET)
    }
}
