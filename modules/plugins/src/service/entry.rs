//! A plugin on the shelf.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::{BoxFuture, Platform, Result, Timestamp};
use agio_plugin::protocol::{Answer, Call, Manifest};
use agio_plugin_host::{Fault, Hand, InProcess, Memory, Reason, Supervised, ask};
use arc_swap::ArcSwap;

use super::settings;
use super::tally::Tally;
use crate::{model, store};

/// Where a plugin runs.
pub enum Place {
    /// In this process: it came with the house.
    Here(Arc<Manifest>, InProcess),
    /// In a process of its own: a library. Who it is, is known once it was loaded.
    Apart(Arc<Supervised>),
}

/// A plugin on the shelf.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Where it runs.
    pub place: Place,
    /// How it does.
    pub tally: Tally,
    /// How it is set, and what it keeps.
    pub held: Arc<ArcSwap<Held>>,
}

/// How a plugin is set, and what it keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Whether it is switched on.
    pub enabled: bool,
    /// What is set, secrets sealed.
    pub settings: BTreeMap<String, String>,
    /// What it keeps.
    pub kept: BTreeMap<String, String>,
    /// Counts the changes of the first two.
    pub revision: i64,
}

/// Whether a plugin can be asked, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It can.
    Ready,
    /// It is switched off.
    Off,
    /// Something has to be set first.
    Unset,
    /// Its process is being started.
    Starting,
    /// It misbehaved and is started again in a moment.
    Resting(String),
    /// It misbehaved so often that it is not started any more.
    Quarantined(String),
    /// It says that it is somebody else than who the installation lists.
    Misnamed(String),
}

impl State {
    /// The name it is sent under.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Off => "off",
            Self::Unset => "unset",
            Self::Starting => "starting",
            Self::Resting(_) => "resting",
            Self::Quarantined(_) => "quarantined",
            Self::Misnamed(_) => "misnamed",
        }
    }

    /// What happened, where something did.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Resting(reason) | Self::Quarantined(reason) | Self::Misnamed(reason) => Some(reason),
            _ => None,
        }
    }
}

impl Entry {
    /// A plugin that came with the house, not set yet.
    #[must_use]
    pub fn here(manifest: Manifest, plugin: InProcess) -> Self {
        Self::at(manifest.name.clone(), Place::Here(Arc::new(manifest), plugin), Arc::default())
    }

    /// A plugin in a process of its own.
    #[must_use]
    pub fn apart(name: String, plugin: Arc<Supervised>, held: Arc<ArcSwap<Held>>) -> Self {
        Self::at(name, Place::Apart(plugin), held)
    }

    fn at(name: String, place: Place, held: Arc<ArcSwap<Held>>) -> Self {
        Self { name, place, tally: Tally::default(), held }
    }

    /// Who it is, as far as that is known.
    #[must_use]
    pub fn manifest(&self) -> Option<Arc<Manifest>> {
        match &self.place {
            Place::Here(manifest, _) => Some(manifest.clone()),
            Place::Apart(plugin) => plugin.manifest(),
        }
    }

    /// Its process, if it has one of its own.
    #[must_use]
    pub fn supervised(&self) -> Option<&Arc<Supervised>> {
        match &self.place {
            Place::Here(..) => None,
            Place::Apart(plugin) => Some(plugin),
        }
    }

    /// Whether it can be asked, or why not.
    #[must_use]
    pub fn state(&self) -> State {
        let held = self.held.load();
        if let Some(troubled) = self.supervised().and_then(|plugin| trouble(plugin)) {
            return troubled;
        }
        let Some(manifest) = self.manifest() else { return State::Starting };
        if manifest.name != self.name {
            return State::Misnamed(manifest.name.clone());
        }
        match (held.enabled, model::missing(&manifest, &held.settings).is_empty()) {
            (false, _) => State::Off,
            (true, false) => State::Unset,
            (true, true) => State::Ready,
        }
    }

    /// Why and since when it is in quarantine, if it is.
    #[must_use]
    pub fn quarantine(&self) -> Option<(String, Timestamp)> {
        let health = self.supervised()?.health();
        match health.state {
            agio_plugin_host::State::Quarantined { reason } => Some((reason, health.since)),
            _ => None,
        }
    }

    /// Whether rooms may ask it. One that rests may be asked: it says itself that it does.
    #[must_use]
    pub fn may_be_asked(&self) -> Option<Arc<Manifest>> {
        let held = self.held.load();
        let manifest = self.manifest().filter(|manifest| manifest.name == self.name)?;
        (held.enabled && model::missing(&manifest, &held.settings).is_empty()).then_some(manifest)
    }

    /// Asks it.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn ask(&self, hand: &Hand, platform: &Platform, call: Call) -> Result<Answer, Fault> {
        let absent = Fault { reason: Reason::Absent, may_have_acted: false };
        let manifest = self.may_be_asked().ok_or(absent)?;
        let memory = Shelved { platform: platform.clone(), manifest: manifest.clone(), held: self.held.clone() };
        match &self.place {
            Place::Here(_, plugin) => ask(hand, &manifest, plugin, &memory, call).await,
            Place::Apart(plugin) => plugin.ask(hand, &memory, call).await,
        }
    }
}

/// What is wrong with a plugin's process, if anything is.
fn trouble(plugin: &Supervised) -> Option<State> {
    match plugin.health().state {
        agio_plugin_host::State::Resting { reason } => Some(State::Resting(reason)),
        agio_plugin_host::State::Quarantined { reason } => Some(State::Quarantined(reason)),
        agio_plugin_host::State::Starting | agio_plugin_host::State::Stopped => Some(State::Starting),
        agio_plugin_host::State::Ready => None,
    }
}

/// A plugin's memory in the database.
struct Shelved {
    platform: Platform,
    manifest: Arc<Manifest>,
    held: Arc<ArcSwap<Held>>,
}

impl Memory for Shelved {
    fn settings(&self) -> BTreeMap<String, String> {
        settings::open(&self.platform.vault, &self.manifest, &self.held.load().settings)
    }

    fn kept(&self) -> BTreeMap<String, String> {
        self.held.load().kept.clone()
    }

    fn keep<'a>(&'a self, name: &'a str, value: Option<&'a str>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let (plugin, now) = (self.manifest.name.clone(), self.platform.clock.now());
            let kept = (name.to_owned(), value.map(str::to_owned));
            let work = self.platform.db.write(move |tx| {
                let (plugin, (name, value)) = (plugin.clone(), kept.clone());
                Box::pin(async move { store::keep(tx, &plugin, &name, value.as_deref(), now).await })
            });
            work.await?;
            self.held.rcu(|held| {
                let mut held = Held::clone(held);
                match value {
                    Some(value) => held.kept.insert(name.to_owned(), value.to_owned()),
                    None => held.kept.remove(name),
                };
                held
            });
            Ok(())
        })
    }
}
