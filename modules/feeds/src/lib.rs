//! Rate feeds for exchange aggregators, without erroneous directions.
//!
//! Building a feed is pure ([`model`]). The service caches the bytes of each feed and rebuilds them when their
//! inputs change. A direction with an implausible rate, an arbitrage cycle or inconsistent limits is excluded, and
//! staff are notified; the rest of the feed stays. Offers come from [`agio_contracts::OfferProvider`].

mod admin;
mod api;
pub mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::Dictionary;

pub use admin::FeedAdminApi;
pub use api::FeedApi;
pub use service::{AggregatorsPart, FeedDirectionsPart, Feeds};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// View feeds and findings.
pub const AGGREGATORS_READ: Permission = Permission("aggregators.read");
pub const AGGREGATORS_EDIT: Permission = Permission("aggregators.edit");

/// Maximum deviation from the market rate, in percent.
const MAX_DEVIATION_PERCENT: &str = "aggregators.far_percent";
/// First working hour of manual directions.
const HOURS_FROM: &str = "aggregators.hours_from";
/// End of the working hours.
const HOURS_TO: &str = "aggregators.hours_to";
/// Offset of the working hours from UTC, in minutes.
const UTC_OFFSET_MINUTES: &str = "aggregators.utc_offset_minutes";
/// Addresses of the aggregators' crawlers.
const ROBOTS: &str = "aggregators.robots";

const SETTINGS: &[Setting] = &[
    Setting::number(MAX_DEVIATION_PERCENT, 1, 90, "15"),
    Setting::number(HOURS_FROM, 0, 23, "0"),
    Setting::number(HOURS_TO, 1, 24, "24"),
    Setting::number(UTC_OFFSET_MINUTES, -720, 840, "180"),
    Setting::new(ROBOTS, SettingKind::Networks, "178.32.48.31, 162.19.29.225, 88.99.97.146, 46.4.58.77"),
];

/// Feeds are refreshed without requests, so that errors are noticed.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);

impl Module for Feeds {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[AGGREGATORS_READ, AGGREGATORS_EDIT],
            settings: SETTINGS,
            statements: store::STATEMENTS,
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("feeds.refresh", REFRESH_INTERVAL, &self, |feeds| Box::pin(async move { feeds.refresh().await }))]
    }
}
