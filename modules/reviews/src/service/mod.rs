//! Use cases: one function, one transaction.

mod customer_records;
mod exchange_listener;
mod moderation;
mod writing;

use std::sync::Arc;

use agio_contracts::CurrencyLookup;
use agio_core::events::ChangeEvent;
use agio_core::{Platform, Result};
use arc_swap::ArcSwap;
use tokio::sync::Mutex;

use crate::model::{PublishedReviews, ReviewState};
use crate::store;

pub use moderation::ReviewModeration;
pub use writing::NewReview;

/// Reviews that the site shows; older ones only count.
const SHOWN_MAX: i64 = 1_000;

/// Reads and changes reviews.
pub struct Reviews {
    platform: Platform,
    currencies: Arc<dyn CurrencyLookup>,
    published: Arc<ArcSwap<PublishedReviews>>,
    /// One reads at a time, so that what was read last is shown.
    load_lock: Mutex<()>,
}

impl Reviews {
    /// Call [`load`](Self::load) before serving.
    pub fn new(platform: &Platform, currencies: Arc<dyn CurrencyLookup>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), currencies, published: Arc::default(), load_lock: Mutex::default() })
    }

    /// What the site shows.
    pub fn published(&self) -> Arc<PublishedReviews> {
        self.published.load_full()
    }

    /// Loads what the site shows.
    pub async fn load(&self) -> Result<()> {
        let _lock = self.load_lock.lock().await;
        let mut tx = self.platform.db.read().await?;
        let latest = store::latest(&mut tx, SHOWN_MAX).await?;
        let totals = store::totals(&mut tx).await?;
        let total = totals.into_iter().find(|(state, _)| *state == ReviewState::Published).map(|(_, total)| total);
        let total = total.unwrap_or_default();
        let latest = latest.into_iter().map(Into::into).collect();
        self.published.store(Arc::new(PublishedReviews::new(total.count, total.sum, latest)));
        Ok(())
    }

    async fn show_changes(&self) -> Result<()> {
        self.load().await?;
        self.platform.events.publish(ChangeEvent::Content);
        Ok(())
    }
}
