//! Adjustments of a pair's rate.

use agio_core::clock::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// An adjustment of a pair's rate. All adjustments and the pair's own spread are percentage points of the same rate:
/// they are added up, and the rate is multiplied once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Adjustment {
    /// For a rank on an aggregator.
    #[serde(rename = "position")]
    Rank(RankAdjustment),
    /// By the level of the reserve.
    Reserve(ReserveAdjustment),
    /// By the rate's move within a day.
    Move(PriceMoveAdjustment),
    /// By the hour.
    Schedule(ScheduleAdjustment),
    /// Brings the sum within the pair's bounds.
    Bound(BoundAdjustment),
}

impl Adjustment {
    /// Percentage points added to the rate; may be negative.
    pub fn percent(&self) -> Decimal {
        match self {
            Self::Rank(part) => part.percent,
            Self::Reserve(part) => part.percent,
            Self::Move(part) => part.percent,
            Self::Schedule(part) => part.percent,
            Self::Bound(part) => part.percent,
        }
    }
}

/// Adjustment for a rank on an aggregator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RankAdjustment {
    /// Percentage points added to the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
    /// What the adjustment is computed from. Not shown to customers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<RankInputs>,
}

/// What a rank adjustment is computed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RankInputs {
    /// The source that read the aggregator.
    pub aggregator: String,
    /// When it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<Timestamp>,
    /// How many competitors were considered.
    pub counted: String,
    /// The rank that the target margin gives; `None` if there is no competitor to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Who holds that rank now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchanger: Option<String>,
    /// Their rate: units received for one given, as plain digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// The target margin, in percent.
    #[serde(with = "agio_core::decimal::text")]
    pub aim: Decimal,
    /// The margin reached in this step, in percent.
    #[serde(with = "agio_core::decimal::text")]
    pub margin: Decimal,
}

/// Adjustment by the level of the reserve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReserveAdjustment {
    /// Percentage points added to the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
    /// The reserve in percent of its target.
    #[serde(with = "agio_core::decimal::text")]
    pub level: Decimal,
}

/// Adjustment by the rate's move within a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceMoveAdjustment {
    /// Percentage points added to the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
    /// By how many percent the rate moved.
    #[serde(with = "agio_core::decimal::text")]
    pub moved: Decimal,
    /// The rate it moved from.
    #[serde(with = "agio_core::decimal::text")]
    pub before: Decimal,
    /// The time of that rate.
    pub at: Timestamp,
}

/// Adjustment by the hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleAdjustment {
    /// Percentage points added to the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
    /// The hours: `22:00-06:00`.
    pub hours: String,
}

/// Adjustment that keeps the margin within the pair's bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundAdjustment {
    /// Percentage points added to the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
    /// The least margin, in percent.
    #[serde(with = "agio_core::decimal::text")]
    pub floor: Decimal,
    /// The greatest margin, in percent.
    #[serde(with = "agio_core::decimal::text")]
    pub ceiling: Decimal,
}
