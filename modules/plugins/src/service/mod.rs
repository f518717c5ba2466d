//! The shelf: whom the rooms ask.

mod change;
mod entry;
mod libraries;
mod settings;
mod tally;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agio_core::{BoxFuture, Error, Platform, Result};
use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Call, Kind, Manifest};
use agio_plugin_host::{Fault, Hand, InProcess, Plugins, Reason};
use arc_swap::ArcSwap;
use tokio::sync::Mutex;

pub use change::PluginChange;
pub use entry::{Entry, State};
pub use libraries::{Allowed, Libraries, Stock};

use crate::store;
use entry::Held;

/// How long it is waited for libraries that are being started.
const SETTLING: Duration = Duration::from_secs(5);

/// Plugins: those that came with the house, and libraries that the installation lists.
pub struct Shelf {
    platform: Platform,
    hand: Hand,
    libraries: Libraries,
    built_in: BTreeMap<String, Arc<Entry>>,
    entries: ArcSwap<BTreeMap<String, Arc<Entry>>>,
    stock: ArcSwap<Stock>,
    /// Only one looks at a time, so that no library is run twice.
    looking: Mutex<()>,
}

impl Shelf {
    /// A shelf with the plugins that came with the house, all of them off until [`Shelf::load`] has read how they are set. Libraries
    /// come to it with [`Shelf::look`].
    ///
    /// # Panics
    /// Two of them have one name: a fault of the program.
    #[must_use]
    pub fn new(platform: &Platform, hand: Hand, built_in: Vec<Box<dyn Plugin>>, libraries: Libraries) -> Arc<Self> {
        let mut entries = BTreeMap::new();
        for plugin in built_in {
            let entry = Arc::new(Entry::here(plugin.manifest(), InProcess::new(plugin)));
            let before = entries.insert(entry.name.clone(), entry.clone());
            assert!(before.is_none(), "two plugins are called {}", entry.name);
        }
        Arc::new(Self {
            platform: platform.clone(),
            hand,
            libraries,
            entries: ArcSwap::new(Arc::new(entries.clone())),
            built_in: entries,
            stock: ArcSwap::default(),
            looking: Mutex::default(),
        })
    }

    /// Reads how plugins are set, and what they keep.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn load(&self) -> Result<()> {
        let mut tx = self.platform.db.read().await?;
        let rows: BTreeMap<_, _> = store::all(&mut tx).await?.into_iter().map(|row| (row.name.clone(), row)).collect();
        let mut kept: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for row in store::kept(&mut tx).await? {
            kept.entry(row.plugin).or_default().insert(row.name, row.value);
        }
        for (name, entry) in &**self.entries.load() {
            let kept = kept.remove(name).unwrap_or_default();
            let held = match rows.get(name) {
                None => Held { kept, ..Held::default() },
                Some(row) => Held { enabled: row.enabled, settings: row.settings()?, kept, revision: row.revision },
            };
            entry.held.store(Arc::new(held));
        }
        Ok(())
    }

    /// Looks for libraries that came, were replaced or went, and reads how plugins are set. Nothing waits for a library to start.
    ///
    /// # Errors
    /// The list, the folder or the database cannot be read; what runs goes on.
    pub async fn look(&self) -> Result<()> {
        let alone = self.looking.lock().await;
        let stock = self.libraries.look().await?;
        let before = BTreeMap::clone(&self.entries.load());
        // A library that is listed under the name of a plugin that came with the house runs in its place while it is there.
        let mut entries = self.built_in.clone();
        for (name, library) in &stock.allowed {
            let running = before.get(name).filter(|entry| entry.supervised().is_some_and(|plugin| plugin.library() == library));
            let entry = running.cloned().unwrap_or_else(|| {
                tracing::info!(plugin = name, sha256 = library.sha256, "a library of a plugin is run");
                let held = before.get(name).map(|entry| entry.held.clone()).unwrap_or_default();
                Arc::new(Entry::apart(name.clone(), self.libraries.run(library.clone(), &self.platform), held))
            });
            entries.insert(name.clone(), entry);
        }
        let gone = before.into_iter().filter(|(name, entry)| !entries.get(name).is_some_and(|now| Arc::ptr_eq(now, entry)));
        let gone: Vec<_> = gone.collect();
        self.entries.store(Arc::new(entries));
        self.stock.store(Arc::new(stock));
        for (name, entry) in gone {
            if let Some(plugin) = entry.supervised() {
                tracing::info!(plugin = name, "a library of a plugin is not run any more");
                plugin.stop().await;
            }
        }
        drop(alone);
        self.load().await
    }

    /// Waits until no library is being started any more, for a moment at most: right after the start of the house nobody knows yet which of
    /// them could be asked what.
    pub async fn settled(&self) {
        let entries = self.entries();
        let known = async {
            for plugin in entries.iter().filter_map(|entry| entry.supervised()) {
                let _ = plugin.states().wait_for(|state| *state != agio_plugin_host::State::Starting).await;
            }
        };
        let _ = tokio::time::timeout(SETTLING, known).await;
    }

    /// The plugins, by name.
    #[must_use]
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        self.entries.load().values().cloned().collect()
    }

    /// What lay in the folder of libraries when somebody looked last.
    #[must_use]
    pub fn stock(&self) -> Arc<Stock> {
        self.stock.load_full()
    }

    /// A plugin.
    ///
    /// # Errors
    /// 404 `plugin_not_found`.
    pub fn entry(&self, name: &str) -> Result<Arc<Entry>> {
        self.entries.load().get(name).cloned().ok_or_else(|| Error::not_found("plugin_not_found"))
    }
}

impl Plugins for Shelf {
    fn of(&self, kind: Kind) -> Vec<Arc<Manifest>> {
        let ready = |entry: &Arc<Entry>| entry.may_be_asked().filter(|manifest| manifest.kind == kind);
        self.entries.load().values().filter_map(ready).collect()
    }

    fn ask<'a>(&'a self, plugin: &'a str, call: Call) -> BoxFuture<'a, Result<Answer, Fault>> {
        Box::pin(async move {
            let absent = Fault { reason: Reason::Absent, may_have_acted: false };
            let entry = self.entries.load().get(plugin).cloned().ok_or(absent)?;
            let begun = Instant::now();
            let answer = entry.ask(&self.hand, &self.platform, call).await;
            entry.tally.count(self.platform.clock.now(), begun.elapsed(), answer.as_ref().err());
            answer
        })
    }
}
