//! What the sources of rates said, and whether that is still recent enough to price with.

use std::time::Duration;

use agio_core::Timestamp;
use time::Date;

use crate::model::observation::{Observation, ObservedAt};
use crate::store::{ObservationRow, Stored};

/// A day in microseconds.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Assets that paths of rates go over, whether or not they are exchanged here.
pub const HUBS: [&str; 5] = ["USD", "EUR", "RUB", "USDT", "BTC"];

/// An observation, judged by its age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What was said.
    pub row: ObservationRow,
    /// Whether it is recent enough to price with.
    pub is_fresh: bool,
}

/// Which observations are recent enough.
#[derive(Clone, Copy, Debug)]
pub struct Freshness {
    /// The present.
    pub now: Timestamp,
    /// How old an observation may be.
    pub max_age: Duration,
    /// The only day that counts, if one is set.
    pub fixed_day: Option<Date>,
}

impl Freshness {
    /// Whether an observation of then is recent enough. One that names a day only holds until the end of that day, so its
    /// age counts from there: weekends without a publication are spanned by the greatest age.
    #[must_use]
    pub fn accepts(&self, observed_at: ObservedAt) -> bool {
        if let Some(day) = self.fixed_day {
            return observed_at.day() == Some(day);
        }
        let held_until = match observed_at {
            ObservedAt::Day(_) => observed_at.micros() + DAY_MICROS,
            ObservedAt::Moment(micros) => micros,
        };
        Timestamp(held_until) >= self.now.minus(self.max_age)
    }

    /// The moment before which observations are looked for: with a fixed day, its end.
    #[must_use]
    pub fn looks_before(&self) -> Timestamp {
        match self.fixed_day {
            Some(day) => Timestamp(Timestamp::from_date(day).0 + DAY_MICROS),
            None => Timestamp(i64::MAX),
        }
    }
}

impl Sighting {
    /// The observation of a row, judged.
    #[must_use]
    pub fn judge(row: ObservationRow, freshness: &Freshness) -> Self {
        let is_fresh = freshness.accepts(observed_at(row.observed_at));
        Self { row, is_fresh }
    }

    /// The observation as prices are made from it.
    #[must_use]
    pub fn observation(&self) -> Observation {
        Observation {
            source: self.row.source.clone(),
            base: self.row.base.clone(),
            quote: self.row.quote.clone(),
            bid: self.row.bid.0,
            ask: self.row.ask.0,
            observed_at: observed_at(self.row.observed_at),
        }
    }
}

/// The row of an observation that arrived at `now`.
#[must_use]
pub fn to_row(observation: &Observation, now: Timestamp) -> ObservationRow {
    ObservationRow {
        source: observation.source.clone(),
        base: observation.base.clone(),
        quote: observation.quote.clone(),
        bid: Stored(observation.bid),
        ask: Stored(observation.ask),
        observed_at: Timestamp(observation.observed_at.micros()),
        imported_at: now,
    }
}

/// A stored moment of exactly midnight is how a publication for a whole day is kept.
pub(super) fn observed_at(moment: Timestamp) -> ObservedAt {
    if moment.0 % DAY_MICROS == 0 { ObservedAt::Day(moment.date()) } else { ObservedAt::Moment(moment.0) }
}
