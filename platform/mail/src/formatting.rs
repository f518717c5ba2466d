//! Formats values for emails.

use agio_core::Timestamp;
use agio_core::texts::{Locale, format_amount};
use jiff::tz::TimeZone;
use rust_decimal::{Decimal, RoundingStrategy};

const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/// The longest IANA name of a time zone that is accepted.
const ZONE_NAME_MAX: usize = 64;

/// Whether a text is the IANA name of a time zone, such as `Europe/Moscow`.
pub fn is_time_zone(name: &str) -> bool {
    name.len() <= ZONE_NAME_MAX && TimeZone::get(name).is_ok()
}

/// A time in a zone, an IANA name, or in UTC where there is none: `28.03.2024 15:30 (UTC+3)`, `28 March 2024, 12:30 (UTC)`.
pub(crate) fn format_timestamp(timestamp: Timestamp, locale: Locale, zone: &str) -> String {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let Ok(instant) = jiff::Timestamp::from_microsecond(timestamp.0) else { return timestamp.to_string() };
    let local = instant.to_zoned_datetime(zone);
    let (day, month, year) = (local.day(), local.month(), local.year());
    let time = format!("{:02}:{:02} ({})", local.hour(), local.minute(), offset_name(local.offset().seconds()));
    match locale {
        Locale::Ru => format!("{day:02}.{month:02}.{year} {time}"),
        Locale::En => {
            let name = usize::try_from(month).ok().and_then(|month| MONTHS.get(month - 1)).copied().unwrap_or_default();
            format!("{day} {name} {year}, {time}")
        }
    }
}

/// `UTC`, `UTC+3`, `UTC−3:30`.
fn offset_name(seconds: i32) -> String {
    let (sign, minutes) = (if seconds < 0 { '−' } else { '+' }, seconds.unsigned_abs() / 60);
    match (minutes / 60, minutes % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

/// Signs of money in place of codes where everyone knows them, as on the site.
const SIGNS: [(&str, &str); 5] = [("RUB", "₽"), ("USD", "$"), ("EUR", "€"), ("UAH", "₴"), ("KZT", "₸")];

/// Significant digits of a rate, as on the site.
const RATE_DIGITS: u32 = 12;

fn unit_of(ticker: &str) -> &str {
    SIGNS.iter().find(|(code, _)| *code == ticker).map_or(ticker, |(_, sign)| sign)
}

/// An amount with its unit: `90\u{a0}000,04 ₽`, `0.015 BTC`.
pub fn format_money(amount: Decimal, ticker: &str, locale: Locale) -> String {
    format!("{} {}", format_amount(amount, locale), unit_of(ticker))
}

/// A rate as it is usually quoted, one unit of the dearer currency in units of the cheaper: `1 BTC = 6,012,345 ₽`. An
/// inverted rate is no longer exact, which its sign says.
pub fn format_rate(rate: Decimal, from: &str, to: &str, locale: Locale) -> String {
    let inverted = (rate < Decimal::ONE).then(|| Decimal::ONE.checked_div(rate)).flatten();
    let (one, other, sign) = if inverted.is_some() { (to, from, '≈') } else { (from, to, '=') };
    let value = inverted.unwrap_or(rate);
    let cut = value.round_sf_with_strategy(RATE_DIGITS, RoundingStrategy::ToZero).unwrap_or(value);
    format!("1 {} {sign} {}", unit_of(one), format_money(cut, other, locale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_the_dearer_currency() {
        let written = |rate: &str, from, to, locale| format_rate(rate.parse().unwrap(), from, to, locale);
        assert_eq!(written("6012345.5", "BTC", "RUB", Locale::En), "1 BTC = 6,012,345.5 ₽");
        assert_eq!(written("0.00000016", "RUB", "BTC", Locale::Ru), "1 BTC ≈ 6\u{a0}250\u{a0}000 ₽");
        assert_eq!(written("97.123456789012345", "USDT", "RUB", Locale::En), "1 USDT = 97.123456789 ₽");
        assert_eq!(written("1", "USDT", "USD", Locale::En), "1 USDT = 1 $");
    }

    #[test]
    fn timestamps_use_the_format_of_the_language() {
        let noon = Timestamp::parse("2024-03-08T12:30:59.5Z").unwrap();
        assert_eq!(format_timestamp(noon, Locale::Ru, ""), "08.03.2024 12:30 (UTC)");
        assert_eq!(format_timestamp(noon, Locale::En, ""), "8 March 2024, 12:30 (UTC)");
    }

    #[test]
    fn timestamps_are_in_the_zone_of_the_reader_and_name_it() {
        let at = |text: &str, zone| format_timestamp(Timestamp::parse(text).unwrap(), Locale::Ru, zone);
        assert_eq!(at("2024-03-08T22:30:00Z", "Europe/Moscow"), "09.03.2024 01:30 (UTC+3)");
        assert_eq!(at("2024-03-08T02:30:00Z", "America/St_Johns"), "07.03.2024 23:00 (UTC−3:30)");
        assert_eq!(at("2024-07-08T02:30:00Z", "America/St_Johns"), "08.07.2024 00:00 (UTC−2:30)", "summer time");
        assert_eq!(at("2024-03-08T22:30:00Z", "Nowhere/Land"), "08.03.2024 22:30 (UTC)");
        assert!(is_time_zone("Asia/Kolkata") && !is_time_zone("Nowhere/Land") && !is_time_zone(&"a/".repeat(40)));
    }
}
