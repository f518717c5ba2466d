//! The rate engine: polls sources, aggregates rates and serves staff.

mod approvals;
mod bulk_rules;
mod market_part;
mod rate_aggregation;
mod rate_view;
mod rules;
mod source_part;
mod source_polling;
mod sources;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_approvals::Approvals;
use agio_contracts::{ClaimTermsProvider, PairPricing, RateExplainer};
use agio_core::texts::Texts;
use agio_core::{Platform, Result, retention};
use agio_plugin_runtime::PluginRegistry;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::KEPT_DAYS;
use crate::store;

pub use approvals::ApprovedRateRules;
pub use bulk_rules::BulkRulesUpdate;
pub use rate_view::{ClaimRateExplanation, SuspendedPair};
pub use rules::{DryRunResult, RulesPreview};
pub use source_part::RateSourcesPart;
pub use sources::{RateSourceDetails, RateSourceUpdate};

pub struct RatesDependencies {
    pub plugins: Arc<dyn PluginRegistry>,
    pub pair_pricing: Arc<dyn PairPricing>,
    pub explainer: Arc<dyn RateExplainer>,
    pub claims: Arc<dyn ClaimTermsProvider>,
    pub approvals: Approvals,
}

const MAX_CONCURRENT_POLLS: usize = 16;

pub struct Rates {
    pub(crate) platform: Platform,
    plugins: Arc<dyn PluginRegistry>,
    pair_pricing: Arc<dyn PairPricing>,
    explainer: Arc<dyn RateExplainer>,
    claims: Arc<dyn ClaimTermsProvider>,
    pub(crate) approvals: Approvals,
    pub(crate) texts: Texts,
    /// Running polls. They end with the engine.
    polls: Mutex<JoinSet<()>>,
    poll_slots: Semaphore,
    /// Only one cycle runs at a time.
    aggregation_lock: tokio::sync::Mutex<()>,
    /// Whether no decisions are in effect.
    is_idle: AtomicBool,
}

impl Rates {
    /// # Panics
    /// The dictionaries of this crate do not match.
    pub fn new(platform: &Platform, dependencies: RatesDependencies) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            plugins: dependencies.plugins,
            pair_pricing: dependencies.pair_pricing,
            explainer: dependencies.explainer,
            claims: dependencies.claims,
            approvals: dependencies.approvals,
            texts: Texts::merge(&[crate::DICTIONARY]).expect("the dictionaries of this crate fit each other"),
            polls: Mutex::default(),
            poll_slots: Semaphore::new(MAX_CONCURRENT_POLLS),
            aggregation_lock: tokio::sync::Mutex::default(),
            is_idle: AtomicBool::default(),
        })
    }

    /// One cycle: polls the due sources, waits briefly, and aggregates. Later responses count in the next cycle.
    pub async fn cycle(self: &Arc<Self>) -> Result<()> {
        self.poll_due_sources().await?;
        self.run_aggregation().await
    }

    /// Prunes old history to one point per hour.
    pub async fn prune_history(&self) -> Result<()> {
        let days = self.platform.settings.int(KEPT_DAYS).unsigned_abs();
        let before = self.platform.clock.now().minus(Duration::from_secs(days * 24 * 60 * 60));
        self.pair_pricing.prune_source_quotes(before).await?;
        retention::thin_out(&self.platform.db, store::POINT_THINNING, before).await
    }

    fn polls(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.polls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
