//! Plugins, as staff see and set them.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod console;
mod libraries;
