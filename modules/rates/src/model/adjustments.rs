//! Rate adjustments by rules, and their bounds.

use agio_contracts::{
    Adjustment, BoundAdjustment, PairCosts, PriceMoveAdjustment, RankAdjustment, ReserveAdjustment, ScheduleAdjustment,
};
use agio_core::Timestamp;
use rust_decimal::{Decimal, RoundingStrategy};

use super::cost_price::{CostFault, CostPrice};
use super::rank::{self, OrderBook};
use super::rules::{FloorBase, MarginBounds, MarginCheckpoint, PERCENT_DIGITS, RateRules};

/// Decimals of a reserve level or a price move.
const PERCENT_DIGITS_SHOWN: u32 = 2;

#[derive(Clone, Debug)]
pub struct AdjustmentInput<'a> {
    /// In percent.
    pub spread: Decimal,
    /// The rate before spread and rules: units received for one unit given.
    pub market: Option<Decimal>,
    /// What the sources say the pair is worth, also if its rate is its own.
    pub reference: Option<Decimal>,
    /// Percentage fees on the give and the receive side.
    pub fees: (Decimal, Decimal),
    pub costs: &'a PairCosts,
    pub free: Decimal,
    /// The market rate a day ago and its time.
    pub day_ago: Option<(Decimal, Timestamp)>,
    /// Competitors on the aggregator, if recent enough.
    pub order_book: Option<&'a OrderBook>,
    /// The previous margin for the rank.
    pub margin: Option<Decimal>,
    pub now: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleResult {
    pub adjustments: Vec<Adjustment>,
    /// The schedule window that suspends the pair now.
    pub rest: Option<String>,
    /// When the schedule opens the pair again, if it suspends it now.
    pub opens_at: Option<Timestamp>,
    /// The new margin for the rank.
    pub margin: Option<Decimal>,
    /// Why the floor over the cost price is not kept. Then nothing is adjusted, and the pair must not be exchanged.
    pub cost_fault: Option<CostFault>,
}

/// Applies the rules. The total margin (spread less adjustments) stays within the bounds.
pub fn adjust(rules: &RateRules, adjustment_input: &AdjustmentInput) -> RuleResult {
    let mut adjusted = RuleResult::default();
    let window = rules.schedule.as_ref().and_then(|schedule| schedule.at(adjustment_input.now));
    adjusted.rest = window.filter(|window| window.percent.is_none()).map(super::schedule::ScheduleWindow::hours);
    let closed = rules.schedule.as_ref().filter(|_| adjusted.rest.is_some());
    adjusted.opens_at = closed.and_then(|schedule| schedule.opens_at(adjustment_input.now));
    let Some(set) = rules.applied_bounds() else { return adjusted };
    let by_market = || rules.formula.as_ref().and_then(|_| market_bounds(set, adjustment_input)).unwrap_or(set.ends());
    let (bounds, (least, most)) = match set.floor_over {
        FloorBase::Market => (set, by_market()),
        FloorBase::Cost => match cost_bounds(set, by_market().1, adjustment_input) {
            Ok(bounds) => (bounds, bounds.ends()),
            Err(fault) => return RuleResult { cost_fault: Some(fault), ..adjusted },
        },
    };

    let rank = rank_adjustment(rules, bounds, adjustment_input);
    adjusted.margin = rank.as_ref().and_then(|part| part.of.as_ref()).map(|of| of.margin);
    let hour = window.and_then(|window| {
        let percent = window.percent?;
        Some(ScheduleAdjustment { percent: percent.normalize(), hours: window.hours() })
    });
    let parts = [
        rank.map(Adjustment::Rank),
        reserve_adjustment(rules, adjustment_input).map(Adjustment::Reserve),
        price_move_adjustment(rules, adjustment_input).map(Adjustment::Move),
        hour.map(Adjustment::Schedule),
    ];
    adjusted.adjustments = parts.into_iter().flatten().collect();
    let added: Decimal = adjusted.adjustments.iter().map(Adjustment::percent).sum();
    let margin = adjustment_input.spread - added;
    let bounded = margin.max(least).min(most);
    if bounded != margin {
        let part = BoundAdjustment {
            percent: (margin - bounded).normalize(),
            floor: bounds.floor.normalize(),
            ceiling: bounds.ceiling.normalize(),
        };
        adjusted.adjustments.push(Adjustment::Bound(part));
    }
    adjusted
}

/// The margins on the pair's own rate at which the floor over the cost price holds. The floor wins over the ceiling.
fn cost_bounds(set: MarginBounds, ceiling: Decimal, adjustment_input: &AdjustmentInput) -> Result<MarginBounds, CostFault> {
    let floor = adjustment_input.cost_price().least_margin(set.floor)?;
    Ok(MarginBounds { floor, ceiling: ceiling.max(floor), ..set })
}

impl<'a> AdjustmentInput<'a> {
    pub fn cost_price(&self) -> CostPrice<'a> {
        CostPrice { market: self.reference, rate: self.market, fee_percents: self.fees, costs: self.costs }
    }
}

/// The margins on the rate of a formula at which the customer rate is within the bounds of the market. Rounded up, in
/// the exchange's favour. `None` if the market rate is unknown.
fn market_bounds(bounds: MarginBounds, adjustment_input: &AdjustmentInput) -> Option<(Decimal, Decimal)> {
    let share = adjustment_input.reference?.checked_div(adjustment_input.market?)?;
    let margin = |bound: Decimal| {
        let left = Decimal::ONE_HUNDRED.checked_sub(bound)?.checked_mul(share)?;
        let margin = Decimal::ONE_HUNDRED.checked_sub(left)?;
        Some(margin.round_dp_with_strategy(PERCENT_DIGITS, RoundingStrategy::ToPositiveInfinity))
    };
    margin(bounds.floor).zip(margin(bounds.ceiling))
}

fn rank_adjustment(rules: &RateRules, bounds: MarginBounds, adjustment_input: &AdjustmentInput) -> Option<RankAdjustment> {
    let rank_rule = rules.rank.as_ref()?;
    let left = |percent: Decimal| Decimal::ONE_HUNDRED.checked_sub(percent)?.checked_div(Decimal::ONE_HUNDRED);
    let whole =
        adjustment_input.market?.checked_mul(left(adjustment_input.fees.0)?)?.checked_mul(left(adjustment_input.fees.1)?)?;
    let of = rank::target_rank(
        rank_rule,
        bounds,
        whole,
        adjustment_input.order_book,
        adjustment_input.margin.unwrap_or(adjustment_input.spread),
    );
    Some(RankAdjustment { percent: (adjustment_input.spread - of.margin).normalize(), of: Some(of) })
}

fn reserve_adjustment(rules: &RateRules, adjustment_input: &AdjustmentInput) -> Option<ReserveAdjustment> {
    let reserve = rules.reserve.as_ref()?;
    let level = percent_of(adjustment_input.free, reserve.target)?;
    Some(ReserveAdjustment { percent: MarginCheckpoint::at(&reserve.levels, level)?.normalize(), level })
}

fn price_move_adjustment(rules: &RateRules, adjustment_input: &AdjustmentInput) -> Option<PriceMoveAdjustment> {
    let (before, at) = adjustment_input.day_ago.filter(|_| !rules.moves.is_empty())?;
    let now = adjustment_input.reference.or(adjustment_input.market)?;
    let moved = percent_of(now.checked_sub(before)?, before)?;
    Some(PriceMoveAdjustment {
        percent: MarginCheckpoint::at(&rules.moves, moved)?.normalize(),
        moved,
        before: before.normalize(),
        at,
    })
}

/// Percentage of one number in another, rounded down.
fn percent_of(part: Decimal, whole: Decimal) -> Option<Decimal> {
    let percent = part.checked_div(whole)?.checked_mul(Decimal::ONE_HUNDRED)?;
    Some(percent.round_dp_with_strategy(PERCENT_DIGITS_SHOWN, RoundingStrategy::ToNegativeInfinity).normalize())
}
