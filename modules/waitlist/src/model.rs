//! What a visitor waits for.

use agio_contracts::{CurrencyInfo, OfferedDirection};
use agio_core::{FieldError, named};
use rust_decimal::Decimal;

/// Larger and smaller rates are no rates of money.
const RATE_MAX: u64 = 1_000_000_000_000_000;

named! {
    /// The state of a waitlist entry.
    WaitlistState {
        /// Waits for the confirmation of the address.
        Pending = "pending",
        Confirmed = "confirmed",
        /// The notification was sent, so the address is forgotten.
        Notified = "notified",
    }
}

/// When a visitor wants to be told: once a direction can be exchanged with all of this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitlistCondition {
    /// Can be received at least.
    pub amount: Option<Decimal>,
    /// Received for one unit given, at least.
    pub rate: Option<Decimal>,
}

impl WaitlistCondition {
    /// # Errors
    /// What is wrong with each field.
    pub fn checked(self, receive: &CurrencyInfo) -> Result<Self, Vec<FieldError>> {
        let mut wrong = Vec::new();
        if self.amount.is_some_and(|amount| amount <= Decimal::ZERO || receive.exact(amount).is_err()) {
            wrong.push(FieldError::new("amount", "waitlist_amount_invalid").with("digits", receive.scale));
        }
        let most = Decimal::from(RATE_MAX);
        if self.rate.is_some_and(|rate| rate <= Decimal::ZERO || rate > most) {
            wrong.push(FieldError::new("rate", "waitlist_rate_invalid"));
        }
        if wrong.is_empty() { Ok(self) } else { Err(wrong) }
    }

    /// Judged by what the site publishes, so that entries tell nothing more about reserves than the site does.
    pub fn is_met(&self, offer: &OfferedDirection) -> bool {
        let rate = offer.rates.first().map(|(_, rate)| *rate);
        self.amount.is_none_or(|amount| amount <= offer.to.max)
            && self.rate.is_none_or(|least| rate.is_some_and(|rate| rate >= least))
    }
}

#[cfg(test)]
mod tests {
    use agio_contracts::{CurrencyKind, OfferedSide};

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().expect("a decimal number")
    }

    fn offer(rate: &str, max: &str) -> OfferedDirection {
        let side = |code: &str, max: &str| OfferedSide {
            id: 1,
            code: code.into(),
            ticker: code.into(),
            kind: CurrencyKind::Crypto,
            min: Decimal::ONE,
            max: decimal(max),
        };
        OfferedDirection {
            from: side("BTC", "1"),
            to: side("RUB", max),
            // Larger amounts have a better rate.
            rates: vec![(Decimal::ZERO, decimal(rate)), (Decimal::ONE, decimal(rate) * Decimal::TEN)],
            give_fee: Decimal::ZERO,
            receive_fee: Decimal::ZERO,
            reserve: decimal(max),
            floating: None,
            manual: false,
            verification: None,
            has_terms: false,
            market: None,
            cities: Vec::new(),
        }
    }

    #[test]
    fn a_condition_is_met_by_the_published_maximum_and_the_shown_rate() {
        let condition =
            |amount: Option<&str>, rate: Option<&str>| WaitlistCondition { amount: amount.map(decimal), rate: rate.map(decimal) };
        let offer = offer("100", "5000");
        assert!(condition(None, None).is_met(&offer));
        assert!(condition(Some("5000"), Some("100")).is_met(&offer));
        for unmet in [condition(Some("5000.01"), None), condition(None, Some("100.01")), condition(Some("1"), Some("101"))] {
            assert!(!unmet.is_met(&offer), "{unmet:?}");
        }
    }
}
