//! Texts of the information pages, news, and messages to support.
//!
//! A text is Markdown in both languages. Publishing creates a version and never changes an old one, because claims
//! record the version of the rules the customer agreed to. Published texts are cached as HTML; the site's pages and
//! [`ContentApi`] serve the same. Staff edit through [`ContentAdminApi`].

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::retention::RetentionRule;
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::{ContentAdminApi, NewsAdminApi};
pub use api::ContentApi;
pub use model::{ContentPageName, NewsArticle, PublishedNews, questions};
pub use service::{Content, NewsCache, PageCache, RenderedPage};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

pub const CONTENT_READ: Permission = Permission("content.read");
pub const CONTENT_CHANGE: Permission = Permission("content.change");
/// Reads messages to support.
pub const CONTACT_READ: Permission = Permission("contact.read");

/// Retention of messages to support, in days.
const MESSAGE_DAYS: &str = "contact.message_days";

const SETTINGS: &[Setting] = &[Setting::number(MESSAGE_DAYS, 1, 3_650, "180")];

const RETENTION: &[RetentionRule] = &[RetentionRule {
    name: "contact_message",
    delete: agio_core::delete_rows!("contact_message", "id", "created_at < $1"),
    before: |settings, now| now.minus(Duration::from_secs(settings.int(MESSAGE_DAYS).unsigned_abs() * 24 * 60 * 60)).0,
}];

impl Module for Content {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[CONTENT_READ, CONTENT_CHANGE, CONTACT_READ],
            settings: SETTINGS,
            statements: store::STATEMENTS,
            retention: RETENTION,
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
