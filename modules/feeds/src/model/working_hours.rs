//! Working hours.

use agio_core::Timestamp;

const MINUTE_MICROS: i64 = 60_000_000;
const DAY_MINUTES: i64 = 24 * 60;

/// Daily, in local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkingHours {
    /// 0 to 23.
    pub from: i64,
    /// 1 to 24. At or before `from` it is on the next day; equal hours mean all day.
    pub to: i64,
    /// Offset from UTC in minutes.
    pub ahead: i64,
}

impl WorkingHours {
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
    fn hours_are_in_local_time() {
        let moscow = WorkingHours { from: 9, to: 21, ahead: 180 };
        assert!(!moscow.contain(at("05:59")));
        assert!(moscow.contain(at("06:00")) && moscow.contain(at("17:59")));
        assert!(!moscow.contain(at("18:00")));
    }

    #[test]
    fn hours_can_span_midnight_or_the_whole_day() {
        let night = WorkingHours { from: 22, to: 6, ahead: 0 };
        assert!(night.contain(at("23:00")) && night.contain(at("05:59")));
        assert!(!night.contain(at("06:00")) && !night.contain(at("21:59")));
        let always = WorkingHours { from: 0, to: 24, ahead: 180 };
        assert!(always.contain(at("00:00")) && always.contain(at("23:59")));
    }
}
