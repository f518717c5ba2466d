//! The plugin trait.

use crate::protocol::{Manifest, PluginRequest, PluginResponse};

/// A plugin. `handle` is a pure function: the same request always gets the same response, on any instance of the plugin.
pub trait Plugin: Send + Sync + 'static {
    /// Describes the plugin and its permissions.
    fn manifest(&self) -> Manifest;

    /// Returns the result of a call, or the actions to do first.
    fn handle(&self, request: &PluginRequest) -> PluginResponse;
}
