//! Plugin libraries: files in a folder. Only those with a digest in the allow list run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};

use agio_core::{Error, Platform, Result};
use agio_plugin_runtime::{FoundLibrary, PluginFolder, PluginLibrary, SupervisedPlugin, SupervisorPolicy, remove_stale_copies};

/// Returns the allow list: digests by plugin name. It is read again on each scan, so plugins can be added, replaced and
/// removed at run time.
pub type AllowedPlugins = Box<dyn Fn() -> Result<BTreeMap<String, String>> + Send + Sync>;

pub struct PluginLibraries {
    folder: Arc<Mutex<PluginFolder>>,
    allowed: AllowedPlugins,
    policy: SupervisorPolicy,
}

/// Result of a scan of the folder.
#[derive(Debug, Default)]
pub struct LibraryScan {
    /// Allowed libraries, by plugin name.
    pub allowed: BTreeMap<String, PluginLibrary>,
    /// Plugins in the allow list without a library.
    pub missing: Vec<String>,
    /// Libraries that are not in the allow list.
    pub unregistered: Vec<FoundLibrary>,
}

impl PluginLibraries {
    pub fn new(folder: PathBuf, allowed: AllowedPlugins, policy: SupervisorPolicy) -> Self {
        Self { folder: Arc::new(Mutex::new(PluginFolder::new(folder))), allowed, policy }
    }

    /// Scans the folder and reads the allow list.
    pub async fn scan(&self) -> Result<LibraryScan> {
        let listed = (self.allowed)()?;
        let folder = self.folder.clone();
        let scan = move || {
            static CLEANUP: Once = Once::new();
            CLEANUP.call_once(remove_stale_copies);
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            folder.scan().map(|_| folder.libraries().cloned().collect::<Vec<_>>())
        };
        let found = tokio::task::spawn_blocking(scan).await.map_err(Error::internal)?.map_err(Error::internal)?;
        let mut scan = LibraryScan::default();
        for (name, sha256) in &listed {
            match found.iter().find(|found| found.library.sha256.eq_ignore_ascii_case(sha256)) {
                Some(found) => drop(scan.allowed.insert(name.clone(), found.library.clone())),
                None => scan.missing.push(name.clone()),
            }
        }
        let is_listed = |found: &FoundLibrary| listed.values().any(|sha256| found.library.sha256.eq_ignore_ascii_case(sha256));
        scan.unregistered = found.into_iter().filter(|found| !is_listed(found)).collect();
        Ok(scan)
    }

    pub fn start(&self, library: PluginLibrary, platform: &Platform) -> Arc<SupervisedPlugin> {
        SupervisedPlugin::start(library, self.policy.clone(), platform.clock.clone(), platform.random.clone())
    }
}
