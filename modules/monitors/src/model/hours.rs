//! The hours in which somebody works.

use agio_core::Timestamp;

const MINUTE_MICROS: i64 = 60_000_000;
const DAY_MINUTES: i64 = 24 * 60;

/// From one full hour to another, each day, in a place so many minutes ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// The first hour, 0 to 23.
    pub from: i64,
    /// The hour at which it ends, 1 to 24; before or at the first one it is the next day's, and equal ones mean all day.
    pub to: i64,
    /// How far the place's time is ahead of UTC, in minutes.
    pub ahead: i64,
}

impl Hours {
    /// Whether a moment is in them.
    #[must_use]
    pub fn contain(self, now: Timestamp) -> bool {
        let minute = (now.0.div_euclid(MINUTE_MICROS) + self.ahead).rem_euclid(DAY_MINUTES);
        let (from, to) = (self.from * 60, self.to * 60);
        if from == to % DAY_MINUTES {
            true
        } else if from < to {
            (from..to).contains(&minute)
        } else {
            minute >= from || minute < to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        Timestamp::parse(&format!("2024-03-28T{time}:00Z")).unwrap()
    }

    #[test]
    fn a_day_has_its_hours_where_the_people_are() {
        let moscow = Hours { from: 9, to: 21, ahead: 180 };
        assert!(!moscow.contain(at("05:59")));
        assert!(moscow.contain(at("06:00")) && moscow.contain(at("17:59")));
        assert!(!moscow.contain(at("18:00")));
    }

    #[test]
    fn a_night_goes_over_midnight_and_all_day_is_all_day() {
        let night = Hours { from: 22, to: 6, ahead: 0 };
        assert!(night.contain(at("23:00")) && night.contain(at("05:59")));
        assert!(!night.contain(at("06:00")) && !night.contain(at("21:59")));
        let always = Hours { from: 0, to: 24, ahead: 180 };
        assert!(always.contain(at("00:00")) && always.contain(at("23:59")));
    }
}
