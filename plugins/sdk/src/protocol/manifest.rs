//! Who a plugin is, and what it may need.

use serde::{Deserialize, Serialize};

/// What a plugin does for the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Says what currencies are worth, or what competitors offer.
    Rates,
    /// Watches a network and pays on it.
    Payments,
    /// Judges where money comes from.
    Screening,
    /// Tells people something.
    Notifier,
    /// Checks what money is sent to.
    Requisites,
}

/// What a plugin says of itself before anything else is asked of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name: lower-case letters, digits and dashes, at most 40.
    pub name: String,
    /// Its own version, for people.
    pub version: String,
    /// What it does.
    pub kind: Kind,
    /// Its title in the console.
    pub title: Words,
    /// What it is for, in a sentence.
    pub about: Words,
    /// Where its requests may go. A request to anywhere else is refused.
    #[serde(default)]
    pub hosts: Vec<Host>,
    /// What an operator sets.
    #[serde(default)]
    pub settings: Vec<Field>,
    /// What it asks to be held to. The house's own limits hold in any case.
    #[serde(default)]
    pub limits: Limits,
    /// Parts of the protocol it uses beyond the first ones; a part the house does not know is ignored.
    #[serde(default)]
    pub features: Vec<String>,
}

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// In Russian.
    pub ru: String,
    /// In English.
    pub en: String,
}

impl Words {
    /// A text in both languages.
    #[must_use]
    pub fn new(ru: &str, en: &str) -> Self {
        Self { ru: ru.to_owned(), en: en.to_owned() }
    }
}

/// A place that requests go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Host {
    /// A place everybody knows: `https://www.ecb.europa.eu`.
    Origin {
        /// Scheme, name and, where it is not the usual one, port.
        origin: String,
        /// What may be sent there.
        methods: Vec<Method>,
    },
    /// The place an operator names in a setting of the kind [`FieldKind::Url`].
    Setting {
        /// The setting.
        setting: String,
        /// What may be sent there.
        methods: Vec<Method>,
    },
}

/// How a request is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Reads.
    Get,
    /// Does something.
    Post,
}

/// Something an operator sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name in [`Question::settings`](super::Question::settings).
    pub name: String,
    /// What it may be.
    pub kind: FieldKind,
    /// Its title.
    pub title: Words,
    /// What it is until it is set; with nothing here it has to be set before the plugin is asked anything.
    pub default: Option<String>,
}

/// What a setting may be. Its value is text in any case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum FieldKind {
    /// A line of text.
    Text,
    /// A line of text that is never shown again.
    Secret,
    /// "true" or "false".
    Bool,
    /// A whole number.
    Int {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// An address of the web.
    Url,
    /// One of these.
    Choice {
        /// What may be chosen.
        of: Vec<Choice>,
    },
}

/// Something that may be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// Its title.
    pub title: Words,
}

/// What a plugin is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How long it may think about one round, in milliseconds.
    pub round_ms: u32,
    /// How long one request of it may last, in milliseconds.
    pub request_ms: u32,
    /// The longest reply to a request, in bytes.
    pub reply_bytes: u32,
    /// How many rounds a question may take.
    pub rounds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { round_ms: 500, request_ms: 10_000, reply_bytes: 4 * 1024 * 1024, rounds: 4 }
    }
}
