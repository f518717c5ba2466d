//! The texts of the information pages, and what visitors write to support.
//!
//! A text is Markdown in both languages. Publishing makes a new version and never changes an old one: claims say which version of the
//! rules their customer agreed to. What is published is held in memory as finished HTML; the sites' pages and the calls of
//! [`ContentApi`] show the same. Staff write and publish by [`ContentDesk`].

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::ContentDesk;
pub use api::ContentApi;
pub use model::{Page, questions};
pub use service::{Content, Shelf, Shown};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Reading texts and their versions.
pub const CONTENT_READ: Permission = Permission("content.read");
/// Publishing texts.
pub const CONTENT_CHANGE: Permission = Permission("content.change");
/// Reading what visitors wrote to support.
pub const CONTACT_READ: Permission = Permission("contact.read");

/// The setting that says how long messages to support are kept.
const MESSAGE_DAYS: &str = "contact.message_days";

const SETTINGS: &[Setting] = &[Setting::number(MESSAGE_DAYS, 1, 3_650, "180")];

impl Module for Content {
    fn name(&self) -> &'static str {
        "content"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[CONTENT_READ, CONTENT_CHANGE, CONTACT_READ]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
