//! Formats values for emails.

use agio_core::Timestamp;
use agio_core::money::plain;
use agio_core::texts::Locale;
use rust_decimal::Decimal;

/// `28.03.2024 12:30 UTC`, `28 March 2024, 12:30 UTC`.
#[must_use]
pub fn format_timestamp(timestamp: Timestamp, locale: Locale) -> String {
    let (date, text) = (timestamp.date(), timestamp.to_string());
    let time = text.get(11..16).unwrap_or_default();
    match locale {
        Locale::Ru => format!("{:02}.{:02}.{} {time} UTC", date.day(), u8::from(date.month()), date.year()),
        Locale::En => format!("{} {} {}, {time} UTC", date.day(), date.month(), date.year()),
    }
}

/// An amount in the language's format: `90\u{a0}000,04`, `90,000.04`.
#[must_use]
pub fn format_amount(amount: Decimal, locale: Locale) -> String {
    let (group, point) = match locale {
        Locale::Ru => ('\u{a0}', ','),
        Locale::En => (',', '.'),
    };
    let text = plain(amount);
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("−", rest));
    let (whole, part) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
    let mut written = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            written.push(group);
        }
        written.push(digit);
    }
    if let Some(part) = part {
        written.push(point);
        written.push_str(part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_use_the_format_of_the_language() {
        let written = |text: &str, locale| format_amount(text.parse().unwrap(), locale);
        assert_eq!(written("90000.04", Locale::Ru), "90\u{a0}000,04");
        assert_eq!(written("90000.04", Locale::En), "90,000.04");
        assert_eq!(written("1234567", Locale::Ru), "1\u{a0}234\u{a0}567");
        assert_eq!(written("-1234567.5", Locale::En), "−1,234,567.5");
        assert_eq!(written("999", Locale::En), "999");
        assert_eq!(written("0.00000001", Locale::Ru), "0,00000001");
    }

    #[test]
    fn timestamps_use_the_format_of_the_language() {
        let noon = Timestamp::parse("2024-03-08T12:30:59.5Z").unwrap();
        assert_eq!(format_timestamp(noon, Locale::Ru), "08.03.2024 12:30 UTC");
        assert_eq!(format_timestamp(noon, Locale::En), "8 March 2024, 12:30 UTC");
    }
}
