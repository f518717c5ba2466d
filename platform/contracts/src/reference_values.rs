//! Values in the base currency.

use agio_core::money::Amount;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// The value of an amount in the base currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceValue {
    #[serde(with = "agio_core::decimal::text")]
    pub amount: Decimal,
    /// The ticker of the base currency.
    pub ticker: String,
}

/// Converts amounts to the base currency at market rates.
pub trait ReferenceValueProvider: Send + Sync {
    /// The current value of an amount; `None` if it is unknown, as for a currency without a fresh rate to the base.
    /// When comparing with a limit, treat an unknown value as greater than any limit.
    fn reference_value(&self, amount: Amount) -> Option<ReferenceValue>;
}
