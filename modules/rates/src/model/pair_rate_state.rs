//! Suspension and resumption of a pair by its rate.

use std::time::Duration;

use agio_contracts::{ExcludedSource, SuspensionCause, SuspensionReason};
use agio_core::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// State of a pair between cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PairRateState {
    pub last: Option<GoodCycle>,
    /// A good rate from the start of the window, so that many small steps cannot exceed the limit.
    pub anchor: Option<GoodCycle>,
    pub suspension: Option<SuspensionReason>,
    /// Consecutive good cycles while suspended.
    pub good_cycles: u32,
    /// The rate of the previous cycle, good or not.
    #[serde(with = "agio_core::decimal::optional_text")]
    pub previous: Option<Decimal>,
    /// The margin for the aggregator rank.
    #[serde(with = "agio_core::decimal::optional_text")]
    pub margin: Option<Decimal>,
    /// Set while the floor over the cost price is not kept. It ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_suspension: Option<SuspensionReason>,
    /// Start of the suspension by schedule.
    pub rests_since: Option<Timestamp>,
    /// Time of the last history point.
    pub point_at: Option<Timestamp>,
    /// The formula that gave the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoodCycle {
    /// The market rate: units received for one unit given.
    #[serde(with = "agio_core::decimal::text")]
    pub rate: Decimal,
    pub at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    pub sources: u32,
    /// In percent.
    pub jump_percent: Decimal,
    pub window: Duration,
    /// Good cycles before a suspended pair resumes; zero for never.
    pub resume_after: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRateObservation {
    pub market: Option<Decimal>,
    pub fault: Option<RateFault>,
    /// The smallest number of agreeing sources over all parts of the rate.
    pub agreed: u32,
}

/// A problem with the sources of a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateFault {
    pub cause: SuspensionCause,
    pub asset_pair: String,
    pub numbers: Vec<(String, String)>,
    pub excluded: Vec<ExcludedSource>,
}

pub fn next_state(before: &PairRateState, observed: &PairRateObservation, limits: RateLimits, now: Timestamp) -> PairRateState {
    let mut after = PairRateState { previous: observed.market.or(before.previous), ..before.clone() };
    let fault = observed.fault.clone().or_else(|| jump(before, observed, limits));
    if let Some(fault) = fault {
        let since = before.suspension.as_ref().map_or(now, |suspension| suspension.since);
        let RateFault { cause, asset_pair, numbers, excluded } = fault;
        after.suspension = Some(SuspensionReason { cause, asset_pair, numbers, excluded, since });
        after.good_cycles = 0;
        return after;
    }
    let Some(rate) = observed.market else { return after };
    if before.suspension.is_some() {
        after.good_cycles = before.good_cycles.saturating_add(1);
        if limits.resume_after == 0 || after.good_cycles < limits.resume_after {
            return after;
        }
        return PairRateState { last: None, anchor: None, ..after }.with_good_rate(rate, limits, now);
    }
    after.with_good_rate(rate, limits, now)
}

impl PairRateState {
    /// What suspends the pair, its schedule aside.
    pub fn problem(&self) -> Option<&SuspensionReason> {
        self.suspension.as_ref().or(self.cost_suspension.as_ref())
    }

    /// The state for the next rate by this formula. Rates by another one have nothing to be compared with. A suspension
    /// stays.
    #[must_use]
    pub fn for_formula(self, formula: Option<&str>) -> Self {
        if self.formula.as_deref() == formula {
            return self;
        }
        Self { formula: formula.map(str::to_owned), ..self.without_rates() }
    }

    #[must_use]
    pub fn without_rates(self) -> Self {
        Self { last: None, anchor: None, previous: None, ..self }
    }

    /// Staff confirm the rate: the pair resumes at the rate of the next cycle.
    pub fn resumed(&self) -> Self {
        Self { last: None, anchor: None, suspension: None, good_cycles: 0, ..self.clone() }
    }

    fn with_good_rate(self, rate: Decimal, limits: RateLimits, now: Timestamp) -> Self {
        let is_old = |anchor: &GoodCycle| anchor.at < now.minus(limits.window);
        let anchor = match self.anchor {
            Some(anchor) if !is_old(&anchor) => anchor,
            _ => self.last.unwrap_or(GoodCycle { rate, at: now }),
        };
        // An old last good rate starts a new window now.
        let anchor = if is_old(&anchor) { GoodCycle { rate: anchor.rate, at: now } } else { anchor };
        let last = Some(GoodCycle { rate, at: now });
        Self { last, anchor: Some(anchor), suspension: None, good_cycles: 0, ..self }
    }
}

/// A price jump beyond the limit. A suspended pair is compared with its last good rate, however old, unless at least
/// two sources agree on the new rate and it is steady.
fn jump(before: &PairRateState, observed: &PairRateObservation, limits: RateLimits) -> Option<RateFault> {
    let rate = observed.market?;
    let is_far = |good: &GoodCycle| is_beyond(good.rate, rate, limits.jump_percent);
    let good = [&before.last, &before.anchor].into_iter().flatten().find(|good| is_far(good))?;
    let is_steady = before.previous.is_some_and(|previous| !is_beyond(previous, rate, limits.jump_percent));
    if before.suspension.is_some() && is_steady && observed.agreed >= limits.sources.max(2) {
        return None;
    }
    let numbers = [("before", good.rate), ("now", rate), ("percent", limits.jump_percent)];
    let numbers = numbers.map(|(name, number)| (name.to_owned(), agio_core::money::plain(number)));
    Some(RateFault { cause: SuspensionCause::Jump, asset_pair: String::new(), numbers: numbers.to_vec(), excluded: Vec::new() })
}

/// Whether two rates differ by more than a percentage of the smaller one, so that the result is symmetric.
pub fn is_beyond(before: Decimal, after: Decimal, percent: Decimal) -> bool {
    let (least, most) = (before.min(after), before.max(after));
    let bound = || least.checked_mul(Decimal::ONE_HUNDRED.checked_add(percent)?)?.checked_div(Decimal::ONE_HUNDRED);
    least <= Decimal::ZERO || bound().is_none_or(|bound| most > bound)
}
