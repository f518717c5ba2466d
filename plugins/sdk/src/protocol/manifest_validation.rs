//! Validation of manifests.

use std::collections::BTreeSet;

use super::manifest::{AllowedHost, LocalizedText, Manifest, PluginKind, PluginLimits, PluginSetting, PluginSettingKind};

const NAME_BYTES_MAX: usize = 40;
const TEXT_BYTES_MAX: usize = 2_000;
const ITEMS_MAX: usize = 64;
const ROUNDS_MAX: u32 = 64;

impl Manifest {
    /// A manifest without hosts and settings, with the default limits.
    #[must_use]
    pub fn new(name: &str, version: &str, kind: PluginKind, title: LocalizedText, about: LocalizedText) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            kind,
            title,
            about,
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: PluginLimits::default(),
            features: Vec::new(),
        }
    }

    /// Validates the manifest. The server loads no plugin with an invalid manifest.
    ///
    /// # Errors
    /// Why it is invalid.
    pub fn validate(&self) -> Result<(), String> {
        if !is_name(&self.name) {
            return Err(format!("the name {:?} must be at most 40 lower-case letters, digits and dashes", cut(&self.name)));
        }
        if self.version.is_empty() || self.version.len() > NAME_BYTES_MAX {
            return Err("the version is empty or longer than 40 bytes".to_owned());
        }
        if !(fits(&self.title) && fits(&self.about)) {
            return Err("a text is longer than 2000 bytes".to_owned());
        }
        if self.hosts.len().max(self.settings.len()).max(self.features.len()) > ITEMS_MAX {
            return Err("more than 64 hosts, settings or features".to_owned());
        }
        let PluginLimits { round_ms, request_ms, reply_bytes, rounds } = self.limits;
        if [round_ms, request_ms, reply_bytes, rounds].contains(&0) || rounds > ROUNDS_MAX {
            return Err("a limit is 0, or there are more than 64 rounds".to_owned());
        }
        let mut names = BTreeSet::new();
        for field in &self.settings {
            check_field(field)?;
            if !names.insert(&field.name) {
                return Err(format!("duplicate setting {:?}", field.name));
            }
        }
        self.hosts.iter().try_for_each(|host| self.check_host(host))
    }

    fn check_host(&self, host: &AllowedHost) -> Result<(), String> {
        match host {
            AllowedHost::Origin { origin, .. } if is_origin(origin) => Ok(()),
            AllowedHost::Origin { origin, .. } => {
                Err(format!("{:?} is not an origin: a scheme, a host and an optional port", cut(origin)))
            }
            AllowedHost::Setting { setting, .. } => {
                let named = self.settings.iter().any(|field| field.name == *setting && field.kind == PluginSettingKind::Url);
                if named { Ok(()) } else { Err(format!("there is no URL setting {:?}", cut(setting))) }
            }
        }
    }
}

impl PluginSettingKind {
    /// Whether the value is valid for a setting of this kind.
    #[must_use]
    pub fn accepts(&self, value: &str) -> bool {
        match self {
            Self::Text | Self::Secret => value.len() <= TEXT_BYTES_MAX && !value.contains('\n'),
            Self::Bool => matches!(value, "true" | "false"),
            Self::Int { min, max } => value.parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number)),
            Self::Url => value.len() <= TEXT_BYTES_MAX && (value.starts_with("https://") || value.starts_with("http://")),
            Self::Choice { of } => of.iter().any(|choice| choice.value == value),
        }
    }
}

fn check_field(field: &PluginSetting) -> Result<(), String> {
    let named = !field.name.is_empty()
        && field.name.len() <= NAME_BYTES_MAX
        && field.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !named || !fits(&field.title) {
        return Err(format!("{:?} is not a valid setting name, or its title is too long", cut(&field.name)));
    }
    let possible = match &field.kind {
        PluginSettingKind::Int { min, max } => min <= max,
        PluginSettingKind::Choice { of } => (1..=ITEMS_MAX).contains(&of.len()),
        _ => true,
    };
    // An empty text is the usual default of an optional URL.
    let fits_kind = |value: &str| value.is_empty() && matches!(field.kind, PluginSettingKind::Url) || field.kind.accepts(value);
    if !possible || !field.default.as_deref().is_none_or(fits_kind) {
        return Err(format!("the setting {:?} has an invalid default or no possible value", field.name));
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn is_origin(origin: &str) -> bool {
    let place = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    place.is_some_and(|place| {
        (1..=255).contains(&place.len()) && place.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
    })
}

fn fits(text: &LocalizedText) -> bool {
    text.ru.len() <= TEXT_BYTES_MAX && text.en.len() <= TEXT_BYTES_MAX
}

/// Shortens a text for an error message.
fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::super::manifest::{HttpMethod, SettingChoice};
    use super::*;

    fn changed(change: impl FnOnce(&mut Manifest)) -> Result<(), String> {
        let mut manifest =
            Manifest::new("ecb-2", "1.0.0", PluginKind::Rates, LocalizedText::new("ЕЦБ", "ECB"), LocalizedText::default());
        manifest.settings.push(PluginSetting {
            name: "url".to_owned(),
            kind: PluginSettingKind::Url,
            title: LocalizedText::default(),
            default: Some("https://example.com".to_owned()),
        });
        manifest.hosts.push(AllowedHost::Setting { setting: "url".to_owned(), methods: vec![HttpMethod::Get] });
        change(&mut manifest);
        manifest.validate()
    }

    fn field(kind: PluginSettingKind, default: Option<&str>) -> PluginSetting {
        PluginSetting { name: "more".to_owned(), kind, title: LocalizedText::default(), default: default.map(str::to_owned) }
    }

    #[test]
    fn invalid_manifests_are_rejected() {
        assert_eq!(changed(|_| ()), Ok(()));
        let origin = |text: &str| AllowedHost::Origin { origin: text.to_owned(), methods: vec![HttpMethod::Get] };
        assert_eq!(changed(|manifest| manifest.hosts.push(origin("https://api.example.com:8443"))), Ok(()));
        assert_eq!(
            changed(|manifest| manifest.settings.push(field(PluginSettingKind::Int { min: 1, max: 9 }, Some("9")))),
            Ok(())
        );
        for name in ["", "ECB", "../ecb", "a b", &"a".repeat(41)] {
            changed(|manifest| manifest.name = name.to_owned()).unwrap_err();
        }
        for text in ["", "https://", "https://a.example/path", "ftp://a.example", "https://x@a.example"] {
            changed(|manifest| manifest.hosts.push(origin(text))).unwrap_err();
        }
        changed(|manifest| manifest.hosts = vec![AllowedHost::Setting { setting: "uri".to_owned(), methods: Vec::new() }])
            .unwrap_err();
        changed(|manifest| manifest.limits.rounds = 65).unwrap_err();
        changed(|manifest| manifest.limits.round_ms = 0).unwrap_err();
        changed(|manifest| manifest.title = LocalizedText::new(&"я".repeat(2000), "")).unwrap_err();
        changed(|manifest| manifest.settings.push(manifest.settings[0].clone())).unwrap_err();
        let choice = SettingChoice { value: "a".to_owned(), title: LocalizedText::default() };
        for (kind, default) in [
            (PluginSettingKind::Int { min: 2, max: 1 }, None),
            (PluginSettingKind::Int { min: 1, max: 9 }, Some("10")),
            (PluginSettingKind::Bool, Some("yes")),
            (PluginSettingKind::Choice { of: Vec::new() }, None),
            (PluginSettingKind::Choice { of: vec![choice] }, Some("b")),
        ] {
            changed(|manifest| manifest.settings.push(field(kind, default))).unwrap_err();
        }
    }
}
