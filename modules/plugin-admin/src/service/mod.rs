//! The plugin manager: runs, configures and calls plugins.

mod approval;
mod call_statistics;
mod callbacks;
mod change;
mod entry;
mod libraries;
mod settings;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agio_approvals::Approvals;
use agio_core::{BoxFuture, Error, Platform, Result};
use agio_plugin_runtime::{ActionExecutor, InProcessPlugin, PluginError, PluginErrorReason, PluginRegistry, ProcessState};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{Call, CallResult, Manifest, PluginKind};
use arc_swap::ArcSwap;
use tokio::sync::Mutex;

pub use approval::PluginChangeApproval;
pub use change::PluginUpdate;
pub use entry::{PluginEntry, PluginState};
pub use libraries::{AllowedPlugins, LibraryScan, PluginLibraries};
pub use settings::reseal as reseal_settings;

use crate::store;
use entry::PluginConfiguration;

/// Maximum wait for libraries that are starting.
const STARTUP_WAIT: Duration = Duration::from_secs(5);

/// Built-in plugins and libraries from the allow list.
pub struct PluginManager {
    platform: Platform,
    pub(crate) approvals: Approvals,
    executor: ActionExecutor,
    libraries: PluginLibraries,
    /// The address of the public site, without a slash at its end.
    site: String,
    built_in: BTreeMap<String, Arc<PluginEntry>>,
    entries: ArcSwap<BTreeMap<String, Arc<PluginEntry>>>,
    library_scan: ArcSwap<LibraryScan>,
    /// Serialises refreshes, so that no library is started twice.
    refreshing: Mutex<()>,
}

impl PluginManager {
    /// A manager of the built-in plugins. [`PluginManager::load`] reads their settings, [`PluginManager::refresh`]
    /// starts libraries.
    ///
    /// # Panics
    /// Two built-in plugins have the same name.
    pub fn new(
        platform: &Platform,
        approvals: Approvals,
        executor: ActionExecutor,
        built_in: Vec<Box<dyn Plugin>>,
        libraries: PluginLibraries,
        site: &str,
    ) -> Arc<Self> {
        let mut entries = BTreeMap::new();
        for plugin in built_in {
            let entry = Arc::new(PluginEntry::built_in(plugin.manifest(), InProcessPlugin::new(plugin)));
            let before = entries.insert(entry.name.clone(), entry.clone());
            assert!(before.is_none(), "two plugins have the name {}", entry.name);
        }
        Arc::new(Self {
            platform: platform.clone(),
            approvals,
            executor,
            libraries,
            site: site.trim_end_matches('/').to_owned(),
            entries: ArcSwap::new(Arc::new(entries.clone())),
            built_in: entries,
            library_scan: ArcSwap::default(),
            refreshing: Mutex::default(),
        })
    }

    /// Loads settings and stored values. A value that a plugin stores meanwhile is not lost: what was read is dropped
    /// where the configuration has changed since, and read again.
    pub async fn load(&self) -> Result<()> {
        while !self.load_unchanged().await? {}
        Ok(())
    }

    /// Loads the configurations that do not change meanwhile. Returns whether that were all.
    async fn load_unchanged(&self) -> Result<bool> {
        let entries = self.entries();
        let before: Vec<_> = entries.iter().map(|entry| entry.configuration.load_full()).collect();
        let mut tx = self.platform.db.read().await?;
        let rows: BTreeMap<_, _> = store::list(&mut tx).await?.into_iter().map(|row| (row.name.clone(), row)).collect();
        let mut stored: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for row in store::list_stored_values(&mut tx).await? {
            stored.entry(row.plugin).or_default().insert(row.name, row.value);
        }
        drop(tx);
        let mut is_complete = true;
        for (entry, before) in entries.iter().zip(&before) {
            let stored = stored.remove(&entry.name).unwrap_or_default();
            let configuration = match rows.get(&entry.name) {
                None => PluginConfiguration { stored, ..PluginConfiguration::default() },
                Some(row) => {
                    PluginConfiguration { enabled: row.enabled, settings: row.settings()?, stored, revision: row.revision }
                }
            };
            if configuration != **before {
                let found = entry.configuration.compare_and_swap(before, Arc::new(configuration));
                is_complete &= Arc::ptr_eq(&found, before);
            }
        }
        Ok(is_complete)
    }

    /// Scans for added, replaced and removed libraries, and loads settings. Does not wait for libraries to start.
    pub async fn refresh(&self) -> Result<()> {
        let guard = self.refreshing.lock().await;
        let scan = self.libraries.scan().await?;
        let before = BTreeMap::clone(&self.entries.load());
        // A library with the name of a built-in plugin replaces it.
        let mut entries = self.built_in.clone();
        for (name, library) in &scan.allowed {
            let running = before.get(name).filter(|entry| entry.supervised().is_some_and(|plugin| plugin.library() == library));
            let entry = running.cloned().unwrap_or_else(|| {
                tracing::info!(plugin = name, sha256 = library.sha256, "a plugin library is started");
                let configuration = before.get(name).map(|entry| entry.configuration.clone()).unwrap_or_default();
                Arc::new(PluginEntry::library(name.clone(), self.libraries.start(library.clone(), &self.platform), configuration))
            });
            entries.insert(name.clone(), entry);
        }
        let removed = before.into_iter().filter(|(name, entry)| !entries.get(name).is_some_and(|now| Arc::ptr_eq(now, entry)));
        let removed: Vec<_> = removed.collect();
        self.entries.store(Arc::new(entries));
        self.library_scan.store(Arc::new(scan));
        for (name, entry) in removed {
            if let Some(plugin) = entry.supervised() {
                tracing::info!(plugin = name, "a plugin library is stopped");
                plugin.stop().await;
            }
        }
        drop(guard);
        self.load().await
    }

    /// Waits until all libraries have started, for a limited time. Used right after the start of the server.
    pub async fn wait_until_started(&self) {
        let entries = self.entries();
        let started = async {
            for plugin in entries.iter().filter_map(|entry| entry.supervised()) {
                let _ = plugin.states().wait_for(|state| *state != ProcessState::Starting).await;
            }
        };
        let _ = tokio::time::timeout(STARTUP_WAIT, started).await;
    }

    /// All plugins, by name.
    pub fn entries(&self) -> Vec<Arc<PluginEntry>> {
        self.entries.load().values().cloned().collect()
    }

    /// Result of the last scan of the library folder.
    pub fn library_scan(&self) -> Arc<LibraryScan> {
        self.library_scan.load_full()
    }

    /// A plugin by name.
    ///
    /// # Errors
    /// 404 `plugin_not_found`.
    pub fn entry(&self, name: &str) -> Result<Arc<PluginEntry>> {
        self.entries.load().get(name).cloned().ok_or_else(|| Error::not_found("plugin_not_found"))
    }
}

impl PluginRegistry for PluginManager {
    fn list(&self, kind: PluginKind) -> Vec<Arc<Manifest>> {
        let callable = |entry: &Arc<PluginEntry>| entry.callable().filter(|manifest| manifest.kind == kind);
        self.entries.load().values().filter_map(callable).collect()
    }

    fn installed(&self, plugin: &str) -> Option<Arc<Manifest>> {
        self.entries.load().get(plugin)?.manifest()
    }

    fn call<'a>(&'a self, plugin: &'a str, call: Call) -> BoxFuture<'a, Result<CallResult, PluginError>> {
        Box::pin(async move {
            let not_found = PluginError { reason: PluginErrorReason::NotFound, may_have_acted: false };
            let entry = self.entries.load().get(plugin).cloned().ok_or(not_found)?;
            let started = Instant::now();
            let result = entry.call(&self.executor, &self.platform, self.callback_url(&entry), call).await;
            entry.calls.count(self.platform.clock.now(), started.elapsed(), result.as_ref().err());
            result
        })
    }
}
