//! A managed plugin.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::{BoxFuture, Platform, Result, Timestamp};
use agio_plugin_runtime::{
    ActionExecutor, InProcessPlugin, PluginError, PluginErrorReason, PluginStorage, ProcessState, SupervisedPlugin, call_plugin,
};
use agio_plugin_sdk::protocol::{Call, CallResult, Manifest};
use arc_swap::ArcSwap;

use super::call_statistics::CallStatistics;
use super::settings;
use crate::{model, store};

pub enum PluginRuntime {
    /// In this process: a built-in plugin.
    BuiltIn(Arc<Manifest>, InProcessPlugin),
    /// In its own process: a library. The manifest is known once it is loaded.
    Library(Arc<SupervisedPlugin>),
}

pub struct PluginEntry {
    pub name: String,
    pub runtime: PluginRuntime,
    pub calls: CallStatistics,
    pub configuration: Arc<ArcSwap<PluginConfiguration>>,
}

/// Settings and stored values of a plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginConfiguration {
    pub enabled: bool,
    /// Settings with sealed secrets.
    pub settings: BTreeMap<String, String>,
    pub stored: BTreeMap<String, String>,
    /// Incremented with each change of the settings.
    pub revision: i64,
}

agio_core::named! {
    /// State of a plugin. `unset`: a required setting is missing. `backing_off`: waiting for a restart after a fault.
    /// `quarantined`: not restarted after too many faults. `misnamed`: its manifest has another name than the allow
    /// list.
    PluginState {
        Ready = "ready",
        Off = "off",
        Unset = "unset",
        Starting = "starting",
        BackingOff = "backing_off",
        Quarantined = "quarantined",
        Misnamed = "misnamed",
    }
}

impl PluginEntry {
    pub fn built_in(manifest: Manifest, plugin: InProcessPlugin) -> Self {
        Self::new(manifest.name.clone(), PluginRuntime::BuiltIn(Arc::new(manifest), plugin), Arc::default())
    }

    pub fn library(name: String, plugin: Arc<SupervisedPlugin>, configuration: Arc<ArcSwap<PluginConfiguration>>) -> Self {
        Self::new(name, PluginRuntime::Library(plugin), configuration)
    }

    fn new(name: String, runtime: PluginRuntime, configuration: Arc<ArcSwap<PluginConfiguration>>) -> Self {
        Self { name, runtime, calls: CallStatistics::default(), configuration }
    }

    /// The manifest, if it is known.
    pub fn manifest(&self) -> Option<Arc<Manifest>> {
        match &self.runtime {
            PluginRuntime::BuiltIn(manifest, _) => Some(manifest.clone()),
            PluginRuntime::Library(plugin) => plugin.manifest(),
        }
    }

    /// The supervised process of a library.
    pub fn supervised(&self) -> Option<&Arc<SupervisedPlugin>> {
        match &self.runtime {
            PluginRuntime::BuiltIn(..) => None,
            PluginRuntime::Library(plugin) => Some(plugin),
        }
    }

    /// The state, and its reason if there is one.
    pub fn state(&self) -> (PluginState, Option<String>) {
        let configuration = self.configuration.load();
        if let Some(state) = self.supervised().and_then(|plugin| process_state(plugin)) {
            return state;
        }
        let Some(manifest) = self.manifest() else { return (PluginState::Starting, None) };
        if manifest.name != self.name {
            return (PluginState::Misnamed, Some(manifest.name.clone()));
        }
        let state = match (configuration.enabled, model::missing(&manifest, &configuration.settings).is_empty()) {
            (false, _) => PluginState::Off,
            (true, false) => PluginState::Unset,
            (true, true) => PluginState::Ready,
        };
        (state, None)
    }

    /// Reason and start of the quarantine, if it is in quarantine.
    pub fn quarantine(&self) -> Option<(String, Timestamp)> {
        let health = self.supervised()?.health();
        match health.state {
            ProcessState::Quarantined { reason } => Some((reason, health.since)),
            _ => None,
        }
    }

    /// The manifest, if the plugin can be called. This includes a plugin that waits for a restart, whose calls fail.
    pub fn callable(&self) -> Option<Arc<Manifest>> {
        let configuration = self.configuration.load();
        let manifest = configuration.enabled.then(|| self.manifest()).flatten()?;
        (manifest.name == self.name && model::missing(&manifest, &configuration.settings).is_empty()).then_some(manifest)
    }

    pub async fn call(
        &self,
        executor: &ActionExecutor,
        platform: &Platform,
        callback_url: Option<String>,
        call: Call,
    ) -> Result<CallResult, PluginError> {
        let not_found = PluginError { reason: PluginErrorReason::NotFound, may_have_acted: false };
        let manifest = self.callable().ok_or(not_found)?;
        let storage = DatabaseStorage {
            platform: platform.clone(),
            manifest: manifest.clone(),
            configuration: self.configuration.clone(),
            callback_url,
        };
        match &self.runtime {
            PluginRuntime::BuiltIn(_, plugin) => call_plugin(executor, &manifest, plugin, &storage, call).await,
            PluginRuntime::Library(plugin) => plugin.call(executor, &storage, call).await,
        }
    }
}

/// The state of a plugin process that is not ready.
fn process_state(plugin: &SupervisedPlugin) -> Option<(PluginState, Option<String>)> {
    match plugin.health().state {
        ProcessState::BackingOff { reason } => Some((PluginState::BackingOff, Some(reason))),
        ProcessState::Quarantined { reason } => Some((PluginState::Quarantined, Some(reason))),
        ProcessState::Starting | ProcessState::Stopped => Some((PluginState::Starting, None)),
        ProcessState::Ready => None,
    }
}

/// Settings and stored values in the database.
struct DatabaseStorage {
    platform: Platform,
    manifest: Arc<Manifest>,
    configuration: Arc<ArcSwap<PluginConfiguration>>,
    callback_url: Option<String>,
}

impl PluginStorage for DatabaseStorage {
    fn settings(&self) -> BTreeMap<String, String> {
        settings::open(&self.platform.vault, &self.manifest, &self.configuration.load().settings)
    }

    fn stored_values(&self) -> BTreeMap<String, String> {
        self.configuration.load().stored.clone()
    }

    fn callback_url(&self) -> Option<String> {
        self.callback_url.clone()
    }

    fn store<'a>(&'a self, name: &'a str, value: Option<&'a str>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let (plugin, now) = (self.manifest.name.clone(), self.platform.clock.now());
            let entry = (name.to_owned(), value.map(str::to_owned));
            let work = self.platform.db.write(move |tx| {
                let (plugin, (name, value)) = (plugin.clone(), entry.clone());
                Box::pin(async move { store::store_value(tx, &plugin, &name, value.as_deref(), now).await })
            });
            work.await?;
            self.configuration.rcu(|configuration| {
                let mut configuration = PluginConfiguration::clone(configuration);
                match value {
                    Some(value) => configuration.stored.insert(name.to_owned(), value.to_owned()),
                    None => configuration.stored.remove(name),
                };
                configuration
            });
            Ok(())
        })
    }
}
