//! The rate engine: rates that explain themselves.
//!
//! Sources are plugins that are asked again and again ([`service`]). What they say is judged by pure rules ([`model`]): which of them agree,
//! whether the rate of a pair may have moved that far, and what is added to a course for a place on a monitor, the reserve, the move of a
//! day and the hour. What is ruled is handed to whoever prices, through [`agio_core::needs::RateBook`], and is one change of the market.
//! While no source is on and no pair has rules, nothing is ruled.

mod admin;
pub mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::Dictionary;

pub use admin::RatesDesk;
pub use service::{AgreedRules, Needs, Rates};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Setting sources up, and the rules of pairs.
pub const RATES_EDIT: Permission = Permission("rates.edit");
/// Letting a pair go on that its rate stopped.
pub const RATES_RELEASE: Permission = Permission("rates.release");
/// Seeing sources, rules and how rates went. Whoever prices brings the permission.
const RATES_READ: Permission = Permission("rates.read");
/// Seeing claims. Whoever keeps them brings the permission.
const CLAIMS_READ: Permission = Permission("claims.read");

/// How many sources have to agree.
const SOURCES: &str = "rates.sources";
/// How far apart sources may be, in hundredths of a percent.
const TOLERANCE: &str = "rates.tolerance_hundredths";
/// By how many percent a rate may move within the window.
const JUMP: &str = agio_core::needs::JUMP_PERCENT;
/// The window, in minutes.
const WINDOW: &str = "rates.window_minutes";
/// After how many good cycles a stopped pair goes on by itself.
const RESUME: &str = "rates.resume_after";
/// For how many days everything is kept that sources said.
const KEPT_DAYS: &str = "rates.kept_days";

const SETTINGS: &[Setting] = &[
    Setting { name: SOURCES, kind: SettingKind::Int(1, 10), default: "1", listed: true },
    Setting { name: TOLERANCE, kind: SettingKind::Int(1, 2_000), default: "100", listed: true },
    Setting { name: JUMP, kind: SettingKind::Int(1, 90), default: "10", listed: true },
    Setting { name: WINDOW, kind: SettingKind::Int(1, 10_080), default: "60", listed: true },
    Setting { name: RESUME, kind: SettingKind::Int(0, 1_000), default: "3", listed: true },
    Setting { name: KEPT_DAYS, kind: SettingKind::Int(1, 365), default: "7", listed: true },
];

/// How often it is looked which sources are due.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How often what is old is thinned out.
const THIN_EVERY: Duration = Duration::from_secs(60 * 60);

impl Module for Rates {
    fn name(&self) -> &'static str {
        "rates"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[RATES_EDIT, RATES_RELEASE]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![
            Job::new("rates.cycle", LOOK_EVERY, &self, |rates| Box::pin(async move { rates.cycle().await })),
            Job::new("rates.thin_out", THIN_EVERY, &self, |rates| Box::pin(async move { rates.thin_out().await })),
        ]
    }
}
