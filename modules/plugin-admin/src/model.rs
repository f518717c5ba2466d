//! Validation of plugin settings.

use std::collections::BTreeMap;

use agio_core::{Error, FieldError};
use agio_plugin_sdk::protocol::{AllowedHost, Manifest, PluginSetting, PluginSettingKind};

/// Maximum length of a value, in characters.
const VALUE_MAX: usize = 500;

/// Why a value is invalid, as an error of the field `settings.NAME`.
pub fn value_error(field: &PluginSetting, value: &str) -> Option<FieldError> {
    let is_line = value.chars().count() <= VALUE_MAX && !value.chars().any(char::is_control);
    // A value entered by staff is checked more strictly than a default.
    let is_plausible = match &field.kind {
        PluginSettingKind::Text | PluginSettingKind::Secret => !value.trim().is_empty(),
        PluginSettingKind::Url => is_url(value),
        PluginSettingKind::Bool | PluginSettingKind::Int { .. } | PluginSettingKind::Choice { .. } => true,
    };
    let fits = is_line && is_plausible && field.kind.accepts(value);
    (!fits).then(|| match &field.kind {
        PluginSettingKind::Int { min, max } => {
            FieldError::new(path(&field.name), "plugin_value_out_of_range").with("min", min).with("max", max)
        }
        PluginSettingKind::Url => FieldError::new(path(&field.name), "plugin_value_no_url"),
        _ => FieldError::new(path(&field.name), "setting_invalid"),
    })
}

fn path(name: &str) -> String {
    format!("settings.{name}")
}

fn is_url(value: &str) -> bool {
    let rest = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '['))
        && !value.contains([' ', '@'])
}

/// Checks new settings against the manifest, and host URLs with `may_call`. `None` as a value restores the default.
///
/// # Errors
/// 422 `validation_failed` at `settings.NAME`.
pub fn check(
    manifest: &Manifest,
    values: &BTreeMap<String, Option<String>>,
    may_call: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    let is_host =
        |name: &str| manifest.hosts.iter().any(|host| matches!(host, AllowedHost::Setting { setting, .. } if setting == name));
    let mut errors = Vec::new();
    for (name, value) in values {
        match (manifest.settings.iter().find(|field| &field.name == name), value) {
            (None, _) => errors.push(FieldError::new(path(name), "unknown_field")),
            (Some(field), Some(value)) => match value_error(field, value) {
                None if is_host(name) && !may_call(value) => {
                    errors.push(FieldError::new(path(name), "plugin_url_not_allowed"));
                }
                error => errors.extend(error),
            },
            (Some(_), None) => {}
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::invalid(errors)) }
}

/// The settings passed to a plugin, including defaults.
pub fn effective(manifest: &Manifest, stored: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let known = manifest.settings.iter();
    let value = |field: &PluginSetting| stored.get(&field.name).cloned().or_else(|| field.default.clone());
    known.filter_map(|field| Some((field.name.clone(), value(field)?))).collect()
}

/// Required settings that are not set.
pub fn missing<'a>(manifest: &'a Manifest, stored: &BTreeMap<String, String>) -> Vec<&'a PluginSetting> {
    manifest.settings.iter().filter(|field| field.default.is_none() && !stored.contains_key(&field.name)).collect()
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::protocol::{LocalizedText, SettingChoice};

    use super::*;

    fn field(kind: PluginSettingKind) -> PluginSetting {
        PluginSetting { name: "x".to_owned(), kind, title: LocalizedText::default(), default: None }
    }

    #[test]
    fn values_must_fit_their_kind() {
        let good = [
            (PluginSettingKind::Text, "a line"),
            (PluginSettingKind::Secret, "s3cr3t"),
            (PluginSettingKind::Bool, "false"),
            (PluginSettingKind::Int { min: -5, max: 5 }, "-5"),
            (PluginSettingKind::Url, "http://127.0.0.1:18443/wallet/a"),
            (
                PluginSettingKind::Choice { of: vec![SettingChoice { value: "a".to_owned(), title: LocalizedText::default() }] },
                "a",
            ),
        ];
        for (kind, value) in good {
            assert!(value_error(&field(kind), value).is_none(), "{value}");
        }
        let bad = [
            (PluginSettingKind::Text, " "),
            (PluginSettingKind::Text, "two\nlines"),
            (PluginSettingKind::Bool, "yes"),
            (PluginSettingKind::Int { min: -5, max: 5 }, "6"),
            (PluginSettingKind::Int { min: -5, max: 5 }, "1e3"),
            (PluginSettingKind::Url, "ftp://example.com"),
            (PluginSettingKind::Url, "https://user:pass@example.com"),
            (PluginSettingKind::Url, "https://"),
            (PluginSettingKind::Choice { of: Vec::new() }, "a"),
        ];
        for (kind, value) in bad {
            assert!(value_error(&field(kind.clone()), value).is_some(), "{kind:?} {value:?}");
        }
    }
}
