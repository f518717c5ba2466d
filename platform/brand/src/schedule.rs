//! Working hours, and whether they are running now.
//!
//! They are what the owner promises, not whether somebody is signed in: a browser tab left open keeps a session alive,
//! so a session would claim more than is known.

use agio_core::Timestamp;
use agio_core::error::{FieldError, Params};
use agio_core::texts::{Locale, Texts};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Span, ZonedDateTime};
use serde::{Deserialize, Serialize};

const MINUTE_MICROS: i64 = 60_000_000;
const DAYS: usize = 7;
const DAY_KEYS: [&str; DAYS] =
    ["hours.monday", "hours.tuesday", "hours.wednesday", "hours.thursday", "hours.friday", "hours.saturday", "hours.sunday"];

/// The hours of each day of the week, in local time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkWeek {
    /// IANA name, such as `Europe/Moscow`.
    pub time_zone: String,
    /// Seven, Monday first, or none where no hours are kept.
    pub days: Vec<WorkDay>,
}

/// Both empty on a day off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkDay {
    /// `HH:MM`.
    pub from: String,
    /// `HH:MM`. Before `from` it is on the next day; equal times mean 24 hours.
    pub to: String,
}

/// Whether the hours are running.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkStatus {
    pub is_open: bool,
    /// When that changes: the day of the week from 0 for Monday, unless it is today, and `HH:MM`. `None` for never.
    until: Option<(Option<usize>, String)>,
    /// Of local time, such as `UTC+3`.
    zone: String,
}

impl WorkDay {
    fn is_off(&self) -> bool {
        self.from.is_empty() && self.to.is_empty()
    }

    fn times(&self) -> Option<(Time, Time)> {
        Some((time(&self.from)?, time(&self.to)?))
    }
}

impl WorkWeek {
    /// Whether the owner keeps no hours.
    pub fn is_empty(&self) -> bool {
        self.days.iter().all(WorkDay::is_off)
    }

    pub(crate) fn errors(&self, field: &str) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let is_named = !self.time_zone.is_empty() || !self.is_empty();
        if is_named && TimeZone::get(&self.time_zone).is_err() {
            errors.push(FieldError::new(format!("{field}.timeZone"), "time_zone_unknown"));
        }
        if ![0, DAYS].contains(&self.days.len()) {
            errors.push(FieldError::new(format!("{field}.days"), "work_days"));
        }
        for (index, day) in self.days.iter().take(DAYS).enumerate().filter(|(_, day)| !day.is_off()) {
            for (name, text) in [("from", &day.from), ("to", &day.to)] {
                if time(text).is_none() {
                    errors.push(FieldError::new(format!("{field}.days.{index}.{name}"), "work_time"));
                }
            }
        }
        errors
    }

    /// The status and the moment before which it is right; `None` where no hours are kept.
    pub fn status(&self, now: Timestamp) -> Option<(WorkStatus, Timestamp)> {
        let local = self.local(now).filter(|_| !self.is_empty())?;
        let now_minute = now.0.div_euclid(MINUTE_MICROS);
        // Hours of yesterday may reach into today. A week ahead finds the next ones, and another day their end.
        let mut hours: Vec<(i64, i64)> = Vec::new();
        for ahead in -1..=8 {
            let Some((start, end)) = self.hours_on(local.date().checked_add(Span::new().days(ahead)).ok()?) else { continue };
            match hours.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => hours.push((start, end)),
            }
        }
        let current = hours.iter().find(|(start, end)| (*start..*end).contains(&now_minute));
        let change = current.map(|(_, end)| *end).or_else(|| Some(hours.iter().find(|(start, _)| *start > now_minute)?.0));
        // Hours that last a week never end.
        let change = change.filter(|minute| minute - now_minute < 7 * 24 * 60).map(|minute| Timestamp(minute * MINUTE_MICROS));
        let until = change.and_then(|change| {
            let at = self.local(change)?;
            let day = (at.date() != local.date()).then(|| weekday(at.date()));
            Some((day, at.strftime("%H:%M").to_string()))
        });
        // Midnight and a shift of the clock fall on quarters of an hour in every zone.
        let quarter = Timestamp((now_minute.div_euclid(15) + 1) * 15 * MINUTE_MICROS);
        let status = WorkStatus { is_open: current.is_some(), until, zone: zone(local.offset().seconds()) };
        Some((status, change.map_or(quarter, |change| change.min(quarter))))
    }

    fn local(&self, at: Timestamp) -> Option<ZonedDateTime> {
        Some(jiff::Timestamp::from_microsecond(at.0).ok()?.to_zoned_datetime(TimeZone::get(&self.time_zone).ok()?))
    }

    /// Begin and end of the hours of a day, in minutes since the epoch.
    fn hours_on(&self, date: Date) -> Option<(i64, i64)> {
        let (from, to) = self.days.get(weekday(date))?.times()?;
        let end = if to <= from { date.tomorrow().ok()? } else { date };
        let minute = |date: Date, time: Time| {
            let zoned = date.to_datetime(time).to_zoned_datetime(TimeZone::get(&self.time_zone).ok()?).ok()?;
            Some(zoned.timestamp().as_second().div_euclid(60))
        };
        Some((minute(date, from)?, minute(end, to)?))
    }

    /// The week in a line, such as `Mon-Fri 09:00-21:00, Sat-Sun closed`.
    fn days(&self, texts: &Texts, locale: Locale) -> String {
        let label = |key: &str| texts.get(locale, key, &Params::new());
        let mut groups: Vec<(usize, usize, &WorkDay)> = Vec::new();
        for (index, day) in self.days.iter().enumerate() {
            match groups.last_mut() {
                Some((_, last, same)) if *same == day => *last = index,
                _ => groups.push((index, index, day)),
            }
        }
        let hours = |day: &WorkDay| match day {
            day if day.is_off() => label("hours.day_off"),
            WorkDay { from, to } if from == to => label("hours.all_day"),
            WorkDay { from, to } => format!("{from}–{to}"),
        };
        let lines = groups.iter().map(|(first, last, day)| {
            let days = match (*first, *last) {
                (0, 6) => label("hours.daily"),
                (first, last) if first == last => label(DAY_KEYS[first]),
                (first, last) => format!("{}–{}", label(DAY_KEYS[first]), label(DAY_KEYS[last])),
            };
            format!("{days} {}", hours(day))
        });
        lines.collect::<Vec<_>>().join(", ")
    }
}

impl WorkStatus {
    /// The hours of the week with the offset of their time zone.
    pub fn hours_text(&self, week: &WorkWeek, texts: &Texts, locale: Locale) -> String {
        let params = Params::from([("hours", week.days(texts, locale)), ("zone", self.zone.clone())]);
        texts.get(locale, "hours.line", &params)
    }

    /// Whether the hours are running, and until when.
    pub fn mark_text(&self, texts: &Texts, locale: Locale) -> String {
        let Some((day, time)) = &self.until else { return texts.get(locale, "hours.always", &Params::new()) };
        let day = day.map(|day| format!("{} ", texts.get(locale, DAY_KEYS[day], &Params::new()))).unwrap_or_default();
        let key = if self.is_open { "hours.open" } else { "hours.closed" };
        texts.get(locale, key, &Params::from([("time", format!("{day}{time}"))]))
    }

    /// What a customer has to know before an exchange outside the hours. `None` within them.
    pub fn closed_text(&self, texts: &Texts, locale: Locale) -> Option<String> {
        let (mark, zone) = (self.mark_text(texts, locale), self.zone.clone());
        (!self.is_open).then(|| texts.get(locale, "hours.closed_more", &Params::from([("mark", mark), ("zone", zone)])))
    }
}

fn weekday(date: Date) -> usize {
    usize::from(date.weekday().to_monday_zero_offset().unsigned_abs())
}

/// The time of `HH:MM`.
fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let number = |part: &str| {
        let is_plain = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i8>().ok().filter(|_| is_plain)
    };
    Time::new(number(hour)?, number(minute)?, 0, 0).ok()
}

/// The name of an offset: `UTC+3`, `UTC+5:30`.
fn zone(offset_seconds: i32) -> String {
    let (sign, minutes) = (if offset_seconds < 0 { '-' } else { '+' }, offset_seconds.unsigned_abs() / 60);
    match (minutes / 60, minutes % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(from: &str, to: &str) -> WorkDay {
        WorkDay { from: from.to_owned(), to: to.to_owned() }
    }

    fn week(time_zone: &str, working_day: &WorkDay, saturday: WorkDay, sunday: WorkDay) -> WorkWeek {
        let mut days = vec![working_day.clone(); 5];
        days.extend([saturday, sunday]);
        WorkWeek { time_zone: time_zone.to_owned(), days }
    }

    /// Whether it is open, and until which day and time.
    fn at(week: &WorkWeek, time: &str) -> (bool, Option<(Option<usize>, String)>) {
        let (status, _) = week.status(Timestamp::parse(time).unwrap()).unwrap();
        (status.is_open, status.until)
    }

    fn until(day: Option<usize>, time: &str) -> Option<(Option<usize>, String)> {
        Some((day, time.to_owned()))
    }

    // 28 March 2024 is a Thursday.
    #[test]
    fn hours_are_those_of_the_day_in_its_time_zone() {
        let week = week("Europe/Moscow", &day("09:00", "21:00"), day("10:00", "18:00"), WorkDay::default());
        assert_eq!(at(&week, "2024-03-28T05:59:59Z"), (false, until(None, "09:00")));
        assert_eq!(at(&week, "2024-03-28T06:00:00Z"), (true, until(None, "21:00")));
        assert_eq!(at(&week, "2024-03-28T18:00:00Z"), (false, until(Some(4), "09:00")));
        assert_eq!(at(&week, "2024-03-30T15:00:00Z"), (false, until(Some(0), "09:00")), "over a day off");
        assert_eq!(at(&week, "2024-03-30T21:30:00Z"), (false, until(Some(0), "09:00")), "Sunday has begun in Moscow");
    }

    #[test]
    fn hours_can_span_midnight_or_never_end() {
        let night = week("UTC", &day("20:00", "04:00"), WorkDay::default(), WorkDay::default());
        assert_eq!(at(&night, "2024-03-28T23:00:00Z"), (true, until(Some(4), "04:00")));
        assert_eq!(at(&night, "2024-03-30T03:59:00Z"), (true, until(None, "04:00")), "what began on Friday");
        assert_eq!(at(&night, "2024-03-30T04:00:00Z"), (false, until(Some(0), "20:00")));
        let always = week("UTC", &day("00:00", "00:00"), day("00:00", "00:00"), day("00:00", "00:00"));
        assert_eq!(at(&always, "2024-03-30T23:59:00Z"), (true, None));
        let weekend = week("UTC", &day("00:00", "00:00"), WorkDay::default(), WorkDay::default());
        assert_eq!(at(&weekend, "2024-03-28T12:00:00Z"), (true, until(Some(5), "00:00")), "days without a gap");
    }

    #[test]
    fn summer_time_moves_the_hours() {
        let week = week("Europe/Berlin", &day("09:00", "17:00"), WorkDay::default(), day("09:00", "17:00"));
        assert_eq!(at(&week, "2024-03-29T08:00:00Z"), (true, until(None, "17:00")));
        assert_eq!(at(&week, "2024-03-31T07:00:00Z"), (true, until(None, "17:00")), "the clock was put forward");
        let zone = |time: &str| week.status(Timestamp::parse(time).unwrap()).unwrap().0.zone;
        assert_eq!((zone("2024-03-31T00:59:00Z"), zone("2024-03-31T01:00:00Z")), ("UTC+1".to_owned(), "UTC+2".to_owned()));
    }

    #[test]
    fn a_status_is_known_until_it_may_change() {
        let week = week("Asia/Kolkata", &day("09:00", "21:10"), WorkDay::default(), WorkDay::default());
        let known = |time: &str| week.status(Timestamp::parse(time).unwrap()).unwrap().1.to_string();
        assert_eq!(known("2024-03-28T15:31:00Z"), "2024-03-28T15:40:00Z", "the end of the hours");
        assert_eq!(known("2024-03-28T15:40:00Z"), "2024-03-28T15:45:00Z");
        assert_eq!(zone(5 * 3600 + 30 * 60), "UTC+5:30");
        assert_eq!((zone(0), zone(-3 * 3600)), ("UTC".to_owned(), "UTC-3".to_owned()));
    }

    #[test]
    fn wrong_hours_are_named() {
        let codes =
            |week: &WorkWeek| week.errors("workWeek").into_iter().map(|error| (error.field, error.code)).collect::<Vec<_>>();
        assert_eq!(codes(&WorkWeek::default()), []);
        assert_eq!(WorkWeek::default().status(Timestamp(0)), None);
        let wrong = WorkWeek { time_zone: "Moscow".to_owned(), days: vec![day("9:00", "24:00"), day("09:00", "")] };
        let field = |name: &str| format!("workWeek.{name}");
        assert_eq!(
            codes(&wrong),
            [
                (field("timeZone"), "time_zone_unknown"),
                (field("days"), "work_days"),
                (field("days.0.from"), "work_time"),
                (field("days.0.to"), "work_time"),
                (field("days.1.to"), "work_time"),
            ]
        );
    }
}
