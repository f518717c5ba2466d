//! Hours at which a pair has another margin, or rests.

use agio_core::{FieldError, Timestamp};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::rules::{between, fault, maybe};

const DAY_MINUTES: i64 = 24 * 60;
const MINUTE_MICROS: i64 = 60 * 1_000_000;
/// The first day of 1970 was a Thursday, the fourth of the week.
const FIRST_DAY: i64 = 3;
/// The most windows.
const WINDOWS_MAX: usize = 20;

/// Hours of a week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schedule {
    /// How far the time of these hours is ahead of UTC, in minutes.
    pub ahead_minutes: i64,
    /// The hours; of several that hold, the first counts.
    pub windows: Vec<Window>,
}

/// Some hours of some days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Window {
    /// The days it begins on: 1 is Monday, 7 is Sunday.
    pub days: Vec<u32>,
    /// When it begins, `HH:MM`.
    pub from: String,
    /// When it ends, `HH:MM`; not after its beginning for the next day.
    pub to: String,
    /// Points of percent added to the course; nothing for a rest.
    #[serde(default, with = "maybe")]
    pub percent: Option<Decimal>,
}

impl Schedule {
    /// The window of this moment.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Option<&Window> {
        let minutes = now.0.div_euclid(MINUTE_MICROS) + self.ahead_minutes;
        let day = (minutes.div_euclid(DAY_MINUTES) + FIRST_DAY).rem_euclid(7);
        let minute = minutes.rem_euclid(DAY_MINUTES);
        self.windows.iter().find(|window| window.holds(day, minute))
    }

    /// What is wrong with it, field by field.
    pub(super) fn faults(&self) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        between(&mut wrong, "schedule.aheadMinutes", Some(self.ahead_minutes.into()), -720, 840);
        if self.windows.is_empty() || self.windows.len() > WINDOWS_MAX {
            wrong.push(fault("schedule.windows", "value_out_of_range", &[("min", "1"), ("max", &WINDOWS_MAX.to_string())]));
        }
        for (place, window) in self.windows.iter().enumerate() {
            let field = format!("schedule.windows[{place}]");
            for (name, time) in [("from", &window.from), ("to", &window.to)] {
                if minute(time).is_none() {
                    wrong.push(fault(&format!("{field}.{name}"), "time_malformed", &[]));
                }
            }
            if window.days.is_empty() || window.days.len() > 7 || window.days.iter().any(|day| !(1..=7).contains(day)) {
                wrong.push(fault(&format!("{field}.days"), "value_out_of_range", &[("min", "1"), ("max", "7")]));
            }
            between(&mut wrong, &format!("{field}.percent"), window.percent, -50, 50);
        }
        wrong
    }
}

impl Window {
    /// Whether it holds on a day of the week, from zero, at a minute of it.
    fn holds(&self, day: i64, at: i64) -> bool {
        let Some((from, to)) = minute(&self.from).zip(minute(&self.to)) else { return false };
        let begins_on = |day: i64| self.days.iter().any(|one| i64::from(*one) == day.rem_euclid(7) + 1);
        if from < to {
            begins_on(day) && (from..to).contains(&at)
        } else {
            (begins_on(day) && at >= from) || (begins_on(day - 1) && at < to)
        }
    }

    /// Its hours: `22:00-06:00`.
    #[must_use]
    pub fn hours(&self) -> String {
        format!("{}-{}", self.from, self.to)
    }
}

/// The minute of a day that `HH:MM` names.
fn minute(text: &str) -> Option<i64> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |part: &str, most: i64| {
        let is_plain = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i64>().ok().filter(|number| is_plain && *number <= most)
    };
    Some(number(hours, 23)? * 60 + number(minutes, 59)?)
}
