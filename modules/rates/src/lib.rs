//! The rate engine.
//!
//! Rate sources are plugins, polled regularly ([`service`]). Pure rules ([`model`]) aggregate their prices, calculate
//! formulas, suspend pairs whose rate moves too far, and adjust rates by aggregator rank, reserve, daily price move and
//! schedule. The decisions are applied through [`agio_contracts::PairPricing`] as one change of the market. Without an
//! enabled source and without rules nothing is decided.

mod admin;
pub mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::{Setting, SettingGuard};
use agio_core::texts::Dictionary;

pub use admin::RatesAdminApi;
pub use service::{ApprovedRateRules, RateSourcesPart, Rates, RatesDependencies};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Configures rate sources and rate rules.
pub const RATES_EDIT: Permission = Permission("rates.edit");
/// Resumes suspended pairs.
pub const RATES_RELEASE: Permission = Permission("rates.release");
/// Views sources, rules and history. Declared by the calculator.
const RATES_READ: Permission = Permission("rates.read");
/// Views claims. Declared by the claims module.
const CLAIMS_READ: Permission = Permission("claims.read");

const SOURCES: &str = "rates.sources";
/// Tolerance between sources, in basis points.
const TOLERANCE: &str = "rates.tolerance_bps";
/// Maximum price move within the window, in percent.
const JUMP: &str = agio_contracts::JUMP_PERCENT;
/// In minutes.
const WINDOW: &str = "rates.window_minutes";
/// Good cycles before a suspended pair resumes.
const RESUME: &str = "rates.resume_after";
/// Days of full price history.
const KEPT_DAYS: &str = "rates.kept_days";

const SETTINGS: &[Setting] = &[
    Setting::number(SOURCES, 1, 10, "1").guarded(SettingGuard::Lowering),
    // A narrow tolerance may exclude the source that is right, and a price may jump over the edge of any window.
    Setting::number(TOLERANCE, 1, 2_000, "100").guarded(SettingGuard::AnyChange),
    Setting::number(JUMP, 1, 90, "10").guarded(SettingGuard::Raising),
    Setting::number(WINDOW, 1, 10_080, "60").guarded(SettingGuard::AnyChange),
    Setting::number(RESUME, 0, 1_000, "3").guarded(SettingGuard::LoweringFromZero),
    Setting::number(KEPT_DAYS, 1, 365, "7"),
];

const POLL_EVERY: Duration = Duration::from_secs(5);
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);

impl Module for Rates {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[RATES_EDIT, RATES_RELEASE],
            settings: SETTINGS,
            statements: store::STATEMENTS,
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![
            Job::new("rates.cycle", POLL_EVERY, &self, |rates| Box::pin(async move { rates.cycle().await })),
            Job::new("rates.thin_out", PRUNE_EVERY, &self, |rates| Box::pin(async move { rates.prune_history().await })),
        ]
    }
}
