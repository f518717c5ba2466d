//! What may be set of a plugin.

use std::collections::BTreeMap;

use agio_core::error::Params;
use agio_core::{Error, FieldError};
use agio_plugin::protocol::{Field, FieldKind, Host, Manifest};

/// The longest value, in characters.
const VALUE_MAX: usize = 500;

/// Why a value may not be set, said of `settings.NAME`.
#[must_use]
pub fn fault(field: &Field, value: &str) -> Option<FieldError> {
    let is_line = value.chars().count() <= VALUE_MAX && !value.chars().any(char::is_control);
    // Somebody typed it, so more is asked of it than of a default.
    let is_meant = match &field.kind {
        FieldKind::Text | FieldKind::Secret => !value.trim().is_empty(),
        FieldKind::Url => is_url(value),
        FieldKind::Bool | FieldKind::Int { .. } | FieldKind::Choice { .. } => true,
    };
    let fits = is_line && is_meant && field.kind.takes(value);
    let (code, params) = match &field.kind {
        FieldKind::Int { min, max } => {
            ("plugin_value_out_of_range", Params::from([("min", min.to_string()), ("max", max.to_string())]))
        }
        FieldKind::Url => ("plugin_value_no_url", Params::new()),
        _ => ("setting_invalid", Params::new()),
    };
    (!fits).then(|| FieldError { field: path(&field.name), code, params })
}

/// Where a setting is in a change.
fn path(name: &str) -> String {
    format!("settings.{name}")
}

fn is_url(value: &str) -> bool {
    let rest = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '['))
        && !value.contains([' ', '@'])
}

/// Checks what is to be set against the manifest, and addresses the plugin calls by `may_call`; nothing as a value goes back to the default.
///
/// # Errors
/// 422 `validation_failed` at `settings.NAME`.
pub fn check(
    manifest: &Manifest,
    wished: &BTreeMap<String, Option<String>>,
    may_call: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    let is_called =
        |name: &str| manifest.hosts.iter().any(|host| matches!(host, Host::Setting { setting, .. } if setting == name));
    let mut errors = Vec::new();
    for (name, value) in wished {
        match (manifest.settings.iter().find(|field| &field.name == name), value) {
            (None, _) => errors.push(FieldError { field: path(name), code: "unknown_field", params: Params::new() }),
            (Some(field), Some(value)) => match fault(field, value) {
                None if is_called(name) && !may_call(value) => {
                    errors.push(FieldError { field: path(name), code: "plugin_url_not_allowed", params: Params::new() });
                }
                found => errors.extend(found),
            },
            (Some(_), None) => {}
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::invalid(errors)) }
}

/// What a plugin is given: what is set, and the defaults of what is not.
#[must_use]
pub fn effective(manifest: &Manifest, set: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let known = manifest.settings.iter();
    let value = |field: &Field| set.get(&field.name).cloned().or_else(|| field.default.clone());
    known.filter_map(|field| Some((field.name.clone(), value(field)?))).collect()
}

/// The fields that have to be set before the plugin can be asked anything.
#[must_use]
pub fn missing<'a>(manifest: &'a Manifest, set: &BTreeMap<String, String>) -> Vec<&'a Field> {
    manifest.settings.iter().filter(|field| field.default.is_none() && !set.contains_key(&field.name)).collect()
}

#[cfg(test)]
mod tests {
    use agio_plugin::protocol::{Choice, Words};

    use super::*;

    fn field(kind: FieldKind) -> Field {
        Field { name: "x".to_owned(), kind, title: Words::default(), default: None }
    }

    #[test]
    fn values_are_of_their_kind() {
        let good = [
            (FieldKind::Text, "a line"),
            (FieldKind::Secret, "s3cr3t"),
            (FieldKind::Bool, "false"),
            (FieldKind::Int { min: -5, max: 5 }, "-5"),
            (FieldKind::Url, "http://127.0.0.1:18443/wallet/a"),
            (FieldKind::Choice { of: vec![Choice { value: "a".to_owned(), title: Words::default() }] }, "a"),
        ];
        for (kind, value) in good {
            assert!(fault(&field(kind), value).is_none(), "{value}");
        }
        let bad = [
            (FieldKind::Text, " "),
            (FieldKind::Text, "two\nlines"),
            (FieldKind::Bool, "yes"),
            (FieldKind::Int { min: -5, max: 5 }, "6"),
            (FieldKind::Int { min: -5, max: 5 }, "1e3"),
            (FieldKind::Url, "ftp://example.com"),
            (FieldKind::Url, "https://user:pass@example.com"),
            (FieldKind::Url, "https://"),
            (FieldKind::Choice { of: Vec::new() }, "a"),
        ];
        for (kind, value) in bad {
            assert!(fault(&field(kind.clone()), value).is_some(), "{kind:?} {value:?}");
        }
    }
}
