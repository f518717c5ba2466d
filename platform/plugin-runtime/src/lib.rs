//! Runs plugins and calls them.
//!
//! Modules call plugins through [`PluginRegistry`] and get a result or a [`PluginError`] within the plugin's time limits. The actions a
//! plugin requests are executed here, within what its manifest allows.

mod built_in;
mod permissions;
mod plugin_folder;
mod request_loop;
pub mod runner;
pub mod scaffold;
pub mod supervisor;
mod wire;

use std::sync::Arc;

use agio_core::BoxFuture;
use agio_plugin_sdk::protocol::{Call, CallResult, Manifest, PluginKind};
use thiserror::Error;

pub use built_in::{BuiltInPlugins, InProcessPlugin};
pub use permissions::https_origin;
pub use plugin_folder::{FoundLibrary, LibraryChange, PluginFolder, read_manifest};
pub use request_loop::{ActionExecutor, PluginStorage, PrivateNetworkAccess, RoundHandler, call_plugin};
pub use supervisor::{
    PluginHealth, PluginLibrary, PluginLogLine, ProcessState, RunnerCommand, SupervisedPlugin, SupervisorPolicy, file_sha256,
    remove_stale_copies,
};

pub use agio_plugin_sdk::protocol;

/// The plugins of this node.
pub trait PluginRegistry: Send + Sync {
    /// Enabled plugins of a kind, by name.
    fn list(&self, kind: PluginKind) -> Vec<Arc<Manifest>>;

    /// An installed plugin, enabled or not.
    fn installed(&self, plugin: &str) -> Option<Arc<Manifest>>;

    /// Requests a plugin.
    fn call<'a>(&'a self, plugin: &'a str, call: Call) -> BoxFuture<'a, Result<CallResult, PluginError>>;
}

/// Why a call to a plugin failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct PluginError {
    pub reason: PluginErrorReason,
    /// Whether another service may have acted on a request of the plugin. For a payout, the state is then unknown and must be queried.
    pub may_have_acted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PluginErrorReason {
    /// Missing or disabled.
    #[error("there is no such plugin, or it is disabled")]
    NotFound,
    /// Not called any more after too many faults.
    #[error("the plugin is quarantined: {0}")]
    Quarantined(String),
    /// The plugin returned an error; it is not at fault.
    #[error("{code}: {why}")]
    CallFailed {
        code: String,
        /// Explanation for staff.
        why: String,
        /// Whether a later retry may succeed.
        later: bool,
    },
    /// No response in time, in milliseconds.
    #[error("no answer within {0} ms")]
    Timeout(u32),
    /// Ended by a signal, an exit or a panic.
    #[error("the plugin stopped: {0}")]
    Crashed(String),
    /// The response is malformed or does not fit the call.
    #[error("the plugin violates the protocol: {0}")]
    ProtocolViolation(String),
    /// It requested an action that its manifest does not allow.
    #[error("the plugin requested a forbidden action: {0}")]
    Forbidden(String),
}

impl PluginError {
    /// Whether the plugin is at fault, which counts towards its quarantine.
    pub fn is_plugin_fault(&self) -> bool {
        matches!(
            self.reason,
            PluginErrorReason::Timeout(_)
                | PluginErrorReason::Crashed(_)
                | PluginErrorReason::ProtocolViolation(_)
                | PluginErrorReason::Forbidden(_)
        )
    }
}
