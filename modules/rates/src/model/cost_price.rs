//! What an exchange costs, what it leaves, and the margin that keeps a floor over the cost price.
//!
//! An exchange takes in what is given, worth `give × market rate`, and spends what the customer receives and the network
//! fee of the payout. The margin over cost is what is left, in percent of that worth. A network fee that the customer
//! bears cancels out: they receive that much less. A customer's own bonus is not part of it.

use agio_contracts::{ExchangeAmounts, PairCosts, PricedPair, RateTier};
use agio_core::ratio::Ratio;
use rust_decimal::{Decimal, RoundingStrategy};

use super::rate_range::margin_percent;
use super::rules::{MARGIN_MAX, PERCENT_DIGITS};

/// Significant digits that are always exact in a decimal.
const EXACT_DIGITS: u32 = 28;
/// Significant digits of a cost price.
const COST_DIGITS: u32 = 12;

/// Why no margin keeps the floor over the cost price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostFault {
    /// The market rate is unknown, and with it what an exchange takes in.
    Unknown,
    /// Not even the greatest margin does: the network fee eats up the smallest exchange.
    BelowCost,
}

/// What the floor over the cost price depends on.
#[derive(Clone, Copy, Debug)]
pub struct CostPrice<'a> {
    /// What the sources say the pair is worth.
    pub market: Option<Decimal>,
    /// The pair's own rate, before any margin and fees.
    pub rate: Option<Decimal>,
    /// Percentage fees on the give and the receive side.
    pub fee_percents: (Decimal, Decimal),
    pub costs: &'a PairCosts,
}

impl CostPrice<'_> {
    /// The least margin, in percent of the pair's own rate, at which every exchange leaves at least `floor` percent over
    /// cost. Rounded up.
    ///
    /// It is the greatest that a tier needs. Of a tier counts its smallest exchange: there the network fee weighs most.
    /// Fixed fees of customers make up for the network fee in that exchange and never count for more: at no amount is the
    /// rate better than `floor` percent below the market rate.
    ///
    /// # Errors
    /// There is none up to [`MARGIN_MAX`], or the market rate is unknown.
    pub fn least_margin(&self, floor: Decimal) -> Result<Decimal, CostFault> {
        let (market, rate) = self.market.and_then(Ratio::of).zip(self.rate.and_then(Ratio::of)).ok_or(CostFault::Unknown)?;
        let kept = Ratio::plus_percent(-floor).ok_or(CostFault::BelowCost)?.times(&market);
        let margin = |tier: RateTier| {
            let best = self.best_rate(&kept, tier.min_give)?;
            let percents = [-self.fee_percents.0, -self.fee_percents.1, tier.added_percent];
            let whole =
                percents.into_iter().try_fold(rate.clone(), |rate, added| Some(rate.times(&Ratio::plus_percent(added)?)))?;
            let left = best.over(&whole).times(&Ratio::of(Decimal::ONE_HUNDRED)?);
            Decimal::ONE_HUNDRED.checked_sub(left.round_down(EXACT_DIGITS, PERCENT_DIGITS)?)
        };
        // A tier without a margin has none that is small enough.
        let margins: Option<Vec<Decimal>> = self.reachable_tiers().map(margin).collect();
        let least = margins.and_then(|margins| margins.into_iter().max());
        least.filter(|least| *least <= MARGIN_MAX).ok_or(CostFault::BelowCost)
    }

    /// The greatest rate from a give amount upwards, if `kept` is what an exchange may spend of each unit given.
    fn best_rate(&self, kept: &Ratio, min_give: Decimal) -> Option<Ratio> {
        let PairCosts { give_fee, receive_fee, network_fee, min_receive, .. } = *self.costs;
        // From here on the least receive amount is affordable. Where it is the limit, the rate allows no smaller exchange.
        let affordable = Ratio::of(min_receive.checked_add(network_fee)?)?.over(kept);
        let given = [min_give, self.costs.give_limits.0.unwrap_or_default()].into_iter().filter_map(Ratio::of);
        let smallest = given.fold(affordable, Ratio::max);
        let Some(net) = Ratio::of(give_fee).map_or_else(|| Some(smallest.clone()), |fee| smallest.minus(&fee)) else {
            return Some(kept.clone());
        };
        let spent = smallest.times(kept);
        let spent = Ratio::of(receive_fee).map_or_else(|| spent.clone(), |fee| spent.plus(&fee));
        let spent = Ratio::of(network_fee).map_or_else(|| Some(spent.clone()), |fee| spent.minus(&fee))?;
        Some(spent.over(&net).min(kept.clone()))
    }

    /// The tiers in which an amount within the give limits lies, with the base rate as a tier from zero.
    fn reachable_tiers(&self) -> impl Iterator<Item = RateTier> {
        let PairCosts { tiers, give_limits: (min, max), .. } = self.costs;
        let base = RateTier { min_give: Decimal::ZERO, added_percent: Decimal::ZERO };
        let ends = tiers.iter().map(|next| Some(next.min_give)).chain([None]);
        let is_reachable = move |(tier, end): &(RateTier, Option<Decimal>)| {
            let first = tier.min_give.max(min.unwrap_or_default());
            max.is_none_or(|max| first <= max) && end.is_none_or(|end| first < end)
        };
        std::iter::once(base).chain(tiers.iter().copied()).zip(ends).filter(is_reachable).map(|(tier, _)| tier)
    }
}

/// What the smallest and the largest exchange of a pair leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeMargins {
    pub smallest: ExchangeMargin,
    pub largest: ExchangeMargin,
    /// What the network takes for a payout, in the receive currency, also if the customer bears it.
    pub network_fee: Decimal,
}

/// What an exchange leaves over its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeMargin {
    pub amounts: ExchangeAmounts,
    /// Units received for one unit given at which nothing is left. `None` if the network fee alone costs more.
    pub cost_price: Option<Decimal>,
    /// What is left, in the receive currency. Rounded down.
    pub margin: Decimal,
    /// The same in percent of the worth of what is given. Rounded down.
    pub percent: Decimal,
}

impl ExchangeMargins {
    /// `None` if nothing can be exchanged or the market rate is unknown.
    pub fn of(pair: &PricedPair) -> Option<Self> {
        let (smallest, largest) = pair.costs.exchanges?;
        let margin = |amounts| ExchangeMargin::of(pair.reference?, amounts, &pair.costs);
        Some(Self { smallest: margin(smallest)?, largest: margin(largest)?, network_fee: pair.costs.network_fee })
    }
}

impl ExchangeMargin {
    fn of(market: Decimal, amounts: ExchangeAmounts, costs: &PairCosts) -> Option<Self> {
        let ExchangeAmounts { give, receive } = amounts;
        let worth = give.checked_mul(market)?;
        let spent = receive.checked_add(costs.network_fee)?;
        let margin = worth.checked_sub(spent)?;
        let cost_price = worth.checked_sub(costs.network_fee)?.checked_div(give)?;
        let cost_price = cost_price.round_sf_with_strategy(COST_DIGITS, RoundingStrategy::ToZero)?.normalize();
        Some(Self {
            amounts,
            cost_price: (cost_price > Decimal::ZERO).then_some(cost_price),
            margin: margin.round_dp_with_strategy(costs.receive_digits, RoundingStrategy::ToNegativeInfinity).normalize(),
            percent: margin_percent(worth, spent)?,
        })
    }
}
