//! Built-in plugins: trusted, and called in this process.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use agio_core::BoxFuture;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{Call, CallResult, Manifest, PluginKind, PluginRequest, PluginResponse};

use crate::request_loop::{self, ActionExecutor, PluginStorage, RoundHandler};
use crate::{PluginError, PluginErrorReason, PluginRegistry};

/// Built-in plugins with in-memory storage.
pub struct BuiltInPlugins {
    executor: ActionExecutor,
    plugins: BTreeMap<String, RegisteredPlugin>,
}

struct RegisteredPlugin {
    manifest: Arc<Manifest>,
    plugin: InProcessPlugin,
    storage: InMemoryStorage,
}

#[derive(Default)]
struct InMemoryStorage {
    settings: BTreeMap<String, String>,
    stored: Mutex<BTreeMap<String, String>>,
}

impl BuiltInPlugins {
    pub fn new(executor: ActionExecutor) -> Self {
        Self { executor, plugins: BTreeMap::new() }
    }

    /// Adds a plugin with the default settings, overridden by `set`.
    #[must_use]
    pub fn with(mut self, plugin: impl Plugin, set: &[(&str, &str)]) -> Self {
        let manifest = Arc::new(plugin.manifest());
        let defaults = manifest.settings.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
        let mut settings: BTreeMap<_, _> = defaults.collect();
        settings.extend(set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let storage = InMemoryStorage { settings, stored: Mutex::default() };
        self.plugins.insert(
            manifest.name.clone(),
            RegisteredPlugin { manifest, plugin: InProcessPlugin::new(Box::new(plugin)), storage },
        );
        self
    }
}

impl PluginRegistry for BuiltInPlugins {
    fn list(&self, kind: PluginKind) -> Vec<Arc<Manifest>> {
        self.plugins
            .values()
            .filter(|registered| registered.manifest.kind == kind)
            .map(|registered| registered.manifest.clone())
            .collect()
    }

    fn installed(&self, plugin: &str) -> Option<Arc<Manifest>> {
        Some(self.plugins.get(plugin)?.manifest.clone())
    }

    fn call<'a>(&'a self, plugin: &'a str, call: Call) -> BoxFuture<'a, Result<CallResult, PluginError>> {
        Box::pin(async move {
            let not_found = PluginError { reason: PluginErrorReason::NotFound, may_have_acted: false };
            let registered = self.plugins.get(plugin).ok_or(not_found)?;
            request_loop::call_plugin(&self.executor, &registered.manifest, &registered.plugin, &registered.storage, call).await
        })
    }
}

/// A plugin that runs in this process.
pub struct InProcessPlugin(Box<dyn Plugin>);

impl InProcessPlugin {
    pub fn new(plugin: Box<dyn Plugin>) -> Self {
        Self(plugin)
    }
}

impl RoundHandler for InProcessPlugin {
    fn handle_round<'a>(&'a self, request: &'a PluginRequest) -> BoxFuture<'a, Result<PluginResponse, PluginErrorReason>> {
        let response = std::panic::catch_unwind(AssertUnwindSafe(|| self.0.handle(request)));
        Box::pin(std::future::ready(response.map_err(|_| PluginErrorReason::Crashed("it panicked".to_owned()))))
    }
}

impl PluginStorage for InMemoryStorage {
    fn settings(&self) -> BTreeMap<String, String> {
        self.settings.clone()
    }

    fn stored_values(&self) -> BTreeMap<String, String> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn store<'a>(&'a self, name: &'a str, value: Option<&'a str>) -> BoxFuture<'a, agio_core::Result<()>> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        match value {
            Some(value) => stored.insert(name.to_owned(), value.to_owned()),
            None => stored.remove(name),
        };
        Box::pin(std::future::ready(Ok(())))
    }
}
