//! Observed prices and their time.

use std::fmt;
use std::str::FromStr;

use agio_core::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, Time};

/// Source priority for cross rates, most trusted first.
pub const SOURCE_PRIORITY: [&str; 4] = ["ecb", "cbr", "binance", "currency-api"];

/// One published price: `bid` and `ask` are units of `quote` for one unit of `base`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    pub source: String,
    pub base: String,
    /// Quote ticker.
    pub quote: String,
    pub bid: Decimal,
    /// Never below `bid`.
    pub ask: Decimal,
    pub observed_at: ObservedAt,
}

/// Time of an observation: daily sources give a day, live sources a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedAt {
    /// A calendar day.
    Day(Date),
    /// Microseconds since 1970-01-01 UTC.
    Moment(i64),
}

impl ObservedAt {
    /// A stored time: a day is stored as exactly midnight.
    pub fn stored(at: Timestamp) -> Self {
        const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;
        if at.0 % DAY_MICROS == 0 { Self::Day(at.date()) } else { Self::Moment(at.0) }
    }

    /// Microseconds since 1970-01-01 UTC; a day counts from its start.
    pub fn micros(self) -> i64 {
        match self {
            Self::Day(day) => {
                let start = day.with_time(Time::MIDNIGHT).assume_utc();
                start.unix_timestamp() * 1_000_000
            }
            Self::Moment(micros) => micros,
        }
    }

    /// The day in UTC.
    pub fn day(self) -> Option<Date> {
        match self {
            Self::Day(day) => Some(day),
            Self::Moment(micros) => timestamp(micros).map(OffsetDateTime::date),
        }
    }
}

fn timestamp(micros: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000).ok()
}

/// A day as "2024-03-28", a moment as RFC 3339.
impl fmt::Display for ObservedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => day.fmt(f),
            Self::Moment(micros) => {
                let text = timestamp(*micros).and_then(|timestamp| timestamp.format(&Rfc3339).ok());
                f.write_str(&text.unwrap_or_else(|| format!("{micros} us")))
            }
        }
    }
}

/// The text is neither a day nor an RFC 3339 time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("neither a day nor a time")]
pub struct ObservedAtError;

impl FromStr for ObservedAt {
    type Err = ObservedAtError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(day) = Date::parse(text, format_description!("[year]-[month]-[day]")) {
            return Ok(Self::Day(day));
        }
        let timestamp = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| ObservedAtError)?;
        let micros = timestamp.unix_timestamp_nanos() / 1000;
        i64::try_from(micros).map(Self::Moment).map_err(|_| ObservedAtError)
    }
}

impl Serialize for ObservedAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ObservedAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_moments_survive_being_written() {
        for text in ["2024-03-28", "2019-09-10T15:37:02.000125Z"] {
            let read: ObservedAt = text.parse().expect("a day or a time");
            assert_eq!(read.to_string(), text);
        }
        assert_eq!("28.03.2024".parse::<ObservedAt>(), Err(ObservedAtError));
        let day: ObservedAt = "2024-03-28".parse().expect("a day");
        assert_eq!(day.micros(), 1_711_584_000_000_000);
    }
}
