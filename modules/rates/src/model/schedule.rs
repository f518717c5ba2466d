//! Weekly schedule: windows with another margin or a suspension.

use agio_core::{FieldError, Timestamp};
use jiff::ToSpan;
use jiff::civil::{DateTime, Time, Weekday};
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize};

use super::rules::between;

const WINDOWS_MAX: usize = 20;

/// Weekly schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RateSchedule {
    /// IANA name, such as `Europe/Moscow`, or an offset from UTC, such as `+03:00`.
    #[serde(alias = "aheadMinutes", deserialize_with = "zone_or_minutes")]
    pub time_zone: String,
    /// In local time. If several match, the first applies.
    pub windows: Vec<ScheduleWindow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScheduleWindow {
    /// Days on which the window starts: 1 is Monday, 7 is Sunday.
    pub days: Vec<u32>,
    /// `HH:MM`.
    pub from: String,
    /// `HH:MM`. If not after the start, the window ends on the next day.
    pub to: String,
    /// Percentage points added to the rate. `None` suspends the pair.
    #[serde(default, with = "agio_core::decimal::optional_text")]
    pub percent: Option<Decimal>,
}

impl RateSchedule {
    pub fn at(&self, now: Timestamp) -> Option<&ScheduleWindow> {
        self.holding(now, &self.zone()?)
    }

    /// When the pair is open again after now, within a week. `None` if the schedule never opens it.
    pub fn opens_at(&self, now: Timestamp) -> Option<Timestamp> {
        let zone = self.zone()?;
        let today = local(now, &zone)?.date();
        // It opens where a window ends, or where one begins that stands before the window that suspends.
        let ends = self.windows.iter().flat_map(|window| [time(&window.from), time(&window.to)]).flatten();
        let moments = ends.flat_map(|end| (0..=7).map(move |days| Some(today.checked_add(days.days()).ok()?.to_datetime(end))));
        let moments = moments.filter_map(|moment| Some(Timestamp(zone.to_timestamp(moment?).ok()?.as_microsecond())));
        let is_open = |at: &Timestamp| self.holding(*at, &zone).is_none_or(|window| window.percent.is_some());
        moments.filter(|moment| *moment > now).filter(is_open).min()
    }

    fn zone(&self) -> Option<TimeZone> {
        DateTimeParser::new().parse_time_zone(&self.time_zone).ok()
    }

    fn holding(&self, at: Timestamp, zone: &TimeZone) -> Option<&ScheduleWindow> {
        let local = local(at, zone)?;
        self.windows.iter().find(|window| window.holds(local))
    }

    /// Every invalid field.
    pub(super) fn faults(&self) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        if self.zone().is_none() {
            wrong.push(FieldError::new("schedule.timeZone", "time_zone_unknown"));
        }
        if self.windows.is_empty() || self.windows.len() > WINDOWS_MAX {
            wrong.push(FieldError::new("schedule.windows", "value_out_of_range").with("min", "1").with("max", WINDOWS_MAX));
        }
        for (place, window) in self.windows.iter().enumerate() {
            let field = format!("schedule.windows[{place}]");
            for (name, time) in [("from", &window.from), ("to", &window.to)] {
                if self::time(time).is_none() {
                    wrong.push(FieldError::new(format!("{field}.{name}"), "time_malformed"));
                }
            }
            if window.days.is_empty() || window.days.len() > 7 || window.days.iter().any(|day| !(1..=7).contains(day)) {
                wrong.push(FieldError::new(format!("{field}.days"), "value_out_of_range").with("min", "1").with("max", "7"));
            }
            between(&mut wrong, &format!("{field}.percent"), window.percent, -50, 50);
        }
        wrong
    }
}

impl ScheduleWindow {
    fn holds(&self, local: DateTime) -> bool {
        let Some((from, to)) = time(&self.from).zip(time(&self.to)) else { return false };
        let begins_on = |day: Weekday| self.days.contains(&day.to_monday_one_offset().unsigned_abs().into());
        let (day, at) = (local.date().weekday(), local.time());
        if from < to {
            begins_on(day) && from <= at && at < to
        } else {
            (begins_on(day) && at >= from) || (begins_on(day.previous()) && at < to)
        }
    }

    /// Such as `22:00-06:00`.
    pub fn hours(&self) -> String {
        format!("{}-{}", self.from, self.to)
    }
}

/// A zone, or the minutes ahead of UTC that schedules had before.
fn zone_or_minutes<'de, D: Deserializer<'de>>(stored: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Zone(String),
        Minutes(i64),
    }
    Ok(match Stored::deserialize(stored)? {
        Stored::Zone(zone) => zone,
        Stored::Minutes(ahead) => {
            let (sign, minutes) = (if ahead < 0 { '-' } else { '+' }, ahead.unsigned_abs());
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
    })
}

fn local(at: Timestamp, zone: &TimeZone) -> Option<DateTime> {
    Some(zone.to_datetime(jiff::Timestamp::from_microsecond(at.0).ok()?))
}

/// The time of `HH:MM`.
fn time(text: &str) -> Option<Time> {
    Time::strptime("%H:%M", text).ok().filter(|_| text.len() == "HH:MM".len())
}
