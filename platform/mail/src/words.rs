//! How letters say things that every room says.

use agio_core::Timestamp;
use agio_core::texts::Locale;

/// `28.03.2024 12:30 UTC`, `28 March 2024, 12:30 UTC`.
#[must_use]
pub fn moment_in_words(moment: Timestamp, locale: Locale) -> String {
    let (date, text) = (moment.date(), moment.to_string());
    let time = text.get(11..16).unwrap_or_default();
    match locale {
        Locale::Ru => format!("{:02}.{:02}.{} {time} UTC", date.day(), u8::from(date.month()), date.year()),
        Locale::En => format!("{} {} {}, {time} UTC", date.day(), date.month(), date.year()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_read_well() {
        let noon = Timestamp::parse("2024-03-08T12:30:59.5Z").unwrap();
        assert_eq!(moment_in_words(noon, Locale::Ru), "08.03.2024 12:30 UTC");
        assert_eq!(moment_in_words(noon, Locale::En), "8 March 2024, 12:30 UTC");
    }
}
