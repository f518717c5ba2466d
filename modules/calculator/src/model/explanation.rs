//! How a rate is calculated, as data: shown to staff step by step, to customers in one line, and recalculated to the
//! same rate.

use std::fmt;

use agio_contracts::{
    Adjustment, BonusPart, BoundAdjustment, FormulaInput, FormulaPrice, PriceMoveAdjustment, RankAdjustment, ReserveAdjustment,
    ScheduleAdjustment,
};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::amount::RATE_MAX_SCALE;
use super::cross::{Conversion, Side};
use super::observation::ObservedAt;

/// The calculation of a pair's rates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The factors in order, without steps that change nothing. No steps mean that both currencies are the same
    /// asset. The spread and the adjustments of rules are percentage points of the same rate: they are added up
    /// before they multiply.
    pub steps: Vec<PricingStep>,
    /// Significant digits the rates are rounded down to.
    pub digits: u32,
    #[serde(rename = "course", with = "agio_core::decimal::text")]
    pub rate: Decimal,
    pub tiers: Vec<TierStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PricingStep {
    Manual {
        /// Units received for one unit given.
        #[serde(with = "agio_core::decimal::text")]
        rate: Decimal,
    },
    /// The rate that a formula gives.
    #[serde(rename_all = "camelCase")]
    Formula {
        /// Units received for one unit given.
        #[serde(with = "agio_core::decimal::text")]
        rate: Decimal,
        sources: Vec<String>,
        /// Time of its oldest price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        observed_at: Option<ObservedAt>,
        /// How it is calculated. Not shown to customers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<FormulaStep>,
    },
    #[serde(rename = "leg")]
    Conversion(Conversion),
    Spread {
        /// Percent subtracted.
        #[serde(with = "agio_core::decimal::text")]
        percent: Decimal,
    },
    /// Adjustment for the rank on an exchange aggregator.
    #[serde(rename = "position")]
    Rank(RankAdjustment),
    Reserve(ReserveAdjustment),
    /// Adjustment for the daily price move.
    Move(PriceMoveAdjustment),
    Schedule(ScheduleAdjustment),
    /// Keeps the total margin within the pair's bounds.
    Bound(BoundAdjustment),
    #[serde(rename = "fee_from")]
    GiveFee {
        /// Percent subtracted.
        #[serde(with = "agio_core::decimal::text")]
        percent: Decimal,
    },
    #[serde(rename = "fee_to")]
    ReceiveFee {
        /// Percent subtracted.
        #[serde(with = "agio_core::decimal::text")]
        percent: Decimal,
    },
    Bonus {
        /// Percent added.
        #[serde(with = "agio_core::decimal::text")]
        percent: Decimal,
        /// Parts of the bonus. Their sum may exceed the bonus applied.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of: Vec<BonusPart>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TierStep {
    #[serde(rename = "minSend", with = "agio_core::decimal::text")]
    pub min_give: Decimal,
    /// Percent added to the product of the steps.
    #[serde(with = "agio_core::decimal::text")]
    pub add_percent: Decimal,
    #[serde(rename = "course", with = "agio_core::decimal::text")]
    pub rate: Decimal,
}

/// A formula and its prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormulaStep {
    pub formula: String,
    pub inputs: Vec<FormulaInput>,
}

impl PricingStep {
    pub(crate) fn formula(formula: &str, price: &FormulaPrice) -> Self {
        let mut sources: Vec<String> = price.inputs.iter().flat_map(|input| input.sources.clone()).collect();
        sources.sort();
        sources.dedup();
        Self::Formula {
            rate: price.rate,
            sources,
            observed_at: price.inputs.iter().filter_map(|input| input.observed_at).min().map(ObservedAt::stored),
            of: Some(FormulaStep { formula: formula.to_owned(), inputs: price.inputs.clone() }),
        }
    }

    /// Whether it is a rate, not a percentage of one.
    pub(crate) fn is_rate(&self) -> bool {
        self.added_percent().is_none()
    }

    /// Percent this step adds. `None` for a rate.
    pub fn added_percent(&self) -> Option<Decimal> {
        match self {
            Self::Manual { .. } | Self::Formula { .. } | Self::Conversion(_) => None,
            Self::Spread { percent } | Self::GiveFee { percent } | Self::ReceiveFee { percent } => Some(-*percent),
            Self::Bonus { percent, .. } => Some(*percent),
            Self::Rank(part) => Some(part.percent),
            Self::Reserve(part) => Some(part.percent),
            Self::Move(part) => Some(part.percent),
            Self::Schedule(part) => Some(part.percent),
            Self::Bound(part) => Some(part.percent),
        }
    }

    /// Whether the step belongs to the margin, whose steps are added up before they multiply.
    fn is_margin(&self) -> bool {
        matches!(
            self,
            Self::Spread { .. } | Self::Rank(_) | Self::Reserve(_) | Self::Move(_) | Self::Schedule(_) | Self::Bound(_)
        )
    }

    /// The step without data for staff only.
    fn public_view(&self) -> Self {
        match self {
            Self::Rank(part) => Self::Rank(RankAdjustment { percent: part.percent, of: None }),
            Self::Formula { rate, sources, observed_at, .. } => {
                Self::Formula { rate: *rate, sources: sources.clone(), observed_at: *observed_at, of: None }
            }
            other => other.clone(),
        }
    }

    pub(crate) fn changes(&self) -> bool {
        self.added_percent().is_none_or(|percent| !percent.is_zero())
    }

    fn factor(&self) -> Option<Ratio> {
        match self {
            Self::Manual { rate } | Self::Formula { rate, .. } => Ratio::of(*rate),
            Self::Conversion(conversion) => conversion.ratio(),
            _ => Ratio::plus_percent(self.added_percent()?),
        }
    }
}

impl From<Adjustment> for PricingStep {
    fn from(adjustment: Adjustment) -> Self {
        match adjustment {
            Adjustment::Rank(part) => Self::Rank(part),
            Adjustment::Reserve(part) => Self::Reserve(part),
            Adjustment::Move(part) => Self::Move(part),
            Adjustment::Schedule(part) => Self::Schedule(part),
            Adjustment::Bound(part) => Self::Bound(part),
        }
    }
}

impl Explanation {
    /// The exact product of steps, with the margin steps added up. `None` if a factor is not positive.
    pub(crate) fn product(steps: &[PricingStep]) -> Option<Ratio> {
        let mut margin = steps.iter().filter(|step| step.is_margin()).filter_map(PricingStep::added_percent);
        let margin = margin.try_fold(Decimal::ZERO, |sum: Decimal, percent| sum.checked_add(percent))?;
        let mut factors = steps.iter().filter(|step| !step.is_margin());
        factors.try_fold(Ratio::plus_percent(margin)?, |product, step| Some(product.times(&step.factor()?)))
    }

    /// The explanation without data for staff only. It recalculates to the same rate.
    pub fn public_view(&self) -> Self {
        Self { steps: self.steps.iter().map(PricingStep::public_view).collect(), ..self.clone() }
    }

    /// The rate recalculated from the steps.
    pub fn recomputed(&self) -> Option<Decimal> {
        Self::product(&self.steps)?.round_down(self.digits, RATE_MAX_SCALE)
    }

    /// Sets the parts of the bonus step.
    pub(crate) fn set_bonus_parts(&mut self, parts: &[BonusPart]) {
        for step in &mut self.steps {
            if let PricingStep::Bonus { of, .. } = step {
                of.clear();
                of.extend_from_slice(parts);
            }
        }
    }

    /// Whether the steps recalculate to the stored rates.
    pub fn replays(&self) -> bool {
        let round = |exact: &Ratio| exact.round_down(self.digits, RATE_MAX_SCALE);
        let Some(exact) = Self::product(&self.steps) else {
            return false;
        };
        let tier_replays = |tier: &TierStep| {
            let added = Ratio::plus_percent(tier.add_percent);
            added.and_then(|added| round(&exact.times(&added))) == Some(tier.rate)
        };
        round(&exact) == Some(self.rate) && self.tiers.iter().all(tier_replays)
    }
}

/// One language-neutral line, for example `69569.8 (BTC/USD, currency-api 2024-03-28) x 92.5919 (USD/RUB, cbr
/// 2024-03-28) - 2 % = 6312758`.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.steps.first().is_some_and(PricingStep::is_rate) {
            f.write_str("1")?;
        }
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                PricingStep::Manual { rate } | PricingStep::Formula { rate, .. } => write!(f, "{}", rate.normalize())?,
                PricingStep::Conversion(conversion) => write_conversion(f, conversion, index == 0)?,
                percent => write_percent(f, percent.added_percent().unwrap_or_default())?,
            }
        }
        write!(f, " = {}", self.rate.normalize())
    }
}

fn write_conversion(f: &mut fmt::Formatter<'_>, conversion: &Conversion, is_first: bool) -> fmt::Result {
    let (sign, pair) = match conversion.side {
        Side::Bid => ("\u{d7}", format!("{}/{}", conversion.sell, conversion.buy)),
        Side::Ask => ("\u{f7}", format!("{}/{}", conversion.buy, conversion.sell)),
    };
    match (is_first, conversion.side) {
        (true, Side::Bid) => {}
        (true, Side::Ask) => write!(f, "1 {sign} ")?,
        (false, _) => write!(f, " {sign} ")?,
    }
    let price = conversion.price.normalize();
    write!(f, "{price} ({pair}, {} {})", conversion.source, conversion.observed_at)
}

fn write_percent(f: &mut fmt::Formatter<'_>, added: Decimal) -> fmt::Result {
    let sign = if added.is_sign_negative() { '\u{2212}' } else { '+' };
    write!(f, " {sign} {}\u{a0}%", added.abs().normalize())
}
