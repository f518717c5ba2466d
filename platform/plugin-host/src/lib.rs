//! Plugins as the rooms of the house see them: somebody to ask, who may not answer.
//!
//! A room asks through [`Plugins`] and is told a [`Fault`] when there is no answer, never later than the plugin's limits allow. What a plugin
//! needs done is done here, within what its manifest names.

mod built_in;
pub mod create;
mod folder;
mod permit;
mod rounds;
pub mod runner;
pub mod supervisor;
mod wire;

use std::sync::Arc;

use agio_core::BoxFuture;
use agio_plugin::protocol::{Answer, Call, Kind, Manifest};
use thiserror::Error;

pub use built_in::{BuiltIn, InProcess};
pub use folder::{Change, Folder, Found, describe};
pub use rounds::{Hand, Memory, Private, Thinking, ask};
pub use supervisor::{Health, Library, LogLine, Policy, Runner, State, Supervised, clear_up, digest};

/// The words of the protocol.
pub use agio_plugin::protocol;

/// Whom the rooms ask.
pub trait Plugins: Send + Sync {
    /// The plugins of a kind that may be asked now, by name.
    fn of(&self, kind: Kind) -> Vec<Arc<Manifest>>;

    /// Asks a plugin.
    fn ask<'a>(&'a self, plugin: &'a str, call: Call) -> BoxFuture<'a, Result<Answer, Fault>>;
}

/// Why a plugin did not answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct Fault {
    /// Why.
    pub reason: Reason,
    /// Whether a request of the plugin left the house that the other side may have acted on. Where money is sent, the outcome is
    /// unknown then, and has to be asked for.
    pub may_have_acted: bool,
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// There is no such plugin, or it is switched off.
    #[error("there is no such plugin, or it is switched off")]
    Absent,
    /// It misbehaved so often that it is not asked any more.
    #[error("the plugin is quarantined: {0}")]
    Quarantined(String),
    /// It refuses; the fault is not the plugin's.
    #[error("{code}: {why}")]
    Refused {
        /// Stable.
        code: String,
        /// In words.
        why: String,
        /// Whether asking again later may help.
        later: bool,
    },
    /// It did not answer in time.
    #[error("no answer within {0} ms")]
    Late(u32),
    /// It stopped: by a signal, an exit, a panic.
    #[error("the plugin stopped: {0}")]
    Stopped(String),
    /// What it said is not of the protocol, or not what was asked for.
    #[error("the plugin does not keep to the protocol: {0}")]
    Nonsense(String),
    /// It wanted something done that its manifest does not name.
    #[error("the plugin wanted what it may not: {0}")]
    Forbidden(String),
}

impl Fault {
    /// Whether the plugin is to blame: what counts towards its quarantine.
    #[must_use]
    pub fn blames_plugin(&self) -> bool {
        matches!(self.reason, Reason::Late(_) | Reason::Stopped(_) | Reason::Nonsense(_) | Reason::Forbidden(_))
    }
}
