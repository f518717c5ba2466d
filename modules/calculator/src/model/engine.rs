//! What is received for what is sent, and the least that must be sent to receive an amount.
//!
//! `receive(send) = floor((send - fee_from) x course_of_tier(send) - fee_to)`, floored to the
//! digits of the received currency and zero when negative. Percent fees, spread and bonus are
//! already inside the courses.
//!
//! Every result is exact. Amounts are below 10^12 with at most eight decimals, courses are below
//! 10^12 with at most 16 significant digits and 24 decimals; within these bounds every product
//! fits 128 bits, and what lies outside is refused instead of computed roughly.

use rust_decimal::Decimal;
use thiserror::Error;

use super::amount::{AMOUNT_LIMIT, AmountError, Course, CourseError, MAX_DIGITS, from_units, in_range, to_units};
use super::rounding::{Units, power_of_ten, units_down, units_up};

/// Tiers a pair may have.
pub const MAX_TIERS: usize = 32;

/// From this sent amount another course holds, for the whole amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// Least sent amount of the tier, in the sent currency.
    pub min_send: Decimal,
    /// Units received for one unit sent.
    pub course: Decimal,
}

/// The numbers an exchange is computed from, as they are stored, signed and published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermsParts {
    /// Units received for one unit sent below the first tier.
    pub course: Decimal,
    /// Tiers by sent amount, ascending; empty when one course holds for all amounts.
    pub tiers: Vec<Tier>,
    /// Fixed fee taken from the sent amount, in the sent currency.
    pub fee_from: Decimal,
    /// Fixed fee taken from the received amount, in the received currency.
    pub fee_to: Decimal,
    /// Decimals of the sent currency, at most eight.
    pub digits_from: u32,
    /// Decimals of the received currency, at most eight.
    pub digits_to: u32,
}

impl TermsParts {
    /// The tiers with the course below the first of them as a tier of its own, so that the first
    /// one always begins at zero.
    #[must_use]
    pub fn tiers_from_zero(&self) -> Vec<Tier> {
        let begins_at_zero = self.tiers.first().is_some_and(|tier| tier.min_send.is_zero());
        let base = Tier { min_send: Decimal::ZERO, course: self.course };
        let base = (!begins_at_zero).then_some(base);
        base.into_iter().chain(self.tiers.iter().copied()).collect()
    }
}

/// Why numbers can't be the terms of an exchange.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TermsError {
    /// The course of the pair or of a tier is out of bounds.
    #[error("{0}")]
    Course(#[from] CourseError),
    /// A fee or the minimum of a tier is out of bounds.
    #[error("{0}")]
    Amount(#[from] AmountError),
    /// A currency can't have more than eight decimals.
    #[error("a currency has at most 8 decimals")]
    Digits,
    /// The tiers' minimums don't ascend strictly.
    #[error("the minimums of the tiers do not ascend")]
    TierOrder,
    /// More than [`MAX_TIERS`] tiers.
    #[error("there are more than 32 tiers")]
    TooManyTiers,
}

/// Terms of an exchange, checked: every amount within bounds computes exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    parts: TermsParts,
    pieces: Vec<Piece>,
    fee_from: Units,
    fee_to: Units,
}

/// Sent amounts from `first` up to, not including, `end`, all exchanged at one course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) first: Units,
    pub(crate) end: Units,
    pub(crate) course: Course,
}

impl Terms {
    /// Checks the numbers and prepares them for computing.
    pub fn new(parts: TermsParts) -> Result<Self, TermsError> {
        if parts.digits_from > MAX_DIGITS || parts.digits_to > MAX_DIGITS {
            return Err(TermsError::Digits);
        }
        if parts.tiers.len() > MAX_TIERS {
            return Err(TermsError::TooManyTiers);
        }
        if !parts.tiers.is_sorted_by(|a, b| a.min_send < b.min_send) {
            return Err(TermsError::TierOrder);
        }
        Ok(Self { pieces: pieces(&parts)?, fee_from: to_units(parts.fee_from)?, fee_to: to_units(parts.fee_to)?, parts })
    }

    /// The numbers these terms were made from.
    #[must_use]
    pub fn parts(&self) -> &TermsParts {
        &self.parts
    }

    /// What the customer receives for sending `send`.
    ///
    /// Fails when either amount is outside the engine's range; never rounds in the customer's
    /// favour.
    pub fn receive(&self, send: Decimal) -> Result<Decimal, AmountError> {
        from_units(self.receive_units(to_units(send)?))
    }

    /// The least amount, in whole last digits of the sent currency, for which at least `wanted` is
    /// received; none when no amount in the engine's range is enough.
    pub fn send_for(&self, wanted: Decimal) -> Result<Option<Decimal>, AmountError> {
        let wanted = units_up(to_units(wanted)?, self.grid_to());
        if wanted == 0 {
            return Ok(Some(Decimal::ZERO));
        }
        let send = self.send_for_units(wanted);
        Ok(send.filter(|&send| self.receive_units(send) < AMOUNT_LIMIT).map(in_range))
    }

    /// The course that holds for a sent amount, tiers looked through.
    pub fn course_for(&self, send: Decimal) -> Result<Decimal, AmountError> {
        to_units(send)?;
        let tier = self.parts.tiers.iter().rfind(|tier| tier.min_send <= send);
        Ok(tier.map_or(self.parts.course, |tier| tier.course))
    }

    /// The last digit of the sent currency, in units.
    pub(crate) fn grid_from(&self) -> Units {
        power_of_ten(MAX_DIGITS - self.parts.digits_from)
    }

    /// The last digit of the received currency, in units.
    pub(crate) fn grid_to(&self) -> Units {
        power_of_ten(MAX_DIGITS - self.parts.digits_to)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub(crate) fn receive_units(&self, send: Units) -> Units {
        let net = send - self.fee_from;
        if net <= 0 {
            return 0;
        }
        // Flooring to a unit first changes nothing: the fee and the grid are whole units.
        let gross = self.course_at(send).worth(net);
        units_down(gross - self.fee_to, self.grid_to()).max(0)
    }

    /// The least amount for which `wanted` (above zero, on the grid) is received.
    ///
    /// The pieces ascend and don't overlap, and within one of them more sent is never less
    /// received, so the first piece with an answer holds the least one. This stays right when a
    /// tier's course is worse than the one before it.
    pub(crate) fn send_for_units(&self, wanted: Units) -> Option<Units> {
        self.pieces.iter().find_map(|piece| {
            let first = units_up(piece.first, self.grid_from());
            let send = self.least_send_at(piece.course, wanted)?.max(first);
            (send < piece.end).then_some(send)
        })
    }

    /// The least amount for which `wanted` (above zero, on the grid) would be received if `course`
    /// held for every amount.
    pub(crate) fn least_send_at(&self, course: Course, wanted: Units) -> Option<Units> {
        let net = course.amount_worth(wanted + self.fee_to)?;
        Some(units_up(net + self.fee_from, self.grid_from()))
    }

    fn course_at(&self, send: Units) -> Course {
        self.pieces
            .iter()
            .rfind(|piece| piece.first <= send)
            .expect("the first piece starts at zero and amounts are not negative")
            .course
    }
}

/// Cuts the range of sent amounts at the tiers.
fn pieces(parts: &TermsParts) -> Result<Vec<Piece>, TermsError> {
    let mut pieces = vec![Piece { first: 0, end: AMOUNT_LIMIT, course: Course::new(parts.course)? }];
    for tier in &parts.tiers {
        let first = to_units(tier.min_send)?;
        if let Some(before) = pieces.last_mut() {
            before.end = first;
        }
        pieces.push(Piece { first, end: AMOUNT_LIMIT, course: Course::new(tier.course)? });
    }
    Ok(pieces)
}
