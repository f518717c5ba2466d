//! What money is worth.

use agio_core::Amount;
use agio_core::needs::{Worth, Worths};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::Calculator;
use crate::settings::BASE;

/// Digits behind the point a worth is told with.
const DIGITS: u32 = 8;

/// Significant digits that are always exact in a decimal.
const EXACT_DIGITS: u32 = 28;

impl Worths for Calculator {
    fn worth(&self, currency: i64, amount: Amount) -> Option<Worth> {
        let ticker = self.platform.settings.text(BASE);
        let market = self.market();
        let facts = &market.currency(currency)?.facts;
        let Some(amount) = Ratio::of(amount.value()) else {
            return Some(Worth { amount: Decimal::ZERO, ticker });
        };
        let rate = Ratio::of(market.rates.fresh(&facts.ticker, &ticker)?.rate)?;
        // Nothing is left of an amount below the last digit; a number too big for a decimal cannot be told.
        let worth = amount.times(&rate).round_down(EXACT_DIGITS, DIGITS);
        Some(Worth { amount: worth?, ticker })
    }
}
