//! The margins that rules allow, and whether they exceed the limit for one person.

use agio_contracts::PairCosts;
use rust_decimal::{Decimal, RoundingStrategy};

use super::cost_price::CostPrice;
use super::rules::{FloorBase, RateRules};

/// The possible margins of a pair under its rules, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginRange {
    pub least: Decimal,
    pub most: Decimal,
}

impl MarginRange {
    fn holds(self, margin: Decimal) -> bool {
        (self.least..=self.most).contains(&margin)
    }
}

/// A customer rate before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaMove {
    /// `None` if there is nothing to compare with.
    pub before: Option<Decimal>,
    /// `None` if there is no rate now. A later one is unknown.
    pub after: Option<Decimal>,
}

impl FormulaMove {
    /// Whether the rate moves by more than a percentage, or may.
    pub fn exceeds(self, percent: Decimal) -> bool {
        let (Some(before), Some(after)) = (self.before, self.after) else { return true };
        let moved = (after - before).abs().checked_mul(Decimal::ONE_HUNDRED);
        let allowed = before.checked_mul(percent);
        !matches!((moved, allowed), (Some(moved), Some(allowed)) if moved <= allowed)
    }
}

/// How far a rate is below the market rate, in percent with two decimals, rounded down. Negative above it. `None` if
/// there is no market rate.
pub fn margin_percent(market: Decimal, rate: Decimal) -> Option<Decimal> {
    let share = rate.checked_div(market)?.checked_mul(Decimal::ONE_HUNDRED)?;
    let margin = Decimal::ONE_HUNDRED.checked_sub(share)?;
    Some(margin.round_dp_with_strategy(2, RoundingStrategy::ToNegativeInfinity).normalize())
}

impl RateRules {
    /// The possible margins of a pair with this spread: the bounds, or just the spread without adjusting rules. A floor
    /// over the cost price counts as it is now. `None` if it cannot be kept.
    pub fn margin_range(&self, spread: Decimal, cost_price: &CostPrice) -> Option<MarginRange> {
        let adjusts = |base: FloorBase| self.adjusts() || base == FloorBase::Cost;
        let Some(bounds) = self.bounds.filter(|bounds| adjusts(bounds.floor_over)) else {
            return Some(MarginRange { least: spread, most: spread });
        };
        let least = match bounds.floor_over {
            FloorBase::Market => bounds.floor,
            FloorBase::Cost => cost_price.least_margin(bounds.floor).ok()?,
        };
        Some(MarginRange { least, most: bounds.ceiling.max(least) })
    }

    /// The margins that may become possible under these rules: a floor over the cost price falls with the network fee, down
    /// to where payouts cost nothing.
    pub fn future_margin_range(&self, spread: Decimal, cost_price: &CostPrice) -> Option<MarginRange> {
        let now = self.margin_range(spread, cost_price)?;
        let costs = PairCosts { network_fee: Decimal::ZERO, ..cost_price.costs.clone() };
        let later = self.margin_range(spread, &CostPrice { costs: &costs, ..*cost_price })?;
        Some(MarginRange { least: now.least.min(later.least), most: now.most })
    }

    /// Whether other rules leave the bounds of the margin, and what they are bounds of, as they are.
    pub fn has_bounds_of(&self, other: &Self) -> bool {
        self.bounds == other.bounds && self.adjusts() == other.adjusts() && self.formula == other.formula
    }
}

/// Whether new rules allow rates that were not possible before and that differ from the current rate by more than
/// `percent`, or are above the market by more: many small changes would lead there, too. `margin` is the current margin.
/// Margins that are unknown may be any.
pub fn exceeds_limit(margin: Decimal, before: Option<MarginRange>, after: Option<MarginRange>, percent: Decimal) -> bool {
    let Some(after) = after else { return true };
    let is_far = |to: Decimal| {
        // The rate is what the margin leaves of the market rate.
        let left = (Decimal::ONE_HUNDRED - margin).abs();
        (to - margin).abs() * Decimal::ONE_HUNDRED > percent * left
    };
    let rises_above_market = after.least < -percent && before.is_none_or(|before| after.least < before.least);
    rises_above_market
        || [after.least, after.most].into_iter().any(|to| !before.is_some_and(|before| before.holds(to)) && is_far(to))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "a range may be unknown")]
    fn margin_range(least: i64, most: i64) -> Option<MarginRange> {
        Some(MarginRange { least: Decimal::new(least, 2), most: Decimal::new(most, 2) })
    }

    #[test]
    fn margins_beyond_the_limit_are_detected() {
        let (two, five) = (Decimal::TWO, Decimal::from(5));
        let spread = margin_range(200, 200);
        assert!(!exceeds_limit(two, spread, margin_range(50, 400), five));
        // 5 % of 98 % of the market rate are 4.9 points.
        assert!(!exceeds_limit(two, spread, margin_range(-290, 690), five));
        assert!(
            exceeds_limit(two, spread, margin_range(-291, 690), five)
                && exceeds_limit(two, spread, margin_range(-290, 691), five)
        );
    }

    #[test]
    fn approved_margins_are_not_checked_again() {
        let five = Decimal::from(5);
        let wide = margin_range(-500, 2_000);
        assert!(
            !exceeds_limit(Decimal::TWO, wide, margin_range(-500, 2_000), five)
                && !exceeds_limit(Decimal::TWO, wide, margin_range(-400, 1_500), five)
        );
        assert!(exceeds_limit(Decimal::TWO, wide, margin_range(-500, 2_001), five));
        // Removing rules moves the rate back to the spread.
        assert!(exceeds_limit(Decimal::from(20), margin_range(1_000, 2_000), margin_range(200, 200), five));
    }

    #[test]
    fn small_steps_lead_no_further_above_the_market() {
        let exceeds = |before: i64, after: i64| {
            let margins = (margin_range(before, before), margin_range(after, after));
            exceeds_limit(Decimal::new(before, 2), margins.0, margins.1, Decimal::from(5))
        };
        assert!(!exceeds(-400, -500) && exceeds(-400, -501) && exceeds(-800, -900));
        assert!(!exceeds(-900, -800), "it comes nearer");
    }

    proptest! {
        #[test]
        fn with_a_zero_limit_every_new_margin_exceeds_it(
            margin in -5_000_i64..9_000, least in -5_000_i64..9_000, width in 0_i64..5_000, more in 1_i64..500,
        ) {
            let before = margin_range(least, least + width);
            let after = margin_range(least - more, least + width);
            let is_new = margin != least - more || least - more < 0;
            prop_assert_eq!(exceeds_limit(Decimal::new(margin, 2), before, after, Decimal::ZERO), is_new);
            prop_assert!(!exceeds_limit(Decimal::new(margin, 2), before, before, Decimal::ZERO));
        }
    }
}
