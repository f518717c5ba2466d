//! Use cases: one function, one transaction.

mod bonuses;
mod customer_records;
mod exchange_listener;
mod overview;
mod promo_codes;
mod tiers;

use std::sync::Arc;

use agio_contracts::ReferenceValueProvider;
use agio_core::Platform;
use rust_decimal::Decimal;

use crate::{ABOVE_MARKET, BASE, MAX_BONUS_PERCENT};

pub use overview::{DiscountStatus, TierTable};
pub use promo_codes::NewPromoCode;
pub use tiers::TierTableUpdate;

pub struct Discounts {
    pub(crate) platform: Platform,
    reference_values: Arc<dyn ReferenceValueProvider>,
}

impl Discounts {
    pub fn new(platform: &Platform, reference_values: Arc<dyn ReferenceValueProvider>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), reference_values })
    }

    /// Ticker of the base currency.
    pub fn base(&self) -> String {
        self.platform.settings.text(BASE)
    }

    /// Maximum total bonus, in percent.
    pub fn max_bonus(&self) -> Decimal {
        Decimal::from(self.platform.settings.int(MAX_BONUS_PERCENT))
    }

    fn is_above_market(&self) -> bool {
        self.platform.settings.is_on(ABOVE_MARKET)
    }
}
