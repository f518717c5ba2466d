//! A place on a monitor: which margin it takes.

use agio_core::Timestamp;
use agio_core::needs::PositionInputs;
use rust_decimal::{Decimal, RoundingStrategy};

use super::rules::{Bounds, PERCENT_DIGITS, Position};

/// What a competitor offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    /// Who.
    pub exchanger: String,
    /// Units received for one sent.
    pub course: Decimal,
    /// How much they have of the received currency.
    pub reserve: Decimal,
}

/// What a monitor showed of a direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// When it was read.
    pub read_at: Timestamp,
    /// Who is on it.
    pub rivals: Vec<Rival>,
}

/// The margin to go to, and what it follows from.
///
/// `whole` is the course a pair would have with no margin at all: the market's rate with the fees taken off. The best wanted place that
/// can be had within the bounds is aimed at; where none can, or nothing is known of the monitor, the greatest margin is, which loses nothing.
/// From the margin before, the way there is made in steps; only a margin outside the bounds is left at once.
#[must_use]
pub fn aim(position: &Position, bounds: Bounds, whole: Decimal, board: Option<&Board>, before: Decimal) -> PositionInputs {
    let rivals = board.map(|board| counted(position, board)).unwrap_or_default();
    let had = (position.best..=position.worst).find_map(|place| {
        let rival = rivals.get(usize::try_from(place).ok()?.checked_sub(1)?)?;
        let margin = margin_over(whole, rival.course)?.checked_sub(position.undercut)?;
        // Rounded up a margin is never better for a customer than it was meant to be.
        let margin = margin.round_dp_with_strategy(PERCENT_DIGITS, RoundingStrategy::ToPositiveInfinity).min(bounds.ceiling);
        (margin >= bounds.floor).then_some((place, *rival, margin))
    });
    let aim = had.map_or(bounds.ceiling, |(_, _, margin)| margin);
    let start = before.clamp(bounds.floor, bounds.ceiling);
    let margin = aim.clamp(start - position.step, start + position.step).clamp(bounds.floor, bounds.ceiling);
    PositionInputs {
        monitor: position.monitor.clone(),
        read_at: board.map(|board| board.read_at),
        counted: rivals.len().to_string(),
        place: had.map(|(place, _, _)| place.to_string()),
        exchanger: had.map(|(_, rival, _)| rival.exchanger.clone()),
        course: had.map(|(_, rival, _)| agio_core::money::plain(rival.course)),
        aim: aim.normalize(),
        margin: margin.normalize(),
    }
}

/// Those who count, the best first: not the house itself, with a course at all, and with enough to pay out.
fn counted<'b>(position: &Position, board: &'b Board) -> Vec<&'b Rival> {
    let is_own = |rival: &Rival| position.own.iter().any(|own| own.trim().eq_ignore_ascii_case(rival.exchanger.trim()));
    let counts = |rival: &&Rival| !is_own(rival) && rival.course > Decimal::ZERO && rival.reserve >= position.least_reserve;
    let mut rivals: Vec<_> = board.rivals.iter().filter(counts).collect();
    rivals.sort_by(|one, other| other.course.cmp(&one.course).then_with(|| one.exchanger.cmp(&other.exchanger)));
    rivals
}

/// The margin, in percent, with which the course is a rival's.
fn margin_over(whole: Decimal, course: Decimal) -> Option<Decimal> {
    Decimal::ONE.checked_sub(course.checked_div(whole)?)?.checked_mul(Decimal::ONE_HUNDRED)
}
