//! Observations of rate sources and their freshness.

use std::time::Duration;

use agio_core::Timestamp;
use time::Date;

use crate::model::observation::{Observation, ObservedAt};
use crate::store::ObservationRow;
use agio_core::decimal::StoredDecimal;

/// A day in microseconds.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Assets on cross rate paths, even if they are not exchanged here.
pub const HUBS: [&str; 5] = ["USD", "EUR", "RUB", "USDT", "BTC"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedObservation {
    pub row: ObservationRow,
    /// Whether it is recent enough to price with.
    pub is_fresh: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Freshness {
    pub now: Timestamp,
    pub max_age: Duration,
    /// The only day that counts, if one is set.
    pub fixed_day: Option<Date>,
}

impl Freshness {
    /// Whether an observation is recent enough. The age of a daily observation counts from the end of its day, so the
    /// maximum age has to span weekends without a publication.
    pub fn accepts(&self, observed_at: ObservedAt) -> bool {
        if let Some(day) = self.fixed_day {
            return observed_at.day() == Some(day);
        }
        self.good_until(observed_at).is_none_or(|good_until| good_until >= self.now)
    }

    /// Until when an observation of the present day or an earlier one is recent enough. `None` while a day is fixed.
    pub fn good_until(&self, observed_at: ObservedAt) -> Option<Timestamp> {
        let held_until = match observed_at {
            ObservedAt::Day(_) => observed_at.micros() + DAY_MICROS,
            ObservedAt::Moment(micros) => micros,
        };
        self.fixed_day.is_none().then(|| Timestamp(held_until).plus(self.max_age))
    }

    /// Only observations before this moment are loaded: the end of the fixed day, if any.
    pub fn observed_before(&self) -> Timestamp {
        match self.fixed_day {
            Some(day) => Timestamp(Timestamp::from_date(day).0 + DAY_MICROS),
            None => Timestamp(i64::MAX),
        }
    }
}

impl DatedObservation {
    pub fn with_freshness(row: ObservationRow, freshness: &Freshness) -> Self {
        let is_fresh = freshness.accepts(ObservedAt::stored(row.observed_at));
        Self { row, is_fresh }
    }

    pub fn observation(&self) -> Observation {
        Observation {
            source: self.row.source.clone(),
            base: self.row.base.clone(),
            quote: self.row.quote.clone(),
            bid: self.row.bid.0,
            ask: self.row.ask.0,
            observed_at: ObservedAt::stored(self.row.observed_at),
        }
    }
}

pub fn to_row(observation: &Observation, now: Timestamp) -> ObservationRow {
    ObservationRow {
        source: observation.source.clone(),
        base: observation.base.clone(),
        quote: observation.quote.clone(),
        bid: StoredDecimal(observation.bid),
        ask: StoredDecimal(observation.ask),
        observed_at: Timestamp(observation.observed_at.micros()),
        imported_at: now,
    }
}
