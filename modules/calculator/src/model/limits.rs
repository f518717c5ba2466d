//! Amount limits: the configured limits, their meaning on the other side, and the limits of the reserve and the
//! engine.
//!
//! The result is one range of give amounts in which every amount is received within the range of receive amounts. A
//! limit missing on one side is derived from the other; where both are set, the tighter one applies. Each limit names
//! its origin for error messages.
//!
//! Steps have one rounding rule: an amount is rounded down to the nearest one that can be exchanged. A give amount
//! becomes a multiple of its step. With a receive step, it becomes the least one that brings the same amount, so that
//! nothing is paid for a part of a step.

use rust_decimal::Decimal;

use super::amount::{AMOUNT_LIMIT, AmountError, in_range, to_units};
use super::engine::{RateSegment, Terms, TermsParts, Tier};
use super::rounding::{Units, round_down, units_down, units_up};

/// Configured limits of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConfiguredRange {
    /// `None` if only the other side limits.
    pub min: Option<Decimal>,
    /// `None` if only the other side or the reserve limits.
    pub max: Option<Decimal>,
    /// Amounts are multiples of this. `None`: of the last digit.
    pub step: Option<Decimal>,
}

/// Configured limits of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConfiguredLimits {
    pub give: ConfiguredRange,
    pub receive: ConfiguredRange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    PairMin,
    PairMax,
    /// The other side's limit, converted at the rate.
    OtherSide,
    Reserve,
    /// No configured limit: the smallest amount that brings anything, or the engine's range.
    Engine,
}

impl Bound {
    /// Name in error parameters.
    pub fn name(self) -> &'static str {
        match self {
            Self::PairMin => "pair_min",
            Self::PairMax => "pair_max",
            Self::OtherSide => "other_side",
            Self::Reserve => "reserve",
            Self::Engine => "engine",
        }
    }
}

/// An effective limit and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Inclusive.
    pub value: Decimal,
    pub bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub min: Limit,
    pub max: Limit,
}

/// Effective limits of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub give: Range,
    pub receive: Range,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    BelowMin(Limit),
    AboveMax(Limit),
}

impl Range {
    pub fn check(&self, amount: Decimal) -> Result<(), Breach> {
        if amount < self.min.value {
            Err(Breach::BelowMin(self.min))
        } else if amount > self.max.value {
            Err(Breach::AboveMax(self.max))
        } else {
            Ok(())
        }
    }

    pub fn clamp(&self, amount: Decimal) -> Decimal {
        amount.max(self.min.value).min(self.max.value)
    }
}

impl Limits {
    /// Effective limits. `None` if no amount can be exchanged.
    ///
    /// `reserve` is the available reserve; negative counts as zero; `None` means unlimited. Fails if a configured
    /// limit is not a valid amount.
    ///
    /// A worse tier can make the receive amount fall as the give amount grows, which splits the allowed amounts into
    /// several runs; the longest run wins.
    pub fn effective(terms: &Terms, set: &ConfiguredLimits, reserve: Option<Decimal>) -> Result<Option<Self>, AmountError> {
        let wanted = Wanted::read(terms, set, reserve)?;
        let Some(run) = longest_run(terms, &wanted) else {
            return Ok(None);
        };
        Ok(Some(wanted.limits(terms, &run.without_part_steps(terms))))
    }

    /// The tiers that a give amount within the limits can reach. The base rate is not among them.
    pub fn reachable_tiers<'t>(&self, parts: &'t TermsParts) -> impl Iterator<Item = &'t Tier> {
        let Range { min, max } = self.give;
        let nexts = parts.tiers.iter().skip(1).map(Some).chain([None]);
        let reaches = move |(tier, next): &(&Tier, Option<&Tier>)| {
            tier.min_give <= max.value && next.is_none_or(|next| next.min_give > min.value)
        };
        parts.tiers.iter().zip(nexts).filter(reaches).map(|(tier, _)| tier)
    }

    /// Rounds a give amount down to one that can be exchanged; below the minimum, to the minimum.
    ///
    /// # Errors
    /// The amount is outside the engine's range.
    pub fn snap(&self, terms: &Terms, give: Decimal) -> Result<Decimal, AmountError> {
        let (give, min) = (to_units(self.give.clamp(give))?, to_units(self.give.min.value)?);
        let whole = units_down(give, terms.give_grid());
        let least = match terms.parts().receive_step {
            Some(_) => terms.give_for_units(terms.receive_units(whole)).unwrap_or(whole),
            None => whole,
        };
        Ok(in_range(least.max(min)))
    }

    /// Rounds a receive amount down to one that can be exchanged; below the minimum, to the minimum.
    ///
    /// # Errors
    /// The amount is outside the engine's range.
    pub fn snap_receive(&self, terms: &Terms, receive: Decimal) -> Result<Decimal, AmountError> {
        Ok(in_range(units_down(to_units(self.receive.clamp(receive))?, terms.receive_grid())))
    }
}

/// Configured limits on the currencies' grids, open ends closed by the engine's range.
struct Wanted {
    give_min: Units,
    give_max: Units,
    receive_min: Units,
    receive_max: Units,
    /// Origin of `receive_min`, seen from the receive side.
    receive_min_bound: Bound,
    /// Origin of `receive_max`, seen from the receive side.
    receive_max_bound: Bound,
    has_give_min: bool,
    has_give_max: bool,
}

impl Wanted {
    fn read(terms: &Terms, set: &ConfiguredLimits, reserve: Option<Decimal>) -> Result<Self, AmountError> {
        let units = |amount: Option<Decimal>| amount.map(to_units).transpose();
        let (give_grid, receive_grid) = (terms.give_grid(), terms.receive_grid());
        let give_min = units(set.give.min)?;
        let give_max = units(set.give.max)?;
        let receive_min = units(set.receive.min)?.map_or(0, |min| units_up(min, receive_grid));

        // The engine's bound comes last, so that an equal configured limit is named.
        let mut receive_max = (units_down(AMOUNT_LIMIT - 1, receive_grid), Bound::Engine);
        let reserve = reserve.map(|free| round_down(free, terms.parts().receive_digits));
        if let Some(free) = reserve
            && free < in_range(receive_max.0)
        {
            receive_max = (units_down(to_units(free.max(Decimal::ZERO))?, receive_grid), Bound::Reserve);
        }
        if let Some(max) = units(set.receive.max)?.map(|max| units_down(max, receive_grid))
            && max <= receive_max.0
        {
            receive_max = (max, Bound::PairMax);
        }
        Ok(Self {
            give_min: give_min.map_or(0, |min| units_up(min, give_grid)),
            give_max: units_down(give_max.unwrap_or(AMOUNT_LIMIT - 1), give_grid),
            // A give amount must bring something.
            receive_min: receive_min.max(receive_grid),
            receive_max: receive_max.0,
            receive_min_bound: if receive_min >= receive_grid { Bound::PairMin } else { Bound::Engine },
            receive_max_bound: receive_max.1,
            has_give_min: give_min.is_some(),
            has_give_max: give_max.is_some(),
        })
    }

    /// Determines the origin of each end of the run and its value on the other side.
    fn limits(&self, terms: &Terms, run: &Run) -> Limits {
        let min_is_given = self.has_give_min && run.first == self.give_min;
        let (give_min_bound, receive_min_bound) = if min_is_given {
            (Bound::PairMin, Bound::OtherSide)
        } else {
            (other_side(self.receive_min_bound), self.receive_min_bound)
        };
        // Show a configured receive minimum as set, although the smallest give amount may bring a little more.
        let exactly_set = !min_is_given && terms.give_for_units(self.receive_min) == Some(run.first);
        let least = if exactly_set { self.receive_min } else { run.least_received };
        let max_is_given = self.has_give_max && run.last == self.give_max;
        let (give_max_bound, receive_max_bound) = if max_is_given {
            (Bound::PairMax, Bound::OtherSide)
        } else {
            (other_side(self.receive_max_bound), self.receive_max_bound)
        };
        let limit = |value: Decimal, bound: Bound| Limit { value, bound };
        Limits {
            give: Range { min: limit(in_range(run.first), give_min_bound), max: limit(in_range(run.last), give_max_bound) },
            receive: Range {
                min: limit(in_range(least), receive_min_bound),
                // The largest receivable amount, so that requesting exactly it never exceeds the give maximum.
                max: limit(in_range(run.most_received), receive_max_bound),
            },
        }
    }
}

/// The name of a receive-side bound on the give side.
fn other_side(bound: Bound) -> Bound {
    match bound {
        Bound::PairMin | Bound::PairMax => Bound::OtherSide,
        Bound::OtherSide | Bound::Reserve | Bound::Engine => bound,
    }
}

#[derive(Clone, Copy)]
struct Run {
    first: Units,
    last: Units,
    least_received: Units,
    most_received: Units,
}

impl Run {
    /// Moves both ends inwards to amounts that pay for no part of a receive step, where there are such. More than the
    /// amount that brings most would bring nothing more.
    fn without_part_steps(self, terms: &Terms) -> Self {
        if terms.parts().receive_step.is_none() {
            return self;
        }
        let least_for = |received: Units| terms.give_for_units(received).filter(|give| (self.first..=self.last).contains(give));
        let first_received = terms.receive_units(self.first);
        let first = least_for(first_received).or_else(|| least_for(first_received + terms.receive_grid())).unwrap_or(self.first);
        let last = least_for(self.most_received).unwrap_or(self.last).max(first);
        let least_received = if first == self.first { self.least_received } else { terms.receive_units(first) };
        Self { first, last, least_received, most_received: self.most_received }
    }
}

/// The longest run of allowed give amounts; the first of equally long ones.
fn longest_run(terms: &Terms, wanted: &Wanted) -> Option<Run> {
    let mut longest: Option<Run> = None;
    let mut current: Option<Run> = None;
    for run in terms.pieces().iter().filter_map(|piece| allowed(terms, wanted, piece)) {
        let joined = match current {
            Some(before) if before.last + terms.give_grid() == run.first => Run {
                first: before.first,
                last: run.last,
                least_received: before.least_received.min(run.least_received),
                most_received: before.most_received.max(run.most_received),
            },
            _ => run,
        };
        current = Some(joined);
        if longest.is_none_or(|longest| joined.last - joined.first > longest.last - longest.first) {
            longest = current;
        }
    }
    longest
}

/// Allowed give amounts within one segment, where a larger amount never brings less.
fn allowed(terms: &Terms, wanted: &Wanted, piece: &RateSegment) -> Option<Run> {
    let (give_grid, receive_grid) = (terms.give_grid(), terms.receive_grid());
    let enough = terms.least_give_at(piece.rate, wanted.receive_min)?;
    let first = units_up(piece.first, give_grid).max(wanted.give_min).max(enough);

    let piece_last = units_down(piece.end - 1, give_grid);
    let last = piece_last.min(wanted.give_max);
    let last = match terms.least_give_at(piece.rate, wanted.receive_max + receive_grid) {
        Some(too_much) => last.min(too_much - give_grid),
        None => last,
    };
    (first <= last).then(|| Run {
        first,
        last,
        least_received: terms.receive_units(first),
        most_received: terms.receive_units(last),
    })
}
