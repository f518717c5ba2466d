//! Whether a manifest can be one.

use std::collections::BTreeSet;

use super::manifest::{Field, FieldKind, Host, Kind, Limits, Manifest, Words};

/// Bounds on what a manifest says.
const NAME_BYTES_MAX: usize = 40;
const TEXT_BYTES_MAX: usize = 2_000;
const LISTED_MAX: usize = 64;
const ROUNDS_MAX: u32 = 64;

impl Manifest {
    /// A manifest that needs nothing, with the usual limits.
    #[must_use]
    pub fn new(name: &str, version: &str, kind: Kind, title: Words, about: Words) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            kind,
            title,
            about,
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: Limits::default(),
            features: Vec::new(),
        }
    }

    /// Whether it can be a manifest. The house loads no plugin whose manifest cannot.
    ///
    /// # Errors
    /// Why not, in words.
    pub fn check(&self) -> Result<(), String> {
        if !is_name(&self.name) {
            return Err(format!(
                "the name {:?} is not made of at most 40 lower-case letters, digits and dashes",
                cut(&self.name)
            ));
        }
        if self.version.is_empty() || self.version.len() > NAME_BYTES_MAX {
            return Err("the version is empty or longer than 40 bytes".to_owned());
        }
        if !(fits(&self.title) && fits(&self.about)) {
            return Err("a text is longer than 2000 bytes".to_owned());
        }
        if self.hosts.len().max(self.settings.len()).max(self.features.len()) > LISTED_MAX {
            return Err("more than 64 hosts, settings or features".to_owned());
        }
        let Limits { round_ms, request_ms, reply_bytes, rounds } = self.limits;
        if [round_ms, request_ms, reply_bytes, rounds].contains(&0) || rounds > ROUNDS_MAX {
            return Err("a limit is 0, or there are more than 64 rounds".to_owned());
        }
        let mut names = BTreeSet::new();
        for field in &self.settings {
            check_field(field)?;
            if !names.insert(&field.name) {
                return Err(format!("the setting {:?} is there twice", field.name));
            }
        }
        self.hosts.iter().try_for_each(|host| self.check_host(host))
    }

    fn check_host(&self, host: &Host) -> Result<(), String> {
        match host {
            Host::Origin { origin, .. } if is_origin(origin) => Ok(()),
            Host::Origin { origin, .. } => Err(format!("{:?} is not a scheme, a name and perhaps a port", cut(origin))),
            Host::Setting { setting, .. } => {
                let named = self.settings.iter().any(|field| field.name == *setting && field.kind == FieldKind::Url);
                if named { Ok(()) } else { Err(format!("no setting {:?} is an address of the web", cut(setting))) }
            }
        }
    }
}

impl FieldKind {
    /// Whether a setting may have this value.
    #[must_use]
    pub fn takes(&self, value: &str) -> bool {
        match self {
            Self::Text | Self::Secret => value.len() <= TEXT_BYTES_MAX && !value.contains('\n'),
            Self::Bool => matches!(value, "true" | "false"),
            Self::Int { min, max } => value.parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number)),
            Self::Url => value.len() <= TEXT_BYTES_MAX && (value.starts_with("https://") || value.starts_with("http://")),
            Self::Choice { of } => of.iter().any(|choice| choice.value == value),
        }
    }
}

fn check_field(field: &Field) -> Result<(), String> {
    let named = !field.name.is_empty()
        && field.name.len() <= NAME_BYTES_MAX
        && field.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !named || !fits(&field.title) {
        return Err(format!("{:?} is no name of a setting, or its title is too long", cut(&field.name)));
    }
    let possible = match &field.kind {
        FieldKind::Int { min, max } => min <= max,
        FieldKind::Choice { of } => (1..=LISTED_MAX).contains(&of.len()),
        _ => true,
    };
    // An empty text is the usual default of what need not be set.
    let fits_kind = |value: &str| value.is_empty() && matches!(field.kind, FieldKind::Url) || field.kind.takes(value);
    if !possible || !field.default.as_deref().is_none_or(fits_kind) {
        return Err(format!("the setting {:?} cannot have its own default, or no value at all", field.name));
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

fn fits(words: &Words) -> bool {
    words.ru.len() <= TEXT_BYTES_MAX && words.en.len() <= TEXT_BYTES_MAX
}

/// What is shown of a text that may be a megabyte long.
fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::super::manifest::{Choice, Method};
    use super::*;

    fn changed(change: impl FnOnce(&mut Manifest)) -> Result<(), String> {
        let mut manifest = Manifest::new("ecb-2", "1.0.0", Kind::Rates, Words::new("ЕЦБ", "ECB"), Words::default());
        manifest.settings.push(Field {
            name: "url".to_owned(),
            kind: FieldKind::Url,
            title: Words::default(),
            default: Some("https://example.com".to_owned()),
        });
        manifest.hosts.push(Host::Setting { setting: "url".to_owned(), methods: vec![Method::Get] });
        change(&mut manifest);
        manifest.check()
    }

    fn field(kind: FieldKind, default: Option<&str>) -> Field {
        Field { name: "more".to_owned(), kind, title: Words::default(), default: default.map(str::to_owned) }
    }

    #[test]
    fn a_manifest_that_is_nonsense_is_found_out() {
        assert_eq!(changed(|_| ()), Ok(()));
        let origin = |text: &str| Host::Origin { origin: text.to_owned(), methods: vec![Method::Get] };
        assert_eq!(changed(|manifest| manifest.hosts.push(origin("https://api.example.com:8443"))), Ok(()));
        assert_eq!(changed(|manifest| manifest.settings.push(field(FieldKind::Int { min: 1, max: 9 }, Some("9")))), Ok(()));
        for name in ["", "ECB", "../ecb", "a b", &"a".repeat(41)] {
            changed(|manifest| manifest.name = name.to_owned()).unwrap_err();
        }
        for text in ["", "https://", "https://a.example/path", "ftp://a.example", "https://x@a.example"] {
            changed(|manifest| manifest.hosts.push(origin(text))).unwrap_err();
        }
        changed(|manifest| manifest.hosts = vec![Host::Setting { setting: "uri".to_owned(), methods: Vec::new() }]).unwrap_err();
        changed(|manifest| manifest.limits.rounds = 65).unwrap_err();
        changed(|manifest| manifest.limits.round_ms = 0).unwrap_err();
        changed(|manifest| manifest.title = Words::new(&"я".repeat(2000), "")).unwrap_err();
        changed(|manifest| manifest.settings.push(manifest.settings[0].clone())).unwrap_err();
        let choice = Choice { value: "a".to_owned(), title: Words::default() };
        for (kind, default) in [
            (FieldKind::Int { min: 2, max: 1 }, None),
            (FieldKind::Int { min: 1, max: 9 }, Some("10")),
            (FieldKind::Bool, Some("yes")),
            (FieldKind::Choice { of: Vec::new() }, None),
            (FieldKind::Choice { of: vec![choice] }, Some("b")),
        ] {
            changed(|manifest| manifest.settings.push(field(kind, default))).unwrap_err();
        }
    }
}
