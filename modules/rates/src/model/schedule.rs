//! Weekly schedule: windows with another margin or a suspension.

use agio_core::{FieldError, Timestamp};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::rules::between;

const DAY_MINUTES: i64 = 24 * 60;
const MINUTE_MICROS: i64 = 60 * 1_000_000;
/// The first day of 1970 was a Thursday, the fourth of the week.
const FIRST_DAY: i64 = 3;
const WINDOWS_MAX: usize = 20;

/// Weekly schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RateSchedule {
    /// UTC offset in minutes.
    pub ahead_minutes: i64,
    /// If several match, the first applies.
    pub windows: Vec<ScheduleWindow>,
}

/// A schedule window.
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
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Option<&ScheduleWindow> {
        let minutes = now.0.div_euclid(MINUTE_MICROS) + self.ahead_minutes;
        let day = (minutes.div_euclid(DAY_MINUTES) + FIRST_DAY).rem_euclid(7);
        let minute = minutes.rem_euclid(DAY_MINUTES);
        self.windows.iter().find(|window| window.holds(day, minute))
    }

    /// When the pair is open again after now, within a week. `None` if the schedule never opens it.
    #[must_use]
    pub fn opens_at(&self, now: Timestamp) -> Option<Timestamp> {
        let is_open = |at: &Timestamp| self.at(*at).is_none_or(|window| window.percent.is_some());
        let local = now.0.div_euclid(MINUTE_MICROS) + self.ahead_minutes;
        let midnight = local - local.rem_euclid(DAY_MINUTES);
        // It opens where a window ends, or where one begins that stands before the window that suspends.
        let ends = self.windows.iter().flat_map(|window| [minute(&window.from), minute(&window.to)]).flatten();
        let moments = ends.flat_map(|end| (0..=7).map(move |day| midnight + day * DAY_MINUTES + end - self.ahead_minutes));
        let moments = moments.map(|minutes| Timestamp(minutes * MINUTE_MICROS)).filter(|moment| *moment > now);
        moments.filter(is_open).min()
    }

    /// Every invalid field.
    pub(super) fn faults(&self) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        between(&mut wrong, "schedule.aheadMinutes", Some(self.ahead_minutes.into()), -720, 840);
        if self.windows.is_empty() || self.windows.len() > WINDOWS_MAX {
            wrong.push(FieldError::new("schedule.windows", "value_out_of_range").with("min", "1").with("max", WINDOWS_MAX));
        }
        for (place, window) in self.windows.iter().enumerate() {
            let field = format!("schedule.windows[{place}]");
            for (name, time) in [("from", &window.from), ("to", &window.to)] {
                if minute(time).is_none() {
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
    /// `day` counts from zero; `minute` is the minute of the day.
    fn holds(&self, day: i64, at: i64) -> bool {
        let Some((from, to)) = minute(&self.from).zip(minute(&self.to)) else { return false };
        let begins_on = |day: i64| self.days.iter().any(|one| i64::from(*one) == day.rem_euclid(7) + 1);
        if from < to {
            begins_on(day) && (from..to).contains(&at)
        } else {
            (begins_on(day) && at >= from) || (begins_on(day - 1) && at < to)
        }
    }

    /// Such as `22:00-06:00`.
    #[must_use]
    pub fn hours(&self) -> String {
        format!("{}-{}", self.from, self.to)
    }
}

/// Minute of the day of `HH:MM`.
fn minute(text: &str) -> Option<i64> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |part: &str, most: i64| {
        let is_plain = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i64>().ok().filter(|number| is_plain && *number <= most)
    };
    Some(number(hours, 23)? * 60 + number(minutes, 59)?)
}
