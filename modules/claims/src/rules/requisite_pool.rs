//! Which of the requisites that customers pay to a claim gets. Days and months are those of UTC.

use std::collections::HashSet;
use std::time::Duration;

use agio_core::{Timestamp, named};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use time::{Date, Month};
use uuid::Uuid;

named! {
    /// The order in which the requisites of a currency are given to claims.
    RequisiteRotation {
        /// The one that was given out longest ago.
        InTurn = "in_turn",
        /// The one with the smallest amount today.
        LeastUsed = "least_used",
        /// The lowest priority number; equal ones in turn.
        Priority = "priority",
        /// In proportion to the weights, by the number of claims today.
        Weighted = "weighted",
    }
}

named! {
    /// How payments to one requisite are told apart.
    RequisiteIdentification {
        /// By amount and sender alone.
        None = "none",
        /// By a memo that each claim gets for itself.
        Memo = "memo",
        /// By an amount that no other open claim pays to it: at most 99 of the smallest units less than was agreed.
        Amount = "amount",
    }
}

named! {
    /// Why a requisite is not given to a claim.
    RequisiteUnavailability {
        /// It is switched off.
        Disabled = "disabled",
        /// It is for one claim, which has it.
        Used = "used",
        /// Its total turnover is reached.
        TurnoverLimit = "turnover_limit",
        MonthlyLimit = "monthly_limit",
        DailyLimit = "daily_limit",
        /// The number of claims in a day is reached.
        DailyCount = "daily_count",
        /// It was given out a short time ago.
        Cooling = "cooling",
        /// The claim's amount is below its minimum.
        BelowMin = "below_min",
        /// The claim's amount is above its maximum.
        AboveMax = "above_max",
    }
}

/// The limits of a requisite. Amounts are in units; what is nothing is unlimited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct RequisiteLimits {
    /// The smallest amount of one claim.
    pub operation_min: Option<i64>,
    /// The largest amount of one claim.
    pub operation_max: Option<i64>,
    pub daily_limit: Option<i64>,
    pub monthly_limit: Option<i64>,
    /// The number of claims in a day.
    pub daily_count: Option<i64>,
    /// The total amount ever.
    pub turnover_limit: Option<i64>,
    /// Whether it is for one claim alone.
    pub one_time: bool,
    /// How long it is not given out after a claim got it; 0 is no pause.
    pub cooling_minutes: i64,
}

/// What a requisite was given out for: amounts of claims that are not paid yet, and amounts that were received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct RequisiteUsage {
    /// The day of the count, in days since 1970-01-01.
    pub used_day: i64,
    /// The amount of that day, in units.
    pub used_units: i64,
    /// The number of claims on that day.
    pub used_count: i64,
    /// The month of the count, in months since the year 0.
    pub used_month: i64,
    pub month_units: i64,
    pub total_units: i64,
    pub total_count: i64,
    /// When a claim last got it, paid or not: its turn.
    pub last_used_at: Option<Timestamp>,
    /// When the last claim that counts got it.
    pub cooling_from: Option<Timestamp>,
}

/// A requisite that customers pay to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct RequisiteRow {
    pub id: Uuid,
    pub currency_id: i64,
    /// The card, account or address.
    pub value: String,
    pub holder: Option<String>,
    /// The memo or tag every payment must carry.
    pub memo: Option<String>,
    /// Whether new claims get it.
    pub enabled: bool,
    pub identification: RequisiteIdentification,
    /// Lower comes first.
    pub priority: i64,
    /// Its share of a day's claims.
    pub weight: i64,
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub limits: RequisiteLimits,
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub usage: RequisiteUsage,
}

/// The day and month whose limits a claim counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct UsageDate {
    /// In days since 1970-01-01.
    pub day: i64,
    /// In months since the year 0.
    pub month: i64,
}

impl UsageDate {
    pub fn of(moment: Timestamp) -> Self {
        let date = moment.date();
        Self {
            day: moment.as_seconds().div_euclid(24 * 60 * 60),
            month: i64::from(date.year()) * 12 + i64::from(u8::from(date.month())) - 1,
        }
    }

    /// When a day begins, in days since 1970-01-01.
    pub fn start_of_day(day: i64) -> Timestamp {
        Timestamp(day.saturating_mul(24 * 60 * 60 * 1_000_000))
    }

    /// When a month begins, in months since the year 0.
    pub fn start_of_month(month: i64) -> Timestamp {
        let number = u8::try_from(month.rem_euclid(12)).unwrap_or_default();
        let (year, first) = (i32::try_from(month.div_euclid(12)).unwrap_or_default(), Month::January.nth_next(number));
        Timestamp::from_date(Date::from_calendar_date(year, first, 1).unwrap_or(Date::MIN))
    }

    /// When the next day begins.
    pub fn next_day(moment: Timestamp) -> Timestamp {
        Timestamp::from_date(moment.date().next_day().unwrap_or(Date::MAX))
    }

    /// When the next month begins.
    pub fn next_month(moment: Timestamp) -> Timestamp {
        let date = moment.date();
        let next = date.month().next();
        let year = date.year() + i32::from(next == Month::January);
        Timestamp::from_date(Date::from_calendar_date(year, next, 1).unwrap_or(Date::MAX))
    }
}

impl RequisiteUsage {
    /// The usage with the counts of days and months that are over set to zero.
    #[must_use]
    pub fn on(mut self, date: UsageDate) -> Self {
        if self.used_day < date.day {
            (self.used_day, self.used_units, self.used_count) = (date.day, 0, 0);
        }
        if self.used_month < date.month {
            (self.used_month, self.month_units) = (date.month, 0);
        }
        self
    }

    /// Counts a claim of a date with another amount than before; zero is a claim that does not count. `None` if a sum
    /// leaves its range.
    pub fn recount(self, date: UsageDate, before: i64, after: i64) -> Option<Self> {
        let mut usage = self.on(date);
        let units = after.checked_sub(before)?;
        let count = i64::from(after > 0) - i64::from(before > 0);
        let add = |sum: i64, change: i64| sum.checked_add(change).filter(|sum| *sum >= 0);
        // The counts of a day or month that is over are gone.
        if usage.used_day == date.day {
            usage.used_units = add(usage.used_units, units)?;
            usage.used_count = add(usage.used_count, count)?;
        }
        if usage.used_month == date.month {
            usage.month_units = add(usage.month_units, units)?;
        }
        usage.total_units = add(usage.total_units, units)?;
        usage.total_count = add(usage.total_count, count)?;
        Some(usage)
    }
}

impl RequisiteRow {
    /// Why a claim of this amount does not get the requisite; `None` if it may. What lasts longest comes first.
    pub fn unavailability(&self, units: i64, now: Timestamp) -> Option<RequisiteUnavailability> {
        use RequisiteUnavailability as Reason;
        let (limits, usage) = (&self.limits, self.usage.clone().on(UsageDate::of(now)));
        let exceeds =
            |used: i64, limit: Option<i64>| used.checked_add(units).is_none_or(|sum| limit.is_some_and(|max| sum > max));
        let reasons = [
            (!self.enabled, Reason::Disabled),
            (limits.one_time && usage.total_count > 0, Reason::Used),
            (exceeds(usage.total_units, limits.turnover_limit), Reason::TurnoverLimit),
            (exceeds(usage.month_units, limits.monthly_limit), Reason::MonthlyLimit),
            (exceeds(usage.used_units, limits.daily_limit), Reason::DailyLimit),
            (limits.daily_count.is_some_and(|max| usage.used_count >= max), Reason::DailyCount),
            (self.cooling_until().is_some_and(|until| until > now), Reason::Cooling),
            (limits.operation_min.is_some_and(|min| units < min), Reason::BelowMin),
            (limits.operation_max.is_some_and(|max| units > max), Reason::AboveMax),
        ];
        reasons.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
    }

    /// Why no claim gets the requisite, however small.
    pub fn unavailability_for_any(&self, now: Timestamp) -> Option<RequisiteUnavailability> {
        self.unavailability(self.smallest(), now)
    }

    /// The smallest amount it may be given out for, in units.
    pub fn smallest(&self) -> i64 {
        self.limits.operation_min.unwrap_or(1)
    }

    /// The largest amount it may be given out for now, in units; `None` is no limit.
    pub fn largest(&self, now: Timestamp) -> Option<i64> {
        let usage = self.usage.clone().on(UsageDate::of(now));
        let rest = |limit: Option<i64>, used: i64| limit.map(|max| max.saturating_sub(used));
        let limits = &self.limits;
        let bounds = [
            limits.operation_max,
            rest(limits.daily_limit, usage.used_units),
            rest(limits.monthly_limit, usage.month_units),
            rest(limits.turnover_limit, usage.total_units),
        ];
        bounds.into_iter().flatten().min()
    }

    /// When it may be given out again, as far as it is known; `None` if that takes a member of staff or no time.
    pub fn available_at(&self, now: Timestamp) -> Option<Timestamp> {
        match self.unavailability_for_any(now)? {
            RequisiteUnavailability::MonthlyLimit => Some(UsageDate::next_month(now)),
            RequisiteUnavailability::DailyLimit | RequisiteUnavailability::DailyCount => Some(UsageDate::next_day(now)),
            RequisiteUnavailability::Cooling => self.cooling_until(),
            _ => None,
        }
    }

    fn cooling_until(&self) -> Option<Timestamp> {
        let minutes = u64::try_from(self.limits.cooling_minutes).ok().filter(|minutes| *minutes > 0)?;
        self.usage.cooling_from.map(|from| from.plus(Duration::from_secs(minutes.saturating_mul(60))))
    }
}

/// The requisite for a claim: the first by the rotation of those that may be given out for the amount.
pub fn choose(pool: &[RequisiteRow], rotation: RequisiteRotation, units: i64, now: Timestamp) -> Option<&RequisiteRow> {
    let today = UsageDate::of(now);
    // A fraction, so that weights are compared exactly.
    let first = |row: &RequisiteRow| match rotation {
        RequisiteRotation::InTurn => (0, 1),
        RequisiteRotation::LeastUsed => (row.usage.clone().on(today).used_units, 1),
        RequisiteRotation::Priority => (row.priority, 1),
        RequisiteRotation::Weighted => (row.usage.clone().on(today).used_count.saturating_add(1), row.weight),
    };
    let product = |one: i64, other: i64| i128::from(one) * i128::from(other);
    let free = pool.iter().filter(|row| row.unavailability(units, now).is_none());
    free.min_by(|one, other| {
        let ((a, b), (c, d)) = (first(one), first(other));
        let turn = |row: &RequisiteRow| (row.usage.last_used_at, row.id);
        product(a, d).cmp(&product(c, b)).then_with(|| turn(one).cmp(&turn(other)))
    })
}

/// The most smallest units by which a claim may pay less than was agreed, to be told apart.
const TAIL_MAX: i64 = 99;

/// The amount to pay to a requisite where open claims already pay these amounts: the agreed one, or as little less as
/// makes it unique. `None` if all are taken.
pub fn unique_amount(agreed: i64, taken: &HashSet<i64>) -> Option<i64> {
    (0..=TAIL_MAX).map(|tail| agreed - tail).find(|units| *units > 0 && !taken.contains(units))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = 24 * 60 * 60 * 1_000_000;

    fn row(id: u128) -> RequisiteRow {
        RequisiteRow {
            id: Uuid::from_u128(id),
            currency_id: 1,
            value: "2200000000000004".into(),
            holder: None,
            memo: None,
            enabled: true,
            identification: RequisiteIdentification::None,
            priority: 100,
            weight: 1,
            limits: RequisiteLimits::default(),
            usage: RequisiteUsage::default(),
        }
    }

    /// Gives the requisite out for a claim, as the service does.
    fn give(row: &mut RequisiteRow, units: i64, now: Timestamp) {
        row.usage = row.usage.clone().recount(UsageDate::of(now), 0, units).unwrap();
        (row.usage.last_used_at, row.usage.cooling_from) = (Some(now), Some(now));
    }

    #[test]
    fn a_month_begins_on_its_first_day() {
        let at = |text| Timestamp::parse(text).unwrap();
        let december = at("2026-12-31T23:59:59Z");
        assert_eq!(UsageDate::next_day(december), at("2027-01-01T00:00:00Z"));
        assert_eq!(UsageDate::next_month(december), at("2027-01-01T00:00:00Z"));
        assert_eq!(UsageDate::next_month(at("2028-02-01T00:00:00Z")), at("2028-03-01T00:00:00Z"));
        assert_eq!(UsageDate::of(at("2027-01-01T00:00:00Z")).month, UsageDate::of(december).month + 1);
        assert_eq!(UsageDate::of(at("1970-01-01T23:59:59Z")).day, 0);
        let date = UsageDate::of(december);
        assert_eq!(UsageDate::start_of_day(date.day), at("2026-12-31T00:00:00Z"));
        assert_eq!(UsageDate::start_of_month(date.month), at("2026-12-01T00:00:00Z"));
    }

    #[test]
    fn each_rotation_has_its_own_order() {
        let now = Timestamp(40 * DAY + DAY / 2);
        let earlier = |minutes: u64| now.minus(Duration::from_secs(minutes * 60));
        let mut pool = [row(1), row(2), row(3)];
        give(&mut pool[0], 10, earlier(30));
        give(&mut pool[1], 5, earlier(20));
        give(&mut pool[2], 20, earlier(10));
        pool[2].priority = 1;
        let chosen = |pool: &[RequisiteRow], rotation| choose(pool, rotation, 1, now).map(|row| row.id.as_u128());
        assert_eq!(chosen(&pool, RequisiteRotation::InTurn), Some(1));
        assert_eq!(chosen(&pool, RequisiteRotation::LeastUsed), Some(2));
        assert_eq!(chosen(&pool, RequisiteRotation::Priority), Some(3));
        pool[2].enabled = false;
        assert_eq!(chosen(&pool, RequisiteRotation::Priority), Some(1), "equal priorities take turns");
        pool[0].usage.used_day -= 1;
        assert_eq!(chosen(&pool, RequisiteRotation::LeastUsed), Some(1), "yesterday does not count");
    }

    #[test]
    fn what_is_given_back_counts_no_more_and_what_arrived_counts_as_it_arrived() {
        let (day, later) = (UsageDate { day: 10, month: 3 }, UsageDate { day: 11, month: 3 });
        let given = RequisiteUsage::default().recount(day, 0, 500).unwrap();
        assert_eq!(given.clone().recount(day, 500, 0).unwrap().total_count, 0);
        let arrived = given.clone().recount(day, 500, 700).unwrap();
        assert_eq!((arrived.used_units, arrived.used_count, arrived.total_units), (700, 1, 700));
        // A claim of yesterday changes the month and the total, not the count of today.
        let next = given.recount(later, 0, 40).unwrap().recount(day, 500, 0).unwrap();
        assert_eq!((next.used_units, next.used_count, next.month_units, next.total_count), (40, 1, 40, 1));
        assert_eq!(RequisiteUsage::default().recount(day, 500, 0), None, "never below zero");
    }

    prop_compose! {
        fn any_row()(
            id in any::<u128>(),
            enabled in prop::bool::weighted(0.9),
            one_time in prop::bool::weighted(0.2),
            min in prop::option::of(1_i64..60),
            max in prop::option::of(40_i64..120),
            sums in prop::array::uniform3(prop::option::of(1_i64..400)),
            daily_count in prop::option::of(1_i64..5),
            cooling_minutes in prop_oneof![Just(0_i64), 1_i64..3_000],
            priority in 0_i64..3,
        ) -> RequisiteRow {
            let [daily_limit, monthly_limit, turnover_limit] = sums;
            let limits = RequisiteLimits {
                operation_min: min, operation_max: max, daily_limit, monthly_limit, daily_count, turnover_limit, one_time,
                cooling_minutes,
            };
            RequisiteRow { enabled, priority, limits, ..row(id) }
        }
    }

    /// What was given out, by an independent count.
    #[derive(Default)]
    struct Given(Vec<(Timestamp, i64)>);

    impl Given {
        fn allows(&self, row: &RequisiteRow, units: i64, now: Timestamp) -> bool {
            let limits = &row.limits;
            let today = UsageDate::of(now);
            let sum = |same: &dyn Fn(UsageDate) -> bool| -> i64 {
                self.0.iter().filter(|(at, _)| same(UsageDate::of(*at))).map(|(_, units)| units).sum::<i64>() + units
            };
            let is_within = |limit: Option<i64>, sum: i64| limit.is_none_or(|max| sum <= max);
            let cooled = |at: Timestamp| now.0 - at.0 >= limits.cooling_minutes * 60_000_000;
            row.enabled
                && limits.operation_min.is_none_or(|min| units >= min)
                && is_within(limits.operation_max, units)
                && is_within(limits.daily_limit, sum(&|date| date.day == today.day))
                && is_within(limits.monthly_limit, sum(&|date| date.month == today.month))
                && is_within(limits.turnover_limit, sum(&|_| true))
                && is_within(limits.daily_count, self.0.iter().filter(|(at, _)| UsageDate::of(*at) == today).count() as i64 + 1)
                && (!limits.one_time || self.0.is_empty())
                && self.0.iter().all(|(at, _)| cooled(*at))
        }
    }

    proptest! {
        /// Whatever claims come and end unpaid: nothing is given out over a limit, and what fits is given out.
        #[test]
        fn a_requisite_is_given_out_exactly_when_one_fits(
            mut pool in prop::collection::vec(any_row(), 0..5),
            rotation in prop::sample::select(RequisiteRotation::ALL.to_vec()),
            claims in prop::collection::vec((1_i64..130, 0_i64..20 * 60, prop::bool::weighted(0.3)), 1..60),
        ) {
            let mut given: Vec<Given> = pool.iter().map(|_| Given::default()).collect();
            let mut now = Timestamp(19_000 * DAY);
            for (units, minutes, ends_unpaid) in claims {
                now = now.plus(Duration::from_secs(minutes as u64 * 60));
                let chosen = choose(&pool, rotation, units, now).map(|row| row.id);
                let place = pool.iter().position(|row| Some(row.id) == chosen);
                let fits: Vec<bool> = pool.iter().zip(&given).map(|(row, given)| given.allows(row, units, now)).collect();
                prop_assert_eq!(place.is_some(), fits.iter().any(|fits| *fits));
                let Some(place) = place else { continue };
                prop_assert!(fits[place], "{:?} for {units}", pool[place]);
                prop_assert!(pool[place].largest(now).is_none_or(|max| units <= max));
                let cooling_from = pool[place].usage.cooling_from;
                give(&mut pool[place], units, now);
                if ends_unpaid {
                    let back = pool[place].usage.clone().recount(UsageDate::of(now), units, 0);
                    pool[place].usage = RequisiteUsage { cooling_from, ..back.unwrap() };
                } else {
                    given[place].0.push((now, units));
                }
            }
        }
    }

    #[test]
    fn weights_share_the_claims_of_a_day() {
        let mut pool: Vec<_> = [(1, 3), (2, 1)].map(|(id, weight)| RequisiteRow { weight, ..row(id) }).into();
        let now = Timestamp(DAY);
        let mut given = Vec::new();
        for step in 0..8 {
            let chosen = choose(&pool, RequisiteRotation::Weighted, 1, now).unwrap().id;
            given.push(chosen.as_u128());
            let one = pool.iter_mut().find(|row| row.id == chosen).unwrap();
            one.usage = one.usage.clone().recount(UsageDate::of(now), 0, 1).unwrap();
            one.usage.last_used_at = Some(Timestamp(DAY + step));
        }
        assert_eq!(given.iter().filter(|id| **id == 1).count(), 6, "{given:?}");
        assert_eq!(given[..4].iter().filter(|id| **id == 1).count(), 3, "the share holds all day: {given:?}");
    }

    #[test]
    fn an_amount_is_unique_and_never_more_than_was_agreed() {
        let taken = |amounts: &[i64]| amounts.iter().copied().collect::<HashSet<_>>();
        assert_eq!(unique_amount(10_000, &taken(&[])), Some(10_000));
        assert_eq!(unique_amount(10_000, &taken(&[10_000, 9_999, 9_997])), Some(9_998));
        assert_eq!(unique_amount(10_000, &(9_901..=10_000).collect()), None);
        assert_eq!(unique_amount(2, &taken(&[1, 2])), None, "nothing is no payment");
    }
}
