//! An entry of a feed: a direction in the words and numbers of monitors.

use std::collections::BTreeSet;

use agio_core::needs::Direction;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

/// Significant digits of a rate.
const RATE_DIGITS: u32 = 10;

/// Decimals of a rate, at most.
pub(super) const RATE_SCALE_MAX: u32 = 24;

/// Give `give`, get `get`; one of them is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InOut {
    /// How much of the sent currency.
    pub give: Decimal,
    /// How much of the received one.
    pub get: Decimal,
}

/// A rate that holds from one sent amount to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The least sent amount.
    pub from_min: Decimal,
    /// The greatest sent amount.
    pub from_max: Decimal,
    /// The rate.
    pub rate: InOut,
}

/// An entry of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The code of the sent currency, as the monitor calls it.
    pub from: String,
    /// The code of the received currency, as the monitor calls it.
    pub to: String,
    /// The rate at the least amount.
    pub rate: InOut,
    /// The reserve of the received currency.
    pub amount: Decimal,
    /// The least sent amount.
    pub from_min: Decimal,
    /// The greatest sent amount.
    pub from_max: Decimal,
    /// The least received amount.
    pub to_min: Decimal,
    /// The greatest received amount.
    pub to_max: Decimal,
    /// The fixed fee added to the sent amount; zero for none.
    pub from_fee: Decimal,
    /// The fixed fee taken from the received amount; zero for none.
    pub to_fee: Decimal,
    /// Within how many minutes the payment is due that fixes the rate; nothing where the rate is fixed with the order.
    pub floating: Option<i64>,
    /// Marks.
    pub marks: BTreeSet<String>,
    /// The city, for cash.
    pub city: Option<String>,
    /// The rates of greater amounts.
    pub steps: Vec<Step>,
}

impl InOut {
    /// A course, never better for the customer than it is: what they get is rounded down, what they give up. None when it is out of the
    /// range of numbers.
    #[must_use]
    pub fn of(course: Decimal) -> Option<Self> {
        let exact = Ratio::of(course)?;
        Some(if course >= Decimal::ONE {
            Self { give: Decimal::ONE, get: exact.round_down(RATE_DIGITS, RATE_SCALE_MAX)? }
        } else {
            Self { give: Ratio::one().over(&exact).round_up(RATE_DIGITS, RATE_SCALE_MAX)?, get: Decimal::ONE }
        })
    }

    /// Units received for one unit sent; none where a side is not above zero.
    #[must_use]
    pub fn course(self) -> Option<Ratio> {
        Some(Ratio::of(self.get)?.over(&Ratio::of(self.give)?))
    }
}

/// The course that holds for a sent amount.
#[must_use]
pub fn course_at(direction: &Direction, send: Decimal) -> Option<Decimal> {
    direction.courses.iter().rfind(|(min, _)| *min <= send).map(|(_, course)| *course)
}

impl Item {
    /// A direction under the monitor's codes, with these marks. None when its rate is out of the range of numbers.
    #[must_use]
    pub fn of(direction: &Direction, codes: (&str, &str), marks: BTreeSet<String>, city: Option<&str>) -> Option<Self> {
        let (least, most) = (direction.from.min, direction.from.max);
        let above: Vec<_> = direction.courses.iter().filter(|(min, _)| *min > least && *min <= most).collect();
        let ends = above.iter().skip(1).map(|(min, _)| *min).chain([most]);
        let steps = above
            .iter()
            .zip(ends)
            .map(|((min, course), end)| InOut::of(*course).map(|rate| Step { from_min: *min, from_max: end, rate }));
        Some(Self {
            from: codes.0.to_owned(),
            to: codes.1.to_owned(),
            rate: InOut::of(course_at(direction, least)?)?,
            amount: direction.reserve,
            from_min: least,
            from_max: most,
            to_min: direction.to.min,
            to_max: direction.to.max,
            from_fee: direction.fee_from,
            to_fee: direction.fee_to,
            floating: direction.floating,
            marks,
            city: city.map(str::to_owned),
            steps: steps.collect::<Option<_>>()?,
        })
    }
}
