//! Feeds for monitors of exchange rates: what is offered, in the forms they read, without what is wrong.
//!
//! The way from directions to bytes is pure ([`model`]). The service keeps the bytes of each feed and makes them anew when what they follow
//! from has changed. A direction with a rate that is absurd, gains on a round trip, or does not fit its limits is kept out, and staff are told;
//! the rest of the feed goes on. What is offered is asked of [`agio_core::needs::Offers`].

mod admin;
mod api;
pub mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::Dictionary;

pub use admin::MonitorDesk;
pub use api::ExportApi;
pub use service::Monitors;

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing feeds and what is kept out of them.
pub const MONITORS_READ: Permission = Permission("monitors.read");
/// Changing what monitors get.
pub const MONITORS_EDIT: Permission = Permission("monitors.edit");

/// How far a rate may be from the market's before it is kept out, in percent.
const FAR_PERCENT: &str = "monitors.far_percent";
/// The hour from which manual directions are listed.
const HOURS_FROM: &str = "monitors.hours_from";
/// The hour until which they are.
const HOURS_TO: &str = "monitors.hours_to";
/// How far the time of these hours is ahead of UTC, in minutes.
const HOURS_AHEAD: &str = "monitors.utc_offset_minutes";
/// The addresses of monitors' robots.
const ROBOTS: &str = "monitors.robots";

const SETTINGS: &[Setting] = &[
    Setting::number(FAR_PERCENT, 1, 90, "15"),
    Setting::number(HOURS_FROM, 0, 23, "0"),
    Setting::number(HOURS_TO, 1, 24, "24"),
    Setting::number(HOURS_AHEAD, -720, 840, "180"),
    Setting::new(ROBOTS, SettingKind::Networks, "178.32.48.31, 162.19.29.225, 88.99.97.146, 46.4.58.77"),
];

/// How often feeds are looked after though nobody asks for them, so that what is wrong is noticed.
const LOOK_EVERY: Duration = Duration::from_secs(10);

impl Module for Monitors {
    fn name(&self) -> &'static str {
        "monitors"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[MONITORS_READ, MONITORS_EDIT]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("monitors.feeds", LOOK_EVERY, &self, |monitors| Box::pin(async move { monitors.look_after().await }))]
    }
}
