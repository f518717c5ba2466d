//! The manifest of a plugin.

use serde::{Deserialize, Serialize};

/// What a plugin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginKind {
    /// Provides rates or offers of competitors.
    Rates,
    /// Watches a network and sends payouts on it.
    Payments,
    /// Screens incoming payments.
    Screening,
    /// Delivers notifications.
    Notifier,
    /// Validates payment details.
    Requisites,
}

/// Describes a plugin: identity, settings and permissions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name: lower-case letters, digits and dashes, at most 40 characters.
    pub name: String,
    /// Version, for people.
    pub version: String,
    /// Kind.
    pub kind: PluginKind,
    /// Title in the console.
    pub title: LocalizedText,
    /// Description in one sentence.
    pub about: LocalizedText,
    /// Hosts it may send requests to. Other requests are rejected.
    #[serde(default)]
    pub hosts: Vec<AllowedHost>,
    /// Settings.
    #[serde(default)]
    pub settings: Vec<PluginSetting>,
    /// Limits. The server's own limits apply in any case.
    #[serde(default)]
    pub limits: PluginLimits,
    /// Optional protocol features it uses. Unknown features are ignored.
    #[serde(default)]
    pub features: Vec<String>,
}

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalizedText {
    /// Russian.
    pub ru: String,
    /// English.
    pub en: String,
}

impl LocalizedText {
    /// A text in both languages.
    #[must_use]
    pub fn new(ru: &str, en: &str) -> Self {
        Self { ru: ru.to_owned(), en: en.to_owned() }
    }
}

/// A host that requests may go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum AllowedHost {
    /// A fixed origin: `https://www.ecb.europa.eu`.
    Origin {
        /// Scheme, host and, if not the default, port.
        origin: String,
        /// Allowed methods.
        methods: Vec<HttpMethod>,
    },
    /// The origin in a setting of the kind [`PluginSettingKind::Url`].
    Setting {
        /// Name of the setting.
        setting: String,
        /// Allowed methods.
        methods: Vec<HttpMethod>,
    },
}

/// HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// GET.
    Get,
    /// POST.
    Post,
}

/// A setting of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginSetting {
    /// Name in [`PluginRequest::settings`](super::PluginRequest::settings).
    pub name: String,
    /// Type of the value.
    pub kind: PluginSettingKind,
    /// Title.
    pub title: LocalizedText,
    /// Default value. Without one, the setting must be set before the plugin is used.
    pub default: Option<String>,
}

/// Type of a setting. The value itself is always text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum PluginSettingKind {
    /// A line of text.
    Text,
    /// A line of text that is write-only.
    Secret,
    /// "true" or "false".
    Bool,
    /// A whole number.
    Int {
        /// Minimum.
        min: i64,
        /// Maximum.
        max: i64,
    },
    /// An HTTP or HTTPS URL.
    Url,
    /// One of several values.
    Choice {
        /// The values.
        of: Vec<SettingChoice>,
    },
}

/// A possible value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChoice {
    /// Value.
    pub value: String,
    /// Title.
    pub title: LocalizedText,
}

/// Limits of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginLimits {
    /// Timeout of one round, in milliseconds.
    pub round_ms: u32,
    /// Timeout of one HTTP request, in milliseconds.
    pub request_ms: u32,
    /// Maximum size of an HTTP response, in bytes.
    pub reply_bytes: u32,
    /// Maximum rounds per call.
    pub rounds: u32,
}

impl Default for PluginLimits {
    fn default() -> Self {
        Self { round_ms: 500, request_ms: 10_000, reply_bytes: 4 * 1024 * 1024, rounds: 4 }
    }
}
