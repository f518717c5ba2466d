//! Time: microseconds since the Unix epoch, UTC, from an injected clock.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// An instant: microseconds since 1970-01-01T00:00:00Z. Stored as a 64-bit integer in both engines, so that they
/// compare and sort it alike; written as RFC 3339 everywhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct Timestamp(pub i64);

impl rusqlite::ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl Timestamp {
    /// Saturates at the end of time.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(micros))
    }

    /// Saturates at the beginning of time.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(micros))
    }

    /// Whole seconds since the epoch, as in tokens.
    #[must_use]
    pub fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Midnight UTC of a calendar day.
    #[must_use]
    pub fn from_date(date: time::Date) -> Self {
        Self(date.midnight().assume_utc().unix_timestamp() * 1_000_000)
    }

    /// The calendar day in UTC.
    #[must_use]
    pub fn date(self) -> time::Date {
        self.to_datetime().date()
    }

    fn to_datetime(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }

    /// Parses RFC 3339 text such as `2024-03-28T12:00:00Z`.
    pub fn parse(text: &str) -> Result<Self, time::error::Parse> {
        let time = OffsetDateTime::parse(text, &Rfc3339)?;
        Ok(Self((time.unix_timestamp_nanos() / 1_000) as i64))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_datetime().format(&Rfc3339).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// The source of the current time, replaced in tests.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp(since_epoch.as_micros() as i64)
    }
}

/// A clock that only tests and simulations advance.
pub struct ManualClock(AtomicI64);

impl ManualClock {
    #[must_use]
    pub fn at(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.0))
    }

    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_micros() as i64, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
