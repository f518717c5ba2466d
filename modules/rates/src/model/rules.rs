//! The rules of a pair.

use agio_core::FieldError;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::schedule::Schedule;

/// The most digits a percent may have behind the point.
pub const PERCENT_DIGITS: u32 = 6;
/// The least by which another is bettered: more than what rounding a margin takes back.
const UNDERCUT_MIN: Decimal = Decimal::from_parts(1, 0, 0, false, 4);
/// The most checkpoints of one correction.
const CHECKPOINTS_MAX: usize = 20;
/// The most names of own exchangers.
const OWN_MAX: usize = 20;
/// The longest name.
const NAME_MAX: usize = 80;

/// Rules of a pair; what is nothing is as the settings of the house say, or not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Rules {
    /// How many sources have to agree on every part of the rate.
    pub sources: Option<u32>,
    /// By how many percent the rate may move within the window before the pair stops.
    #[serde(with = "maybe")]
    pub jump_percent: Option<Decimal>,
    /// The window, in minutes.
    pub window_minutes: Option<u32>,
    /// After how many good cycles a stopped pair goes on by itself; zero for never.
    pub resume_after: Option<u32>,
    /// The least and the greatest margin that rules may make. Without them nothing is added.
    pub bounds: Option<Bounds>,
    /// A place on a monitor.
    pub position: Option<Position>,
    /// A correction by the reserve.
    pub reserve: Option<Reserve>,
    /// A correction by the move of a day: from which percent of move on so much is added.
    pub moves: Vec<Checkpoint>,
    /// Corrections by the hour.
    pub schedule: Option<Schedule>,
}

/// The least and the greatest margin, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bounds {
    /// The least.
    #[serde(with = "text")]
    pub floor: Decimal,
    /// The greatest.
    #[serde(with = "text")]
    pub ceiling: Decimal,
}

/// A place on a monitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Position {
    /// The source that reads the monitor.
    pub monitor: String,
    /// The best place wanted, from one.
    pub best: u32,
    /// The worst place wanted.
    pub worst: u32,
    /// By how many points of percent the margin may change in a cycle.
    #[serde(with = "text")]
    pub step: Decimal,
    /// By how many points of percent the offer of whoever has the place is bettered.
    #[serde(with = "text")]
    pub undercut: Decimal,
    /// The house's own names on the monitor: they are no competitors.
    #[serde(default)]
    pub own: Vec<String>,
    /// The least reserve of a competitor that counts, in the received currency.
    #[serde(with = "text")]
    pub least_reserve: Decimal,
}

/// A correction by the reserve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reserve {
    /// The reserve that is wanted, in the received currency.
    #[serde(with = "text")]
    pub target: Decimal,
    /// From which percent of it on how much is added.
    pub levels: Vec<Checkpoint>,
}

/// From a value on, so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Checkpoint {
    /// The value.
    #[serde(with = "text")]
    pub from: Decimal,
    /// Points of percent added to the course.
    #[serde(with = "text")]
    pub percent: Decimal,
}

impl Checkpoint {
    /// What is added at a value: what the last checkpoint at or below it says; below all of them, what the first says.
    #[must_use]
    pub fn at(all: &[Self], value: Decimal) -> Option<Decimal> {
        let reached = all.iter().rev().find(|checkpoint| checkpoint.from <= value);
        reached.or(all.first()).map(|checkpoint| checkpoint.percent)
    }
}

impl Rules {
    /// Whether anything is added to the course, so that bounds are needed.
    #[must_use]
    pub fn adjusts(&self) -> bool {
        let by_hour =
            self.schedule.as_ref().is_some_and(|schedule| schedule.windows.iter().any(|window| window.percent.is_some()));
        self.position.is_some() || self.reserve.is_some() || !self.moves.is_empty() || by_hour
    }

    /// Everything that is wrong with them, field by field.
    #[must_use]
    pub fn faults(&self) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        between(&mut wrong, "sources", self.sources.map(Decimal::from), 1, 10);
        between(&mut wrong, "jumpPercent", self.jump_percent, 0, 90);
        if self.jump_percent == Some(Decimal::ZERO) {
            wrong.push(fault("jumpPercent", "value_out_of_range", &[("min", "0.01"), ("max", "90")]));
        }
        between(&mut wrong, "windowMinutes", self.window_minutes.map(Decimal::from), 1, 10_080);
        between(&mut wrong, "resumeAfter", self.resume_after.map(Decimal::from), 0, 1_000);
        match self.bounds {
            None if self.adjusts() => wrong.push(fault("bounds", "required", &[])),
            None => {}
            Some(bounds) => {
                between(&mut wrong, "bounds.floor", Some(bounds.floor), -50, 90);
                between(&mut wrong, "bounds.ceiling", Some(bounds.ceiling), -50, 90);
                if bounds.floor > bounds.ceiling {
                    wrong.push(fault("bounds.ceiling", "max_below_min", &[]));
                }
            }
        }
        self.check_position(&mut wrong);
        if let Some(reserve) = &self.reserve {
            if reserve.target <= Decimal::ZERO {
                wrong.push(fault("reserve.target", "rate_not_positive", &[]));
            }
            check_points(&mut wrong, "reserve.levels", &reserve.levels);
        }
        if !self.moves.is_empty() {
            check_points(&mut wrong, "moves", &self.moves);
        }
        wrong.extend(self.schedule.iter().flat_map(Schedule::faults));
        wrong
    }

    fn check_position(&self, wrong: &mut Vec<FieldError>) {
        let Some(position) = &self.position else { return };
        between(wrong, "position.best", Some(position.best.into()), 1, 100);
        between(wrong, "position.worst", Some(position.worst.into()), 1, 100);
        if position.best > position.worst {
            wrong.push(fault("position.worst", "max_below_min", &[]));
        }
        between(wrong, "position.step", Some(position.step), 0, 50);
        if position.step.is_zero() {
            wrong.push(fault("position.step", "value_out_of_range", &[("min", "0.000001"), ("max", "50")]));
        }
        between(wrong, "position.undercut", Some(position.undercut), 0, 5);
        if position.undercut < UNDERCUT_MIN {
            wrong.push(fault("position.undercut", "value_out_of_range", &[("min", "0.0001"), ("max", "5")]));
        }
        if position.least_reserve < Decimal::ZERO {
            wrong.push(fault("position.leastReserve", "amount_negative", &[]));
        }
        let names = || std::iter::once(&position.monitor).chain(&position.own);
        if names().any(|name| name.trim().is_empty() || name.chars().count() > NAME_MAX || name.chars().any(char::is_control)) {
            wrong.push(fault("position.own", "text_too_long", &[("max", &NAME_MAX.to_string())]));
        }
        if position.own.len() > OWN_MAX {
            wrong.push(fault("position.own", "value_out_of_range", &[("min", "0"), ("max", &OWN_MAX.to_string())]));
        }
    }
}

fn check_points(wrong: &mut Vec<FieldError>, field: &str, points: &[Checkpoint]) {
    if points.is_empty() || points.len() > CHECKPOINTS_MAX {
        wrong.push(fault(field, "value_out_of_range", &[("min", "1"), ("max", &CHECKPOINTS_MAX.to_string())]));
    }
    if !points.is_sorted_by(|before, after| before.from < after.from) {
        wrong.push(fault(field, "checkpoints_not_ascending", &[]));
    }
    for (place, point) in points.iter().enumerate() {
        between(wrong, &format!("{field}[{place}].percent"), Some(point.percent), -50, 50);
        between(wrong, &format!("{field}[{place}].from"), Some(point.from), -100, 100_000);
    }
}

/// Notes a number outside its range, or with too many digits.
pub(super) fn between(wrong: &mut Vec<FieldError>, field: &str, value: Option<Decimal>, least: i64, most: i64) {
    let Some(value) = value else { return };
    if value < Decimal::from(least) || value > Decimal::from(most) {
        wrong.push(fault(field, "value_out_of_range", &[("min", &least.to_string()), ("max", &most.to_string())]));
    } else if value.normalize().scale() > PERCENT_DIGITS {
        wrong.push(fault(field, "too_many_digits", &[("digits", &PERCENT_DIGITS.to_string())]));
    }
}

pub(super) fn fault(field: &str, code: &'static str, params: &[(&'static str, &str)]) -> FieldError {
    let params = params.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    FieldError { field: field.to_owned(), code, params }
}

/// Decimals in JSON are strings.
pub(super) mod text {
    use rust_decimal::Decimal;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&agio_core::money::plain(*value))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let text = String::deserialize(deserializer)?;
        Decimal::from_str_exact(&text).map_err(D::Error::custom)
    }
}

/// The same where there may be none.
pub(super) mod maybe {
    use rust_decimal::Decimal;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(agio_core::money::plain).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| Decimal::from_str_exact(&text).map_err(D::Error::custom)).transpose()
    }
}
