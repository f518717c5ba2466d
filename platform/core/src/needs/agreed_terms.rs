//! The terms a claim was agreed on, as they are kept: written by whoever prices and read by whoever pays, in this one form.
//!
//! Nothing here has a default. What cannot be read in this form is damaged, and nothing is paid or booked by it.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Bonus;
use super::bonuses::percent_text as decimal_text;
use crate::texts::Bilingual;

/// The terms of a claim: the numbers its amounts follow from, and how the rate came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgreedTerms {
    /// The fees on either side.
    pub fees: AgreedFees,
    /// Where the rate comes from.
    pub source: Bilingual,
    /// How the rate came about, in a line.
    pub explanation: Bilingual,
    /// The day the rates are of, where that was not the day of the claim.
    pub rates_of: Option<String>,
    /// The steps the rate can be computed again from, in the form of whoever priced it.
    pub steps: serde_json::Value,
    /// What the customer gets on top of the rate, before the pair bounds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus: Option<Bonus>,
    /// How far a payment may be from these terms, where the direction has a rule of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<AgreedTolerance>,
    /// Units received for one unit sent below the first tier.
    #[serde(with = "decimal_text")]
    pub course: Decimal,
    /// Tiers by sent amount, ascending.
    pub tiers: Vec<AgreedTier>,
    /// Decimals of the currency sent.
    pub digits_from: u32,
    /// Decimals of the currency received.
    pub digits_to: u32,
}

/// The fees on either side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedFees {
    /// On the sent side.
    pub from: AgreedFee,
    /// On the received side.
    pub to: AgreedFee,
}

/// The fee on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedFee {
    /// The part that is the same for every amount, in the side's currency.
    #[serde(with = "decimal_text")]
    pub fixed: Decimal,
    /// Percent of the amount, inside the course already.
    #[serde(with = "decimal_text")]
    pub percent: Decimal,
}

/// How far a payment may be from what was agreed on; nothing where the common rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgreedTolerance {
    /// By how many percent the course may have moved when the payment is late.
    #[serde(with = "optional_text")]
    pub late_percent: Option<Decimal>,
    /// How much less or more may come, in the currency sent.
    #[serde(with = "optional_text")]
    pub amount_fixed: Option<Decimal>,
    /// The same in percent of what was agreed on.
    #[serde(with = "optional_text")]
    pub amount_percent: Option<Decimal>,
}

/// From this sent amount on another course holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedTier {
    /// Least sent amount of the tier.
    #[serde(with = "decimal_text")]
    pub min: Decimal,
    /// Units received for one unit sent.
    #[serde(with = "decimal_text")]
    pub course: Decimal,
}

/// A decimal as text, or null; it has to be there.
mod optional_text {
    use rust_decimal::Decimal;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(number: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        number.map(crate::money::plain).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| Decimal::from_str_exact(&text).map_err(D::Error::custom)).transpose()
    }
}
