//! What the engine does: asks sources, rules on what they say, and lets staff set rules and look.

mod asking;
mod consent;
mod judging;
mod looking;
mod rules;
mod sources;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_approvals::Approvals;
use agio_core::needs::{ClaimTerms, RateBook, Replays};
use agio_core::texts::Texts;
use agio_core::{Platform, Result};
use agio_plugin_host::Plugins;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::KEPT_DAYS;
use crate::store;

pub use consent::AgreedRules;
pub use looking::{Explained, StopSeen};
pub use rules::Dry;
pub use sources::{SourceChange, SourceSeen};

/// Whom the engine asks.
pub struct Needs {
    /// Plugins.
    pub plugins: Arc<dyn Plugins>,
    /// The book of pairs.
    pub book: Arc<dyn RateBook>,
    /// Computing rates again.
    pub replays: Arc<dyn Replays>,
    /// What claims were agreed on.
    pub claims: Arc<dyn ClaimTerms>,
    /// What two people decide.
    pub approvals: Approvals,
}

/// How many sources are asked at a time; each is held to its plugin's limits.
const PLACES: usize = 16;

/// The rate engine.
pub struct Rates {
    pub(crate) platform: Platform,
    plugins: Arc<dyn Plugins>,
    book: Arc<dyn RateBook>,
    replays: Arc<dyn Replays>,
    claims: Arc<dyn ClaimTerms>,
    pub(crate) approvals: Approvals,
    pub(crate) texts: Texts,
    /// Sources that are being asked now. They end with the engine.
    asking: Mutex<JoinSet<()>>,
    /// Room for those that are asked at a time.
    places: Semaphore,
    /// Only one look is judged at a time.
    judging: tokio::sync::Mutex<()>,
    /// Whether it is known that nothing is ruled.
    resting: AtomicBool,
}

impl Rates {
    /// The engine.
    ///
    /// # Panics
    /// The dictionaries of this crate do not fit each other: a fault of the program, found by its tests.
    #[must_use]
    pub fn new(platform: &Platform, needs: Needs) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            plugins: needs.plugins,
            book: needs.book,
            replays: needs.replays,
            claims: needs.claims,
            approvals: needs.approvals,
            texts: Texts::merge(&[crate::DICTIONARY]).expect("the dictionaries of this crate fit each other"),
            asking: Mutex::default(),
            places: Semaphore::new(PLACES),
            judging: tokio::sync::Mutex::default(),
            resting: AtomicBool::default(),
        })
    }

    /// One cycle: asks the sources that are due, waits a moment for them, and rules on what is known by then. One that takes longer is
    /// heard in the next cycle, and keeps nobody waiting.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn cycle(self: &Arc<Self>) -> Result<()> {
        self.ask_due().await?;
        self.judge().await
    }

    /// Of what is older than it is kept whole keeps one thing an hour.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn thin_out(&self) -> Result<()> {
        let days = self.platform.settings.int(KEPT_DAYS).unsigned_abs();
        let before = self.platform.clock.now().minus(Duration::from_secs(days * 24 * 60 * 60));
        self.book.thin_out(before).await?;
        self.platform.db.write(move |tx| Box::pin(store::thin_out_points(tx, before))).await.map(drop)
    }

    fn asking(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
