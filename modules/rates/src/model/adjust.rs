//! What rules add to the course of a pair, and the bounds all of it stays within.

use agio_core::Timestamp;
use agio_core::needs::{Adjustment, BoundPart, MovePart, PositionPart, ReservePart, SchedulePart};
use rust_decimal::{Decimal, RoundingStrategy};

use super::position::{self, Board};
use super::rules::{Bounds, Checkpoint, Rules};

/// Digits behind the point of a level or a move that is told.
const TOLD_DIGITS: u32 = 2;

/// What rules look at.
#[derive(Clone, Debug)]
pub struct Sight<'a> {
    /// What the operator keeps of the rate, in percent.
    pub spread: Decimal,
    /// Units received for one sent at the market.
    pub market: Option<Decimal>,
    /// The fees in percent, on the sent and on the received side.
    pub fees: (Decimal, Decimal),
    /// What is free of the received currency.
    pub free: Decimal,
    /// The market's rate of a day ago.
    pub day_ago: Option<(Decimal, Timestamp)>,
    /// What the monitor showed, if that is recent enough.
    pub board: Option<&'a Board>,
    /// The margin that the place on the monitor took before.
    pub margin: Option<Decimal>,
    /// The present.
    pub now: Timestamp,
}

/// What rules say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjusted {
    /// What is added, with what it follows from.
    pub adjustments: Vec<Adjustment>,
    /// The hours the pair rests in now.
    pub rest: Option<String>,
    /// The margin that the place on the monitor takes now.
    pub margin: Option<Decimal>,
}

/// Applies the rules. What is added keeps the margin, that is the spread less all of it, within the bounds.
#[must_use]
pub fn adjust(rules: &Rules, sight: &Sight) -> Adjusted {
    let mut adjusted = Adjusted::default();
    let window = rules.schedule.as_ref().and_then(|schedule| schedule.at(sight.now));
    adjusted.rest = window.filter(|window| window.percent.is_none()).map(super::schedule::Window::hours);
    let Some(bounds) = rules.bounds.filter(|_| rules.adjusts()) else { return adjusted };

    let place = place(rules, bounds, sight);
    adjusted.margin = place.as_ref().and_then(|part| part.of.as_ref()).map(|of| of.margin);
    let hour = window.and_then(|window| {
        let percent = window.percent?;
        Some(SchedulePart { percent: percent.normalize(), hours: window.hours() })
    });
    let parts = [
        place.map(Adjustment::Position),
        level(rules, sight).map(Adjustment::Reserve),
        moved(rules, sight).map(Adjustment::Move),
        hour.map(Adjustment::Schedule),
    ];
    adjusted.adjustments = parts.into_iter().flatten().collect();
    let added: Decimal = adjusted.adjustments.iter().map(Adjustment::percent).sum();
    let margin = sight.spread - added;
    let bounded = margin.clamp(bounds.floor, bounds.ceiling);
    if bounded != margin {
        let part = BoundPart {
            percent: (margin - bounded).normalize(),
            floor: bounds.floor.normalize(),
            ceiling: bounds.ceiling.normalize(),
        };
        adjusted.adjustments.push(Adjustment::Bound(part));
    }
    adjusted
}

fn place(rules: &Rules, bounds: Bounds, sight: &Sight) -> Option<PositionPart> {
    let position = rules.position.as_ref()?;
    let left = |percent: Decimal| Decimal::ONE_HUNDRED.checked_sub(percent)?.checked_div(Decimal::ONE_HUNDRED);
    let whole = sight.market?.checked_mul(left(sight.fees.0)?)?.checked_mul(left(sight.fees.1)?)?;
    let of = position::aim(position, bounds, whole, sight.board, sight.margin.unwrap_or(sight.spread));
    Some(PositionPart { percent: (sight.spread - of.margin).normalize(), of: Some(of) })
}

fn level(rules: &Rules, sight: &Sight) -> Option<ReservePart> {
    let reserve = rules.reserve.as_ref()?;
    let level = percent_of(sight.free, reserve.target)?;
    Some(ReservePart { percent: Checkpoint::at(&reserve.levels, level)?.normalize(), level })
}

fn moved(rules: &Rules, sight: &Sight) -> Option<MovePart> {
    let (before, at) = sight.day_ago.filter(|_| !rules.moves.is_empty())?;
    let moved = percent_of(sight.market?.checked_sub(before)?, before)?;
    Some(MovePart { percent: Checkpoint::at(&rules.moves, moved)?.normalize(), moved, before: before.normalize(), at })
}

/// How many percent one number is of another, rounded down to what is told.
fn percent_of(part: Decimal, whole: Decimal) -> Option<Decimal> {
    let percent = part.checked_div(whole)?.checked_mul(Decimal::ONE_HUNDRED)?;
    Some(percent.round_dp_with_strategy(TOLD_DIGITS, RoundingStrategy::ToNegativeInfinity).normalize())
}
