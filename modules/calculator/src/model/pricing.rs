//! From the market rate to the terms of a pair.
//!
//! `course = market x (1 - margin %) x (1 - fee from %) x (1 - fee to %) x (1 + bonus %)`, and for
//! each tier that product `x (1 + added %)`. The margin is the spread less what rules add to the course. The product is exact and is rounded once, down to
//! twelve significant digits, in the house's favour.

use agio_core::needs::Adjustment;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;
use thiserror::Error;

use super::amount::COURSE_MAX_SCALE;
use super::cross::Cross;
use super::engine::{Terms, TermsError, TermsParts, Tier};
use super::explanation::{Explanation, Step, TierStep};

/// Significant digits of a course that pricing makes.
pub const PRICED_DIGITS: u32 = 12;

/// Decimals of the quotient that says how much room for a bonus there is: two of a per cent.
const ROOM_SCALE: u32 = 4;

/// Significant digits that are always exact in a decimal.
const EXACT_DIGITS: u32 = 28;

/// Where a pair's rate comes from before the house adds its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarketRate {
    /// An operator typed it: units received for one unit sent.
    Manual(Decimal),
    /// Sources' prices, joined.
    Crossed(Cross),
}

impl MarketRate {
    /// Units received for one unit sent before the house adds its own.
    #[must_use]
    pub fn rate(&self) -> Decimal {
        match self {
            Self::Manual(rate) => *rate,
            Self::Crossed(cross) => cross.rate,
        }
    }
}

/// A fee on one side of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fee {
    /// Taken once, in the currency of that side.
    pub fixed: Decimal,
    /// Per cent of the amount of that side.
    pub percent: Decimal,
}

/// From this sent amount the course is better (or worse) by some per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierRule {
    /// Least sent amount of the tier.
    pub min_send: Decimal,
    /// Per cent added to the course; negative takes away.
    pub add_percent: Decimal,
}

/// All that makes the terms of a pair for one customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pricing {
    /// The rate before spread and fees.
    pub market: MarketRate,
    /// Per cent the house keeps; negative pays on top.
    pub spread_percent: Decimal,
    /// What rules add to the course.
    pub adjustments: Vec<Adjustment>,
    /// Fees on the sent side.
    pub fee_from: Fee,
    /// Fees on the received side.
    pub fee_to: Fee,
    /// Per cent this customer gets on top.
    pub bonus_percent: Decimal,
    /// Tiers by sent amount, ascending.
    pub tiers: Vec<TierRule>,
    /// Decimals of the sent currency.
    pub digits_from: u32,
    /// Decimals of the received currency.
    pub digits_to: u32,
}

/// The terms and how they came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priced {
    /// What the engine computes with.
    pub terms: Terms,
    /// The steps, enough to compute the courses again.
    pub explanation: Explanation,
}

/// Why a pair has no terms.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PricingError {
    /// The market rate or a price in its path is not above zero.
    #[error("the market rate is not above zero")]
    NoRate,
    /// A per cent is outside its range: fees and bonus from 0 to below 100, the others between
    /// -100 and 100.
    #[error("a per cent is out of its range")]
    Percent,
    /// The course that results is too small or too big for the engine.
    #[error("the course is out of range")]
    CourseRange,
    /// The rest of the terms is out of bounds.
    #[error("{0}")]
    Terms(#[from] TermsError),
}

impl Pricing {
    /// Makes the terms.
    pub fn price(&self) -> Result<Priced, PricingError> {
        self.check_percents()?;
        let explanation = self.explanation()?;
        let tier = |step: &TierStep| Tier { min_send: step.min_send, course: step.course };
        let terms = Terms::new(TermsParts {
            course: explanation.course,
            tiers: explanation.tiers.iter().map(tier).collect(),
            fee_from: self.fee_from.fixed,
            fee_to: self.fee_to.fixed,
            digits_from: self.digits_from,
            digits_to: self.digits_to,
        })?;
        Ok(Priced { terms, explanation })
    }

    fn check_percents(&self) -> Result<(), PricingError> {
        let hundred = Decimal::ONE_HUNDRED;
        let part = |percent: &Decimal| *percent >= Decimal::ZERO && *percent < hundred;
        let change = |percent: &Decimal| percent.abs() < hundred;
        let parts = [self.fee_from.percent, self.fee_to.percent, self.bonus_percent];
        let all_right = parts.iter().all(part)
            && change(&self.spread_percent)
            && self.margin().as_ref().is_some_and(change)
            && self.tiers.iter().all(|tier| change(&tier.add_percent));
        all_right.then_some(()).ok_or(PricingError::Percent)
    }

    /// Per cent the house keeps with what rules add; nothing where that is no number any more.
    fn margin(&self) -> Option<Decimal> {
        self.adjustments.iter().try_fold(self.spread_percent, |margin, added| margin.checked_sub(added.percent()))
    }

    /// The most per cent of bonus, in hundredths, with which no course of the pair, its best tier included, is above the market
    /// rate. What is exact before it is rounded down stays at or under the market after it.
    #[must_use]
    pub fn room(&self) -> Decimal {
        let plain = Self { bonus_percent: Decimal::ZERO, ..self.clone() };
        let best_tier = self.tiers.iter().map(|tier| tier.add_percent).fold(Decimal::ZERO, Decimal::max);
        let room = || {
            let best = Explanation::product(&plain.steps())?.times(&Ratio::plus_percent(best_tier)?);
            let whole = Ratio::of(self.market.rate())?.over(&best).round_down(EXACT_DIGITS, ROOM_SCALE)?;
            (whole - Decimal::ONE).checked_mul(Decimal::ONE_HUNDRED)
        };
        room().unwrap_or_default().max(Decimal::ZERO)
    }

    /// The factors of the course, without those that change nothing.
    fn steps(&self) -> Vec<Step> {
        let mut steps = match &self.market {
            MarketRate::Manual(rate) => vec![Step::Manual { rate: *rate }],
            MarketRate::Crossed(cross) => cross.path.iter().cloned().map(Step::Leg).collect(),
        };
        let spread = Step::Spread { percent: self.spread_percent };
        let fee_from = Step::FeeFrom { percent: self.fee_from.percent };
        let fee_to = Step::FeeTo { percent: self.fee_to.percent };
        let bonus = Step::Bonus { percent: self.bonus_percent, of: Vec::new() };
        let added = self.adjustments.iter().cloned().map(Step::from);
        steps.extend(std::iter::once(spread).chain(added).chain([fee_from, fee_to, bonus]).filter(Step::changes));
        steps
    }

    fn explanation(&self) -> Result<Explanation, PricingError> {
        let steps = self.steps();
        let exact = Explanation::product(&steps).ok_or(PricingError::NoRate)?;
        let tier = |rule: &TierRule| -> Result<TierStep, PricingError> {
            let added = Ratio::plus_percent(rule.add_percent).ok_or(PricingError::Percent)?;
            Ok(TierStep { min_send: rule.min_send, add_percent: rule.add_percent, course: course(&exact.times(&added))? })
        };
        Ok(Explanation {
            course: course(&exact)?,
            tiers: self.tiers.iter().map(tier).collect::<Result<_, _>>()?,
            digits: PRICED_DIGITS,
            steps,
        })
    }
}

/// Rounds to a course the engine may have.
fn course(exact: &Ratio) -> Result<Decimal, PricingError> {
    let rounded = exact.round_down(PRICED_DIGITS, COURSE_MAX_SCALE);
    rounded.ok_or(PricingError::CourseRange)
}
