//! Receive amounts for give amounts, and the smallest give amount for a receive amount.
//!
//! `receive(give) = floor((give - give_fee) x rate_of_tier(give) - receive_fee)`, floored to the digits of the receive
//! currency, or to its step where it has one, and zero if negative. Percentage fees, spread and bonus are included in
//! the rates.
//!
//! Every result is exact. Amounts are below 10^12 with at most eight decimals, rates are below 10^12 with at most 16
//! significant digits and 24 decimals. Within these bounds every product fits 128 bits; anything outside is rejected.

use agio_contracts::NetworkFee;
use rust_decimal::Decimal;
use thiserror::Error;

use super::amount::{AMOUNT_LIMIT, AmountError, EngineRate, MAX_DIGITS, RateError, from_units, in_range, to_units};
use super::rounding::{Units, power_of_ten, units_down, units_up};

pub const MAX_TIERS: usize = 32;

/// From this give amount another rate applies to the whole amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// Minimum give amount of the tier.
    pub min_give: Decimal,
    /// Units received for one unit given.
    pub rate: Decimal,
}

/// The numbers of an exchange, as they are stored, signed and published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermsParts {
    /// Units received for one unit given, below the first tier.
    pub rate: Decimal,
    /// Tiers by give amount, ascending.
    pub tiers: Vec<Tier>,
    /// Fixed fee in the give currency.
    pub give_fee: Decimal,
    /// Fixed fee in the receive currency, the network fee included.
    pub receive_fee: Decimal,
    /// The part of `receive_fee` that is the network fee. `None` where payouts cost nothing.
    pub network_fee: Option<NetworkFee>,
    /// Decimals of the give currency, at most eight.
    pub give_digits: u32,
    /// Decimals of the receive currency, at most eight.
    pub receive_digits: u32,
    /// Give amounts are multiples of this. `None`: of the last digit.
    pub give_step: Option<Decimal>,
    /// Receive amounts are multiples of this. `None`: of the last digit.
    pub receive_step: Option<Decimal>,
}

impl TermsParts {
    /// All tiers, with the base rate as a tier from zero.
    pub fn tiers_from_zero(&self) -> Vec<Tier> {
        let begins_at_zero = self.tiers.first().is_some_and(|tier| tier.min_give.is_zero());
        let base = Tier { min_give: Decimal::ZERO, rate: self.rate };
        let base = (!begins_at_zero).then_some(base);
        base.into_iter().chain(self.tiers.iter().copied()).collect()
    }
}

/// Why numbers can't be the terms of an exchange.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TermsError {
    /// A rate is out of bounds.
    #[error("{0}")]
    Rate(#[from] RateError),
    /// A fee or a tier minimum is out of bounds.
    #[error("{0}")]
    Amount(#[from] AmountError),
    /// A currency can't have more than eight decimals.
    #[error("a currency has at most 8 decimals")]
    Digits,
    #[error("the minimums of the tiers do not ascend")]
    TierOrder,
    /// More than [`MAX_TIERS`] tiers.
    #[error("there are more than 32 tiers")]
    TooManyTiers,
    #[error("a step is not above zero")]
    Step,
}

/// Validated terms of an exchange: every amount within bounds computes exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    parts: TermsParts,
    pieces: Vec<RateSegment>,
    give_fee: Units,
    receive_fee: Units,
    give_grid: Units,
    receive_grid: Units,
}

/// Give amounts from `first` up to, not including, `end`, at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateSegment {
    pub(crate) first: Units,
    pub(crate) end: Units,
    pub(crate) rate: EngineRate,
}

impl Terms {
    pub fn new(parts: TermsParts) -> Result<Self, TermsError> {
        if parts.give_digits > MAX_DIGITS || parts.receive_digits > MAX_DIGITS {
            return Err(TermsError::Digits);
        }
        if parts.tiers.len() > MAX_TIERS {
            return Err(TermsError::TooManyTiers);
        }
        if !parts.tiers.is_sorted_by(|a, b| a.min_give < b.min_give) {
            return Err(TermsError::TierOrder);
        }
        Ok(Self {
            pieces: pieces(&parts)?,
            give_fee: to_units(parts.give_fee)?,
            receive_fee: to_units(parts.receive_fee)?,
            give_grid: grid(parts.give_digits, parts.give_step)?,
            receive_grid: grid(parts.receive_digits, parts.receive_step)?,
            parts,
        })
    }

    pub fn parts(&self) -> &TermsParts {
        &self.parts
    }

    /// What the customer receives for `give`. Never rounds in the customer's favour.
    ///
    /// # Errors
    /// Either amount is outside the engine's range.
    pub fn receive(&self, give: Decimal) -> Result<Decimal, AmountError> {
        from_units(self.receive_units(to_units(give)?))
    }

    /// The smallest amount on the give currency's grid, its steps or last digits, for which at least `wanted` is
    /// received. `None` if no amount in range is enough.
    pub fn give_for(&self, wanted: Decimal) -> Result<Option<Decimal>, AmountError> {
        let wanted = units_up(to_units(wanted)?, self.receive_grid());
        if wanted == 0 {
            return Ok(Some(Decimal::ZERO));
        }
        let give = self.give_for_units(wanted);
        Ok(give.filter(|&give| self.receive_units(give) < AMOUNT_LIMIT).map(in_range))
    }

    pub fn rate_for(&self, give: Decimal) -> Result<Decimal, AmountError> {
        to_units(give)?;
        let tier = self.parts.tiers.iter().rfind(|tier| tier.min_give <= give);
        Ok(tier.map_or(self.parts.rate, |tier| tier.rate))
    }

    /// What give amounts are multiples of. A step finer than the last digit is rounded up to it. `None` without a step.
    pub fn give_step(&self) -> Option<Decimal> {
        self.parts.give_step.map(|_| in_range(self.give_grid))
    }

    /// What receive amounts are multiples of. A step finer than the last digit is rounded up to it. `None` without a
    /// step.
    pub fn receive_step(&self) -> Option<Decimal> {
        self.parts.receive_step.map(|_| in_range(self.receive_grid))
    }

    /// The step or last digit of the give currency, in units.
    pub(crate) fn give_grid(&self) -> Units {
        self.give_grid
    }

    /// The step or last digit of the receive currency, in units.
    pub(crate) fn receive_grid(&self) -> Units {
        self.receive_grid
    }

    pub(crate) fn pieces(&self) -> &[RateSegment] {
        &self.pieces
    }

    pub(crate) fn receive_units(&self, give: Units) -> Units {
        let net = give - self.give_fee;
        if net <= 0 {
            return 0;
        }
        // Flooring to a unit first changes nothing: the fee and the grid are whole units.
        let gross = self.rate_at(give).convert(net);
        units_down(gross - self.receive_fee, self.receive_grid()).max(0)
    }

    /// The smallest amount for which `wanted` (positive, on the grid) is received.
    ///
    /// The segments ascend and do not overlap, and within a segment a larger amount never brings less, so the first
    /// segment with an answer holds the smallest amount. This stays right if a tier's rate is worse than the previous
    /// one.
    pub(crate) fn give_for_units(&self, wanted: Units) -> Option<Units> {
        self.pieces.iter().find_map(|piece| {
            let first = units_up(piece.first, self.give_grid());
            let give = self.least_give_at(piece.rate, wanted)?.max(first);
            (give < piece.end).then_some(give)
        })
    }

    /// The smallest amount for which `wanted` (positive, on the grid) is received if `rate` applied to every amount.
    pub(crate) fn least_give_at(&self, rate: EngineRate, wanted: Units) -> Option<Units> {
        let net = rate.amount_for(wanted + self.receive_fee)?;
        Some(units_up(net + self.give_fee, self.give_grid()))
    }

    fn rate_at(&self, give: Units) -> EngineRate {
        self.pieces
            .iter()
            .rfind(|piece| piece.first <= give)
            .expect("the first piece starts at zero and amounts are not negative")
            .rate
    }
}

/// The step, rounded up to whole last digits, or the last digit; in units.
fn grid(digits: u32, step: Option<Decimal>) -> Result<Units, TermsError> {
    let last_digit = power_of_ten(MAX_DIGITS - digits);
    match step.map(to_units).transpose()? {
        None => Ok(last_digit),
        Some(step) if step <= 0 => Err(TermsError::Step),
        // Below the limit of amounts, whose last digit is finer.
        Some(step) => Ok(units_up(step, last_digit).min(units_down(AMOUNT_LIMIT - 1, last_digit))),
    }
}

fn pieces(parts: &TermsParts) -> Result<Vec<RateSegment>, TermsError> {
    let mut pieces = vec![RateSegment { first: 0, end: AMOUNT_LIMIT, rate: EngineRate::new(parts.rate)? }];
    for tier in &parts.tiers {
        let first = to_units(tier.min_give)?;
        if let Some(before) = pieces.last_mut() {
            before.end = first;
        }
        pieces.push(RateSegment { first, end: AMOUNT_LIMIT, rate: EngineRate::new(tier.rate)? });
    }
    Ok(pieces)
}
