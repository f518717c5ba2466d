//! Plugins at work: which are switched on, how they are set, what they keep, and how they do.
//!
//! The rooms ask plugins through [`agio_plugin_host::Plugins`]; the [`Shelf`] here is whom they ask. A plugin is asked only while it is switched
//! on and everything it needs is set. What staff set of a plugin is what its manifest names; secrets are sealed and never shown again.

mod admin;
mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::texts::Dictionary;

pub use admin::PluginDesk;
pub use service::{Allowed, Libraries, PluginChange, Shelf, State};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing plugins, how they do and what they print.
pub const PLUGINS_READ: Permission = Permission("plugins.read");
/// Switching plugins on and off, and setting them.
pub const PLUGINS_EDIT: Permission = Permission("plugins.edit");

/// How often the shelf is looked at: what other nodes changed, and libraries that came or went.
const LOOK_EVERY: Duration = Duration::from_secs(10);

impl Module for Shelf {
    fn name(&self) -> &'static str {
        "plugins"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[PLUGINS_READ, PLUGINS_EDIT]
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("plugins.shelf", LOOK_EVERY, &self, |shelf| Box::pin(async move { shelf.look().await }))]
    }
}
