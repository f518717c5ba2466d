//! The protocols that are served, as they differ.

use agio_plugin::protocol::{Action, Call, Host, Limits, Manifest, Method, PROTOCOL, Question, Step, Words, json};
use agio_plugin::protocol::{Field, Kind};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// How a plugin speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Protocol 1: nothing is kept or read, and requests only read, at a list of places.
    First,
    /// As the SDK describes it.
    Present,
}

/// A manifest of protocol 1.
#[derive(Deserialize)]
struct FirstManifest {
    name: String,
    version: String,
    kind: Kind,
    title: Words,
    about: Words,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    settings: Vec<Field>,
    #[serde(default)]
    limits: Limits,
}

impl Dialect {
    /// The dialect of a protocol.
    ///
    /// # Errors
    /// It is not served; in words.
    pub fn of(protocol: u32) -> Result<Self, String> {
        match protocol {
            PROTOCOL => Ok(Self::Present),
            1 => Ok(Self::First),
            _ => Err(format!("protocol {protocol} is not served")),
        }
    }

    /// A manifest that can be one.
    ///
    /// # Errors
    /// What it says cannot be one; in words.
    pub fn manifest(self, said: &RawValue) -> Result<Manifest, String> {
        let unread = |error: serde_json::Error| format!("its manifest is none: {error}");
        let manifest = match self {
            Self::Present => json::read(said.get().as_bytes()).map_err(unread)?,
            Self::First => {
                let first: FirstManifest = json::read(said.get().as_bytes()).map_err(unread)?;
                let hosts = first.hosts.into_iter().map(|origin| Host::Origin { origin, methods: vec![Method::Get] });
                Manifest {
                    name: first.name,
                    version: first.version,
                    kind: first.kind,
                    title: first.title,
                    about: first.about,
                    hosts: hosts.collect(),
                    settings: first.settings,
                    limits: first.limits,
                    features: Vec::new(),
                }
            }
        };
        manifest.check().map_err(|why| format!("its manifest is none: {why}"))?;
        Ok(manifest)
    }

    /// A question as the plugin understands it; nothing when it is not asked in this dialect.
    pub fn question(self, question: &Question) -> Option<Box<RawValue>> {
        let mut bytes = json::write(question);
        if self == Self::First {
            if matches!(question.call, Call::Read(_)) {
                return None;
            }
            let mut said: Value = serde_json::from_slice(&bytes).ok()?;
            said.as_object_mut()?.remove("kept");
            bytes = json::write(&said);
        }
        RawValue::from_string(String::from_utf8(bytes).ok()?).ok()
    }

    /// What the plugin says.
    ///
    /// # Errors
    /// It is not of the dialect; in words.
    pub fn step(self, said: &RawValue) -> Result<Step, String> {
        let step: Step = json::read(said.get().as_bytes()).map_err(|error| error.to_string())?;
        let keeps =
            matches!(&step, Step::Needs { actions, .. } if actions.iter().any(|action| matches!(action, Action::Keep { .. })));
        if keeps && self == Self::First { Err("nothing is kept in protocol 1".to_owned()) } else { Ok(step) }
    }
}
