//! Plugins in separate processes.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod faults;
mod fixtures;
mod lifecycle;
mod loading;
mod orphan_processes;
mod template;
