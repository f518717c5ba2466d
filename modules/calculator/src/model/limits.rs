//! Which amounts may be exchanged: the limits an operator set, what they mean on the other side,
//! and what the reserve and the engine allow.
//!
//! The result is one range of sent amounts in which every amount is received within the range of
//! received amounts. A limit that is missing on one side is derived from the other; where both are
//! set, the tighter holds. Each limit says what made it, so that an error can name it.

use rust_decimal::Decimal;

use super::amount::{AMOUNT_LIMIT, AmountError, in_range, to_units};
use super::engine::{Piece, Terms};
use super::rounding::{Units, round_down, units_down, units_up};

/// Least and greatest amount of one side as an operator sets them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetRange {
    /// Least amount, none when only the other side limits.
    pub min: Option<Decimal>,
    /// Greatest amount, none when only the other side or the reserve limits.
    pub max: Option<Decimal>,
}

/// The limits an operator set for a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetLimits {
    /// In the sent currency.
    pub from: SetRange,
    /// In the received currency.
    pub to: SetRange,
}

/// What makes a limit what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The pair's own minimum of this side.
    PairMin,
    /// The pair's own maximum of this side.
    PairMax,
    /// The limit of the other side, through the rate.
    OtherSide,
    /// The free reserve of the received currency.
    Reserve,
    /// Nobody set a limit: the least amount for which anything is received, or the engine's range.
    Engine,
}

impl Bound {
    /// The name used in the parameters of an error.
    #[must_use]
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

/// A limit that holds, and what made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The least or greatest amount itself; it is allowed.
    pub value: Decimal,
    /// What made it.
    pub bound: Bound,
}

/// The limits of one side that hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least amount.
    pub min: Limit,
    /// Greatest amount.
    pub max: Limit,
}

/// The limits of a pair that hold at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of the sent amount.
    pub from: Range,
    /// Of the received amount.
    pub to: Range,
}

/// An amount outside its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    /// Less than the minimum, which is given.
    BelowMin(Limit),
    /// More than the maximum, which is given.
    AboveMax(Limit),
}

impl Range {
    /// Checks an amount of this side.
    pub fn check(&self, amount: Decimal) -> Result<(), Breach> {
        if amount < self.min.value {
            Err(Breach::BelowMin(self.min))
        } else if amount > self.max.value {
            Err(Breach::AboveMax(self.max))
        } else {
            Ok(())
        }
    }

    /// The nearest amount that is allowed.
    #[must_use]
    pub fn clamp(&self, amount: Decimal) -> Decimal {
        amount.max(self.min.value).min(self.max.value)
    }
}

impl Limits {
    /// The limits that hold, or none when no amount can be exchanged.
    ///
    /// `reserve` is what is free to pay out, nothing when it is below zero; none stands for a
    /// currency without a reserve to keep. Fails when a set limit is not an amount.
    ///
    /// Where a worse tier makes the received amount fall as more is sent, the allowed sent amounts
    /// may fall apart into several runs; the longest holds.
    pub fn effective(terms: &Terms, set: &SetLimits, reserve: Option<Decimal>) -> Result<Option<Self>, AmountError> {
        let wanted = Wanted::read(terms, set, reserve)?;
        let Some(run) = longest_run(terms, &wanted) else {
            return Ok(None);
        };
        Ok(Some(wanted.limits(terms, &run)))
    }
}

/// The set limits on the grids of their currencies, open ends closed by the engine's range.
struct Wanted {
    send_min: Units,
    send_max: Units,
    receive_min: Units,
    receive_max: Units,
    /// What made `receive_min`, as seen from the received side.
    receive_min_bound: Bound,
    /// What made `receive_max`, as seen from the received side.
    receive_max_bound: Bound,
    has_send_min: bool,
    has_send_max: bool,
}

impl Wanted {
    fn read(terms: &Terms, set: &SetLimits, reserve: Option<Decimal>) -> Result<Self, AmountError> {
        let units = |amount: Option<Decimal>| amount.map(to_units).transpose();
        let (grid_from, grid_to) = (terms.grid_from(), terms.grid_to());
        let send_min = units(set.from.min)?;
        let send_max = units(set.from.max)?;
        let receive_min = units(set.to.min)?.map_or(0, |min| units_up(min, grid_to));

        // The engine's own bound comes last, so that an equal limit somebody set is the one named.
        let mut receive_max = (AMOUNT_LIMIT - grid_to, Bound::Engine);
        let reserve = reserve.map(|free| round_down(free, terms.parts().digits_to));
        if let Some(free) = reserve
            && free < in_range(receive_max.0)
        {
            receive_max = (to_units(free.max(Decimal::ZERO))?, Bound::Reserve);
        }
        if let Some(max) = units(set.to.max)?.map(|max| units_down(max, grid_to))
            && max <= receive_max.0
        {
            receive_max = (max, Bound::PairMax);
        }
        Ok(Self {
            send_min: send_min.map_or(0, |min| units_up(min, grid_from)),
            send_max: units_down(send_max.unwrap_or(AMOUNT_LIMIT - 1), grid_from),
            // Nobody may send something for nothing.
            receive_min: receive_min.max(grid_to),
            receive_max: receive_max.0,
            receive_min_bound: if receive_min >= grid_to { Bound::PairMin } else { Bound::Engine },
            receive_max_bound: receive_max.1,
            has_send_min: send_min.is_some(),
            has_send_max: send_max.is_some(),
        })
    }

    /// Says of each end of the run who made it, and what it is on the other side.
    fn limits(&self, terms: &Terms, run: &Run) -> Limits {
        let min_is_sent = self.has_send_min && run.first == self.send_min;
        let (from_min, to_min) = if min_is_sent {
            (Bound::PairMin, Bound::OtherSide)
        } else {
            (other_side(self.receive_min_bound), self.receive_min_bound)
        };
        // A minimum set on the received side is shown as it was set, though the least sent amount
        // may bring a little more.
        let exactly_set = !min_is_sent && terms.send_for_units(self.receive_min) == Some(run.first);
        let least = if exactly_set { self.receive_min } else { run.least_received };
        let max_is_sent = self.has_send_max && run.last == self.send_max;
        let (from_max, to_max) = if max_is_sent {
            (Bound::PairMax, Bound::OtherSide)
        } else {
            (other_side(self.receive_max_bound), self.receive_max_bound)
        };
        let limit = |value: Decimal, bound: Bound| Limit { value, bound };
        Limits {
            from: Range { min: limit(in_range(run.first), from_min), max: limit(in_range(run.last), from_max) },
            to: Range {
                min: limit(in_range(least), to_min),
                // The greatest amount that can really be received, so that asking for exactly it
                // is never above the maximum of the sent side.
                max: limit(in_range(run.most_received), to_max),
            },
        }
    }
}

/// How a bound of the received side is named on the sent side.
fn other_side(bound: Bound) -> Bound {
    match bound {
        Bound::PairMin | Bound::PairMax => Bound::OtherSide,
        Bound::OtherSide | Bound::Reserve | Bound::Engine => bound,
    }
}

/// Neighbouring sent amounts, all of them allowed.
#[derive(Clone, Copy)]
struct Run {
    first: Units,
    last: Units,
    least_received: Units,
    most_received: Units,
}

/// The longest run of allowed sent amounts; of equally long ones the first.
fn longest_run(terms: &Terms, wanted: &Wanted) -> Option<Run> {
    let mut longest: Option<Run> = None;
    let mut current: Option<Run> = None;
    for run in terms.pieces().iter().filter_map(|piece| allowed(terms, wanted, piece)) {
        let joined = match current {
            Some(before) if before.last + terms.grid_from() == run.first => Run {
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

/// The allowed sent amounts within one piece, where more sent is never less received.
fn allowed(terms: &Terms, wanted: &Wanted, piece: &Piece) -> Option<Run> {
    let (grid_from, grid_to) = (terms.grid_from(), terms.grid_to());
    let enough = terms.least_send_at(piece.course, wanted.receive_min)?;
    let first = units_up(piece.first, grid_from).max(wanted.send_min).max(enough);

    let piece_last = units_down(piece.end - 1, grid_from);
    let last = piece_last.min(wanted.send_max);
    let last = match terms.least_send_at(piece.course, wanted.receive_max + grid_to) {
        Some(too_much) => last.min(too_much - grid_from),
        None => last,
    };
    (first <= last).then(|| Run {
        first,
        last,
        least_received: terms.receive_units(first),
        most_received: terms.receive_units(last),
    })
}
