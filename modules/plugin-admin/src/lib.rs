//! Plugin management: settings, stored values, state and statistics.
//!
//! Modules call plugins through [`agio_plugin_runtime::PluginRegistry`], which [`PluginManager`] implements. A plugin
//! is callable while it is enabled and all its required settings are set. Secret settings are sealed and never shown
//! again.

mod admin;
mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::texts::Dictionary;

pub use admin::PluginsAdminApi;
pub use service::{AllowedPlugins, PluginChangeApproval, PluginLibraries, PluginManager, PluginState, PluginUpdate};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Permission to view plugins and their logs.
pub const PLUGINS_READ: Permission = Permission("plugins.read");
/// Permission to enable, disable and configure plugins.
pub const PLUGINS_EDIT: Permission = Permission("plugins.edit");

/// Interval for reloading settings changed by other nodes and scanning the library folder.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);

impl Module for PluginManager {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[PLUGINS_READ, PLUGINS_EDIT],
            statements: store::STATEMENTS,
            sealed_columns: const { &[agio_core::sealed_column!("plugin", "name": Text, "settings", service::reseal_settings)] },
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("plugins.refresh", REFRESH_INTERVAL, &self, |manager| Box::pin(async move { manager.refresh().await }))]
    }
}
