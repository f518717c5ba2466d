//! Plugins compiled into the house: trusted, and asked in this very process.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use agio_core::BoxFuture;
use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Call, Kind, Manifest, Question, Step};

use crate::rounds::{self, Hand, Memory, Thinking};
use crate::{Fault, Plugins, Reason};

/// Plugins compiled into the house. What they keep is forgotten when the process ends.
pub struct BuiltIn {
    hand: Hand,
    shelf: BTreeMap<String, Shelved>,
}

struct Shelved {
    manifest: Arc<Manifest>,
    plugin: InProcess,
    memory: InMemory,
}

#[derive(Default)]
struct InMemory {
    settings: BTreeMap<String, String>,
    kept: Mutex<BTreeMap<String, String>>,
}

impl BuiltIn {
    /// No plugins yet.
    #[must_use]
    pub fn new(hand: Hand) -> Self {
        Self { hand, shelf: BTreeMap::new() }
    }

    /// With one more plugin, set as its manifest says by default and `set` says otherwise.
    #[must_use]
    pub fn with(mut self, plugin: impl Plugin, set: &[(&str, &str)]) -> Self {
        let manifest = Arc::new(plugin.manifest());
        let defaults = manifest.settings.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
        let mut settings: BTreeMap<_, _> = defaults.collect();
        settings.extend(set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let memory = InMemory { settings, kept: Mutex::default() };
        self.shelf.insert(manifest.name.clone(), Shelved { manifest, plugin: InProcess::new(Box::new(plugin)), memory });
        self
    }
}

impl Plugins for BuiltIn {
    fn of(&self, kind: Kind) -> Vec<Arc<Manifest>> {
        self.shelf.values().filter(|shelved| shelved.manifest.kind == kind).map(|shelved| shelved.manifest.clone()).collect()
    }

    fn ask<'a>(&'a self, plugin: &'a str, call: Call) -> BoxFuture<'a, Result<Answer, Fault>> {
        Box::pin(async move {
            let absent = Fault { reason: Reason::Absent, may_have_acted: false };
            let shelved = self.shelf.get(plugin).ok_or(absent)?;
            rounds::ask(&self.hand, &shelved.manifest, &shelved.plugin, &shelved.memory, call).await
        })
    }
}

/// A plugin that is asked in this very process.
pub struct InProcess(Box<dyn Plugin>);

impl InProcess {
    /// A plugin that came with the house.
    #[must_use]
    pub fn new(plugin: Box<dyn Plugin>) -> Self {
        Self(plugin)
    }
}

impl Thinking for InProcess {
    fn round<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Step, Reason>> {
        let step = std::panic::catch_unwind(AssertUnwindSafe(|| self.0.handle(question)));
        Box::pin(std::future::ready(step.map_err(|_| Reason::Stopped("it panicked".to_owned()))))
    }
}

impl Memory for InMemory {
    fn settings(&self) -> BTreeMap<String, String> {
        self.settings.clone()
    }

    fn kept(&self) -> BTreeMap<String, String> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep<'a>(&'a self, name: &'a str, value: Option<&'a str>) -> BoxFuture<'a, agio_core::Result<()>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match value {
            Some(value) => kept.insert(name.to_owned(), value.to_owned()),
            None => kept.remove(name),
        };
        Box::pin(std::future::ready(Ok(())))
    }
}
