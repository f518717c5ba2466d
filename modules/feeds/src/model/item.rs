//! A feed entry: a direction in the aggregators' format.

use std::collections::BTreeSet;

use agio_contracts::OfferedDirection;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use super::marks::FeedMark;

const RATE_DIGITS: u32 = 10;

pub(super) const RATE_SCALE_MAX: u32 = 24;

/// One of both amounts is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedRate {
    pub give: Decimal,
    pub get: Decimal,
}

/// A rate for a range of given amounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateStep {
    pub from_min: Decimal,
    pub from_max: Decimal,
    pub rate: FeedRate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedItem {
    pub from: String,
    pub to: String,
    /// Rate of the minimum amount.
    pub rate: FeedRate,
    pub amount: Decimal,
    pub from_min: Decimal,
    pub from_max: Decimal,
    pub to_min: Decimal,
    pub to_max: Decimal,
    pub from_fee: Decimal,
    pub to_fee: Decimal,
    /// Minutes within which the payment that fixes the rate is due; `None` for fixed rates.
    pub floating: Option<i64>,
    pub marks: BTreeSet<FeedMark>,
    pub city: Option<String>,
    pub steps: Vec<RateStep>,
}

impl FeedRate {
    /// Rounded against the customer, so never better than the rate. `None` if out of range.
    pub fn of(course: Decimal) -> Option<Self> {
        let exact = Ratio::of(course)?;
        Some(if course >= Decimal::ONE {
            Self { give: Decimal::ONE, get: exact.round_down(RATE_DIGITS, RATE_SCALE_MAX)? }
        } else {
            Self { give: Ratio::one().over(&exact).round_up(RATE_DIGITS, RATE_SCALE_MAX)?, get: Decimal::ONE }
        })
    }

    /// Units received per unit given; `None` unless both sides are positive.
    pub fn course(self) -> Option<Ratio> {
        Some(Ratio::of(self.get)?.over(&Ratio::of(self.give)?))
    }
}

/// The rate of a given amount.
pub fn course_at(direction: &OfferedDirection, send: Decimal) -> Option<Decimal> {
    direction.rates.iter().rfind(|(min, _)| *min <= send).map(|(_, course)| *course)
}

impl FeedItem {
    /// `None` if the rate is out of range.
    pub fn of(
        direction: &OfferedDirection,
        codes: (&str, &str),
        marks: BTreeSet<FeedMark>,
        city: Option<String>,
    ) -> Option<Self> {
        let (min_amount, max_amount) = (direction.from.min, direction.from.max);
        let above: Vec<_> = direction.rates.iter().filter(|(min, _)| *min > min_amount && *min <= max_amount).collect();
        let ends = above.iter().skip(1).map(|(min, _)| *min).chain([max_amount]);
        let steps = above
            .iter()
            .zip(ends)
            .map(|((min, course), end)| FeedRate::of(*course).map(|rate| RateStep { from_min: *min, from_max: end, rate }));
        Some(Self {
            from: codes.0.to_owned(),
            to: codes.1.to_owned(),
            rate: FeedRate::of(course_at(direction, min_amount)?)?,
            amount: direction.reserve,
            from_min: min_amount,
            from_max: max_amount,
            to_min: direction.to.min,
            to_max: direction.to.max,
            from_fee: direction.give_fee,
            to_fee: direction.receive_fee,
            floating: direction.floating,
            marks,
            city,
            steps: steps.collect::<Option<_>>()?,
        })
    }
}
