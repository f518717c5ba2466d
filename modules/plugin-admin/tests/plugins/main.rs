//! Plugin management API.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod libraries;
mod plugin_settings;
