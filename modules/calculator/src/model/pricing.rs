//! From the market rate to the terms of a pair.
//!
//! `rate = market x (1 - margin %) x (1 - fee from %) x (1 - fee to %) x (1 + bonus %)`, and for each tier that
//! product `x (1 + added %)`. The margin is the spread less the adjustments of rules. The product is exact and
//! rounded once, down to twelve significant digits, in the exchange's favour.

use agio_contracts::{Adjustment, FormulaPrice, NetworkFee};
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;
use thiserror::Error;

use super::amount::RATE_MAX_SCALE;
use super::cross::Cross;
use super::engine::{Terms, TermsError, TermsParts, Tier};
use super::explanation::{Explanation, PricingStep, TierStep};

/// Significant digits of a priced rate.
pub const PRICED_DIGITS: u32 = 12;

/// Decimals of the maximum bonus factor: two decimals of a percent.
const BONUS_SCALE: u32 = 4;

/// Significant digits that are always exact in a decimal.
const EXACT_DIGITS: u32 = 28;

/// The market rate of a pair, before spread, rules and fees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarketRate {
    /// Set by staff: units received for one unit given.
    Manual(Decimal),
    Crossed(Cross),
    /// A formula and what it gives.
    Formula(String, FormulaPrice),
}

impl MarketRate {
    /// The market rate: units received for one unit given, before spread, rules and fees.
    pub fn rate(&self) -> Decimal {
        match self {
            Self::Manual(rate) => *rate,
            Self::Crossed(cross) => cross.rate,
            Self::Formula(_, price) => price.rate,
        }
    }
}

/// A fee on one side of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fee {
    /// Fixed part, in the currency of that side.
    pub fixed: Decimal,
    /// Percent of the amount of that side.
    pub percent: Decimal,
}

/// From this give amount the rate changes by some percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierRule {
    pub min_give: Decimal,
    /// Percent added to the rate; may be negative.
    pub add_percent: Decimal,
}

/// All inputs of the terms of a pair for one customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pricing {
    pub market: MarketRate,
    /// Spread in percent; may be negative.
    pub spread_percent: Decimal,
    pub adjustments: Vec<Adjustment>,
    pub give_fee: Fee,
    pub receive_fee: Fee,
    /// Added to the fixed fee on the receive side. `None` where payouts cost nothing.
    pub network_fee: Option<NetworkFee>,
    /// Bonus in percent.
    pub bonus_percent: Decimal,
    pub tiers: Vec<TierRule>,
    /// Decimals of the give currency.
    pub give_digits: u32,
    /// Decimals of the receive currency.
    pub receive_digits: u32,
    /// Give amounts are multiples of this, if set.
    pub give_step: Option<Decimal>,
    /// Receive amounts are multiples of this, if set.
    pub receive_step: Option<Decimal>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priced {
    pub terms: Terms,
    pub explanation: Explanation,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PricingError {
    /// The market rate or a price on its path is not positive.
    #[error("the market rate is not above zero")]
    NoRate,
    /// A percentage is out of range: fees and bonus from 0 to below 100, others between -100 and 100.
    #[error("a per cent is out of its range")]
    Percent,
    /// The resulting rate is out of range.
    #[error("the rate is out of range")]
    RateRange,
    /// Other terms are out of bounds.
    #[error("{0}")]
    Terms(#[from] TermsError),
}

impl Pricing {
    pub fn price(&self) -> Result<Priced, PricingError> {
        self.check_percents()?;
        let explanation = self.explanation()?;
        let tier = |step: &TierStep| Tier { min_give: step.min_give, rate: step.rate };
        let terms = Terms::new(TermsParts {
            rate: explanation.rate,
            tiers: explanation.tiers.iter().map(tier).collect(),
            give_fee: self.give_fee.fixed,
            receive_fee: self.network_fee.map_or(self.receive_fee.fixed, |network| self.receive_fee.fixed + network.amount),
            network_fee: self.network_fee,
            give_digits: self.give_digits,
            receive_digits: self.receive_digits,
            give_step: self.give_step,
            receive_step: self.receive_step,
        })?;
        Ok(Priced { terms, explanation })
    }

    fn check_percents(&self) -> Result<(), PricingError> {
        let hundred = Decimal::ONE_HUNDRED;
        let part = |percent: &Decimal| *percent >= Decimal::ZERO && *percent < hundred;
        let change = |percent: &Decimal| percent.abs() < hundred;
        let parts = [self.give_fee.percent, self.receive_fee.percent, self.bonus_percent];
        let all_right = parts.iter().all(part)
            && change(&self.spread_percent)
            && self.margin().as_ref().is_some_and(change)
            && self.tiers.iter().all(|tier| change(&tier.add_percent));
        all_right.then_some(()).ok_or(PricingError::Percent)
    }

    /// Spread less adjustments, in percent. `None` on overflow.
    fn margin(&self) -> Option<Decimal> {
        self.adjustments.iter().try_fold(self.spread_percent, |margin, added| margin.checked_sub(added.percent()))
    }

    /// The largest bonus in percent, two decimals, that keeps all rates of the pair, including the best tier, at or
    /// below the market rate.
    pub fn max_bonus_percent(&self) -> Decimal {
        let plain = Self { bonus_percent: Decimal::ZERO, ..self.clone() };
        let best_tier = self.tiers.iter().map(|tier| tier.add_percent).fold(Decimal::ZERO, Decimal::max);
        let max_bonus_percent = || {
            let best = Explanation::product(&plain.steps())?.times(&Ratio::plus_percent(best_tier)?);
            let whole = Ratio::of(self.market.rate())?.over(&best).round_down(EXACT_DIGITS, BONUS_SCALE)?;
            (whole - Decimal::ONE).checked_mul(Decimal::ONE_HUNDRED)
        };
        max_bonus_percent().unwrap_or_default().max(Decimal::ZERO)
    }

    /// The factors of the rate, without those that change nothing.
    fn steps(&self) -> Vec<PricingStep> {
        let mut steps = match &self.market {
            MarketRate::Manual(rate) => vec![PricingStep::Manual { rate: *rate }],
            MarketRate::Formula(formula, price) => vec![PricingStep::formula(formula, price)],
            MarketRate::Crossed(cross) => cross.path.iter().cloned().map(PricingStep::Conversion).collect(),
        };
        let spread = PricingStep::Spread { percent: self.spread_percent };
        let give_fee = PricingStep::GiveFee { percent: self.give_fee.percent };
        let receive_fee = PricingStep::ReceiveFee { percent: self.receive_fee.percent };
        let bonus = PricingStep::Bonus { percent: self.bonus_percent, of: Vec::new() };
        let added = self.adjustments.iter().cloned().map(PricingStep::from);
        steps.extend(std::iter::once(spread).chain(added).chain([give_fee, receive_fee, bonus]).filter(PricingStep::changes));
        steps
    }

    fn explanation(&self) -> Result<Explanation, PricingError> {
        let steps = self.steps();
        let exact = Explanation::product(&steps).ok_or(PricingError::NoRate)?;
        let tier = |rule: &TierRule| -> Result<TierStep, PricingError> {
            let added = Ratio::plus_percent(rule.add_percent).ok_or(PricingError::Percent)?;
            Ok(TierStep { min_give: rule.min_give, add_percent: rule.add_percent, rate: round_rate(&exact.times(&added))? })
        };
        Ok(Explanation {
            rate: round_rate(&exact)?,
            tiers: self.tiers.iter().map(tier).collect::<Result<_, _>>()?,
            digits: PRICED_DIGITS,
            steps,
        })
    }
}

fn round_rate(exact: &Ratio) -> Result<Decimal, PricingError> {
    let rounded = exact.round_down(PRICED_DIGITS, RATE_MAX_SCALE);
    rounded.ok_or(PricingError::RateRange)
}
