//! How a course came about, as data: it can be shown to an operator step by step, to a customer in
//! a line, and computed again to the same course.

use std::fmt;

use agio_core::needs::{Adjustment, BonusPart, BoundPart, MovePart, PositionPart, ReservePart, SchedulePart};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::amount::COURSE_MAX_SCALE;
use super::cross::{Leg, Side};
use super::decimal_text;

/// The way from prices to the courses of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What is multiplied, in order. Steps that change nothing are left out; no steps at all mean
    /// that both currencies are the same asset. The spread and what is added to it by rules are points
    /// of percent of the same rate: they are added up, and it is multiplied by their sum once.
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
    /// What a place on a monitor asks for.
    Position(PositionPart),
    /// What the reserve asks for.
    Reserve(ReservePart),
    /// What the move of a day asks for.
    Move(MovePart),
    /// What the hour asks for.
    Schedule(SchedulePart),
    /// What brings the spread and the rules together into the pair's bounds.
    Bound(BoundPart),
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
            Self::Position(part) => Some(part.percent),
            Self::Reserve(part) => Some(part.percent),
            Self::Move(part) => Some(part.percent),
            Self::Schedule(part) => Some(part.percent),
            Self::Bound(part) => Some(part.percent),
        }
    }

    /// Whether it is one of those that are added up before they multiply.
    fn is_margin(&self) -> bool {
        matches!(
            self,
            Self::Spread { .. } | Self::Position(_) | Self::Reserve(_) | Self::Move(_) | Self::Schedule(_) | Self::Bound(_)
        )
    }

    /// The step without what only staff are shown.
    fn for_everybody(&self) -> Self {
        match self {
            Self::Position(part) => Self::Position(PositionPart { percent: part.percent, of: None }),
            other => other.clone(),
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

impl From<Adjustment> for Step {
    fn from(adjustment: Adjustment) -> Self {
        match adjustment {
            Adjustment::Position(part) => Self::Position(part),
            Adjustment::Reserve(part) => Self::Reserve(part),
            Adjustment::Move(part) => Self::Move(part),
            Adjustment::Schedule(part) => Self::Schedule(part),
            Adjustment::Bound(part) => Self::Bound(part),
        }
    }
}

impl Explanation {
    /// The exact product of steps, those of the margin added up; none when one of the factors is not above zero.
    pub(crate) fn product(steps: &[Step]) -> Option<Ratio> {
        let mut margin = steps.iter().filter(|step| step.is_margin()).filter_map(Step::added_percent);
        let margin = margin.try_fold(Decimal::ZERO, |sum: Decimal, percent| sum.checked_add(percent))?;
        let mut factors = steps.iter().filter(|step| !step.is_margin());
        factors.try_fold(Ratio::plus_percent(margin)?, |product, step| Some(product.times(&step.factor()?)))
    }

    /// The same without what only staff are shown; it replays as well.
    #[must_use]
    pub fn for_everybody(&self) -> Self {
        Self { steps: self.steps.iter().map(Step::for_everybody).collect(), ..self.clone() }
    }

    /// The course that the steps give when they are computed again.
    #[must_use]
    pub fn replayed(&self) -> Option<Decimal> {
        Self::product(&self.steps)?.round_down(self.digits, COURSE_MAX_SCALE)
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
