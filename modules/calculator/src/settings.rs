//! Settings of the site, technical mode and rates.

use agio_core::settings::{Setting, SettingGuard, SettingKind, Settings};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp};
use time::Date;
use time::format_description::well_known::Iso8601;

pub const SITE_NAME: &str = "site.name";
pub const SUPPORT_EMAIL: &str = "site.support_email";
pub const CONTEST: &str = "site.contest";
pub const CAPTCHA_LOGIN: &str = "site.captcha_login";
/// Whether lists and e-mails show the claim number instead of the identifier.
pub const USE_PUBLIC_ID: &str = "site.use_public_id";
/// URL of the support chat. Empty for none.
pub const CHAT_URL: &str = "site.chat_url";
/// Title of the support chat. Empty for the default.
pub const CHAT_TITLE: &str = "site.chat_title";
/// Whether the chat is also available on claim pages, which show payment details.
pub const CHAT_ON_CLAIMS: &str = "site.chat_on_claims";
/// Whether the contact panel, which is there without a chat, is also on claim pages.
pub const CONTACTS_ON_CLAIMS: &str = "site.contacts_on_claims";
/// Whether browsers can subscribe to notifications of claims. The claims module declares it.
pub const BROWSER_NOTIFICATIONS: &str = "claims.browser_notifications";
/// Languages of the site, the default first: `ru en`, `en ru`, `ru` or `en`.
pub const LANGUAGES: &str = "site.languages";
/// Sites that may frame the calculator, separated by spaces or commas. Empty for all.
pub const EMBED_SITES: &str = "site.embed_sites";
pub const TECH_ON: &str = "tech.on";
pub const TECH_UNTIL: &str = "tech.until";
/// Maximum age of an observation used for pricing.
pub const MAX_AGE_HOURS: &str = "rates.max_age_hours";
/// The fixed day whose rates are used instead of current rates.
pub const FIXED_DAY: &str = "rates.fixed_day";
pub const QUOTE_SECONDS: &str = "rates.quote_seconds";
/// Maximum lifetime of a quote. Its key stays published for as long.
pub const QUOTE_SECONDS_MAX: u64 = 900;
/// Rotation period of the quote key.
pub const QUOTE_KEY_DAYS: &str = "rates.quote_key_days";
/// Ticker of the base currency for reference values.
pub const BASE: &str = "rates.base";
/// Rate changes above this percentage need a fresh second factor.
pub const LARGE_CHANGE_PERCENT: &str = "rates.large_change_percent";
/// Whether directions with a profitable round trip stay available.
pub const ALLOW_ARBITRAGE: &str = "rates.allow_arbitrage";

/// In characters. Fits one line on a phone.
const CHAT_TITLE_MAX: usize = 40;

pub const SETTINGS: &[Setting] = &[
    Setting::line(SITE_NAME, "Agio"),
    Setting::line(SUPPORT_EMAIL, "support@example.com"),
    Setting::switch(CONTEST, "false"),
    Setting::switch(CAPTCHA_LOGIN, "false"),
    Setting::switch(USE_PUBLIC_ID, "true"),
    Setting::line(CHAT_URL, ""),
    Setting::line(CHAT_TITLE, ""),
    Setting::switch(CHAT_ON_CLAIMS, "false"),
    Setting::switch(CONTACTS_ON_CLAIMS, "true"),
    Setting::line(LANGUAGES, "ru en"),
    Setting::line(EMBED_SITES, ""),
    Setting::switch(TECH_ON, "false").unlisted(),
    Setting::new(TECH_UNTIL, SettingKind::DateTime, "").unlisted(),
    Setting::number(MAX_AGE_HOURS, 1, 720, "72").guarded(SettingGuard::Raising),
    Setting::line(FIXED_DAY, "").guarded(SettingGuard::AnyChange),
    Setting::number(QUOTE_SECONDS, 15, QUOTE_SECONDS_MAX as i64, "60").guarded(SettingGuard::Raising),
    Setting::number(QUOTE_KEY_DAYS, 1, 365, "30"),
    // The limits of approvals are in it.
    Setting::line(BASE, "USDT").guarded(SettingGuard::AnyChange),
    Setting::number(LARGE_CHANGE_PERCENT, 1, 100, "5").guarded(SettingGuard::Raising),
    Setting::switch(ALLOW_ARBITRAGE, "false").guarded(SettingGuard::Raising),
];

/// Whether technical mode is on, and when the service is expected back.
pub fn technical_mode(settings: &Settings) -> (bool, Option<Timestamp>) {
    (settings.is_on(TECH_ON), Timestamp::parse(&settings.text(TECH_UNTIL)).ok())
}

/// Origin of the support chat, such as `https://chat.example`, for the frame policy of the site.
pub fn chat_origin(settings: &Settings) -> Option<String> {
    origin_of(&settings.text(CHAT_URL))
}

/// The languages that the site offers, the default first.
pub fn site_languages(settings: &Settings) -> &'static [Locale] {
    languages_of(&settings.text(LANGUAGES)).unwrap_or(&[Locale::Ru, Locale::En])
}

fn languages_of(value: &str) -> Option<&'static [Locale]> {
    Some(match value {
        "ru en" => &[Locale::Ru, Locale::En],
        "en ru" => &[Locale::En, Locale::Ru],
        "ru" => &[Locale::Ru],
        "en" => &[Locale::En],
        _ => return None,
    })
}

/// The sites that may frame the calculator, as sources of a content security policy.
pub fn embed_ancestors(settings: &Settings) -> String {
    let listed = settings.text(EMBED_SITES);
    let sites: Vec<_> = embed_sites(&listed).filter(|site| is_embed_site(site)).collect();
    // The account shows a preview. A list without a readable site admits nobody else.
    if listed.trim().is_empty() { "*".to_owned() } else { format!("'self' {}", sites.join(" ")).trim_end().to_owned() }
}

fn embed_sites(listed: &str) -> impl Iterator<Item = &str> {
    listed.split([' ', ',']).filter(|site| !site.is_empty())
}

/// `https://shop.example`, or `https://*.shop.example` for all sites below it.
fn is_embed_site(site: &str) -> bool {
    let plain = site.replacen("https://*.", "https://", 1);
    origin_of(&plain).is_some_and(|origin| origin == plain)
}

/// Origin of an HTTPS URL. It goes into a security header, so only plain host name characters are accepted.
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

/// Whether enabling a setting must be confirmed by its name because it can lose money.
pub fn needs_confirmation(name: &str, value: &str) -> bool {
    name == ALLOW_ARBITRAGE && value == "true"
}

/// Validates a value beyond its type.
///
/// # Errors
/// 422 `validation_failed` at the setting's name.
pub fn check(name: &str, value: &str) -> Result<()> {
    let is_right = match name {
        FIXED_DAY => value.is_empty() || Date::parse(value, &Iso8601::DATE).is_ok(),
        SUPPORT_EMAIL => agio_brand::is_email(value),
        BASE => (2..=10).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        SITE_NAME => agio_brand::check_name(name, value).is_none(),
        CHAT_URL => value.is_empty() || origin_of(value).is_some(),
        LANGUAGES => languages_of(value).is_some(),
        EMBED_SITES => embed_sites(value).all(is_embed_site),
        CHAT_TITLE => value.chars().count() <= CHAT_TITLE_MAX,
        _ => true,
    };
    if is_right { Ok(()) } else { Err(Error::unprocessable("validation_failed").at(name, "setting_invalid")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chat_origin_is_that_of_its_page() {
        for (address, origin) in [
            ("https://chat.example", "https://chat.example"),
            ("https://a-1.chat.example:8443/widget?site=7#en", "https://a-1.chat.example:8443"),
            ("https://chat.example?site=7", "https://chat.example"),
        ] {
            assert_eq!(origin_of(address).as_deref(), Some(origin), "{address}");
        }
    }

    #[test]
    fn unsafe_chat_urls_are_rejected() {
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
