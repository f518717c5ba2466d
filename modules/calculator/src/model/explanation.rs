//! How a course came about, as data: it can be shown to an operator step by step, to a customer in
//! a line, and computed again to the same course.

use std::fmt;

use agio_core::needs::BonusPart;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::amount::COURSE_MAX_SCALE;
use super::cross::{Leg, Side};
use super::decimal_text;
use super::ratio::Ratio;

/// The way from prices to the courses of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What is multiplied, in order. Steps that change nothing are left out; no steps at all mean
    /// that both currencies are the same asset.
    pub steps: Vec<Step>,
    /// Significant digits the courses are rounded down to.
    pub digits: u32,
    /// The product of the steps, rounded down.
    #[serde(with = "decimal_text")]
    pub course: Decimal,
    /// The same for each tier, with what it adds.
    pub tiers: Vec<TierStep>,
}

/// One factor of a course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// A rate an operator typed.
    Manual {
        /// Units received for one unit sent.
        #[serde(with = "decimal_text")]
        rate: Decimal,
    },
    /// A source's price.
    Leg(Leg),
    /// What the house keeps.
    Spread {
        /// Per cent taken off.
        #[serde(with = "decimal_text")]
        percent: Decimal,
    },
    /// The fee on the sent side.
    FeeFrom {
        /// Per cent taken off.
        #[serde(with = "decimal_text")]
        percent: Decimal,
    },
    /// The fee on the received side.
    FeeTo {
        /// Per cent taken off.
        #[serde(with = "decimal_text")]
        percent: Decimal,
    },
    /// What this customer gets on top.
    Bonus {
        /// Per cent added.
        #[serde(with = "decimal_text")]
        percent: Decimal,
        /// What it is given for. Together these may ask for more than was added.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of: Vec<BonusPart>,
    },
}

/// The course of a tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TierStep {
    /// Least sent amount of the tier.
    #[serde(with = "decimal_text")]
    pub min_send: Decimal,
    /// Per cent added to the product of the steps.
    #[serde(with = "decimal_text")]
    pub add_percent: Decimal,
    /// The product, rounded down.
    #[serde(with = "decimal_text")]
    pub course: Decimal,
}

impl Step {
    /// Per cent this step adds to what was before it; none for a rate.
    #[must_use]
    pub fn added_percent(&self) -> Option<Decimal> {
        match self {
            Self::Manual { .. } | Self::Leg(_) => None,
            Self::Spread { percent } | Self::FeeFrom { percent } | Self::FeeTo { percent } => Some(-*percent),
            Self::Bonus { percent, .. } => Some(*percent),
        }
    }

    /// Whether the step changes the course at all.
    pub(crate) fn changes(&self) -> bool {
        self.added_percent().is_none_or(|percent| !percent.is_zero())
    }

    fn factor(&self) -> Option<Ratio> {
        match self {
            Self::Manual { rate } => Ratio::of(*rate),
            Self::Leg(leg) => leg.ratio(),
            _ => Ratio::plus_percent(self.added_percent()?),
        }
    }
}

impl Explanation {
    /// The exact product of steps; none when one of them is not above zero.
    pub(crate) fn product(steps: &[Step]) -> Option<Ratio> {
        steps.iter().try_fold(Ratio::one(), |product, step| Some(product.times(&step.factor()?)))
    }

    /// Says what the bonus in it is given for.
    pub(crate) fn say_why(&mut self, parts: &[BonusPart]) {
        for step in &mut self.steps {
            if let Step::Bonus { of, .. } = step {
                of.clear();
                of.extend_from_slice(parts);
            }
        }
    }

    /// Whether the steps still give the courses that are written here.
    #[must_use]
    pub fn replays(&self) -> bool {
        let round = |exact: &Ratio| exact.round_down(self.digits, COURSE_MAX_SCALE);
        let Some(exact) = Self::product(&self.steps) else {
            return false;
        };
        let tier_replays = |tier: &TierStep| {
            let added = Ratio::plus_percent(tier.add_percent);
            added.and_then(|added| round(&exact.times(&added))) == Some(tier.course)
        };
        round(&exact) == Some(self.course) && self.tiers.iter().all(tier_replays)
    }
}

/// One line without words of any language, for example
/// `69569.8 (BTC/USD, currency-api 2024-03-28) x 92.5919 (USD/RUB, cbr 2024-03-28) - 2 % = 6312758`.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(self.steps.first(), Some(Step::Manual { .. } | Step::Leg(_))) {
            f.write_str("1")?;
        }
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Manual { rate } => write!(f, "{}", rate.normalize())?,
                Step::Leg(leg) => write_leg(f, leg, index == 0)?,
                percent => write_percent(f, percent.added_percent().unwrap_or_default())?,
            }
        }
        write!(f, " = {}", self.course.normalize())
    }
}

fn write_leg(f: &mut fmt::Formatter<'_>, leg: &Leg, is_first: bool) -> fmt::Result {
    let (sign, pair) = match leg.side {
        Side::Bid => ("\u{d7}", format!("{}/{}", leg.sell, leg.buy)),
        Side::Ask => ("\u{f7}", format!("{}/{}", leg.buy, leg.sell)),
    };
    match (is_first, leg.side) {
        (true, Side::Bid) => {}
        (true, Side::Ask) => write!(f, "1 {sign} ")?,
        (false, _) => write!(f, " {sign} ")?,
    }
    let price = leg.price.normalize();
    write!(f, "{price} ({pair}, {} {})", leg.source, leg.observed_at)
}

fn write_percent(f: &mut fmt::Formatter<'_>, added: Decimal) -> fmt::Result {
    let sign = if added.is_sign_negative() { '\u{2212}' } else { '+' };
    write!(f, " {sign} {}\u{a0}%", added.abs().normalize())
}
