//! Days by the clock of the exchange.

use agio_core::error::FieldError;
use agio_core::{Error, Result, Timestamp};
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The most days of a period.
const DAYS_MAX: i64 = 366;

/// Days in a row, by the clock of the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayPeriod {
    /// `YYYY-MM-DD`.
    pub first: String,
    /// `YYYY-MM-DD`; the period includes it.
    pub last: String,
    /// When the first day begins.
    pub start: Timestamp,
    /// When the day after the last begins.
    pub end: Timestamp,
    /// The IANA name of the time zone.
    pub zone: String,
}

impl DayPeriod {
    /// The day of `now`.
    pub(crate) fn today(zone: &str, now: Timestamp) -> Result<Self> {
        let today = jiff::Timestamp::from_microsecond(now.0).map_err(Error::internal)?;
        let today = today.to_zoned_datetime(zone_of(zone)).date().to_string();
        Self::of(zone, Some(&today), Some(&today), now)
    }

    /// The days from `from` to `to`, as `YYYY-MM-DD`. Without one of them it is the rest of the other's month, without
    /// both the month of `now`. UTC where `zone` names no zone.
    pub(crate) fn of(zone: &str, from: Option<&str>, to: Option<&str>, now: Timestamp) -> Result<Self> {
        let zone = zone_of(zone);
        let (from, to) = (from.map(|day| date("from", day)).transpose()?, to.map(|day| date("to", day)).transpose()?);
        let now = jiff::Timestamp::from_microsecond(now.0).map_err(Error::internal)?;
        let today = now.to_zoned_datetime(zone.clone()).date();
        let first = from.unwrap_or_else(|| to.unwrap_or(today).first_of_month());
        let last = to.unwrap_or_else(|| from.unwrap_or(today).last_of_month());
        let past = last.tomorrow().map_err(|_| malformed("to"))?;
        if last < first {
            return Err(malformed("to"));
        }
        if last.duration_since(first).as_hours() / 24 >= DAYS_MAX {
            return Err(Error::invalid(vec![FieldError::new("to", "period_too_long").with("max", DAYS_MAX)]));
        }
        let start_of = |day: Date, field| {
            let start = day.to_zoned_datetime(zone.clone()).map_err(|_| malformed(field))?;
            Ok::<_, Error>(Timestamp(start.timestamp().as_microsecond()))
        };
        Ok(Self {
            first: first.to_string(),
            last: last.to_string(),
            start: start_of(first, "from")?,
            end: start_of(past, "to")?,
            zone: zone.iana_name().unwrap_or("UTC").to_owned(),
        })
    }
}

fn zone_of(zone: &str) -> TimeZone {
    TimeZone::get(zone).unwrap_or(TimeZone::UTC)
}

fn date(field: &str, text: &str) -> Result<Date> {
    let is_plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    text.parse().ok().filter(|_| is_plain).ok_or_else(|| malformed(field))
}

fn malformed(field: &str) -> Error {
    Error::invalid(vec![FieldError::new(field, "malformed_parameter")])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(zone: &str, from: Option<&str>, to: Option<&str>) -> Result<[String; 4]> {
        // Already April in Moscow.
        let now = Timestamp::parse("2024-03-31T22:30:00Z").unwrap();
        let of = DayPeriod::of(zone, from, to, now)?;
        Ok([of.first, of.last, of.start.to_string(), of.end.to_string()])
    }

    #[test]
    fn days_are_those_of_the_exchange() {
        let month = period("Europe/Moscow", None, None).unwrap();
        assert_eq!(month[..2], ["2024-04-01", "2024-04-30"]);
        assert_eq!(month[2..].iter().map(|at| &at[..19]).collect::<Vec<_>>(), ["2024-03-31T21:00:00", "2024-04-30T21:00:00"]);
        let today = DayPeriod::today("Europe/Moscow", Timestamp::parse("2024-03-31T22:30:00Z").unwrap()).unwrap();
        assert_eq!((today.first.as_str(), today.last.as_str()), ("2024-04-01", "2024-04-01"));
        // The day on which the clock goes forward has 23 hours.
        let short = period("Europe/Berlin", Some("2024-03-31"), Some("2024-03-31")).unwrap();
        assert_eq!(short[2..].iter().map(|at| &at[..19]).collect::<Vec<_>>(), ["2024-03-30T23:00:00", "2024-03-31T22:00:00"]);
        assert_eq!(period("", None, None).unwrap()[..2], ["2024-03-01", "2024-03-31"]);
        assert_eq!(period("", Some("2024-02-10"), None).unwrap()[..2], ["2024-02-10", "2024-02-29"]);
        assert_eq!(period("", None, Some("2024-02-10")).unwrap()[..2], ["2024-02-01", "2024-02-10"]);
        assert!(period("", Some("2023-03-01"), Some("2024-02-29")).is_ok());
    }

    #[test]
    fn what_is_no_period_is_refused() {
        let refused = |from: &str, to: &str| {
            let error = period("UTC", Some(from), Some(to)).unwrap_err();
            error.fields().iter().map(|field| (field.field.clone(), field.code)).collect::<Vec<_>>()
        };
        let wrong = |field: &str, code: &'static str| vec![(field.to_owned(), code)];
        assert_eq!(refused("2024-03-02", "2024-03-01"), wrong("to", "malformed_parameter"));
        assert_eq!(refused("2023-03-01", "2024-03-01"), wrong("to", "period_too_long"));
        assert_eq!(refused("0000-01-01", "9999-12-31"), wrong("to", "malformed_parameter"));
        for day in ["", "20240301", "2024-02-30", "2024-3-1", "2024-W09-5", "today", "2024-03-01T00:00:00Z"] {
            assert_eq!(refused(day, "2024-03-01"), wrong("from", "malformed_parameter"), "{day}");
        }
    }
}
