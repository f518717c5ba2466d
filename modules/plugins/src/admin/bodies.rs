//! What the console is shown of plugins, and what it sends.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::Error;
use agio_core::texts::Locale;
use agio_http::{Moment, Null};
use agio_plugin::protocol::{Field, FieldKind, Host, Kind, Words};
use agio_plugin_host::{Found, LogLine};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use crate::service::{Entry, PluginChange, Shelf};

/// Something that may be chosen.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPluginChoice {
    /// The value.
    value: String,
    /// Its title.
    title: String,
}

/// A setting of a plugin.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPluginField {
    /// Its name.
    name: String,
    /// Its title.
    title: String,
    /// What it may be: `text`, `secret`, `bool`, `int`, `url`, `choice`.
    kind: String,
    /// The least, for a whole number.
    min: Null<i64>,
    /// The greatest, for a whole number.
    max: Null<i64>,
    /// What may be chosen, for a choice.
    choices: Vec<DeskPluginChoice>,
    /// What it is until it is set; null when it has to be set.
    default: Null<String>,
    /// What is set; null when nothing is, and for a secret.
    value: Null<String>,
    /// Whether something is set.
    is_set: bool,
}

/// A plugin.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPlugin {
    /// Its name.
    name: String,
    /// Its own version; empty while its library did not say it.
    version: String,
    /// What it does: `rates`, `payments`, `screening`, `notifier`, `requisites`; null while its library did not say it.
    kind: Null<String>,
    /// The SHA-256 of its library; null when it came with the house.
    sha256: Null<String>,
    /// Its process, while a library runs.
    process: Null<u32>,
    /// How often its process was started again.
    restarts: u64,
    /// Its title.
    title: String,
    /// What it is for.
    about: String,
    /// Where its requests may go: addresses, or the names of settings that hold them.
    hosts: Vec<String>,
    /// Whether it is switched on.
    enabled: bool,
    /// Whether it can be asked, or why not: `ready`, `off`, `unset`, `starting`, `resting`, `quarantined`, `misnamed`.
    state: String,
    /// What happened to it, where something did.
    reason: Null<String>,
    /// What may be set.
    settings: Vec<DeskPluginField>,
    /// How often it was asked since this process started.
    asked: u64,
    /// How often it did not answer.
    faults: u64,
    /// When it answered last.
    answered_at: Null<Moment>,
    /// When it last did not answer.
    fault_at: Null<Moment>,
    /// Why not.
    fault: Null<String>,
    /// How many milliseconds half of its last answers took at most, with all that had to be done for them.
    half_ms: Null<u64>,
    /// The same of 99 in 100.
    most_ms: Null<u64>,
    /// Counts its changes; a change names the one that was seen.
    revision: i64,
}

/// What is changed of a plugin.
#[derive(Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskPluginChange {
    /// The revision that was seen.
    revision: i64,
    /// Whether it is switched on.
    #[serde(default)]
    enabled: Option<bool>,
    /// What is set, by name; null goes back to the default.
    #[serde(default)]
    settings: Option<BTreeMap<String, Null<String>>>,
}

/// A library that is not listed.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPluginStranger {
    /// The file's name, without what all libraries' names have.
    name: String,
    /// Its SHA-256, as the list would name it.
    sha256: String,
}

/// Plugins, and libraries that are no plugins here.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPlugins {
    /// The plugins, by name.
    items: Vec<DeskPlugin>,
    /// Listed plugins of which no library with the listed digest is there.
    missing: Vec<String>,
    /// Libraries in the folder that the list does not name; they are not loaded.
    strangers: Vec<DeskPluginStranger>,
}

/// A line a plugin printed.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPluginLine {
    /// When.
    at: Moment,
    /// What.
    text: String,
}

impl From<LogLine> for DeskPluginLine {
    fn from(line: LogLine) -> Self {
        Self { at: Moment(line.at), text: line.text }
    }
}

impl DeskPlugins {
    /// The shelf as it is now.
    pub fn of(shelf: &Shelf, locale: Locale) -> Self {
        let stock = shelf.stock();
        let stranger = |found: &Found| DeskPluginStranger { name: found.name.clone(), sha256: found.library.sha256.clone() };
        Self {
            items: shelf.entries().iter().map(|entry| DeskPlugin::of(entry, locale)).collect(),
            missing: stock.missing.clone(),
            strangers: stock.strangers.iter().map(stranger).collect(),
        }
    }
}

impl DeskPlugin {
    /// A plugin as it is now.
    pub fn of(entry: &Entry, locale: Locale) -> Self {
        let (held, doing, state) = (entry.held.load(), entry.tally.doing(), entry.state());
        let manifest = entry.manifest();
        let health = entry.supervised().map(|plugin| plugin.health());
        let (fault_at, fault) = doing.last_fault.unzip();
        let field = |field| DeskPluginField::of(field, held.settings.get(&field.name), locale);
        let known = manifest.as_deref();
        Self {
            name: entry.name.clone(),
            version: known.map(|manifest| manifest.version.clone()).unwrap_or_default(),
            kind: known.map(|manifest| kind(manifest.kind).to_owned()).into(),
            sha256: entry.supervised().map(|plugin| plugin.library().sha256.clone()).into(),
            process: health.as_ref().and_then(|health| health.process).into(),
            restarts: health.as_ref().map_or(0, |health| health.restarts),
            title: known.map_or_else(|| entry.name.clone(), |manifest| words(&manifest.title, locale)),
            about: known.map(|manifest| words(&manifest.about, locale)).unwrap_or_default(),
            hosts: known.map(|manifest| manifest.hosts.iter().map(place).collect()).unwrap_or_default(),
            enabled: held.enabled,
            state: state.name().to_owned(),
            reason: state.reason().map(str::to_owned).into(),
            settings: known.map(|manifest| manifest.settings.iter().map(field).collect()).unwrap_or_default(),
            asked: doing.asked,
            faults: doing.faults,
            answered_at: doing.answered_at.map(Moment).into(),
            fault_at: fault_at.map(Moment).into(),
            fault: fault.into(),
            half_ms: doing.half.map(millis).into(),
            most_ms: doing.most.map(millis).into(),
            revision: held.revision,
        }
    }
}

impl DeskPluginField {
    fn of(field: &Field, set: Option<&String>, locale: Locale) -> Self {
        let (kind, bounds) = match &field.kind {
            FieldKind::Text => ("text", None),
            FieldKind::Secret => ("secret", None),
            FieldKind::Bool => ("bool", None),
            FieldKind::Int { min, max } => ("int", Some((*min, *max))),
            FieldKind::Url => ("url", None),
            FieldKind::Choice { .. } => ("choice", None),
        };
        let choices = match &field.kind {
            FieldKind::Choice { of } => of.as_slice(),
            _ => &[],
        };
        let choice = |choice: &agio_plugin::protocol::Choice| DeskPluginChoice {
            value: choice.value.clone(),
            title: words(&choice.title, locale),
        };
        let (min, max) = bounds.unzip();
        Self {
            name: field.name.clone(),
            title: words(&field.title, locale),
            kind: kind.to_owned(),
            min: min.into(),
            max: max.into(),
            choices: choices.iter().map(choice).collect(),
            default: field.default.clone().into(),
            value: set.filter(|_| field.kind != FieldKind::Secret).cloned().into(),
            is_set: set.is_some(),
        }
    }
}

impl DeskPluginChange {
    /// The revision that was seen, and the change.
    pub fn parts(self) -> Result<(i64, PluginChange), Error> {
        let settings = self.settings.unwrap_or_default().into_iter().map(|(name, value)| (name, value.0)).collect();
        Ok((self.revision, PluginChange { enabled: self.enabled, settings }))
    }
}

impl Example for DeskPluginChange {
    fn example() -> Self {
        Self {
            revision: 1,
            enabled: Some(true),
            settings: Some(BTreeMap::from([("token".to_owned(), Null(Some("1234".to_owned())))])),
        }
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Rates => "rates",
        Kind::Payments => "payments",
        Kind::Screening => "screening",
        Kind::Notifier => "notifier",
        Kind::Requisites => "requisites",
    }
}

fn place(host: &Host) -> String {
    match host {
        Host::Origin { origin, .. } => origin.clone(),
        Host::Setting { setting, .. } => setting.clone(),
    }
}

fn words(words: &Words, locale: Locale) -> String {
    match locale {
        Locale::Ru => words.ru.clone(),
        Locale::En => words.en.clone(),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
