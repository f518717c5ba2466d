//! Request and response bodies of the plugin API.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Nullable, body};
use agio_plugin_runtime::{FoundLibrary, PluginLogLine};
use agio_plugin_sdk::protocol::{AllowedHost, LocalizedText, PluginKind, PluginSetting, PluginSettingKind, SettingChoice};
use poem_openapi::Enum;
use poem_openapi::types::Example;
use serde::Serialize;

use crate::service::{PluginEntry, PluginManager, PluginState, PluginUpdate};

/// Possible value of a setting.
#[body(response)]
pub struct PluginSettingOption {
    value: String,
    title: String,
}

/// Type of a setting.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case", rename = "PluginSettingKind")]
pub enum PluginSettingKindView {
    Text,
    Secret,
    Bool,
    Int,
    Url,
    Choice,
}

/// A setting of a plugin.
#[body(response)]
pub struct PluginSettingView {
    name: String,
    title: String,
    kind: PluginSettingKindView,
    /// Minimum of an integer.
    min: Nullable<i64>,
    /// Maximum of an integer.
    max: Nullable<i64>,
    /// Possible values of a choice.
    choices: Vec<PluginSettingOption>,
    /// Default value; null if the setting is required.
    default: Nullable<String>,
    /// Current value; null if it is not set, and for a secret.
    value: Nullable<String>,
    is_set: bool,
}

/// Kind of a plugin.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case", rename = "PluginKind", remote = "PluginKind")]
pub enum PluginKindView {
    Rates,
    Payments,
    Screening,
    Notifier,
    Requisites,
}

/// A plugin.
#[body(response)]
pub struct PluginView {
    name: String,
    /// Version; empty until the library is loaded.
    version: String,
    /// Kind; null until the library is loaded.
    kind: Nullable<PluginKindView>,
    /// SHA-256 of the library; null for a built-in plugin.
    sha256: Nullable<String>,
    /// Process identifier of a running library.
    process: Nullable<u32>,
    /// Number of process restarts.
    restarts: u64,
    title: String,
    /// Description.
    about: String,
    /// Hosts it may send requests to: origins, or names of settings that contain them.
    hosts: Vec<String>,
    enabled: bool,
    state: ApiEnum<PluginState>,
    /// Reason of the state, if there is one.
    reason: Nullable<String>,
    settings: Vec<PluginSettingView>,
    /// Where the service behind the plugin may report that something has happened. Null for plugins without callbacks,
    /// until the settings are saved for the first time, and without the permission `plugins.edit`.
    callback_url: Nullable<String>,
    /// Number of calls since this server process started.
    calls: u64,
    /// Number of failed calls.
    faults: u64,
    /// Time of the last successful call.
    answered_at: Nullable<DateTime>,
    /// Time of the last failed call.
    fault_at: Nullable<DateTime>,
    /// Error of the last failed call.
    fault: Nullable<String>,
    /// Median duration of the latest calls, in milliseconds.
    p50_ms: Nullable<u64>,
    /// 99th percentile of the duration of the latest calls, in milliseconds.
    p99_ms: Nullable<u64>,
    /// Revision for the next update.
    revision: i64,
}

/// Update of a plugin. Absent fields do not change.
#[body(shared, example)]
pub struct PluginUpdateRequest {
    /// Revision the update is based on.
    revision: i64,
    enabled: Option<bool>,
    /// Settings by name; null restores the default.
    settings: Option<BTreeMap<String, Nullable<String>>>,
    /// Replaces the callback URL. The old one is refused from then on. Default: false.
    new_callback_url: Option<bool>,
}

/// A library in the folder that is not in the allow list.
#[body(response)]
pub struct UnregisteredPlugin {
    /// File name without prefix and extension.
    name: String,
    /// SHA-256 to put into the allow list.
    sha256: String,
}

/// Plugins and libraries.
#[body(response)]
pub struct PluginList {
    /// Plugins, by name.
    items: Vec<PluginView>,
    /// Plugins in the allow list whose library is not in the folder.
    missing: Vec<String>,
    /// Unregistered plugins: libraries in the folder that are not in the allow list. They are not loaded.
    unregistered: Vec<UnregisteredPlugin>,
}

/// A line of a plugin's log.
#[body(response)]
pub struct PluginLogEntry {
    at: DateTime,
    text: String,
}

impl From<PluginLogLine> for PluginLogEntry {
    fn from(line: PluginLogLine) -> Self {
        Self { at: DateTime(line.at), text: line.text }
    }
}

impl PluginList {
    pub fn of(manager: &PluginManager, reader: PluginReader) -> Self {
        let scan = manager.library_scan();
        let unregistered =
            |found: &FoundLibrary| UnregisteredPlugin { name: found.name.clone(), sha256: found.library.sha256.clone() };
        Self {
            items: manager.entries().iter().map(|entry| PluginView::of(manager, entry, reader)).collect(),
            missing: scan.missing.clone(),
            unregistered: scan.unregistered.iter().map(unregistered).collect(),
        }
    }
}

/// Who reads about plugins.
#[derive(Clone, Copy)]
pub struct PluginReader {
    pub locale: Locale,
    /// Whether they may see callback URLs.
    pub may_edit: bool,
}

impl PluginView {
    pub fn of(manager: &PluginManager, entry: &PluginEntry, PluginReader { locale, may_edit }: PluginReader) -> Self {
        let (configuration, calls, (state, reason)) = (entry.configuration.load(), entry.calls.summary(), entry.state());
        let manifest = entry.manifest();
        let health = entry.supervised().map(|plugin| plugin.health());
        let (fault_at, fault) = calls.last_fault.unzip();
        let setting = |setting| PluginSettingView::of(setting, configuration.settings.get(&setting.name), locale);
        let known = manifest.as_deref();
        Self {
            name: entry.name.clone(),
            version: known.map(|manifest| manifest.version.clone()).unwrap_or_default(),
            kind: known.map(|manifest| PluginKindView::from(manifest.kind)).into(),
            sha256: entry.supervised().map(|plugin| plugin.library().sha256.clone()).into(),
            process: health.as_ref().and_then(|health| health.process).into(),
            restarts: health.as_ref().map_or(0, |health| health.restarts),
            title: known.map_or_else(|| entry.name.clone(), |manifest| localized(&manifest.title, locale)),
            about: known.map(|manifest| localized(&manifest.about, locale)).unwrap_or_default(),
            hosts: known.map(|manifest| manifest.hosts.iter().map(host).collect()).unwrap_or_default(),
            enabled: configuration.enabled,
            state: state.into(),
            reason: reason.into(),
            settings: known.map(|manifest| manifest.settings.iter().map(setting).collect()).unwrap_or_default(),
            callback_url: manager.callback_url(entry).filter(|_| may_edit).into(),
            calls: calls.calls,
            faults: calls.faults,
            answered_at: calls.answered_at.map(DateTime).into(),
            fault_at: fault_at.map(DateTime).into(),
            fault: fault.into(),
            p50_ms: calls.p50.map(millis).into(),
            p99_ms: calls.p99.map(millis).into(),
            revision: configuration.revision,
        }
    }
}

impl PluginSettingView {
    fn of(setting: &PluginSetting, value: Option<&String>, locale: Locale) -> Self {
        let (min, max) = match &setting.kind {
            PluginSettingKind::Int { min, max } => (Some(*min), Some(*max)),
            _ => (None, None),
        };
        let choices = match &setting.kind {
            PluginSettingKind::Choice { of } => of.as_slice(),
            _ => &[],
        };
        let option =
            |choice: &SettingChoice| PluginSettingOption { value: choice.value.clone(), title: localized(&choice.title, locale) };
        Self {
            name: setting.name.clone(),
            title: localized(&setting.title, locale),
            kind: PluginSettingKindView::from(&setting.kind),
            min: min.into(),
            max: max.into(),
            choices: choices.iter().map(option).collect(),
            default: setting.default.clone().into(),
            value: value.filter(|_| setting.kind != PluginSettingKind::Secret).cloned().into(),
            is_set: value.is_some(),
        }
    }
}

impl PluginUpdateRequest {
    /// The revision and the update.
    pub fn parts(self) -> (i64, PluginUpdate) {
        let settings = self.settings.unwrap_or_default().into_iter().map(|(name, value)| (name, value.0)).collect();
        let new_callback_url = self.new_callback_url.unwrap_or(false);
        (self.revision, PluginUpdate { enabled: self.enabled, settings, new_callback_url })
    }
}

impl Example for PluginUpdateRequest {
    fn example() -> Self {
        Self {
            revision: 1,
            enabled: Some(true),
            settings: Some(BTreeMap::from([("token".to_owned(), Nullable(Some("1234".to_owned())))])),
            new_callback_url: None,
        }
    }
}

impl From<&PluginSettingKind> for PluginSettingKindView {
    fn from(kind: &PluginSettingKind) -> Self {
        match kind {
            PluginSettingKind::Text => Self::Text,
            PluginSettingKind::Secret => Self::Secret,
            PluginSettingKind::Bool => Self::Bool,
            PluginSettingKind::Int { .. } => Self::Int,
            PluginSettingKind::Url => Self::Url,
            PluginSettingKind::Choice { .. } => Self::Choice,
        }
    }
}

fn host(host: &AllowedHost) -> String {
    match host {
        AllowedHost::Origin { origin, .. } => origin.clone(),
        AllowedHost::Setting { setting, .. } => setting.clone(),
    }
}

fn localized(text: &LocalizedText, locale: Locale) -> String {
    match locale {
        Locale::Ru => text.ru.clone(),
        Locale::En => text.en.clone(),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
