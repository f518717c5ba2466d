//! Decisions of the rates module: which prices count, which pairs are suspended or adjusted.

use agio_core::clock::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Adjustment;

/// Setting: by how many percent a rate may jump before its pair is suspended. Declared by the rates module; quotes are
/// held against the same bound.
pub const JUMP_PERCENT: &str = "rates.jump_percent";

/// All decisions in force at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateDecision {
    /// Prices of asset pairs.
    pub prices: Vec<AggregatedPrice>,
    /// Pairs that differ from their operator's settings.
    pub pairs: Vec<PairRateDecision>,
}

/// The price of an asset pair that live sources quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AggregatedPrice {
    pub base: String,
    pub quote: String,
    /// `None` if the sources do not agree. Then no other price of this asset pair counts either.
    pub price: Option<ConsensusPrice>,
}

/// A price that sources agree on: among those that agree, the safest for the exchange on either side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsensusPrice {
    /// What the base is sold at.
    pub bid: SidePrice,
    /// What it is bought at.
    pub ask: SidePrice,
    /// Names of the sources that agree.
    pub agreed: Vec<String>,
    /// Until when it may be used.
    pub good_until: Timestamp,
}

/// One side of a price and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SidePrice {
    /// Units of the quote asset for one of the base.
    #[serde(with = "agio_core::decimal::text")]
    pub price: Decimal,
    pub source: String,
    /// The time of the price; midnight for the price of a whole day.
    pub observed_at: Timestamp,
}

/// The decision on one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRateDecision {
    pub pair: i64,
    /// Why the pair is suspended; `None` if it is not.
    pub suspension: Option<SuspensionReason>,
    pub adjustments: Vec<Adjustment>,
    /// The pair's own bound for jumps in percent, instead of [`JUMP_PERCENT`].
    pub jump_percent: Option<Decimal>,
    /// What the pair's formula gives, instead of the market rate.
    pub formula: Option<FormulaDecision>,
}

/// What the formula of a pair gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormulaDecision {
    /// The formula as it was written.
    pub formula: String,
    /// `None` if it gives no price now. Then the pair has no rate.
    pub price: Option<FormulaPrice>,
}

/// The value of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormulaPrice {
    /// Units received for one unit given, before spread, rules and fees.
    #[serde(with = "agio_core::decimal::text")]
    pub rate: Decimal,
    /// Until when it may be used; `None` if its prices do not expire.
    pub good_until: Option<Timestamp>,
    pub inputs: Vec<FormulaInput>,
}

/// A price that a formula uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormulaInput {
    /// Such as `binance:BTC/USDT`.
    pub reference: String,
    /// What the base sells at.
    #[serde(with = "agio_core::decimal::text")]
    pub bid: Decimal,
    /// What the base costs.
    #[serde(with = "agio_core::decimal::text")]
    pub ask: Decimal,
    pub sources: Vec<String>,
    /// The time of the oldest price; `None` where nothing is priced.
    pub observed_at: Option<Timestamp>,
}

agio_core::named! {
    /// What suspends a pair.
    SuspensionCause {
        /// The prices of its sources are too old.
        Stale = "stale",
        /// No source has a usable price.
        Unusable = "unusable",
        /// Sources disagree.
        Apart = "apart",
        /// Too few sources agree.
        TooFew = "too_few",
        /// The rate moved too far.
        Jump = "jump",
        /// The formula gives no price.
        Formula = "formula",
        /// Suspended by schedule.
        Schedule = "schedule",
        /// A round trip over the pair gains.
        Arbitrage = "arbitrage",
        /// The floor is held over the cost price, which is unknown.
        CostUnknown = "cost_unknown",
        /// No rate keeps the floor over the cost price.
        BelowCost = "below_cost",
    }
}

/// The parameter of a suspension by schedule that says when it ends, in RFC 3339.
pub const OPENS_AT: &str = "opensAt";

/// Why a pair is suspended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuspensionReason {
    pub cause: SuspensionCause,
    /// The asset pair, as `BASE/QUOTE`; empty if the whole rate is concerned.
    #[serde(default)]
    pub asset_pair: String,
    /// The parameters of its text, by name.
    #[serde(default)]
    pub numbers: Vec<(String, String)>,
    #[serde(default)]
    pub excluded: Vec<ExcludedSource>,
    pub since: Timestamp,
}

agio_core::named! {
    /// Why a source does not count for an asset pair.
    ExclusionReason {
        Stale = "stale",
        NotPositive = "not_positive",
        /// The bid is above the ask.
        Crossed = "crossed",
        /// The time of the price lies in the future.
        Ahead = "ahead",
        /// Most other sources agree on another price.
        Apart = "apart",
    }
}

/// A source that does not count for an asset pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExcludedSource {
    pub source: String,
    pub reason: ExclusionReason,
    /// Its price, or the time of it.
    pub quote: String,
}
