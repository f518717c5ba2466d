//! Libraries of plugins: files in a folder, of which those run that the installation lists by their digests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};

use agio_core::{Error, Platform, Result};
use agio_plugin_host::{Folder, Found, Library, Policy, Supervised, clear_up};

/// Digests of the libraries that may run, by the names of their plugins. It is asked again at each look, so that a plugin can be added,
/// replaced and removed while the house runs.
pub type Allowed = Box<dyn Fn() -> Result<BTreeMap<String, String>> + Send + Sync>;

/// Where libraries are, and what holds them.
pub struct Libraries {
    folder: Arc<Mutex<Folder>>,
    allowed: Allowed,
    policy: Policy,
}

/// What lies in the folder.
#[derive(Debug, Default)]
pub struct Stock {
    /// What may run, by the name of the plugin.
    pub allowed: BTreeMap<String, Library>,
    /// Listed plugins of which no such library lies there.
    pub missing: Vec<String>,
    /// Libraries that are not listed.
    pub strangers: Vec<Found>,
}

impl Libraries {
    /// Libraries of a folder, each held to the policy.
    #[must_use]
    pub fn new(folder: PathBuf, allowed: Allowed, policy: Policy) -> Self {
        Self { folder: Arc::new(Mutex::new(Folder::new(folder))), allowed, policy }
    }

    /// Looks into the folder and the list.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub async fn look(&self) -> Result<Stock> {
        let listed = (self.allowed)()?;
        let folder = self.folder.clone();
        let look = move || {
            // What a house left that was killed is in nobody's way, but it takes room.
            static CLEARED: Once = Once::new();
            CLEARED.call_once(clear_up);
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            folder.look().map(|_| folder.found().cloned().collect::<Vec<_>>())
        };
        let found = tokio::task::spawn_blocking(look).await.map_err(Error::internal)?.map_err(Error::internal)?;
        let mut stock = Stock::default();
        for (name, sha256) in &listed {
            match found.iter().find(|found| found.library.sha256.eq_ignore_ascii_case(sha256)) {
                Some(found) => drop(stock.allowed.insert(name.clone(), found.library.clone())),
                None => stock.missing.push(name.clone()),
            }
        }
        let is_listed = |found: &Found| listed.values().any(|sha256| found.library.sha256.eq_ignore_ascii_case(sha256));
        stock.strangers = found.into_iter().filter(|found| !is_listed(found)).collect();
        Ok(stock)
    }

    /// Runs a library.
    #[must_use]
    pub fn run(&self, library: Library, platform: &Platform) -> Arc<Supervised> {
        Supervised::start(library, self.policy.clone(), platform.clock.clone(), platform.random.clone())
    }
}
