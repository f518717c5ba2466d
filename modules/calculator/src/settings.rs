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
/// The ticker in which the house counts what money is worth.
pub const BASE: &str = "rates.base";
/// By how many percent a change may move a pair's rate before a second factor is asked for.
pub const LARGE_CHANGE_PERCENT: &str = "rates.large_change_percent";

/// The settings of this room.
pub const SETTINGS: &[Setting] = &[
    listed(SITE_NAME, SettingKind::Text, "Agio"),
    listed(SUPPORT_EMAIL, SettingKind::Text, "support@example.com"),
    listed(CONTEST, SettingKind::Bool, "false"),
    listed(CAPTCHA_LOGIN, SettingKind::Bool, "false"),
    listed(USE_PUBLIC_ID, SettingKind::Bool, "true"),
    hidden(TECH_ON, SettingKind::Bool, "false"),
    hidden(TECH_UNTIL, SettingKind::Moment, ""),
    listed(MAX_AGE_HOURS, SettingKind::Int(1, 720), "72"),
    listed(FIXED_DAY, SettingKind::Text, ""),
    listed(QUOTE_SECONDS, SettingKind::Int(15, 900), "60"),
    listed(BASE, SettingKind::Text, "USDT"),
    listed(LARGE_CHANGE_PERCENT, SettingKind::Int(1, 100), "5"),
];

const fn listed(name: &'static str, kind: SettingKind, default: &'static str) -> Setting {
    Setting { name, kind, default, listed: true }
}

/// A setting with a screen of its own.
const fn hidden(name: &'static str, kind: SettingKind, default: &'static str) -> Setting {
    Setting { name, kind, default, listed: false }
}

/// Whether technical mode is on, and when service is expected back.
#[must_use]
pub fn technical_mode(settings: &Settings) -> (bool, Option<Timestamp>) {
    (settings.is_on(TECH_ON), Timestamp::parse(&settings.text(TECH_UNTIL)).ok())
}

/// Whether a setting guards the others or the money: a fresh second factor is asked for before it is changed.
#[must_use]
pub fn is_guard(name: &str) -> bool {
    name == LARGE_CHANGE_PERCENT || ["approvals.", "discounts."].iter().any(|room| name.starts_with(room))
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
        _ => true,
    };
    if is_right { Ok(()) } else { Err(Error::unprocessable("validation_failed").at(name, "setting_invalid")) }
}
