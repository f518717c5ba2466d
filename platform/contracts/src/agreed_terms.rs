//! The terms a claim was agreed on, as they are stored: written by the pricing module, read by the modules that pay and
//! book.
//!
//! No field has a default. Terms that cannot be read in this form are damaged, and nothing is paid or booked by them.

use agio_core::texts::Bilingual;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Bonus, NetworkFee};

/// The terms of a claim: the numbers its amounts follow from, and how the rate was computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgreedTerms {
    pub fees: AgreedFees,
    /// Where the rate comes from.
    pub source: Bilingual,
    /// How the rate was computed, in one line.
    pub explanation: Bilingual,
    /// The day of the rates, if it was not the day of the claim.
    pub rates_of: Option<String>,
    /// The steps from which the rate can be computed again, in a form private to the pricing module.
    pub steps: serde_json::Value,
    /// The bonus on top of the rate, before the pair's bounds apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus: Option<Bonus>,
    /// The direction's own tolerances, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<AgreedTolerance>,
    /// Units received for one unit given, below the first tier.
    #[serde(with = "agio_core::decimal::text")]
    pub rate: Decimal,
    /// Tiers by give amount, ascending.
    pub tiers: Vec<AgreedTier>,
    /// Decimals of the give currency.
    pub give_digits: u32,
    /// Decimals of the receive currency.
    pub receive_digits: u32,
    /// Receive amounts are multiples of this.
    #[serde(default, with = "agio_core::decimal::optional_text", skip_serializing_if = "Option::is_none")]
    pub receive_step: Option<Decimal>,
}

/// The fees on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedFees {
    pub give: AgreedFee,
    /// Includes the network fee that the customer bears.
    pub receive: AgreedFee,
    /// `None` where payouts cost nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkFee>,
}

/// The fee on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedFee {
    /// The fixed part, in the side's currency.
    #[serde(with = "agio_core::decimal::text")]
    pub fixed: Decimal,
    /// Percent of the amount; already included in the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
}

/// The setting with the largest rate change at which a late payment keeps the agreed terms, in basis points.
pub const LATE_TOLERANCE: &str = "claims.late_tolerance_bps";

/// How far a payment may deviate from the terms. `None` means that the general rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgreedTolerance {
    /// By how many percent the rate may have moved when the payment is late.
    #[serde(with = "agio_core::decimal::optional_text")]
    pub late_percent: Option<Decimal>,
    /// How much less or more may arrive, in the give currency.
    #[serde(with = "agio_core::decimal::optional_text")]
    pub amount_fixed: Option<Decimal>,
    /// The same, in percent of the agreed amount.
    #[serde(with = "agio_core::decimal::optional_text")]
    pub amount_percent: Option<Decimal>,
}

/// A better rate from a give amount on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedTier {
    /// The least give amount of the tier.
    #[serde(with = "agio_core::decimal::text")]
    pub min: Decimal,
    /// Units received for one unit given.
    #[serde(with = "agio_core::decimal::text")]
    pub rate: Decimal,
}
