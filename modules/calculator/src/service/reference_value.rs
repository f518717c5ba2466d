//! Reference values in the base currency.

use agio_contracts::{ReferenceValue, ReferenceValueProvider};
use agio_core::Amount;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::Calculator;
use crate::settings::BASE;

/// Decimals of a reference value.
const DIGITS: u32 = 8;

/// Significant digits that are always exact in a decimal.
const EXACT_DIGITS: u32 = 28;

impl ReferenceValueProvider for Calculator {
    fn reference_value(&self, amount: Amount) -> Option<ReferenceValue> {
        let ticker = self.platform.settings.text(BASE);
        let market = self.market();
        let facts = &market.currency(amount.currency().id())?.facts;
        let Some(amount) = Ratio::of(amount.value()) else {
            return Some(ReferenceValue { amount: Decimal::ZERO, ticker });
        };
        let rate = Ratio::of(market.rates.fresh(&facts.ticker, &ticker)?.rate)?;
        // Tiny amounts round to zero; values too big for a decimal give `None`.
        let value = amount.times(&rate).round_down(EXACT_DIGITS, DIGITS);
        Some(ReferenceValue { amount: value?, ticker })
    }
}
