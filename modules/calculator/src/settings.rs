//! What an operator may set here.

use agio_core::settings::{Setting, SettingKind, Settings};
use agio_core::{Error, Result, Timestamp};
use time::Date;
use time::format_description::well_known::Iso8601;

/// Name of the site.
pub const SITE_NAME: &str = "site.name";
/// Where customers write to.
pub const SUPPORT_EMAIL: &str = "site.support_email";
/// Whether the contest is shown.
pub const CONTEST: &str = "site.contest";
/// Whether signing in asks for a captcha.
pub const CAPTCHA_LOGIN: &str = "site.captcha_login";
/// Whether lists and mails show the short number of a claim in place of its identifier.
pub const USE_PUBLIC_ID: &str = "site.use_public_id";
/// The page of the support chat, of a provider or of one's own; empty for none.
pub const CHAT_URL: &str = "site.chat_url";
/// What the support chat is called; empty for the site's own words.
pub const CHAT_TITLE: &str = "site.chat_title";
/// Whether the chat is offered on the pages of claims too, which show where to pay.
pub const CHAT_ON_CLAIMS: &str = "site.chat_on_claims";
/// Whether technical mode is on.
pub const TECH_ON: &str = "tech.on";
/// When service is expected back.
pub const TECH_UNTIL: &str = "tech.until";
/// How old an observation may be that pairs are priced with.
pub const MAX_AGE_HOURS: &str = "rates.max_age_hours";
/// The day whose rates are used in place of the present ones.
pub const FIXED_DAY: &str = "rates.fixed_day";
/// For how long a quote holds.
pub const QUOTE_SECONDS: &str = "rates.quote_seconds";
/// The longest time a quote may hold: the key it was signed with is known for as long.
pub const QUOTE_SECONDS_MAX: u64 = 900;
/// After how many days the key of quotes is replaced.
pub const QUOTE_KEY_DAYS: &str = "rates.quote_key_days";
/// The ticker in which the house counts what money is worth.
pub const BASE: &str = "rates.base";
/// By how many percent a change may move a pair's rate before a second factor is asked for.
pub const LARGE_CHANGE_PERCENT: &str = "rates.large_change_percent";
/// Whether directions are sold by which a round trip gains.
pub const ALLOW_ARBITRAGE: &str = "rates.allow_arbitrage";

/// The longest name of the support chat, in characters: it stands on a phone's screen in one line.
const CHAT_TITLE_MAX: usize = 40;

/// The settings of this room.
pub const SETTINGS: &[Setting] = &[
    Setting::line(SITE_NAME, "Agio"),
    Setting::line(SUPPORT_EMAIL, "support@example.com"),
    Setting::switch(CONTEST, "false"),
    Setting::switch(CAPTCHA_LOGIN, "false"),
    Setting::switch(USE_PUBLIC_ID, "true"),
    Setting::line(CHAT_URL, ""),
    Setting::line(CHAT_TITLE, ""),
    Setting::switch(CHAT_ON_CLAIMS, "false"),
    Setting::switch(TECH_ON, "false").unlisted(),
    Setting::new(TECH_UNTIL, SettingKind::Moment, "").unlisted(),
    Setting::number(MAX_AGE_HOURS, 1, 720, "72"),
    Setting::line(FIXED_DAY, ""),
    Setting::number(QUOTE_SECONDS, 15, QUOTE_SECONDS_MAX as i64, "60"),
    Setting::number(QUOTE_KEY_DAYS, 1, 365, "30"),
    Setting::line(BASE, "USDT"),
    Setting::number(LARGE_CHANGE_PERCENT, 1, 100, "5"),
    Setting::switch(ALLOW_ARBITRAGE, "false"),
];

/// Whether technical mode is on, and when service is expected back.
#[must_use]
pub fn technical_mode(settings: &Settings) -> (bool, Option<Timestamp>) {
    (settings.is_on(TECH_ON), Timestamp::parse(&settings.text(TECH_UNTIL)).ok())
}

/// The origin of the support chat's page, `https://chat.example`, where there is a chat: what the pages of the site may frame.
#[must_use]
pub fn chat_origin(settings: &Settings) -> Option<String> {
    origin_of(&settings.text(CHAT_URL))
}

/// The origin of an address over HTTPS. It is written into a header with rules for browsers, so that no letter in it may have a
/// meaning there: no more is taken than what names of hosts are made of.
fn origin_of(address: &str) -> Option<String> {
    let rest = address.strip_prefix("https://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let is_label = |label: &str| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(is_plain) && !label.starts_with('-') && !label.ends_with('-')
    };
    let is_host = name.contains('.') && name.split('.').all(is_label);
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|number| number.to_string() == port && number > 0));
    let is_plain = address.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\'));
    (is_host && is_port && is_plain).then(|| format!("https://{host}"))
}

/// Whether a setting guards the others or the money: a fresh second factor is asked for before it is changed.
#[must_use]
pub fn is_guard(name: &str) -> bool {
    // What stops a pair whose rate went wrong belongs to the room that judges rates.
    let stops_pairs =
        ["rates.sources", "rates.tolerance_hundredths", "rates.jump_percent", "rates.window_minutes", "rates.resume_after"];
    matches!(name, LARGE_CHANGE_PERCENT | ALLOW_ARBITRAGE | CHAT_URL | CHAT_ON_CLAIMS)
        || stops_pairs.contains(&name)
        || ["approvals.", "discounts."].iter().any(|room| name.starts_with(room))
}

/// Whether switching a setting on has to be confirmed by its name: what it lets happen costs money each time.
#[must_use]
pub fn needs_confirmation(name: &str, value: &str) -> bool {
    name == ALLOW_ARBITRAGE && value == "true"
}

/// Checks what the kind of a setting does not say about its value.
///
/// # Errors
/// 422 `validation_failed` at the setting's name.
pub fn check(name: &str, value: &str) -> Result<()> {
    let is_right = match name {
        FIXED_DAY => value.is_empty() || Date::parse(value, &Iso8601::DATE).is_ok(),
        SUPPORT_EMAIL => value.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')),
        BASE => (2..=10).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        SITE_NAME => !value.trim().is_empty(),
        CHAT_URL => value.is_empty() || origin_of(value).is_some(),
        CHAT_TITLE => value.chars().count() <= CHAT_TITLE_MAX,
        _ => true,
    };
    if is_right { Ok(()) } else { Err(Error::unprocessable("validation_failed").at(name, "setting_invalid")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_has_the_origin_of_its_page() {
        for (address, origin) in [
            ("https://chat.example", "https://chat.example"),
            ("https://a-1.chat.example:8443/widget?site=7#en", "https://a-1.chat.example:8443"),
            ("https://chat.example?site=7", "https://chat.example"),
        ] {
            assert_eq!(origin_of(address).as_deref(), Some(origin), "{address}");
        }
    }

    #[test]
    fn nothing_in_an_address_reaches_the_rules_for_browsers() {
        for address in [
            "",
            "http://chat.example/",
            "HTTPS://chat.example/",
            "//chat.example/",
            "javascript:alert(1)",
            "https://",
            "https://localhost/",
            "https://chat.example;sandbox/",
            "https://chat.example,evil.example/",
            "https://*.example/",
            "https://'self'.example/",
            "https://user@chat.example/",
            "https://chat.example@evil.example/",
            "https://chat.example:0/",
            "https://chat.example:+80/",
            "https://chat.example:080/",
            "https://chat.example:65536/",
            "https://chat.example:/",
            "https://chat..example/",
            "https://-chat.example/",
            "https://чат.example/",
            "https://chat.example/ a",
            "https://chat.example/\"onload=",
            "https://chat.example\\@evil.example/",
            " https://chat.example/",
        ] {
            assert_eq!(origin_of(address), None, "{address}");
        }
    }
}
